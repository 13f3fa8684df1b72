// SPDX-License-Identifier: Apache-2.0
// Round numbers for an axis, and places for labels that do not overlap.
#include "log_axis.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace benchdnn_lite {

namespace {

constexpr double STEPS[] = {1, 2, 5};
constexpr double MANY_DECADES = 999; // highest over lowest value; above it, ticks are powers of ten alone
constexpr double SLACK = 1 + 1e-9;   // allows for the rounding of powers of ten

// All round numbers from the largest that is not above `least` to the smallest that is not below `most`.
std::vector<double> round_numbers(double least, double most) {
    std::vector<double> numbers;
    for (int power = int(std::floor(std::log10(least))) - 1; numbers.empty() || numbers.back() < most / SLACK; ++power)
        for (const double step : STEPS) {
            if (!numbers.empty() && numbers.back() >= most / SLACK) break;
            numbers.push_back(step * std::pow(10, power));
        }
    const auto above = std::upper_bound(numbers.begin(), numbers.end(), least * SLACK);
    numbers.erase(numbers.begin(), above - 1);
    return numbers;
}

bool is_power_of_ten(double value) {
    const double power = std::log10(value);
    return std::abs(power - std::round(power)) < 1e-6;
}

} // namespace

log_axis::log_axis(double least, double most, double first_pixel, double last_pixel)
    : first_(first_pixel), last_(last_pixel), ticks_(round_numbers(least, std::max(most, least * 2))) {
    low_ = ticks_.front();
    high_ = ticks_.back();
    if (high_ / low_ > MANY_DECADES) std::erase_if(ticks_, [](double value) { return !is_power_of_ten(value); });
}

double log_axis::pixel(double value) const {
    return first_ + std::log(value / low_) / std::log(high_ / low_) * (last_ - first_);
}

std::vector<double> apart(const std::vector<double> &wanted, double distance, double last) {
    std::vector<size_t> order(wanted.size());
    std::iota(order.begin(), order.end(), size_t(0));
    std::stable_sort(order.begin(), order.end(), [&](size_t a, size_t b) { return wanted[a] < wanted[b]; });
    std::vector<double> places(wanted.size());
    for (size_t i = 0; i < order.size(); ++i)
        places[order[i]] = i == 0 ? wanted[order[i]] : std::max(wanted[order[i]], places[order[i - 1]] + distance);
    double limit = last;
    for (size_t i = order.size(); i-- > 0; limit -= distance) {
        places[order[i]] = std::min(places[order[i]], limit);
        limit = std::min(limit, places[order[i]]);
    }
    return places;
}

} // namespace benchdnn_lite
