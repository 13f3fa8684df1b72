// SPDX-License-Identifier: Apache-2.0
// zero_padding: what a blocked layout adds to fill its last blocks holds zeros after every execution, as in oneDNN.
#pragma once

#include "../core/memory_desc.hpp"

namespace jitnorm::impl {

// Writes zeros to the padding. Gaps between strided rows are not padding and are left alone. Several threads may share
// the work: part `part` of `parts`, in any order with writing the elements themselves.
void zero_padding(const memory_desc &md, void *data, int part = 0, int parts = 1);

} // namespace jitnorm::impl
