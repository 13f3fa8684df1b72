// SPDX-License-Identifier: Apache-2.0
// Summarizes measurements.
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
    std::sort(samples.begin(), samples.end());
    const size_t count = samples.size();
    const double sum = std::accumulate(samples.begin(), samples.end(), 0.0);
    return {samples.front(), sum / double(count), samples.back(), samples[count / 2], samples[count / 3], count};
}

} // namespace benchdnn_lite
