// SPDX-License-Identifier: Apache-2.0
// zero_padding: the elements that a blocked layout adds to fill its last inner blocks. As in oneDNN they are zero after
// every execution.
#pragma once

#include "memory_desc.hpp"

namespace jitnorm::impl {

// Writes zeros to the padding of the tensor with the data handle `data`. Gaps between strided rows are not padding and
// are not written. Several threads may share the work: each call does the piece `part` of `parts`. The padding may be
// written before, after or while the elements are written.
void zero_padding(const memory_desc &md, void *data, int part = 0, int parts = 1);

} // namespace jitnorm::impl
