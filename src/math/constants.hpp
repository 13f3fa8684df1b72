// SPDX-License-Identifier: Apache-2.0
// constants: the numbers that fix the order of the additions and the range of every sum (docs/arithmetic.md). The
// reference and the generated kernels both take them from here. Changing one changes the bits of results.
#pragma once

#include "../base/bytes.hpp"

namespace jitnorm::impl::layer_norm {

// How many interleaved partial sums each sum of the statistics has: 128 bytes, 4 ymm registers or 2 zmm registers.
template <typename T>
constexpr int FORWARD_LANES = 128 / int(sizeof(T));
// The same for each of the two sums over a row in backward: 64 bytes.
template <typename T>
constexpr int BACKWARD_LANES = 64 / int(sizeof(T));

constexpr dim_t BLOCK = 512;  // elements of a block, each lane of which is one sum; then the blocks' lanes are added
constexpr dim_t CHUNK = 4096; // elements of a chunk, which is summed in the compute type; chunks are added in double

// The size of row blocks, whose gradients of scale and shift are added in the compute type. A row block has at least
// MIN_BLOCK_ELEMENTS elements and at least 1 / WANTED_BLOCKS of the problem's rows, within MIN_BLOCK_ROWS and
// MAX_BLOCK_ROWS.
constexpr dim_t MIN_BLOCK_ROWS = 4, MAX_BLOCK_ROWS = 32;
constexpr dim_t MIN_BLOCK_ELEMENTS = 16384;
constexpr dim_t WANTED_BLOCKS = 16;

// The most parts of a problem: MAX_PARTS, but fewer for long rows (not fewer than MIN_PARTS), so that the sums of all
// parts have at most MAX_PARTS_ELEMENTS elements.
constexpr dim_t MIN_PARTS = 8, MAX_PARTS = 64;
constexpr dim_t MAX_PARTS_ELEMENTS = dim_t(1) << 20;

// If S^2/n > PIVOT_LIMIT * M2, the pivot is too far from the mean: the chunk is reduced again, the mean as its pivot.
constexpr double PIVOT_LIMIT = 2;

// A sum of squares outside this range has lost bits to underflow or overflow. Then the differences are multiplied by
// one of the two powers of two and summed again.
constexpr float SMALLEST_SQUARES = 0x1p-70f;
constexpr float LARGEST_SQUARES = 0x1.fffffep+127f;
constexpr float RESCALE_UP = 0x1p+96f;
constexpr float RESCALE_DOWN = 0x1p-96f;

// The sum of lanes: adds lane l + width to lane l, for width = N/2, ..., 2, 1. The lanes have other values afterwards.
template <typename T, int N>
T horizontal_sum(T (&lanes)[N]) {
    for (int width = N / 2; width > 0; width /= 2)
        for (int l = 0; l < width; ++l) lanes[l] += lanes[l + width];
    return lanes[0];
}

} // namespace jitnorm::impl::layer_norm
