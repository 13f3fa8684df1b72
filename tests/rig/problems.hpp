// SPDX-License-Identifier: Apache-2.0
// problems: what is to be solved, by a setup of a few words or as small valid ones to start from.
#pragma once

#include <ostream>
#include <string>
#include <variant>
#include <vector>

#include "core/problem.hpp"
#include "guarded_buffer.hpp"
#include "layouts.hpp"

namespace jitnorm::tests {

using impl::dim_t;
using impl::memory_desc;
using impl::layer_norm::output;
using impl::layer_norm::problem;
using impl::layer_norm::statistics_form;

// What is added before the normalization; nothing by default.
struct residual_setup {
    std::string added, sum; // layouts; empty: no such tensor. Backward: sum is that of the sum's gradient
    jitnorm_data_type_t type = jitnorm_f32, sum_type = jitnorm_f32, bias_type = jitnorm_data_type_undef;
    bool rounded = false;
    bool in_place = false; // the sum is written over the residual; backward: diff_src over the sum's gradient
};

inline impl::residual_addition make_residual(const residual_setup &s, const std::vector<dim_t> &dims) {
    impl::residual_addition residual;
    if (!s.added.empty()) residual.added = make_layout(s.added, dims, s.type);
    if (!s.sum.empty()) residual.sum = make_layout(s.sum, dims, s.sum_type);
    residual.bias_type = s.bias_type;
    residual.normalizes_rounded = s.rounded;
    return residual;
}

// How to make a problem; the defaults are a plain f32 forward training.
struct setup {
    jitnorm_prop_kind_t kind = jitnorm_forward_training;
    unsigned flags = jitnorm_use_scale | jitnorm_use_shift;
    std::vector<dim_t> dims = {5, 70};
    std::string src = "dense", dst = "dense", statistics = "dense"; // layouts; dst also of diff_dst
    std::string diff_src = "dense";
    jitnorm_data_type_t src_type = jitnorm_f32, dst_type = jitnorm_f32; // dst_type also of diff_dst
    jitnorm_data_type_t diff_src_type = jitnorm_f32;
    jitnorm_data_type_t affine_type = jitnorm_f32; // scale, shift and, unless they have a type of their own,
    jitnorm_data_type_t gradient_type = jitnorm_data_type_undef; // their gradients
    impl::attributes attr = {};
    bool in_place = false;
    guard_side side = guard_side::after;
    double mean = 1, deviation = 2; // of src
    unsigned seed = 1;

    int axes = 1; // normalized
    jitnorm_data_type_t statistics_type = jitnorm_f32;
    statistics_form form = statistics_form::variance;
    unsigned left_out = 0;
    bool scale_is_ones = false;
    residual_setup residual = {};
    std::string unquantized = {}; // layout of the second output; empty: there is none
    jitnorm_data_type_t unquantized_type = jitnorm_f32;

    dim_t first_row = 0, all_rows = -1; // backward of some rows of a larger problem
};

inline std::ostream &operator<<(std::ostream &out, const setup &s) {
    out << "kind " << s.kind << " flags " << s.flags << " dims";
    for (dim_t d : s.dims) out << ' ' << d;
    return out << " layouts " << s.src << ' ' << s.dst << ' ' << s.statistics << ' ' << s.diff_src << " types "
               << s.src_type << ' ' << s.dst_type << ' ' << s.diff_src_type << ' ' << s.affine_type << ' '
               << s.gradient_type << " in place " << s.in_place << " seed " << s.seed << " axes " << s.axes
               << " statistics of type " << s.statistics_type << " and form " << int(s.form) << " left out "
               << s.left_out << " ones " << s.scale_is_ones << " residual '" << s.residual.added << "' '"
               << s.residual.sum << "' in place " << s.residual.in_place << " unquantized '" << s.unquantized << "' "
               << s.unquantized_type << " rows from " << s.first_row << " of " << s.all_rows;
}

inline problem make_problem(const setup &s) {
    problem p;
    p.prop_kind = s.kind;
    p.flags = s.flags;
    p.epsilon = 1e-5f;
    p.src = make_layout(s.src, s.dims, s.src_type);
    p.normalized_axes = s.axes;
    p.form = s.form;
    p.left_out = s.left_out;
    p.scale_is_ones = s.scale_is_ones;
    p.statistics = make_layout(s.statistics, {s.dims.begin(), s.dims.end() - s.axes}, s.statistics_type);
    if (p.is_forward()) {
        p.dst = make_layout(s.dst, s.dims, s.dst_type);
    } else {
        p.diff_dst = make_layout(s.dst, s.dims, s.dst_type);
        p.diff_src = make_layout(s.diff_src, s.dims, s.diff_src_type);
    }
    p.scale_shift_type = s.affine_type;
    p.diff_scale_shift_type = s.gradient_type == jitnorm_data_type_undef ? s.affine_type : s.gradient_type;
    p.first_row = s.first_row;
    p.all_rows = s.all_rows;
    if (p.is_partial()) p.diff_scale_shift_type = jitnorm_f64;
    p.attr = s.attr;
    p.attr.residual = make_residual(s.residual, s.dims);
    if (!s.unquantized.empty()) p.attr.unquantized = make_layout(s.unquantized, s.dims, s.unquantized_type);
    return p;
}

// The same problem as a primitive knows it whose executions bring all sizes and strides.
inline problem with_runtime_sizes(problem p) {
    const auto forget = [](memory_desc &md, bool ones_too) {
        for (int d = 0; d < md.ndims; ++d) {
            if (ones_too || md.dims[d] != 1) md.dims[d] = md.padded_dims[d] = impl::RUNTIME_DIM;
            md.strides[d] = impl::RUNTIME_DIM;
        }
    };
    for (memory_desc *md : {&p.src, &p.dst, &p.diff_dst, &p.diff_src, &p.statistics, &p.attr.residual.added,
                            &p.attr.residual.sum, &p.attr.unquantized})
        forget(*md, true);
    for (impl::post_op &op : p.attr.post_ops.entries)
        if (auto *binary = std::get_if<impl::binary_post_op>(&op)) forget(binary->src1, false); // broadcast where 1
    return p;
}

inline memory_desc dense(const std::vector<dim_t> &dims, jitnorm_data_type_t type = jitnorm_f32) {
    return impl::make_dense(dims, type);
}

// Scales of dst that the library finds: so many for each row.
inline impl::attributes finding_scales(std::vector<dim_t> dims, dim_t per_row = 1) {
    impl::attributes attr;
    dims.back() = per_row;
    attr.found_scales = dense(dims);
    return attr;
}

// Without flags.
inline problem make_problem(jitnorm_prop_kind_t kind, const std::vector<dim_t> &dims) {
    return make_problem(setup{.kind = kind, .flags = 0, .dims = dims});
}
inline problem forward_problem() { return make_problem(jitnorm_forward_training, {4, 6, 8}); }
inline problem backward_problem() { return make_problem(jitnorm_backward, {4, 6, 8}); }

} // namespace jitnorm::tests
