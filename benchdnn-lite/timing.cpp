// SPDX-License-Identifier: Apache-2.0
// How long an execution takes, beside a memcpy.
#include "timing.hpp"

#include <algorithm>
#include <chrono>
#include <cstring>

#ifdef _OPENMP
#include <omp.h>
#endif

namespace benchdnn_lite {

namespace {

using timer = std::chrono::steady_clock;

constexpr double BLOCK_US = 50;          // shortest block: a thousand times the clock's step
constexpr double WARM_UP_US = 20'000;    // wakes threads and the processor's frequency
constexpr double LONG_CALL_US = 1'000;   // from here on a call needs no untimed one before it
constexpr size_t PARALLEL_COPY = 262144; // bytes from which threads help with a copy

double microseconds_since(timer::time_point start) {
    return std::chrono::duration<double, std::micro>(timer::now() - start).count();
}

// Source and target of the copies: half of the bytes each.
class copier {
public:
    explicit copier(double bytes) : size_(std::max<size_t>(size_t(bytes / 2), 1)), from_(size_), to_(size_) {
        std::memset(from_.data(), 1, size_);
        copy();
    }

    void copy() const {
        const int parts = size_ < PARALLEL_COPY ? 1 : thread_count();
        if (parts == 1) {
            std::memcpy(to_.data(), from_.data(), size_);
            return;
        }
        const size_t share = (size_ / size_t(parts) + 64) / 64 * 64;
#ifdef _OPENMP
#pragma omp parallel for num_threads(parts) schedule(static, 1)
#endif
        for (int part = 0; part < parts; ++part) {
            const size_t begin = std::min(size_, size_t(part) * share), end = std::min(size_, begin + share);
            std::memcpy(static_cast<char *>(to_.data()) + begin, static_cast<const char *>(from_.data()) + begin,
                        end - begin);
        }
    }

private:
    size_t size_;
    guarded_bytes from_, to_;
};

template <typename Body>
double block_us(int64_t calls, Body &&body) {
    const auto start = timer::now();
    for (int64_t i = 0; i < calls; ++i) body();
    return microseconds_since(start) / double(calls);
}

// Times blocks of one body; blocks of a single call where the number of calls is fixed.
template <typename Body>
class sampler {
public:
    sampler(Body body, bool fixed) : body_(std::move(body)) {
        const auto start = timer::now();
        int64_t calls = 0;
        do {
            body_();
            ++calls;
        } while (!fixed && microseconds_since(start) < WARM_UP_US);
        if (fixed) return;
        const double call_us = microseconds_since(start) / double(calls);
        calls_ = std::max<int64_t>(1, int64_t(BLOCK_US / call_us));
        rewarms_ = call_us < LONG_CALL_US;
    }

    void sample() {
        if (rewarms_) body_();
        samples_.push_back(block_us(calls_, body_));
    }

    double median() {
        const auto middle = samples_.begin() + long(samples_.size() / 2);
        std::nth_element(samples_.begin(), middle, samples_.end());
        return *middle;
    }
    double minimum() const { return *std::min_element(samples_.begin(), samples_.end()); }
    size_t count() const { return samples_.size(); }

private:
    Body body_;
    int64_t calls_ = 1;
    bool rewarms_ = false;
    std::vector<double> samples_;
};

} // namespace

int thread_count() {
#ifdef _OPENMP
    return omp_get_max_threads();
#else
    return 1;
#endif
}

double bytes_of(const execution &e) {
    double bytes = 0;
    for (const argument &a : e.arguments()) {
        if (a.use == role::scratch) continue;
        const double tensor = double(a.data.elements()) * double(size_of(a.data.type()));
        bytes += a.use == role::both && !e.prb().in_place ? 2 * tensor : tensor;
    }
    return bytes;
}

timing time(const execution &e, const run_options &options) {
    const double bytes = bytes_of(e);
    const copier copies(bytes);
    const bool fixed = options.fixed_times > 0;
    sampler executions([&] { e.run(); }, fixed);
    sampler memcpys([&] { copies.copy(); }, fixed);
    const auto start = timer::now();
    const auto goes_on = [&] {
        if (executions.count() == 0) return true;
        return fixed ? int64_t(executions.count()) < options.fixed_times
                     : microseconds_since(start) < options.max_ms * 1000;
    };
    while (goes_on()) {
        executions.sample();
        memcpys.sample();
    }
    return {executions.median(), executions.minimum(), bytes, memcpys.median()};
}

} // namespace benchdnn_lite
