// SPDX-License-Identifier: Apache-2.0
// run: one execution, of the reference unless another implementation is named: a problem, its tensors filled with
// random values, the call, and the oracle's answer to the same values as they were stored.
#pragma once

#include <gtest/gtest.h>

#include <optional>
#include <sstream>
#include <string>
#include <vector>

#include "core/problem.hpp"
#include "layouts.hpp"
#include "oracle.hpp"
#include "reference/reference.hpp"
#include "reference/reference_entry.hpp"
#include "tensor.hpp"

namespace jitnorm::tests {

using impl::layer_norm::arguments;
using enum impl::layer_norm::slot;
using impl::layer_norm::post_op_slot;
using impl::layer_norm::problem;

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
    impl::layer_norm::statistics_form form = impl::layer_norm::statistics_form::variance;
    unsigned left_out = 0;
    bool scale_is_ones = false;
};

inline std::ostream &operator<<(std::ostream &out, const setup &s) {
    out << "kind " << s.kind << " flags " << s.flags << " dims";
    for (dim_t d : s.dims) out << ' ' << d;
    return out << " layouts " << s.src << ' ' << s.dst << ' ' << s.statistics << ' ' << s.diff_src << " types "
               << s.src_type << ' ' << s.dst_type << ' ' << s.diff_src_type << ' ' << s.affine_type << ' '
               << s.gradient_type << " in place " << s.in_place << " seed " << s.seed << " axes " << s.axes
               << " statistics of type " << s.statistics_type << " and form " << int(s.form) << " left out "
               << s.left_out << " ones " << s.scale_is_ones;
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
    p.attr = s.attr;
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
    for (memory_desc *md : {&p.src, &p.dst, &p.diff_dst, &p.diff_src, &p.statistics}) forget(*md, true);
    for (impl::post_op &op : p.attr.post_ops.entries)
        if (auto *binary = std::get_if<impl::binary_post_op>(&op)) forget(binary->src1, false); // broadcast where 1
    return p;
}

class run {
public:
    explicit run(const setup &s) : p(make_problem(s)), side_(s.side), in_place_(s.in_place) {
        const dim_t rows = p.rows(), columns = p.row_length();
        src = make(p.src, random_values(rows * columns, s.mean, s.deviation, s.seed));
        const memory_desc vector = impl::make_dense(std::vector<dim_t>{columns}, p.scale_shift_type);
        if (p.reads_scale()) scale = make(vector, random_values(columns, 1, 0.5, s.seed + 1));
        if (p.uses_shift()) shift = make(vector, random_values(columns, 0, 1, s.seed + 2));
        if (p.uses_mean()) mean = make(p.statistics, random_values(rows, s.mean, s.deviation / 8, s.seed + 3));
        if (p.uses_variance()) {
            variance = make(p.statistics, random_values(rows, s.deviation, s.deviation / 8, s.seed + 4));
            const bool inverse = p.form == impl::layer_norm::statistics_form::inverse_deviation;
            std::vector<double> values = variance.values();
            for (double &value : values) value = inverse ? 1 / value : value * value;
            variance.fill(values);
        }
        if (p.is_forward()) {
            if (!in_place_) dst = tensor(p.dst, side_);
        } else {
            make_gradients(s);
        }
        for (const impl::post_op &op : p.attr.post_ops.entries) {
            const auto *binary = std::get_if<impl::binary_post_op>(&op);
            operands.push_back(binary ? make(binary->src1, random_values(nelems(binary->src1), 1, 2, s.seed + 5))
                                      : tensor());
        }
    }

    // The oracle's problem, from what the tensors hold: to be asked for before execute() when in place.
    template <typename Real = double>
    oracle_problem<Real> question() const {
        oracle_problem<Real> q;
        q.rows = size_t(p.rows());
        q.columns = size_t(p.row_length());
        q.epsilon = Real(p.epsilon);
        q.rms = p.is_rms();
        q.global_statistics = p.has(jitnorm_use_global_stats);
        q.src = widened<Real>(src);
        q.scale = widened<Real>(scale); // empty stands for ones
        q.shift = widened<Real>(shift);
        q.mean = widened<Real>(mean);
        q.variance = widened<Real>(variance);
        if (p.form == impl::layer_norm::statistics_form::inverse_deviation)
            for (Real &value : q.variance) value = 1 / (value * value) - q.epsilon;
        q.diff_dst = widened<Real>(diff_dst);
        return q;
    }

