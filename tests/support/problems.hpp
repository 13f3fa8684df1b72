// SPDX-License-Identifier: Apache-2.0
// problems: makes problems from a setup of a few words, and small valid ones to start from.
#pragma once

#include <iosfwd>
#include <string>
#include <vector>

#include "guarded_buffer.hpp"
#include "layouts.hpp"
#include "norm/problem.hpp"

namespace jitnorm::tests {

using impl::dim_t;
using impl::memory_desc;
using impl::layer_norm::problem;
using impl::layer_norm::statistics_form;
using enum impl::layer_norm::slot;
using impl::layer_norm::bit_of;

// The residual that is added before the normalization; none by default.
struct residual_setup {
    std::string added, sum; // layouts; empty: no such tensor. Backward, `sum` is the layout of the gradient of the sum
    jitnorm_data_type_t type = jitnorm_f32, sum_type = jitnorm_f32, bias_type = jitnorm_data_type_undef;
    jitnorm_data_type_t gate_type = jitnorm_data_type_undef; // undef: no gate
    bool rounded = false, silu = false;
    bool in_place = false; // the sum is written over the residual; backward, diff_src over the gradient of the sum
};

// How to make a problem; the defaults are a plain f32 forward training.
struct setup {
    jitnorm_prop_kind_t kind = jitnorm_forward_training;
    unsigned flags = jitnorm_use_scale | jitnorm_use_shift;
    std::vector<dim_t> dims = {5, 70};
    std::string src = "dense", dst = "dense", statistics = "dense"; // layouts; dst also of diff_dst
    std::string diff_src = "dense";
    jitnorm_data_type_t src_type = jitnorm_f32, dst_type = jitnorm_f32; // dst_type also of diff_dst
    jitnorm_data_type_t diff_src_type = jitnorm_f32;
    jitnorm_data_type_t affine_type = jitnorm_f32;               // of scale and shift
    jitnorm_data_type_t gradient_type = jitnorm_data_type_undef; // of their gradients; undef: affine_type
    impl::attributes attr = {};
    memory_desc dynamic_scales = {}; // scales of dst; empty: none are found
    bool in_place = false;
    guard_side side = guard_side::after;
    double mean = 1, deviation = 2; // of src
    unsigned seed = 1;

    int axes = 1; // how many of the last dimensions are normalized
    jitnorm_data_type_t statistics_type = jitnorm_f32;
    statistics_form form = statistics_form::variance;
    unsigned omitted = 0;
    bool scale_is_ones = false;
    residual_setup residual = {};
    std::string pre_quantization = {}; // layout of this output; empty: there is none
    jitnorm_data_type_t pre_quantization_type = jitnorm_f32;

    dim_t first_row = 0, all_rows = -1; // backward of some rows of a larger problem
    dim_t all_columns = -1;             // forward of some columns of longer rows
};

// Whether all tensors of rows are f64. Results then have the tolerance of f64, others that of f32.
inline bool is_double(const setup &s) {
    return s.src_type == jitnorm_f64 && s.dst_type == jitnorm_f64 &&
           (s.kind == jitnorm_forward_training || s.kind == jitnorm_forward_inference ||
            s.diff_src_type == jitnorm_f64);
}

std::string text_of(const setup &s); // the members that differ from the default, except the numbers in src
std::ostream &operator<<(std::ostream &out, const setup &s);

problem make_problem(const setup &s);

// The same problem without sizes and strides, like that of a primitive whose executions bring them.
problem with_runtime_sizes(problem p);

inline memory_desc dense(const std::vector<dim_t> &dims, jitnorm_data_type_t type = jitnorm_f32) {
    return impl::make_dense(dims, type);
}

// The descriptor of `per_row` scales for each row of a dst with these dimensions.
inline memory_desc scales_of(std::vector<dim_t> dims, dim_t per_row = 1) {
    dims.back() = per_row;
    return dense(dims);
}

// A problem without flags.
inline problem make_problem(jitnorm_prop_kind_t kind, const std::vector<dim_t> &dims) {
    return make_problem(setup{.kind = kind, .flags = 0, .dims = dims});
}
inline problem forward_problem() { return make_problem(jitnorm_forward_training, {4, 6, 8}); }
inline problem backward_problem() { return make_problem(jitnorm_backward, {4, 6, 8}); }

} // namespace jitnorm::tests
