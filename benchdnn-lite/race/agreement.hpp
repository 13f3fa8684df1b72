// SPDX-License-Identifier: Apache-2.0
// agreement: checks whether two libraries computed the same results, without which a race means nothing. A peer's
// tolerance leaves room for any sensible order of additions; correctness/check.hpp checks exactness. Another build of
// this library has to give the same bits.
#pragma once

#include <string>

#include "peer.hpp"

namespace benchdnn_lite {

// Whether no element differs by more than `tolerance` times the largest magnitude in `ours`, plus one ulp at that
// magnitude.
bool is_close(const buffer &ours, const buffer &theirs, double tolerance);
bool has_same_bytes(const buffer &ours, const buffer &theirs); // the bytes between elements count, too

// The first output whose values are not close, and the first whose bytes differ, as ids of arguments. 0: there is none.
struct disagreement {
    int in_values = 0, in_bits = 0;
};

// Runs both libraries on the same random inputs, made from `seed`, and compares their outputs. `tolerance` is that of
// is_close().
disagreement first_disagreement(const execution &ours, const peer &theirs, double tolerance, uint64_t seed);

} // namespace benchdnn_lite
