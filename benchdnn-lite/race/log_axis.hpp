// SPDX-License-Identifier: Apache-2.0
// log_axis: a logarithmic axis with round numbers at its ticks.
#pragma once

#include <vector>

namespace benchdnn_lite {

// 1, 2 and 5 times powers of ten; powers of ten alone where the axis has three decades or more.
class log_axis {
public:
    // From the largest such number that is not above `least` to the smallest that is not below `most`, both positive;
    // drawn from one pixel to another.
    log_axis(double least, double most, double first_pixel, double last_pixel);

    double pixel(double value) const;
    const std::vector<double> &ticks() const { return ticks_; } // both ends among them where they are round enough

private:
    double low_, high_, first_, last_; // the ends, in pixels too
    std::vector<double> ticks_;
};

// Places for labels beside `wanted` pixels, in their order: as near as there is, at least `distance` apart, and none
// after `last`.
std::vector<double> apart(const std::vector<double> &wanted, double distance, double last);

} // namespace benchdnn_lite
