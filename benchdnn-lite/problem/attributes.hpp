// SPDX-License-Identifier: Apache-2.0
// attributes: the attributes of a problem (residual, further outputs, scales, post-operations and modes), read and
// written in benchdnn's syntax.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "data_type.hpp"
#include "jitnorm/jitnorm_graph_types.h"

namespace benchdnn_lite {

// dst:per_row or dst:per_tensor:f32:1x128: scales of dst that the library finds from the data and writes as an output.
struct dynamic_scales {
    dim_t group = 0; // how many columns of a row share a scale; 0: all of them
    bool operator==(const dynamic_scales &) const = default;

    dim_t columns(dim_t row_length) const { return group != 0 ? group : row_length; } // that share a scale
};

// src:common:64+dst:common:0.5: one scale for a whole tensor, or dynamic scales of dst.
struct tensor_scales {
    std::optional<float> src, dst;
    std::optional<dynamic_scales> found; // of dst; if they are set, `dst` is not
    bool operator==(const tensor_scales &) const = default;
};

// sum[:SCALE[:ZERO_POINT[:DATA_TYPE]]]
struct sum_post_op {
    float scale = 1;
    int zero_point = 0;
    data_type type = jitnorm_data_type_undef; // undef: the type of dst
    bool operator==(const sum_post_op &) const = default;
};

// ALGORITHM[:ALPHA[:BETA]]
struct eltwise_post_op {
    jitnorm_alg_kind_t algorithm = jitnorm_alg_kind_undef;
    float alpha = 0, beta = 0;
    bool operator==(const eltwise_post_op &) const = default;
};

// ALGORITHM:DATA_TYPE[:MASK[:TAG]]. If bit d of the mask is set, dimension d of the second operand has the size that it
// has in dst, otherwise 1.
struct binary_post_op {
    jitnorm_alg_kind_t algorithm = jitnorm_alg_kind_undef;
    data_type type = jitnorm_f32;
    unsigned mask = 0;
    std::string mask_text; // the mask as the user wrote it: a policy's name or a number
    std::string tag;       // empty: row-major
    bool operator==(const binary_post_op &) const = default;

    // The dimensions of the second operand if those of dst are `dims`.
    std::vector<dim_t> source_dims(const std::vector<dim_t> &dims) const;
};

using post_op = std::variant<sum_post_op, eltwise_post_op, binary_post_op>;

// Type and layout of a further tensor that has the dimensions of src.
struct residual_tensor {
    data_type type = jitnorm_data_type_undef; // undef: the type of src
    std::string tag;                          // empty: the layout of src
    bool operator==(const residual_tensor &) const = default;
};

// src1[:DATA_TYPE[:TAG]]+dst1[:DATA_TYPE[:TAG]]+bias[:DATA_TYPE]+rounded+silu
// added (src1): is added to src before the normalization; in a backward problem, what was multiplied by the gate. sum
// (dst1): the sum as an output; in a backward problem, the gradient of that output.
struct residual_addition {
    std::optional<residual_tensor> added, sum;
    std::optional<data_type> bias;
    bool rounded = false; // the sum is rounded to the type of dst1 before it is normalized
    bool silu = false;    // src is multiplied by silu(src1), in place of the addition
    bool operator==(const residual_addition &) const = default;
};

// scale:MASK+shift:MASK+gate:MASK[:DATA_TYPE]: scale and shift with row dimensions, and a gate on src where a residual
// is added. If bit d of the mask is set, the tensor has src's size in dimension d, which counts rows, otherwise 1.
struct modulation {
    std::optional<unsigned> scale, shift, gate;
    data_type gate_type = jitnorm_f32;
    bool operator==(const modulation &) const = default;

    // The dimensions of such a tensor if those of src are `dims`.
    static std::vector<dim_t> dims_of(unsigned mask, std::vector<dim_t> dims);
};

// --attr-fpmath: which lower precision a problem allows.
struct fpmath {
    jitnorm_fpmath_mode_t mode = jitnorm_fpmath_mode_strict;
    bool for_integers = false;
    bool operator==(const fpmath &) const = default;
};

struct attributes {
    residual_addition residual;
    struct modulation modulation;
#define FURTHER_OUTPUT(place, number, attribute, ...) std::optional<residual_tensor> attribute;
#include "../../tables/outputs.inc"
    tensor_scales scales;
    std::vector<post_op> post_ops;
    bool user_scratchpad = false;
    fpmath precision; // it changes nothing in the library's computations
    jitnorm_accumulation_mode_t accumulation = jitnorm_accumulation_mode_strict; // likewise
    bool deterministic = false; // it changes nothing: all results of the library are deterministic
    bool operator==(const attributes &) const = default;
};

// Calls f with each further tensor that the attributes describe, and with the name of the knob that describes it.
template <typename Attributes, typename Function>
void for_each_row_tensor(Attributes &attr, Function f) {
    const auto visit = [&](auto &tensor, std::string_view knob) {
        if (tensor) f(*tensor, knob);
    };
    visit(attr.residual.added, "attr-residual");
    visit(attr.residual.sum, "attr-residual");
#define FURTHER_OUTPUT(place, number, attribute, name, knob, ...) visit(attr.attribute, knob);
#include "../../tables/outputs.inc"
}

// Each function reads one element of its knob's list. An empty text means no attribute. Throws input_error.
residual_addition parse_residual(std::string_view text);
modulation parse_modulation(std::string_view text);
std::optional<residual_tensor> parse_output(std::string_view name, std::string_view text); // name[:DATA_TYPE[:TAG]]
tensor_scales parse_scales(std::string_view text);
std::vector<post_op> parse_post_ops(std::string_view text);
bool parse_user_scratchpad(std::string_view text); // user or library

std::string to_text(const residual_addition &residual);
std::string to_text(const modulation &modulated);
std::string output_text(std::string_view name, const std::optional<residual_tensor> &output);
std::string to_text(const tensor_scales &scales);
std::string to_text(const std::vector<post_op> &post_ops);

// Reads strict, bf16, f16, tf32 or any. :true or :false may follow: whether this holds for integers too. Throws
// input_error.
fpmath parse_fpmath(std::string_view text);
std::string to_text(const fpmath &f);

// Reads strict, relaxed, any, s32, f32 or f16. Throws input_error.
jitnorm_accumulation_mode_t parse_accumulation(std::string_view text);

} // namespace benchdnn_lite
