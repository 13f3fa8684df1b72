// SPDX-License-Identifier: Apache-2.0
// on_kernels: the implementations on generated code, both directions in every layout, data type and post-op: one for
// each instruction set.
#pragma once

#include <array>

#include "../core/implementation.hpp"

namespace jitnorm::impl::layer_norm {

extern const std::array<implementation, 2> on_kernels; // best first

} // namespace jitnorm::impl::layer_norm
