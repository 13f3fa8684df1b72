// SPDX-License-Identifier: Apache-2.0
// log_axis: a logarithmic axis with round numbers at its ticks.
#pragma once

#include <vector>

namespace benchdnn_lite {

// Round numbers are 1, 2 and 5 times powers of ten. All of them are ticks, or only the powers of ten if the axis has
// three decades or more.
class log_axis {
public:
    // The axis goes from the largest round number that is not above `least` to the smallest that is not below `most`
    // and `2 * least`. `least` and `most` are positive. The ends are drawn at the two pixels.
    log_axis(double least, double most, double first_pixel, double last_pixel);

    double pixel(double value) const;
    const std::vector<double> &ticks() const { return ticks_; } // with both ends, unless only powers of ten are ticks

private:
    double low_, high_, first_, last_; // the ends as values and as pixels
    std::vector<double> ticks_;
};

// Moves labels apart. The result has a pixel for each wanted one: in the same order, at least `distance` apart, and
// none after `last`.
std::vector<double> apart(const std::vector<double> &wanted, double distance, double last);

} // namespace benchdnn_lite
