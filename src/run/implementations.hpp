// SPDX-License-Identifier: Apache-2.0
// implementations: those that run generated kernels, one for each instruction set. Each takes both directions,
// and every layout, data type and post-op; only dynamic scales of rows of double are left to the reference.
#pragma once

#include <array>

#include "../norm/implementation.hpp"

namespace jitnorm::impl::layer_norm {

extern const std::array<implementation, 2> on_kernels; // best first

} // namespace jitnorm::impl::layer_norm
