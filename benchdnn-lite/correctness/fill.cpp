// SPDX-License-Identifier: Apache-2.0
// Fills the inputs of an execution, and computes sums of src and a residual.
#include "fill.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>

#include "oracle.hpp"
#include "random.hpp"

namespace benchdnn_lite {

namespace {

enum class pattern { large_mean, constant, outlier_first, tiny, huge, ramp, alternating, zero, denormal, count };

// `value`, reduced if it is not well inside the range of the type.
double within(data_type type, double value) { return std::min(value, largest(type) / 4); }

double denormal_of(data_type type) { return type == jitnorm_f16 ? 1e-5 : type == jitnorm_f64 ? 1e-310 : 1e-39; }

// Fills rows of src, each with one pattern.
struct row_writer {
    data_type type;
    double huge;    // the largest magnitude that the problem's statistics can hold
    double epsilon; // of the problem

    void random(random_numbers &numbers, std::span<double> row) const;
    // Fills the row with the pattern that `number` chooses.
    void adversarial(dim_t number, random_numbers &numbers, std::span<double> row) const;
};

void row_writer::random(random_numbers &numbers, std::span<double> row) const {
    const double unit = is_integer(type) ? 20 : 1, center = type == jitnorm_u8 ? 100 : 0;
    const double mean = center + unit * numbers.uniform(-2, 2), deviation = unit * numbers.uniform(0.5, 2);
    for (double &x : row) x = mean + deviation * numbers.bell();
}

void row_writer::adversarial(dim_t number, random_numbers &numbers, std::span<double> row) const {
    const double level = within(type, type == jitnorm_f64 ? 1e9 : 1e6), constant = numbers.uniform(-100, 100);
    const double tiny = type == jitnorm_f16 ? 1e-6 : 1e-20, top = within(type, huge), spike = within(type, 1e4);
    // Without an epsilon the reciprocal of a denormal deviation leaves the range of float.
    const double denormal = epsilon < 1e-30 ? tiny : denormal_of(type);
    const auto kind = pattern(number % dim_t(pattern::count));
    const auto element = [&](size_t c, double noise) {
        switch (kind) {
        case pattern::large_mean:
            return level + noise;
        case pattern::constant:
            return constant;
        case pattern::outlier_first:
            return c == 0 ? level : noise;
        case pattern::tiny:
            return tiny * noise;
        case pattern::huge:
            return top * noise / 3;
        case pattern::ramp:
            return double(c % 2000) - 1000;
        case pattern::alternating:
            return (c % 2 ? spike : -spike) + noise;
        case pattern::denormal:
            return denormal * noise;
        default:
            return 0.0;
        }
    };
    for (size_t c = 0; c < row.size(); ++c) row[c] = element(c, numbers.bell());
}

constexpr uint64_t SEQUENCE_OF_ROW = uint64_t(1) << 32; // rows of one argument have consecutive sequences

uint64_t sequence_of(int id, dim_t row) { return uint64_t(id) * SEQUENCE_OF_ROW + uint64_t(row); }

// Calls write(row number, its random numbers, the row to fill) for every row of a tensor.
template <typename Write>
void fill_rows(const execution &e, int id, uint64_t seed, const Write &write) {
    const buffer &data = e.data(id);
    const dim_t columns = e.prb().row_length();
    share_among_threads(data.rows(), ranges_for(data.rows(), columns), [&](dim_t, dim_t begin, dim_t end) {
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
    share_among_threads(p.rows(), ranges_for(p.rows(), p.row_length()), [&](dim_t, dim_t begin, dim_t end) {
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

// Sets each element to value(its number).
template <typename Value>
void fill_each(const execution &e, int id, const Value &value) {
    const buffer &data = e.data(id);
    for (dim_t i = 0; i < data.elements(); ++i) data.set(i, value(i));
}

void fill_uniform(const execution &e, int id, double low, double high, uint64_t seed) {
    random_numbers numbers(seed, sequence_of(id, 0));
    fill_each(e, id, [&](dim_t) { return numbers.uniform(low, high); });
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
    if (e.prb().reads_gate()) fill_uniform(e, JITNORM_ARG_SRC_2, -2, 2, seed);
    if (e.prb().elements() > 0) {
        fill_src(e, JITNORM_ARG_SRC, kind, seed);
        // A gate is ordinary, so that its products with values of any size are in range.
        const fill_kind other = e.prb().attr.residual.silu ? fill_kind::random : kind;
        if (e.has(JITNORM_ARG_SRC_1)) fill_src(e, JITNORM_ARG_SRC_1, other, seed);
        if (!e.prb().is_forward()) fill_diff_dst(e, JITNORM_ARG_DIFF_DST, kind, seed);
        if (e.prb().reads_diff_sum()) fill_diff_dst(e, JITNORM_ARG_DIFF_DST_1, kind, seed);
    }
    if (e.prb().elements() > 0 && e.prb().statistics_are_inputs()) fill_statistics(e, seed);
    fill_others(e, seed);
}

// Ties: inputs whose normalized values are exact, and lie half way between two values of the type of dst. The
// reciprocal of the deviation is 1. Given statistics make it so (mean 0, variance 1 - epsilon). Rows whose statistics
// are computed consist of 1, -1 and 0 in the proportion 15 : 15 : 2: their mean is 0 and their variance 15/16, to which
// the default epsilon adds 1/16.
constexpr dim_t PERIOD = 32; // a row has fifteen 1, fifteen -1 and two 0 in so many columns

// A random number half way between two neighbouring values of the type.
double tie(data_type type, random_numbers &numbers) {
    if (is_integer(type)) return std::floor(numbers.uniform(lowest(type), largest(type))) + 0.5;
    const double value = round_to(type, numbers.uniform(1, 2));
    const double middle = value + half_ulp(type, value);
    return numbers.next() % 2 ? middle : -middle;
}

double unit_of_row(dim_t c) { return c % PERIOD < 2 ? 0 : c % 2 ? 1 : -1; }

void fill_ties(const execution &e, uint64_t seed) {
    const problem &p = e.prb();
    random_numbers numbers(seed, uint64_t(JITNORM_ARG_DST));
    const auto any_tie = [&] { return tie(p.types.dst, numbers); };
    const bool given = p.statistics_are_global();
    fill_each(e, JITNORM_ARG_SRC, [&](dim_t i) { return given ? any_tie() : unit_of_row(i % p.row_length()); });
    if (given && !p.is_rms()) fill_each(e, JITNORM_ARG_MEAN, [](dim_t) { return 0.0; });
    if (given) fill_each(e, JITNORM_ARG_VARIANCE, [&](dim_t) { return 1.0 - p.epsilon; });
    if (p.uses_scale()) fill_each(e, JITNORM_ARG_SCALE, [&](dim_t) { return given ? 1.0 : any_tie(); });
    if (p.uses_shift()) fill_each(e, JITNORM_ARG_SHIFT, [](dim_t) { return 0.0; });
}

} // namespace

bool has_ties(const problem &p) {
    const bool narrow = size_of(p.types.dst) < size_of(jitnorm_f32);
    if (!p.is_forward() || !narrow || p.elements() == 0 || p.attr != attributes{} || p.epsilon != DEFAULT_EPSILON)
        return false;
    constexpr unsigned FLAGS = jitnorm_use_global_stats | jitnorm_use_scale | jitnorm_use_shift | jitnorm_rms_norm;
    if ((p.flags & ~FLAGS) != 0) return false;
    if (p.statistics_are_global()) return size_of(p.types.src) >= size_of(jitnorm_f32);
    return p.uses_scale() && p.row_length() % PERIOD == 0 && p.types.src != jitnorm_u8;
}

const char *name_of(fill_kind kind) {
    constexpr const char *NAMES[] = {"random", "adversarial", "ties"};
    return NAMES[size_t(kind)];
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

summed_rows::summed_rows(const execution &e, std::optional<buffer> residual)
    : problem_(e.prb()), residual_(std::move(residual)) {
    if (residual_ && problem_.reads_gate()) gate_ = e.data(JITNORM_ARG_SRC_2);
    if (!problem_.reads_bias()) return;
    bias_.resize(size_t(problem_.row_length()));
    e.data(JITNORM_ARG_BIAS).get_row(0, bias_);
}

double summed_rows::add(dim_t row, std::span<double> src) const {
    if (!residual_) return 0;
    const data_type computed = problem_.computes_in_f64() ? jitnorm_f64 : jitnorm_f32;
    const double unit = problem_.computes_in_f64() ? F64_ERROR : F32_ERROR;
    std::vector<double> added(src.size());
    if (gate_) {
        gate_->get_broadcast_row(row, problem_.size.dims, added);
        for (size_t c = 0; c < src.size(); ++c) src[c] = round_to(computed, src[c] * added[c]);
    }
    residual_->get_row(row, added);
    double loss = 0;
    for (size_t c = 0; c < src.size(); ++c) {
        if (problem_.attr.residual.silu) {
            src[c] = double(silu_product(src[c], added[c], unit));
            loss = std::max(loss, double(silu_error(src[c], unit)));
        } else {
            src[c] = round_to(computed, src[c] + added[c]);
        }
        if (!bias_.empty()) src[c] = round_to(computed, src[c] + bias_[c]);
    }
    return loss;
}

void summed_rows::round(std::span<double> sum) const {
    if (!residual_ || !problem_.attr.residual.rounded) return;
    const data_type type = problem_.type_of(*problem_.attr.residual.sum);
    for (double &x : sum) x = round_to(type, x);
}

} // namespace benchdnn_lite
