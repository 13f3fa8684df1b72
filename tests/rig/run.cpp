// SPDX-License-Identifier: Apache-2.0
#include "run.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <variant>

#include "math/row_blocks.hpp"

namespace jitnorm::tests {

namespace {

template <typename Real>
std::vector<Real> widened(const tensor &t) {
    const std::vector<double> values = t.values();
    return {values.begin(), values.end()};
}

} // namespace

run::run(const setup &s)
    : p(make_problem(s)), side_(s.side), in_place_(s.in_place), sum_in_place_(s.residual.in_place) {
    const dim_t rows = p.rows(), columns = p.row_length();
    src = make(p[SRC], random_values(rows * columns, s.mean, s.deviation, s.seed));
    const memory_desc vector = dense({columns}, p.scale_shift_type);
    if (p.reads(SCALE)) scale = make(vector, random_values(columns, 1, 0.5, s.seed + 1));
    if (p.uses_shift()) shift = make(vector, random_values(columns, 0, 1, s.seed + 2));
    if (p.uses(MEAN)) mean = make(p[VARIANCE], random_values(rows, s.mean, s.deviation / 8, s.seed + 3));
    if (p.uses(VARIANCE)) {
        variance = make(p[VARIANCE], random_values(rows, s.deviation, s.deviation / 8, s.seed + 4));
        const bool inverse = p.form == statistics_form::inverse_deviation;
        std::vector<double> values = variance.values();
        for (double &value : values) value = inverse ? 1 / value : value * value;
        variance.fill(values);
    }
    if (p.is_forward()) {
        if (!in_place_) dst = tensor(p[DST], side_);
        if (!in_place_ && reads_dst()) dst.fill(random_values(nelems(p[DST]), 0, 3, s.seed + 7));
    } else {
        make_gradients(s);
    }
    make_residual(s);
    if (p.writes(PRE_QUANTIZATION)) pre_quantization = tensor(p[PRE_QUANTIZATION], side_);
    if (p.attr.src_scale) src_scale = make(dense({1}), {0.75});
    if (p.attr.dst_scale) dst_scale = make(dense({1}), {1.5});
    if (p.has_dynamic_scales()) dst_scale = tensor(p[DST_SCALE], side_);
    for (const impl::post_op &op : p.attr.post_ops.entries) {
        const auto *binary = std::get_if<impl::binary_post_op>(&op);
        operands.push_back(binary ? make(binary->src1, random_values(nelems(binary->src1), 1, 2, s.seed + 5))
                                  : tensor());
    }
}

template <typename Real>
oracle_problem<Real> run::question() const {
    oracle_problem<Real> q;
    q.rows = size_t(p.rows());
    q.columns = size_t(p.row_length());
    q.epsilon = Real(p.epsilon);
    q.rms = p.is_rms();
    q.global_statistics = p.has(jitnorm_use_global_stats);
    q.src = widened<Real>(src);
    if (p.reads(RESIDUAL)) {
        const std::vector<Real> added = widened<Real>(residual), biases = widened<Real>(bias);
        for (size_t i = 0; i < q.src.size(); ++i) {
            q.src[i] += added[i];
            if (p.reads(BIAS)) q.src[i] += biases[i % q.columns];
        }
    }
    q.scale = widened<Real>(scale); // empty stands for ones
    if (p.adds_one_to_scale())
        for (Real &s : q.scale) s += 1;
    q.shift = widened<Real>(shift);
    q.mean = widened<Real>(mean);
    q.variance = widened<Real>(variance);
    if (p.form == statistics_form::inverse_deviation)
        for (Real &value : q.variance) value = 1 / (value * value) - q.epsilon;
    q.diff_dst = widened<Real>(diff_dst);
    q.diff_sum = widened<Real>(diff_sum);
    return q;
}
template oracle_problem<double> run::question() const;
template oracle_problem<long double> run::question() const;

void run::execute_on(const implementation &entry, sizes_come when, const impl::machine &on) {
    const bool late = when == sizes_come::at_execution;
    const problem created = late ? with_runtime_sizes(p) : p;
    const impl::status checked = validate(created);
    ASSERT_EQ(checked.code, jitnorm_success) << checked.reason;
    const plan how = plan_of(entry, p, on);
    execute_on(*create(entry, created, on), how.scratchpad.bytes(), late ? &how : nullptr);
}

void run::execute_on(const executor &made, size_t scratchpad_bytes, const plan *how) {
    // guard_side::before: it begins at a page, and so is aligned.
    const guarded_buffer scratchpad(scratchpad_bytes, guard_side::before);
    protect_inputs();
    ASSERT_EQ(call(made, scratchpad.data(), how), jitnorm_success);
    EXPECT_TRUE(scratchpad.slack_untouched());
    for (const tensor *output : written()) EXPECT_TRUE(output->surroundings_are_right());
}

jitnorm_status_t run::call(const executor &made, void *scratchpad, const plan *how) const {
    const auto pointer = [](const tensor &t) { return t.exists() ? t.data() : nullptr; };
    using enum impl::layer_norm::slot;
    impl::layer_norm::arguments args;
    args.set(SRC, pointer(src));
    args.set(DST, in_place_ ? pointer(src) : pointer(dst));
    args.set(MEAN, pointer(mean));
    args.set(VARIANCE, pointer(variance));
    args.set(SCALE, pointer(scale));
    args.set(SHIFT, pointer(shift));
    args.set(DIFF_DST, pointer(diff_dst));
    args.set(DIFF_SRC, pointer(p.is_forward() ? diff_src : result()));
    args.set(DIFF_SCALE, pointer(diff_scale));
    args.set(DIFF_SHIFT, pointer(diff_shift));
    args.set(RESIDUAL, pointer(residual));
    args.set(SUM, pointer(written_sum()));
    args.set(BIAS, pointer(bias));
    args.set(DIFF_SUM, pointer(diff_sum));
    args.set(PRE_QUANTIZATION, pointer(pre_quantization));
    args.set(SRC_SCALE, pointer(src_scale));
    args.set(DST_SCALE, pointer(dst_scale));
    args.set(SCRATCHPAD, scratchpad);
    args.sizes = how == nullptr ? nullptr : &p;
    args.planned = how;
    for (size_t i = 0; i < operands.size(); ++i) args.set(impl::layer_norm::post_op_slot(i), operands[i].data());
    return made.execute(args);
}

const tensor &run::result() const {
    if (p.is_forward()) return in_place_ ? src : dst;
    return sum_in_place_ ? diff_sum : in_place_ ? diff_dst : diff_src;
}

tensor run::make(const memory_desc &md, const std::vector<double> &values) const {
    tensor made(md, side_);
    made.fill(values);
    return made;
}

void run::make_gradients(const setup &s) {
    diff_dst = make(p[DIFF_DST], random_values(nelems(p[DIFF_DST]), 0.1, 1, s.seed + 6));
    if (!in_place_ && !sum_in_place_ && p.writes(DIFF_SRC)) diff_src = tensor(p[DIFF_SRC], side_);
    std::vector<dim_t> sizes = {p.row_length()};
    if (p.is_partial()) sizes.insert(sizes.begin(), row_blocks_of(p).parts());
    const memory_desc gradient = dense(sizes, p.diff_scale_shift_type);
    if (p.writes(DIFF_SCALE)) diff_scale = tensor(gradient, side_);
    if (p.writes(DIFF_SHIFT)) diff_shift = tensor(gradient, side_);
}

void run::make_residual(const setup &s) {
    const dim_t elements = p.rows() * p.row_length();
    if (p.reads(RESIDUAL)) residual = make(p[RESIDUAL], random_values(elements, -s.mean / 2, s.deviation, s.seed + 8));
    if (p.writes(SUM) && !sum_in_place_) sum = tensor(p[SUM], side_);
    if (p.reads(BIAS))
        bias = make(dense({p.row_length()}, p.attr.bias_type), random_values(p.row_length(), 0.5, 1, s.seed + 9));
    if (p.reads(DIFF_SUM)) diff_sum = make(p[DIFF_SUM], random_values(elements, 0, 1, s.seed + 10));
}

std::vector<const tensor *> run::written() const {
    std::vector<const tensor *> result = {&this->result()};
    if (p.writes(SUM)) result.push_back(&written_sum());
    if (p.writes(MEAN)) result.push_back(&mean);
    if (p.writes(VARIANCE)) result.push_back(&variance);
    result.insert(result.end(), {&diff_scale, &diff_shift, &pre_quantization});
    if (p.has_dynamic_scales()) result.push_back(&dst_scale);
    std::erase_if(result, [](const tensor *output) { return !output->exists(); });
    return result;
}

void run::protect_inputs() const {
    const std::vector<const tensor *> outputs = written();
    for (const tensor *input :
         {&src, &scale, &shift, &diff_dst, &mean, &variance, &residual, &bias, &diff_sum, &src_scale, &dst_scale})
        if (std::find(outputs.begin(), outputs.end(), input) == outputs.end()) input->make_read_only();
    for (const tensor &operand : operands) operand.make_read_only();
}

} // namespace jitnorm::tests
