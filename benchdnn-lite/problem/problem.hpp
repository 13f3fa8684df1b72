// SPDX-License-Identifier: Apache-2.0
// problem: one layer normalization to run, as the command line describes it. line() writes it in the command line's
// syntax.
#pragma once

#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "attributes.hpp"
#include "data_type.hpp"

namespace benchdnn_lite {

struct impl_filter {
    std::vector<std::string> parts; // parts of implementations' names; if there are none, all implementations may run
    bool skips = false;             // true: names that contain one of the parts are skipped; false: only those may run

    bool accepts(std::string_view implementation) const;
    bool operator==(const impl_filter &) const = default;
};

// Reads parts with commas between them, and removes quotes. Throws input_error.
impl_filter parse_impl_filter(std::string_view text, bool skips);
std::string to_text(const impl_filter &filter); // the whole knob, as "--impl=jit"; empty without parts

enum class direction { FWD_D, FWD_I, BWD_D, BWD_DW };

std::string_view name_of(direction dir);

// Letters: G mean and variance are inputs, C scale, H shift, M root mean square, P scale is stored minus 1, R
// normalized values are rounded to src's type. The result has bits of jitnorm_normalization_flags_t.
unsigned parse_flags(std::string_view text);
std::string flags_text(unsigned flags);

// Types of the tensors that have rows. In a backward problem, dst means diff_dst.
struct row_types {
    data_type src = jitnorm_f32, dst = jitnorm_f32, diff_src = jitnorm_f32;
    bool operator==(const row_types &) const = default;
};

// Layouts of the same tensors.
struct row_tags {
    std::string src = "abx", dst = "any";
    std::string diff_src; // empty: the tag of src, or that of diff_dst if the problem is in place
    bool operator==(const row_tags &) const = default;
};

// The types of scale and shift (given) and of their gradients.
struct weight_types {
    data_type given = jitnorm_f32, gradient = jitnorm_f32;
    bool operator==(const weight_types &) const = default;
};

row_types parse_row_types(std::string_view text);       // T (for all three), SRC:DST or SRC:DST:DIFF_SRC
weight_types parse_weight_types(std::string_view text); // T or GIVEN:GRADIENT
row_tags parse_row_tags(std::string_view text);         // SRC (dst is any), SRC:DST or SRC:DST:DIFF_SRC

std::string to_text(const row_types &types);
std::string to_text(const row_tags &tags);
std::string to_text(const weight_types &types);

struct shape {
    std::vector<dim_t> dims;
    std::string name; // of _n"name"; may be empty
};

// Reads 128x768 or 2x4x16_n"name". Throws input_error for fewer than 2 or more than 12 dimensions, or too many
// elements.
shape parse_shape(std::string_view text);
std::string to_text(const shape &size);

constexpr double DEFAULT_EPSILON = 1.0 / 16;

// A tensor that a problem reads or writes.
struct used_tensor {
    int id;           // JITNORM_ARG_...
    const char *name; // for messages
    data_type type;
    std::vector<dim_t> dims;
    bool is_output = false;
    std::string tag = "abx"; // of rows, in place of "any": that of src; of others the library may choose another layout
    int in_memory_of = 0;    // the input whose memory an output in place has
};

// The output with the scales of dst that the library finds.
constexpr int DST_SCALES = JITNORM_ARG_ATTR_SCALES | JITNORM_ARG_DST;

struct problem {
    shape size;
    direction dir = direction::FWD_D;
    row_types types;
    row_tags tags;
    std::string stat_tag = "any";
    weight_types scale_shift;
    unsigned flags = 0;
    attributes attr;
    double epsilon = DEFAULT_EPSILON;
    bool in_place = false;
    impl_filter filter;
    int creation_threads = 0, execution_threads = 0; // parse_context()

    bool is_forward() const { return dir == direction::FWD_D || dir == direction::FWD_I; }
    bool has(jitnorm_normalization_flags_t flag) const { return (flags & unsigned(flag)) != 0; }
    bool uses_scale() const { return has(jitnorm_use_scale); }
    bool uses_shift() const { return has(jitnorm_use_shift); }
    bool is_rms() const { return has(jitnorm_rms_norm); }
    bool statistics_are_global() const { return has(jitnorm_use_global_stats); }
    bool statistics_are_inputs() const { return !is_forward() || statistics_are_global(); }
    bool statistics_are_outputs() const { return dir == direction::FWD_D && !statistics_are_global(); }
    bool has_dst() const { return tags.dst != "undef"; } // or diff_dst; without it forward writes statistics alone

    // Which tensors of the residual and which further outputs the problem has.
    bool adds_residual() const { return is_forward() && attr.residual.added.has_value(); }
    bool writes_sum() const { return adds_residual() && attr.residual.sum.has_value(); }
    bool reads_bias() const { return adds_residual() && attr.residual.bias.has_value(); }
    bool reads_gate() const {
        return attr.modulation.gate.has_value() && (adds_residual() || attr.residual != residual_addition{});
    }
    bool has_gate_gradients() const { return !is_forward() && reads_gate(); }
    residual_tensor gated() const { return attr.residual.added.value_or(residual_tensor{}); } // backward with a gate
    bool reads_diff_sum() const { return !is_forward() && attr.residual.sum.has_value(); }
    data_type type_of(const residual_tensor &tensor) const; // "undef" and an empty tag are replaced by those of src
    std::string tag_of(const residual_tensor &tensor) const;
    // The tensors with the dimensions of src, in an order in which an output in place is among the outputs where its
    // input is among the inputs.
    std::vector<used_tensor> row_tensors() const;
    // These, then all others but those that the attributes give: scales, and second operands of post-ops.
    std::vector<used_tensor> tensors() const;
    bool computes_in_f64() const; // a row tensor is f64 that is not of the gate's gradients, which follow diff_src

    std::string src_tag() const; // "abx" instead of "any", which the library does not accept for src
    std::string diff_src_tag() const;

    size_t ndims() const { return size.dims.size(); }
    dim_t row_length() const { return size.dims.back(); }
    dim_t rows() const { return product(std::span(size.dims).first(ndims() - 1)); }
    dim_t elements() const { return rows() * row_length(); }
    std::vector<dim_t> statistics_dims() const { return {size.dims.begin(), size.dims.end() - 1}; }

    // The knobs and the shape that reproduce this problem. Knobs with their default values are left out unless
    // `canonical` is true.
    std::string line(bool canonical = false) const;
};

// Gives a problem the value of one of its knobs.
using problem_setter = std::function<void(problem &)>;

// A knob that sets a part of a problem.
struct problem_knob {
    std::string_view name;                           // without the dashes
    std::string_view example;                        // of a list of values
    std::string_view help;                           // lines of at most 53 columns
    problem_setter (*parse)(std::string_view value); // throws input_error
    std::string (*text)(const problem &p);           // the value that the problem has
    bool (*equal)(const problem &a, const problem &b);
};

std::span<const problem_knob> problem_knobs(); // in the order in which line() names them

} // namespace benchdnn_lite
