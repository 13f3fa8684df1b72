// SPDX-License-Identifier: Apache-2.0
// interleave: the times of several bodies, measured in turn so that a slow moment of the machine hits all of them.
#pragma once

#include <functional>
#include <vector>

#include "../timing/spread.hpp"

namespace benchdnn_lite {

using body = std::function<void()>;

// Microseconds that one call of each body takes, over as many rounds. A round gives every body one block of
// calls that fills 200 us, after an untimed call that brings its data back to the caches; each round begins with
// another body.
std::vector<spread> interleaved(const std::vector<body> &bodies, int rounds);

} // namespace benchdnn_lite
