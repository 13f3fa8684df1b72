// SPDX-License-Identifier: Apache-2.0
// interleave: measures several bodies in turn, so that a slow moment of the machine hits all of them.
#pragma once

#include <functional>
#include <vector>

#include "../timing/spread.hpp"

namespace benchdnn_lite {

using body = std::function<void()>;

// Measures each body in `rounds` rounds and returns the microseconds that one call takes. In a round every body gets
// one block of calls, which takes at least 200 us. An untimed call before it brings the data of the body back into the
// caches. Each round has another order, so that nobody always follows the same one.
std::vector<spread> interleaved(const std::vector<body> &bodies, int rounds);

} // namespace benchdnn_lite
