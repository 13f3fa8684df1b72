// SPDX-License-Identifier: Apache-2.0
// agreement: whether two libraries computed the same thing; only then is it a race. Exactness is the business of
// check.hpp: the tolerance here leaves room for any sensible order of additions.
#pragma once

#include <string>

#include "peer.hpp"

namespace benchdnn_lite {

bool is_close(const buffer &ours, const buffer &theirs);

// Runs both on the same random inputs. The number of the first output that differs, as its argument's id; 0 if none.
int first_disagreement(const execution &ours, const peer &theirs, uint64_t seed);

} // namespace benchdnn_lite
