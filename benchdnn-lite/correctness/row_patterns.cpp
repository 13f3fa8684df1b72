// SPDX-License-Identifier: Apache-2.0
// Fills rows of src, each with one pattern.
#include "row_patterns.hpp"

#include <algorithm>

namespace benchdnn_lite {

namespace {

enum class pattern { large_mean, constant, outlier_first, tiny, huge, ramp, alternating, zero, denormal, count };

// `value`, reduced if it is not well inside the range of the type.
double within(data_type type, double value) { return std::min(value, largest(type) / 4); }

double denormal_of(data_type type) {
    switch (type) {
    case jitnorm_f16:
        return 1e-5;
    case jitnorm_f64:
        return 1e-310;
    default:
        return 1e-39;
    }
}

} // namespace

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
        case pattern::denormal:
            row[c] = denormal * noise;
            break;
        default:
            row[c] = 0;
        }
    }
}

} // namespace benchdnn_lite
