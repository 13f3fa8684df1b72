// SPDX-License-Identifier: Apache-2.0
#include "run.hpp"

#include <gtest/gtest.h>

#include <algorithm>

#include "correctness/solve.hpp"
#include "math/moments.hpp"
#include "math/row_blocks.hpp"

namespace jitnorm::tests {

using impl::layer_norm::FIRST_POST_OP;
using impl::layer_norm::SLOT_COUNT;

namespace {

// Calls body(slot) for each tensor but the scratchpad.
template <typename Body>
void for_each_slot(Body &&body) {
    for (int s = 0; s < SLOT_COUNT; ++s)
        if (s != SCRATCHPAD) body(slot(s));
}

memory_desc layout_of(const problem &p, slot s) {
    memory_desc md = p.layout(s);
    if (p.is_partial() && (s == DIFF_SCALE || s == DIFF_SHIFT))
        return dense({row_blocks_of(p).parts(), p.row_length()}, md.data_type);
    if (s == ROW_SUMS) {
        const dim_t moments = p.writes(ROW_SUMS) ? impl::divide_up(p.row_length(), impl::layer_norm::CHUNK) : 1;
        return dense({p.rows(), moments * impl::layer_norm::MOMENTS_NUMBERS}, jitnorm_f64);
    }
    return md;
}

} // namespace

run::run(const setup &s) : p(make_problem(s)), in_place_(s.in_place), sum_in_place_(s.residual.in_place) {
    for_each_slot([&](slot each) {
        if (!p.uses(each) || place_of(each) != each) return;
        (*this)[each] = tensor(layout_of(p, each), s.side);
        if (p.reads(each)) fill(each, s);
    });
}

slot run::place_of(slot s) const {
    if (s == DST && in_place_) return SRC;
    if (s == DIFF_SRC && sum_in_place_) return DIFF_SUM;
    if (s == DIFF_SRC && in_place_) return DIFF_DST;
    return s == SUM && sum_in_place_ ? RESIDUAL : s;
}

// Each tensor has a mean, a deviation and a seed of its own.
void run::fill(slot s, const setup &how) {
    const tensor &filled = (*this)[s];
    const auto normal = [&](double mean, double deviation, unsigned salt) {
        return random_values(nelems(filled.md()), mean, deviation, how.seed + salt);
    };
    const auto variances = [&] {
        const bool inverse = p.form == statistics_form::inverse_deviation;
        std::vector<double> values = normal(how.deviation, how.deviation / 8, 4);
        filled.fill(values); // as the type has them
        values = filled.values();
        for (double &value : values) value = inverse ? 1 / value : value * value;
        return values;
    };
    const auto sums_of_rows = [&] {
        std::vector<double> values;
        const std::vector<double> means = normal(how.mean, how.deviation / 8, 3);
        for (dim_t row = 0; row < p.rows(); ++row) {
            // rms_norm reads no mean.
            const double mean = means[size_t(row)], squares = how.deviation * how.deviation;
            const double rest = p.computes_in_double() ? mean * 0x1p-55 : 0;
            values.insert(values.end(), {double(p.all_columns), mean, rest, squares * double(p.all_columns + row)});
        }
        return values;
    };
    const struct {
        slot which;
        double mean, deviation;
        unsigned salt;
    } normals[] = {{SRC, how.mean, how.deviation, 0},
                   {SCALE, 1, 0.5, 1},
                   {SHIFT, 0, 1, 2},
                   {MEAN, how.mean, how.deviation / 8, 3},
                   {DIFF_DST, 0.1, 1, 6},
                   {DST, 0, 3, 7}, // for a sum post-op
                   {RESIDUAL, -how.mean / 2, how.deviation, 8},
                   {BIAS, 0.5, 1, 9},
                   {GATE, 0.5, 1, 11},
                   {DIFF_SUM, 0, 1, 10}};
    if (s == ROW_SUMS) return filled.fill(sums_of_rows());
    if (s == VARIANCE) return filled.fill(variances());
    if (s == SRC_SCALE || s == DST_SCALE) return filled.fill({s == SRC_SCALE ? 0.75 : 1.5});
    for (const auto &[which, mean, deviation, salt] : normals)
        if (which == s) return filled.fill(normal(mean, deviation, salt));
    filled.fill(normal(1, 2, 5)); // an operand of a post-op
}

oracle_problem run::question() const {
    const auto values = [&](slot s) { return p.reads(s) ? (*this)[s].values() : std::vector<double>(); };
    oracle_problem q;
    q.rows = size_t(p.rows());
    q.columns = size_t(p.row_length());
    q.epsilon = p.epsilon;
    q.flags = p.flags;
    q.src = values(SRC);
    const std::vector<double> added = p.is_forward() ? values(RESIDUAL) : std::vector<double>(), biases = values(BIAS),
                              gates = values(GATE);
    for (size_t i = 0; i < added.size(); ++i) {
        if (!gates.empty()) q.src[i] *= gates[i % q.columns];
        q.src[i] += added[i] + (biases.empty() ? 0 : biases[i % q.columns]);
    }
    q.scale = values(SCALE); // empty stands for ones
    q.shift = values(SHIFT);
    q.mean = values(MEAN);
    q.variance = values(VARIANCE);
    if (p.form == statistics_form::inverse_deviation)
        for (double &value : q.variance) value = 1 / (value * value) - q.epsilon;
    const bool is_sum = p.writes(SUM) && !p.attr.multiplies_silu;
    q.rounded = benchdnn_lite::rounded_types_of(p.flags, p[is_sum ? SUM : SRC].data_type,
                                                p.uses_scale() || p.uses_shift() ? p.scale_shift_type
                                                                                 : jitnorm_data_type_undef);
    q.diff_dst = values(DIFF_DST);
    q.diff_sum = values(DIFF_SUM);
    return q;
}

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
    const std::vector<slot> outputs = written();
    for (const slot input : read())
        if (std::none_of(outputs.begin(), outputs.end(), [&](slot s) { return place_of(s) == place_of(input); }))
            (*this)[input].make_read_only();
    ASSERT_EQ(call(made, scratchpad.data(), how), jitnorm_success);
    EXPECT_TRUE(scratchpad.slack_untouched());
    for (const slot output : outputs) EXPECT_TRUE((*this)[output].surroundings_are_right());
}

jitnorm_status_t run::call(const executor &made, void *scratchpad, const plan *how) const {
    impl::layer_norm::arguments args;
    for_each_slot([&](slot s) {
        if (p.uses(s)) args.set(s, (*this)[s].data());
    });
    args.set(SCRATCHPAD, scratchpad);
    args.sizes = how == nullptr ? nullptr : &p;
    args.planned = how;
    return made.execute(args);
}

std::vector<slot> run::written() const {
    std::vector<slot> all;
    for_each_slot([&](slot s) {
        if (p.writes(s)) all.push_back(s);
    });
    return all;
}

std::vector<slot> run::read() const {
    std::vector<slot> all;
    for_each_slot([&](slot s) {
        if (p.reads(s)) all.push_back(s);
    });
    return all;
}

} // namespace jitnorm::tests
