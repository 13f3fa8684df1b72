// SPDX-License-Identifier: Apache-2.0
// plot: the race for people: ratios over the bytes moved, both axes logarithmic, as SVG.
#pragma once

#include "race.hpp"

namespace benchdnn_lite {

std::string race_plot(const std::string &title, const std::vector<race_result> &results);

} // namespace benchdnn_lite
