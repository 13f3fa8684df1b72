// SPDX-License-Identifier: Apache-2.0
// plot: the results of a race as an SVG picture, for people. It has a panel for each direction, with a line for each
// contestant: gigabytes per second over bytes moved. Higher is faster.
#pragma once

#include "json.hpp"

namespace benchdnn_lite {

std::string race_plot(const std::string &title, const race_setting &setting, const std::vector<race_result> &results);

} // namespace benchdnn_lite
