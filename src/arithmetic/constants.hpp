// SPDX-License-Identifier: Apache-2.0
// constants: the numbers that fix the order and range of every sum (docs/arithmetic.md). Changing one changes the bits
// of results; reference and generated kernels both take them from here.
#pragma once

#include "../core/memory_desc.hpp"

namespace jitnorm::impl::layer_norm {

// Interleaved partial sums of the statistics: 128 bytes, 4 ymm or 2 zmm.
template <typename T>
constexpr int FORWARD_LANES = 128 / int(sizeof(T));
// The same for the two sums over a row in backward: 64 bytes.
template <typename T>
constexpr int BACKWARD_LANES = 64 / int(sizeof(T));

constexpr dim_t BLOCK = 512;  // elements summed in one go; the lanes of a chunk's blocks are added in order
constexpr dim_t CHUNK = 4096; // elements of a row summed in the compute type; longer rows go chunk by chunk

// Rows whose gradients of scale and shift are added in the compute type are a block: so many, so many elements at least
// where that leaves a choice, and so many blocks aimed at.
constexpr dim_t MIN_BLOCK_ROWS = 4, MAX_BLOCK_ROWS = 32;
constexpr dim_t MIN_BLOCK_ELEMENTS = 16384;
constexpr dim_t MIN_BLOCKS = 16;

// Groups of blocks whose sums are added apart from each other: so many at the most, and fewer for long rows, so that
// the sums of all of them are no more than so many elements.
constexpr dim_t MIN_PARTS = 8, MAX_PARTS = 64;
constexpr dim_t MAX_PARTS_ELEMENTS = dim_t(1) << 20;

// S^2/n > PIVOT_LIMIT * M2: the pivot is too far from the mean, sweep again with the mean itself
constexpr double PIVOT_LIMIT = 2;

// Sums of squares outside this range have lost bits to underflow or overflow: differences are rescaled by a power of
// two.
constexpr float SMALLEST_SQUARES = 0x1p-70f;
constexpr float LARGEST_SQUARES = 0x1.fffffep+127f;
constexpr float RESCALE_UP = 0x1p+96f;
constexpr float RESCALE_DOWN = 0x1p-96f;

} // namespace jitnorm::impl::layer_norm
