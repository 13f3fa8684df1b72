// SPDX-License-Identifier: Apache-2.0
// dim: the type of sizes, indices and numbers of bytes. It is signed and has 64 bits, as in the C interface.
#pragma once

#include "jitnorm/jitnorm_types.h"

namespace jitnorm::impl {

using dim_t = jitnorm_dim_t;

} // namespace jitnorm::impl
