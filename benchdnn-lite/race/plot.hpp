// SPDX-License-Identifier: Apache-2.0
// plot: the race for people, as SVG: a panel for each direction, in it a line for each contestant, gigabytes in a
// second over bytes moved. Higher is faster.
#pragma once

#include "json.hpp"

namespace benchdnn_lite {

std::string race_plot(const std::string &title, const race_setting &setting, const std::vector<race_result> &results);

} // namespace benchdnn_lite
