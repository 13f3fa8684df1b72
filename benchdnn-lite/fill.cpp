// SPDX-License-Identifier: Apache-2.0
// The inputs of an execution.
#include "fill.hpp"

#include <algorithm>
#include <cmath>

#include "oracle.hpp"
#include "random.hpp"

namespace benchdnn_lite {

namespace {

enum class pattern { large_mean, constant, outlier_first, tiny, huge, ramp, alternating, zero, count };

constexpr uint64_t SEQUENCE_OF_ROW = uint64_t(1) << 32; // those of one argument's rows follow each other

uint64_t sequence_of(int id, dim_t row) { return uint64_t(id) * SEQUENCE_OF_ROW + uint64_t(row); }

// `value`, but well inside the type's range.
double within(data_type type, double value) { return std::min(value, largest(type) / 4); }

struct row_writer {
    data_type type;
    double huge; // the largest magnitude that this problem's statistics can hold

    void random(random_numbers &numbers, std::span<double> row) const;
    void adversarial(pattern kind, random_numbers &numbers, std::span<double> row) const;
};

void row_writer::random(random_numbers &numbers, std::span<double> row) const {
    const double unit = is_integer(type) ? 20 : 1, center = type == jitnorm_u8 ? 100 : 0;
    const double mean = center + unit * numbers.uniform(-2, 2), deviation = unit * numbers.uniform(0.5, 2);
    for (double &x : row) x = mean + deviation * numbers.bell();
}

void row_writer::adversarial(pattern kind, random_numbers &numbers, std::span<double> row) const {
    const double level = within(type, type == jitnorm_f64 ? 1e9 : 1e6), constant = numbers.uniform(-100, 100);
    const double tiny = type == jitnorm_f16 ? 1e-6 : 1e-20, top = within(type, huge), spike = within(type, 1e4);
    for (size_t c = 0; c < row.size(); ++c) {
        const double noise = numbers.bell();
        switch (kind) {
        case pattern::large_mean:
            row[c] = level + noise;
            break;
        case pattern::constant:
            row[c] = constant;
            break;
        case pattern::outlier_first:
            row[c] = c == 0 ? level : noise;
            break;
        case pattern::tiny:
            row[c] = tiny * noise;
            break;
        case pattern::huge:
            row[c] = top * noise / 3;
            break;
        case pattern::ramp:
            row[c] = double(c % 2000) - 1000;
            break;
        case pattern::alternating:
            row[c] = (c % 2 ? spike : -spike) + noise;
            break;
        default:
            row[c] = 0;
        }
    }
}

void fill_src(const execution &e, fill_kind kind, uint64_t seed) {
    const buffer &src = e.data(JITNORM_ARG_SRC);
    // Statistics that are inputs are f32: their variance must not overflow.
    const row_writer writer{src.type(), e.prb().statistics_are_inputs() ? 1e15 : 1e30};
    std::vector<double> row(size_t(e.prb().row_length()));
    for (dim_t r = 0; r < src.rows(); ++r) {
        random_numbers numbers(seed, sequence_of(JITNORM_ARG_SRC, r));
        if (kind == fill_kind::random)
            writer.random(numbers, row);
        else
            writer.adversarial(pattern((r + e.prb().row_length()) % dim_t(pattern::count)), numbers, row);
        src.set_row(r, row);
    }
}

void fill_diff_dst(const execution &e, fill_kind kind, uint64_t seed) {
    const buffer &diff_dst = e.data(JITNORM_ARG_DIFF_DST);
    std::vector<double> row(size_t(e.prb().row_length()));
    for (dim_t r = 0; r < diff_dst.rows(); ++r) {
        random_numbers numbers(seed, sequence_of(JITNORM_ARG_DIFF_DST, r));
        const bool cancels = kind == fill_kind::adversarial && r % 2 == 0;
        for (double &d : row) d = cancels ? 1000 + numbers.bell() : numbers.bell();
        diff_dst.set_row(r, row);
    }
}

// Backward gets the statistics of src; global ones are somewhere near them.
void fill_statistics(const execution &e, uint64_t seed) {
    const problem &p = e.prb();
    std::vector<double> row(size_t(p.row_length()));
    for (dim_t r = 0; r < p.rows(); ++r) {
        e.data(JITNORM_ARG_SRC).get_row(r, row);
        statistics stats = statistics_of(row, p.is_rms());
        if (p.statistics_are_global()) {
            random_numbers numbers(seed, sequence_of(JITNORM_ARG_MEAN, r));
            stats.rest += real(numbers.uniform(-0.5, 0.5)) * std::sqrt(stats.variance);
            stats.variance *= real(numbers.uniform(0.5, 2));
        }
        if (!p.is_rms()) e.data(JITNORM_ARG_MEAN).set(r, double(stats.mean + stats.rest));
        e.data(JITNORM_ARG_VARIANCE).set(r, double(stats.variance));
    }
}

void fill_uniform(const argument &a, double low, double high, uint64_t seed) {
    random_numbers numbers(seed, sequence_of(a.id, 0));
    for (dim_t i = 0; i < a.data.elements(); ++i) a.data.set(i, numbers.uniform(low, high));
}

// Tensors beside the rows. An integer dst deserves values that use its range.
void fill_others(const execution &e, uint64_t seed) {
    const bool integer_dst = e.prb().is_forward() && is_integer(e.prb().types.dst);
    const double reach = integer_dst ? 40 : 2;
    for (const argument &a : e.arguments()) {
        if (a.id == JITNORM_ARG_SCALE || a.id == JITNORM_ARG_SHIFT) fill_uniform(a, -reach, reach, seed);
        if (a.id == JITNORM_ARG_DST && a.use == role::both && !e.prb().in_place) fill_uniform(a, -reach, reach, seed);
        if (a.id >= JITNORM_ARG_ATTR_MULTIPLE_POST_OP_BASE)
            is_integer(a.data.type()) ? fill_uniform(a, 1, 5, seed) : fill_uniform(a, 0.5, 2, seed);
    }
}

} // namespace

const char *name_of(fill_kind kind) { return kind == fill_kind::random ? "random" : "adversarial"; }

void fill(const execution &e, fill_kind kind, uint64_t seed) {
    for (const argument &a : e.arguments())
        if (a.use == role::output) a.data.poison();
    if (e.prb().elements() > 0) {
        fill_src(e, kind, seed);
        if (!e.prb().is_forward()) fill_diff_dst(e, kind, seed);
    }
    if (e.prb().elements() > 0 && e.prb().statistics_are_inputs()) fill_statistics(e, seed);
    fill_others(e, seed);
}

} // namespace benchdnn_lite
