// SPDX-License-Identifier: Apache-2.0
// The numbers that fix the order of every sum. Changing one changes the bits of results.
#pragma once

#include "../core/memory_desc.hpp"

namespace jitnorm::impl::layer_norm {

constexpr int FORWARD_LANES = 32;  // partial sums of the statistics
constexpr int BACKWARD_LANES = 16; // partial sums of diff_src's two means
constexpr dim_t CHUNK = 4096;      // elements of a row summed before the lanes are folded

constexpr dim_t MAX_BLOCK_ROWS = 32; // rows whose gradients of scale and shift are added in the compute type
constexpr dim_t MIN_BLOCKS = 16;     // blocks aimed at before they grow beyond one row
constexpr dim_t MAX_PARTS = 64;      // groups of blocks whose sums are added apart from each other

} // namespace jitnorm::impl::layer_norm
