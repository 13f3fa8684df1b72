// SPDX-License-Identifier: Apache-2.0
// Measures, and summarizes measurements.
#include "sampler.hpp"

#include <algorithm>
#include <numeric>

#include <x86intrin.h>

#include "../stopwatch.hpp"

namespace benchdnn_lite {

namespace {

constexpr double WARM_UP_US = 20'000;  // until threads are awake and the processor runs at its full frequency
constexpr double LONG_CALL_US = 1'000; // calls that take so long need no untimed call before a block

} // namespace

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

sampler::sampler(body run, block size, body prepare) : run_(std::move(run)), prepare_(std::move(prepare)) {
    if (size == block::of_200_us) {
        while (measure().first < 200) calls_ *= 2;
        rewarms_ = true;
        return;
    }
    const stopwatch start;
    int64_t calls = 0;
    do {
        run_();
        ++calls;
    } while (size == block::of_50_us && start.us() < WARM_UP_US);
    if (size == block::one_call) return;
    const double call_us = start.us() / double(calls);
    calls_ = std::max<int64_t>(1, int64_t(50 / call_us));
    rewarms_ = call_us < LONG_CALL_US;
}

void sampler::sample() {
    if (rewarms_) run_();
    if (prepare_) prepare_();
    const auto [us, clocks] = measure();
    us_.push_back(us / double(calls_));
    clocks_.push_back(clocks / double(calls_));
}

std::pair<double, double> sampler::measure() const {
    const stopwatch start;
    const uint64_t clock = __rdtsc();
    for (int64_t i = 0; i < calls_; ++i) run_();
    const uint64_t clocks = __rdtsc() - clock;
    return {start.us(), double(clocks)};
}

} // namespace benchdnn_lite
