// SPDX-License-Identifier: Apache-2.0
// Measures several bodies in turn.
#include "interleave.hpp"

#include <chrono>
#include <cstdint>

namespace benchdnn_lite {

namespace {

constexpr double BLOCK_US = 200;
constexpr double LONG_CALL_US = 50'000; // a longer call finds nothing of the last one in the caches

double block_us(const body &b, int64_t calls) {
    using clock = std::chrono::steady_clock;
    const auto start = clock::now();
    for (int64_t i = 0; i < calls; ++i) b();
    return std::chrono::duration<double, std::micro>(clock::now() - start).count();
}

class contender {
public:
    // Doubles the number of calls until they take as long as a block. These calls also wake threads and warm caches.
    explicit contender(const body &b) : body_(b) {
        double us = block_us(body_, calls_);
        while (us < BLOCK_US) us = block_us(body_, calls_ *= 2);
        rewarms_ = us / double(calls_) < LONG_CALL_US;
    }

    void sample() {
        if (rewarms_) body_();
        samples_.push_back(block_us(body_, calls_) / double(calls_));
    }

    spread measured() const { return spread_of(samples_); }

private:
    const body &body_;
    int64_t calls_ = 1;
    bool rewarms_ = true;
    std::vector<double> samples_;
};

} // namespace

std::vector<spread> interleaved(const std::vector<body> &bodies, int rounds) {
    std::vector<contender> contenders(bodies.begin(), bodies.end());
    for (int round = 0; round < rounds; ++round)
        for (size_t i = 0; i < contenders.size(); ++i) contenders[(size_t(round) + i) % contenders.size()].sample();
    std::vector<spread> measured;
    for (const contender &c : contenders) measured.push_back(c.measured());
    return measured;
}

} // namespace benchdnn_lite
