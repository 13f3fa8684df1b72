// SPDX-License-Identifier: Apache-2.0
// The data that oneDNN's benchdnn normalizes.
#include "fill_benchdnn.hpp"

#include <algorithm>
#include <cmath>
#include <random>

#include "rows_in_parallel.hpp"

namespace benchdnn_lite {

namespace {

double power_of_two(dim_t exponent) { return std::ldexp(1.0, int(exponent)); }

int significant_bits(data_type type) {
    switch (type) {
    case jitnorm_f64:
        return 53;
    case jitnorm_f16:
        return 11;
    case jitnorm_bf16:
    case jitnorm_u8:
        return 8;
    case jitnorm_s8:
        return 7;
    default:
        return 24;
    }
}

// How a row of src varies around its mean.
enum class variation {
    sparse,   // mean 0 and many zeros: for long rows of types with few bits
    relative, // the mean times 1 +- a fraction of few bits
    steps     // the mean +- 1 or 4 units
};

struct recipe {
    explicit recipe(const problem &p);
    variation how;
    int fraction_bits;
    double density = 1;
    double unit; // of steps and means
};

recipe::recipe(const problem &p) : unit(is_integer(p.types.src) ? 1 : 0.25) {
    constexpr int LEAST_BITS = 3, WANTED_BITS = 6;
    const int bits = significant_bits(p.types.src), wanted = std::min(WANTED_BITS, bits / 2);
    const int length_bits = p.row_length() > 1 ? int(std::ceil(std::log2(float(p.row_length())))) : 0;
    const int free_bits = (bits - length_bits) / 2 - 1;
    how = free_bits >= LEAST_BITS ? variation::relative : wanted == bits / 2 ? variation::steps : variation::sparse;
    fraction_bits = how == variation::relative ? std::min(bits, free_bits) : wanted;
    if (how == variation::sparse) density = power_of_two(bits - 2 * fraction_bits) / double(p.row_length());
}

double mean_of_row(const problem &p, const recipe &r, dim_t row) {
    if (p.row_length() == 0 || (r.how == variation::sparse && !p.statistics_are_global())) return 0;
    const dim_t least = p.types.src == jitnorm_u8 ? 2 : 0; // keeps values above zero
    return r.unit * power_of_two(std::max(row % 7, least));
}

// True with the given probability. The answer for a number is always the same.
bool flip_coin(dim_t number, double probability) { return double(number * 753737 % 1000003) < probability * 1000003; }

void make_steps(const recipe &r, double mean, dim_t row, std::span<double> values) {
    std::minstd_rand engine(unsigned(row + 1));
    engine.discard(2);
    std::bernoulli_distribution coin(0.5);
    double step = 0;
    for (size_t c = 0; c < values.size(); ++c) {
        if (c % 2 == 0) step = r.unit * (coin(engine) ? 4 : 1);
        values[c] = mean + (c % 2 == 0 ? step : -step);
    }
}

void make_fractions(const problem &p, const recipe &r, double mean, dim_t row, std::span<double> values) {
    for (size_t c = 0; c < values.size(); ++c) {
        const dim_t number = dim_t(c) + row * 478, pair = number / 2;
        if (r.how == variation::sparse && !flip_coin(pair * 257, r.density)) {
            values[c] = 0;
        } else if (p.statistics_are_global()) {
            values[c] = double(number % 65 - 32);
        } else {
            const dim_t bits = pair * 1637 & ((dim_t(1) << r.fraction_bits) - 1);
            const double fraction = (number % 2 ? -1 : 1) * std::ldexp(double(bits), -r.fraction_bits);
            values[c] = r.how == variation::sparse ? fraction : mean * (1 + fraction);
        }
    }
}

void fill_forward_row(const execution &e, const recipe &r, dim_t row, std::span<double> values) {
    const problem &p = e.prb();
    const double mean = mean_of_row(p, r, row);
    if (r.how == variation::steps)
        make_steps(r, mean, row, values);
    else
        make_fractions(p, r, mean, row, values);
    if (values.size() % 2) values.back() = mean;
    e.data(JITNORM_ARG_SRC).set_row(row, values);
    if (!p.statistics_are_inputs()) return;
    if (!p.is_rms()) e.data(JITNORM_ARG_MEAN).set(row, mean);
    e.data(JITNORM_ARG_VARIANCE).set(row, double(row % 7 * 2));
}

void fill_backward_row(const execution &e, const recipe &r, dim_t row, std::span<double> values) {
    const problem &p = e.prb();
    const double mean = mean_of_row(p, r, row);
    for (size_t c = 0; c < values.size(); ++c) values[c] = mean + (c % 2 ? 1 : -1);
    e.data(JITNORM_ARG_SRC).set_row(row, values);
    std::minstd_rand exponents(unsigned(row + 1)), signs(unsigned(row + 1));
    exponents.discard(1);
    signs.discard(2);
    std::uniform_int_distribution<> exponent(0, 6);
    std::bernoulli_distribution positive(0.5);
    for (double &d : values) {
        const double sign = positive(signs) ? 1 : -1;
        d = sign * 0.0625 * power_of_two(exponent(exponents));
    }
    e.data(JITNORM_ARG_DIFF_DST).set_row(row, values);
    if (!p.is_rms()) e.data(JITNORM_ARG_MEAN).set(row, mean);
    e.data(JITNORM_ARG_VARIANCE).set(row, 0.25 * power_of_two(row % 3 * 2) - p.epsilon);
}

template <typename Value>
void fill_each(const buffer &data, const Value &value) {
    for (dim_t i = 0; i < data.elements(); ++i) data.set(i, value(i));
}

void fill_others(const execution &e) {
    const bool given = e.prb().statistics_are_global();
    for (const argument &a : e.arguments()) {
        if (a.id == JITNORM_ARG_SCALE)
            fill_each(a.data, [&](dim_t c) { return power_of_two(c % 7) / (given ? 1 : 8); });
        if (a.id == JITNORM_ARG_SHIFT)
            fill_each(a.data, [&](dim_t c) { return double(c % 3 - 1) * power_of_two(c % 7) / (given ? 1 : 512); });
        // benchdnn adds no residual. Zeros leave the sums as its data are.
        for (const int added : {JITNORM_ARG_SRC_1, JITNORM_ARG_BIAS, JITNORM_ARG_DIFF_DST_1})
            if (a.id == added) fill_each(a.data, [](dim_t) { return 0; });
        if (a.id == JITNORM_ARG_DST && a.use == role::both && !e.prb().in_place)
            fill_each(a.data, [](dim_t i) { return double(i * 7 % 17 - 8); });
        if (a.id >= JITNORM_ARG_ATTR_MULTIPLE_POST_OP_BASE)
            fill_each(a.data, [](dim_t i) { return double(4 + i * 5 % 13); });
    }
}

} // namespace

void fill_as_benchdnn(const execution &e) {
    const problem &p = e.prb();
    const recipe r(p);
    if (p.elements() > 0)
        rows_in_parallel(p.rows(), ranges_for(p.rows(), p.row_length()), [&](dim_t, dim_t begin, dim_t end) {
            std::vector<double> values(size_t(p.row_length()));
            for (dim_t row = begin; row < end; ++row)
                p.is_forward() ? fill_forward_row(e, r, row, values) : fill_backward_row(e, r, row, values);
        });
    fill_others(e);
}

} // namespace benchdnn_lite
