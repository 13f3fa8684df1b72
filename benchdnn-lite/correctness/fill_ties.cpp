// SPDX-License-Identifier: Apache-2.0
// Inputs whose normalized values are exact ties.
#include "fill_ties.hpp"

#include <cmath>

#include "fill.hpp"
#include "random.hpp"

namespace benchdnn_lite {

namespace {

constexpr dim_t PERIOD = 32; // a row has fifteen 1, fifteen -1 and two 0 in so many columns

// A random number half way between two neighbouring values of the type.
double tie(data_type type, random_numbers &numbers) {
    if (is_integer(type)) return std::floor(numbers.uniform(lowest(type), largest(type))) + 0.5;
    const double value = round_to(type, numbers.uniform(1, 2));
    const double middle = value + half_ulp(type, value);
    return numbers.next() % 2 ? middle : -middle;
}

double unit_of_row(dim_t c) { return c % PERIOD < 2 ? 0 : c % 2 ? 1 : -1; }

template <typename Value>
void fill_each(const buffer &data, dim_t count, const Value &value) {
    for (dim_t i = 0; i < count; ++i) data.set(i, value(i));
}

} // namespace

bool has_ties(const problem &p) {
    const bool narrow = size_of(p.types.dst) < size_of(jitnorm_f32);
    if (!p.is_forward() || !narrow || p.elements() == 0 || p.attr != attributes{} || p.epsilon != DEFAULT_EPSILON)
        return false;
    if (p.adds_one_to_scale()) return false;
    if (p.statistics_are_global()) return size_of(p.types.src) >= size_of(jitnorm_f32);
    return p.uses_scale() && p.row_length() % PERIOD == 0 && p.types.src != jitnorm_u8;
}

void fill_ties(const execution &e, uint64_t seed) {
    const problem &p = e.prb();
    random_numbers numbers(seed, uint64_t(JITNORM_ARG_DST));
    const dim_t columns = p.row_length();
    const auto any_tie = [&](dim_t) { return tie(p.types.dst, numbers); };
    const bool given = p.statistics_are_global();
    if (given) {
        fill_each(e.data(JITNORM_ARG_SRC), p.elements(), any_tie);
        if (!p.is_rms()) fill_each(e.data(JITNORM_ARG_MEAN), p.rows(), [](dim_t) { return 0.0; });
        fill_each(e.data(JITNORM_ARG_VARIANCE), p.rows(), [&](dim_t) { return 1.0 - p.epsilon; });
    } else {
        fill_each(e.data(JITNORM_ARG_SRC), p.elements(), [&](dim_t i) { return unit_of_row(i % columns); });
    }
    if (p.uses_scale()) {
        if (given)
            fill_each(e.data(JITNORM_ARG_SCALE), columns, [](dim_t) { return 1.0; });
        else
            fill_each(e.data(JITNORM_ARG_SCALE), columns, any_tie);
    }
    if (p.uses_shift()) fill_each(e.data(JITNORM_ARG_SHIFT), columns, [](dim_t) { return 0.0; });
}

} // namespace benchdnn_lite
