// SPDX-License-Identifier: Apache-2.0
// agreement: whether two libraries computed the same thing; only then is it a race. Exactness is the business of
// check.hpp: a peer's tolerance leaves room for any sensible order of additions. Another build of this library has no
// such room: it has the same bits.
#pragma once

#include <string>

#include "peer.hpp"

namespace benchdnn_lite {

// The tolerance is relative to our largest element.
bool is_close(const buffer &ours, const buffer &theirs, double tolerance);
bool has_same_bytes(const buffer &ours, const buffer &theirs); // what lies between elements included

// The first outputs that differ, as ids of arguments; 0: none.
struct disagreement {
    int in_values = 0, in_bits = 0;
};

// Runs both on the same random inputs.
disagreement first_disagreement(const execution &ours, const peer &theirs, double tolerance, uint64_t seed);

} // namespace benchdnn_lite
