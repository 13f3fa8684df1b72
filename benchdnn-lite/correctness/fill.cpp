// SPDX-License-Identifier: Apache-2.0
// Fills the inputs of an execution.
#include "fill.hpp"

#include <cmath>
#include <cstring>

#include "fill_ties.hpp"
#include "oracle.hpp"
#include "row_patterns.hpp"
#include "rows_in_parallel.hpp"
#include "summed_rows.hpp"

namespace benchdnn_lite {

namespace {

constexpr uint64_t SEQUENCE_OF_ROW = uint64_t(1) << 32; // rows of one argument have consecutive sequences

uint64_t sequence_of(int id, dim_t row) { return uint64_t(id) * SEQUENCE_OF_ROW + uint64_t(row); }

// Calls write(row number, its random numbers, the row to fill) for every row of a tensor.
template <typename Write>
void fill_rows(const execution &e, int id, uint64_t seed, const Write &write) {
    const buffer &data = e.data(id);
    const dim_t columns = e.prb().row_length();
    rows_in_parallel(data.rows(), ranges_for(data.rows(), columns), [&](dim_t, dim_t begin, dim_t end) {
        std::vector<double> row(static_cast<size_t>(columns));
        for (dim_t r = begin; r < end; ++r) {
            random_numbers numbers(seed, sequence_of(id, r));
            write(r, numbers, row);
            data.set_row(r, row);
        }
    });
}

// An adversarial row of a residual has the pattern of the same row of src, so that their sum has it, too.
void fill_src(const execution &e, int id, fill_kind kind, uint64_t seed) {
    const problem &p = e.prb();
    // Statistics that are inputs are f32, and their variance must not overflow.
    const row_writer writer{e.data(id).type(), p.statistics_are_inputs() ? 1e15 : 1e30, p.epsilon};
    fill_rows(e, id, seed, [&](dim_t r, random_numbers &numbers, std::span<double> row) {
        if (kind == fill_kind::random)
            writer.random(numbers, row);
        else
            writer.adversarial(r + p.row_length(), numbers, row);
    });
}

void fill_diff_dst(const execution &e, int id, fill_kind kind, uint64_t seed) {
    fill_rows(e, id, seed, [&](dim_t r, random_numbers &numbers, std::span<double> row) {
        const bool cancels = kind == fill_kind::adversarial && r % 2 == 0;
        for (double &d : row) d = cancels ? 1000 + numbers.bell() : numbers.bell();
    });
}

// Writes the statistics of the rows that are normalized; if they are global, others at random near these.
void fill_statistics(const execution &e, uint64_t seed) {
    const problem &p = e.prb();
    const summed_rows sums(e, p.adds_residual() ? std::optional(e.data(JITNORM_ARG_SRC_1)) : std::nullopt);
    rows_in_parallel(p.rows(), ranges_for(p.rows(), p.row_length()), [&](dim_t, dim_t begin, dim_t end) {
        std::vector<double> row(size_t(p.row_length()));
        for (dim_t r = begin; r < end; ++r) {
            e.data(JITNORM_ARG_SRC).get_row(r, row);
            sums.add(r, row);
            sums.round(row);
            statistics stats = statistics_of(row, p.is_rms());
            if (p.statistics_are_global()) {
                random_numbers numbers(seed, sequence_of(JITNORM_ARG_MEAN, r));
                stats.rest += real(numbers.uniform(-0.5, 0.5)) * std::sqrt(stats.variance);
                stats.variance *= real(numbers.uniform(0.5, 2));
            }
            if (!p.is_rms()) e.data(JITNORM_ARG_MEAN).set(r, double(stats.mean + stats.rest));
            e.data(JITNORM_ARG_VARIANCE).set(r, double(stats.variance));
        }
    });
}

void fill_uniform(const execution &e, int id, double low, double high, uint64_t seed) {
    random_numbers numbers(seed, sequence_of(id, 0));
    const buffer &data = e.data(id);
    for (dim_t i = 0; i < data.elements(); ++i) data.set(i, numbers.uniform(low, high));
}

// Fills tensors that are not rows, and a dst that is read. For an integer dst, the values are larger and use its range.
void fill_others(const execution &e, uint64_t seed) {
    const bool integer_dst = e.prb().is_forward() && is_integer(e.prb().types.dst);
    const double reach = integer_dst ? 40 : 2;
    for (const argument &a : e.arguments()) {
        if (a.id == JITNORM_ARG_SCALE || a.id == JITNORM_ARG_SHIFT) fill_uniform(e, a.id, -reach, reach, seed);
        if (a.id == JITNORM_ARG_DST && a.use == role::both && !e.prb().in_place)
            fill_uniform(e, a.id, -reach, reach, seed);
        if (a.id >= JITNORM_ARG_ATTR_MULTIPLE_POST_OP_BASE)
            is_integer(a.data.type()) ? fill_uniform(e, a.id, 1, 5, seed) : fill_uniform(e, a.id, 0.5, 2, seed);
    }
}

void fill_generally(const execution &e, fill_kind kind, uint64_t seed) {
    if (e.prb().reads_bias()) fill_uniform(e, JITNORM_ARG_BIAS, -1, 1, seed);
    if (e.prb().elements() > 0) {
        fill_src(e, JITNORM_ARG_SRC, kind, seed);
        if (e.prb().adds_residual()) fill_src(e, JITNORM_ARG_SRC_1, kind, seed);
        if (!e.prb().is_forward()) fill_diff_dst(e, JITNORM_ARG_DIFF_DST, kind, seed);
        if (e.prb().reads_diff_sum()) fill_diff_dst(e, JITNORM_ARG_DIFF_DST_1, kind, seed);
    }
    if (e.prb().elements() > 0 && e.prb().statistics_are_inputs()) fill_statistics(e, seed);
    fill_others(e, seed);
}

} // namespace

const char *name_of(fill_kind kind) {
    switch (kind) {
    case fill_kind::random:
        return "random";
    case fill_kind::adversarial:
        return "adversarial";
    case fill_kind::ties:
        return "ties";
    }
    return "";
}

void fill(const execution &e, fill_kind kind, uint64_t seed) {
    for (const argument &a : e.arguments())
        if (a.use == role::output) a.data.poison();
    if (kind == fill_kind::ties)
        fill_ties(e, seed);
    else
        fill_generally(e, kind, seed);
}

void fill_with_constant(const execution &e) {
    constexpr int BYTE = 0x3f; // a small positive number in every floating-point type
    for (const argument &a : e.arguments())
        if (a.use != role::scratch && (a.id & JITNORM_ARG_ATTR_SCALES) == 0)
            std::memset(a.data.data(), BYTE, a.data.size());
}

} // namespace benchdnn_lite
