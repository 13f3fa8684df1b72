// SPDX-License-Identifier: Apache-2.0
// reference_entry: the plain C++ reference as an implementation, the last of the ranking.
#pragma once

#include "../norm/implementation.hpp"

namespace jitnorm::impl::layer_norm {

// "ref:any"; refuses nothing that validate() accepts.
extern const implementation reference_entry;

} // namespace jitnorm::impl::layer_norm
