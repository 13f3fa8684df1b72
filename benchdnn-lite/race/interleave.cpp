// SPDX-License-Identifier: Apache-2.0
// Measures several bodies in turn.
#include "interleave.hpp"

#include <algorithm>
#include <cstdint>
#include <numeric>
#include <random>

#include "../stopwatch.hpp"

namespace benchdnn_lite {

namespace {

constexpr double BLOCK_US = 200;

double block_us(const body &b, int64_t calls) {
    const stopwatch start;
    for (int64_t i = 0; i < calls; ++i) b();
    return start.us();
}

class contender {
public:
    // Doubles the number of calls until they take as long as a block. These calls also wake threads and warm caches.
    explicit contender(const body &b) : body_(b) {
        double us = block_us(body_, calls_);
        while (us < BLOCK_US) us = block_us(body_, calls_ *= 2);
    }

    void sample() {
        body_();
        samples_.push_back(block_us(body_, calls_) / double(calls_));
    }

    spread measured() const { return spread_of(samples_); }

private:
    const body &body_;
    int64_t calls_ = 1;
    std::vector<double> samples_;
};

} // namespace

std::vector<spread> interleaved(const std::vector<body> &bodies, int rounds) {
    std::vector<contender> contenders(bodies.begin(), bodies.end());
    std::vector<size_t> order(contenders.size());
    std::iota(order.begin(), order.end(), size_t(0));
    std::minstd_rand random;
    for (int round = 0; round < rounds; ++round) {
        std::shuffle(order.begin(), order.end(), random);
        for (const size_t i : order) contenders[i].sample();
    }
    std::vector<spread> measured;
    for (const contender &c : contenders) measured.push_back(c.measured());
    return measured;
}

} // namespace benchdnn_lite
