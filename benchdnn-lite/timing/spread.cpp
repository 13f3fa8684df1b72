// SPDX-License-Identifier: Apache-2.0
// Computes the least, average, most and median of measurements.
#include "spread.hpp"

#include <algorithm>
#include <numeric>

namespace benchdnn_lite {

double spread::worst_over_best() const {
    const double variation = least > 0 ? most / least : 1;
    return one_thread > 0 ? std::max(variation, median / one_thread) : variation;
}

bool spread::is_beyond_reason() const {
    constexpr size_t FEWEST = 8; // with fewer measurements, median and average say too little
    constexpr double REASON = 2, REASON_FOR_FEW = 10;
    const bool are_few = count < FEWEST;
    if (one_thread > 0 && median > (are_few ? REASON_FOR_FEW : REASON) * one_thread) return true;
    return !are_few && (median > REASON * least || average > REASON * least);
}

spread spread_of(std::vector<double> samples) {
    const auto middle = samples.begin() + long(samples.size() / 2);
    std::nth_element(samples.begin(), middle, samples.end());
    const auto [least, most] = std::minmax_element(samples.begin(), samples.end());
    const double sum = std::accumulate(samples.begin(), samples.end(), 0.0);
    return {*least, sum / double(samples.size()), *most, *middle, samples.size()};
}

} // namespace benchdnn_lite
