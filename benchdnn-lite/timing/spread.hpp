// SPDX-License-Identifier: Apache-2.0
// spread: what is kept of many measurements of one thing.
#pragma once

#include <cstddef>
#include <vector>

namespace benchdnn_lite {

struct spread {
    double least = 0, average = 0, most = 0, median = 0;
    size_t count = 0; // of the measurements

    double worst_over_best() const { return least > 0 ? most / least : 1; }

    // Others used the machine meanwhile: the usual measurement took twice as long as the best one. A few late ones
    // alone say nothing: some work of the system's comes between on every machine.
    bool is_beyond_reason() const;
};

spread spread_of(std::vector<double> samples); // at least one; the upper middle is the median of an even number

} // namespace benchdnn_lite
