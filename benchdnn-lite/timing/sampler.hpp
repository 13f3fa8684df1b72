// SPDX-License-Identifier: Apache-2.0
// sampler: measures calls of something, block by block; spread: a summary of many measurements of one thing.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <utility>
#include <vector>

namespace benchdnn_lite {

struct spread {
    double least = 0, average = 0, most = 0, median = 0;
    double lower_third = 0; // a third of the measurements are lower
    size_t count = 0;       // how many measurements there were
    double one_thread = 0;  // the median where one thread does all of it; 0: not measured, or no other is

    // The larger of two ratios: most over least, and median over one_thread.
    double worst_over_best() const;

    // Whether other programs must have used the machine meanwhile: the median or the average is more than twice the
    // least, or the median is more than twice what one thread needs, since then threads wait for cores. The most is not
    // considered, because on every machine the system delays a few measurements. Fewer than 8 measurements vary by
    // chance: of these, only a median of more than ten times what one thread needs counts.
    bool is_beyond_reason() const;
};

// samples: at least one. Of n samples in order, the median is the one with the number n / 2, and the lower third the
// one with the number n / 3.
spread spread_of(std::vector<double> samples);

using body = std::function<void()>;

// Measures blocks of calls, so long that the clock is precise enough.
class sampler {
public:
    // How many calls a block has.
    enum class block {
        one_call,
        of_50_us,  // as many as take so long by the average of 20 ms, which wake threads; if a call takes less than a
                   // millisecond, an untimed call precedes each block
        of_200_us, // as many as take so long after doublings, which wake threads and warm caches, too; an untimed call
                   // precedes each block
    };

    // Warms up, at least by one call. `prepare` is called before each block, outside of the measured time.
    sampler(body run, block size, body prepare = {});

    void sample();

    spread us() const { return spread_of(us_); } // of one call
    spread clocks() const { return spread_of(clocks_); }
    size_t count() const { return us_.size(); }

private:
    std::pair<double, double> measure() const; // microseconds and clocks of a block

    body run_, prepare_;
    int64_t calls_ = 1; // of a block
    bool rewarms_ = false;
    std::vector<double> us_, clocks_;
};

} // namespace benchdnn_lite