    arguments make_arguments() {
        const auto pointer = [](const tensor &t) { return t.exists() ? t.data() : nullptr; };
        arguments args;
        args.set(SRC, pointer(src));
        args.set(DST, in_place_ ? pointer(src) : pointer(dst));
        args.set(MEAN, pointer(mean));
        args.set(VARIANCE, pointer(variance));
        args.set(SCALE, pointer(scale));
        args.set(SHIFT, pointer(shift));
        args.set(DIFF_DST, pointer(diff_dst));
        args.set(DIFF_SRC, in_place_ ? pointer(diff_dst) : pointer(diff_src));
        args.set(DIFF_SCALE, pointer(diff_scale));
        args.set(DIFF_SHIFT, pointer(diff_shift));
        args.set(SRC_SCALE, &src_scale);
        args.set(DST_SCALE, &dst_scale);
        for (size_t i = 0; i < operands.size(); ++i) args.set(post_op_slot(i), operands[i].data());
        return args;
    }

    void execute() { execute_on(impl::layer_norm::reference_entry); }

    void execute_on(const impl::layer_norm::implementation &entry) {
        const impl::layer_norm::verdict verdict = validate(p);
        ASSERT_EQ(verdict.status, jitnorm_success) << verdict.reason;
        guarded_buffer scratchpad(entry.scratchpad_bytes(p), guard_side::before); // aligned
        arguments args = make_arguments();
        args.set(SCRATCHPAD, scratchpad.data());
        protect_inputs();
        ASSERT_EQ(entry.create(p)->execute(args), jitnorm_success);
        EXPECT_TRUE(scratchpad.slack_untouched());
        for (const tensor *output : outputs()) EXPECT_TRUE(output->surroundings_are_right());
    }

    // The data output, wherever it lies.
    const tensor &result() const {
        if (p.is_forward()) return in_place_ ? src : dst;
        return in_place_ ? diff_dst : diff_src;
    }

    problem p;
    tensor src, dst, mean, variance, scale, shift, diff_dst, diff_src, diff_scale, diff_shift;
    std::vector<tensor> operands; // src1 of binary post-op i
    float src_scale = 0.75f, dst_scale = 1.5f;

private:
    tensor make(const memory_desc &md, const std::vector<double> &values) const {
        tensor made(md, side_);
        made.fill(values);
        return made;
    }

    void make_gradients(const setup &s) {
        diff_dst = make(p.diff_dst, random_values(nelems(p.diff_dst), 0.1, 1, s.seed + 6));
        if (!in_place_ && p.wants_diff_src()) diff_src = tensor(p.diff_src, side_);
        const memory_desc vector = impl::make_dense(std::vector<dim_t>{p.row_length()}, p.diff_scale_shift_type);
        if (p.wants_diff_scale()) diff_scale = tensor(vector, side_);
        if (p.wants_diff_shift()) diff_shift = tensor(vector, side_);
    }

    std::vector<const tensor *> outputs() const {
        std::vector<const tensor *> result = {&this->result()};
        if (p.writes_mean()) result.push_back(&mean);
        if (p.writes_variance()) result.push_back(&variance);
        result.insert(result.end(), {&diff_scale, &diff_shift});
        std::erase_if(result, [](const tensor *output) { return !output->exists(); });
        return result;
    }

    void protect_inputs() const {
        for (const tensor *input : {&src, &scale, &shift, &diff_dst, &mean, &variance}) {
            const std::vector<const tensor *> written = outputs();
            if (std::find(written.begin(), written.end(), input) == written.end()) input->make_read_only();
        }
        for (const tensor &operand : operands) operand.make_read_only();
    }

    template <typename Real>
    static std::vector<Real> widened(const tensor &t) {
        const std::vector<double> values = t.values();
        return {values.begin(), values.end()};
    }

    guard_side side_;
    bool in_place_;
};

// What rounding to the type adds to the bound of the normalized error: half an ulp of the largest value.
inline double rounding_of(jitnorm_data_type_t type) {
    switch (type) {
    case jitnorm_bf16:
        return 0x1p-8;
    case jitnorm_f16:
        return 0x1p-11;
    default:
        return 0;
    }
}

// f64 throughout is judged by f64's precision; else the computation is in f32 or ends in it.
inline bool is_double(const setup &s) {
    return s.src_type == jitnorm_f64 && s.dst_type == jitnorm_f64 &&
           (s.kind == jitnorm_forward_training || s.kind == jitnorm_forward_inference ||
            s.diff_src_type == jitnorm_f64);
}

template <typename Real>
void expect_close(const std::vector<double> &got, const std::vector<Real> &expected, size_t columns, double bound) {
    ASSERT_EQ(got.size(), expected.size());
    for (size_t row = 0; columns != 0 && row < got.size() / columns; ++row)
        EXPECT_LE(double(normalized_error(&got[row * columns], &expected[row * columns], columns)), bound)
            << "row " << row;
}

} // namespace jitnorm::tests
