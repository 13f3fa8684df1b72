// SPDX-License-Identifier: Apache-2.0
// spread: a summary of many measurements of one thing.
#pragma once

#include <cstddef>
#include <vector>

namespace benchdnn_lite {

struct spread {
    double least = 0, average = 0, most = 0, median = 0;
    size_t count = 0; // how many measurements there were

    double worst_over_best() const { return least > 0 ? most / least : 1; }

    // Whether other programs must have used the machine meanwhile: the median or the average is more than twice the
    // least. The most is not considered, because on every machine the system delays a few measurements. Always false
    // for fewer than 8 measurements.
    bool is_beyond_reason() const;
};

// samples: at least one. The median of an even number of samples is the upper one of the two in the middle.
spread spread_of(std::vector<double> samples);

} // namespace benchdnn_lite
