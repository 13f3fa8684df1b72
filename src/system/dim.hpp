// SPDX-License-Identifier: Apache-2.0
// dim: a size, an index or a number of bytes: signed and 64 bits wide, as in the C interface.
#pragma once

#include "jitnorm/jitnorm_types.h"

namespace jitnorm::impl {

using dim_t = jitnorm_dim_t;

} // namespace jitnorm::impl
