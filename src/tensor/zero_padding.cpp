// SPDX-License-Identifier: Apache-2.0
#include "zero_padding.hpp"

#include <algorithm>
#include <cstring>

#include "../base/parallel.hpp"

namespace jitnorm::impl {

namespace {

// The padding of one dimension. It lies in the inner tiles at the dimension's end, at the same places in each of them:
// `count` runs of `length` elements, `period` elements apart, the first of them `first` elements after the tile's
// begin.
struct padding_runs {
    dim_t first, length, period, count;
};

padding_runs runs_of(const memory_desc &md, int d) {
    dim_t step = 1, tile = 1, block = 1;
    for (int i = md.inner_nblks - 1; i >= 0; --i) {
        if (md.inner_idxs[i] == d) {
            block = md.inner_blks[i];
            step = tile;
        }
        tile *= md.inner_blks[i];
    }
    const dim_t used = md.dims[d] % block;
    return {used * step, (block - used) * step, block * step, tile / (block * step)};
}

// The inner tiles that have padding of one dimension: how many there are along each dimension, and the offset of the
// first one in elements.
struct tile_grid {
    jitnorm_dims_t size;
    dim_t offset;
};

tile_grid padded_tiles(const memory_desc &md, int d) {
    tile_grid grid;
    std::copy(md.padded_dims, md.padded_dims + md.ndims, grid.size);
    for (int i = 0; i < md.inner_nblks; ++i) grid.size[md.inner_idxs[i]] /= md.inner_blks[i];
    grid.offset = md.offset0 + (grid.size[d] - 1) * md.strides[d];
    grid.size[d] = 1;
    return grid;
}

// Calls body(offset) for tiles begin <= tile < end, counted in row-major order.
template <typename Body>
void for_each_tile(const memory_desc &md, const tile_grid &grid, range tiles, Body &&body) {
    jitnorm_dims_t index = {};
    dim_t offset = grid.offset;
    const auto move = [&](int d, dim_t steps) {
        index[d] += steps;
        offset += steps * md.strides[d];
    };
    dim_t rest = tiles.begin;
    for (int d = md.ndims - 1; d >= 0; rest /= grid.size[d--]) move(d, rest % grid.size[d]);
    for (dim_t tile = tiles.begin; tile < tiles.end; ++tile) {
        body(offset);
        int d = md.ndims - 1;
        for (; d > 0 && index[d] + 1 == grid.size[d]; --d) move(d, -index[d]);
        move(d, 1);
    }
}

void zero_padding_of(const memory_desc &md, int d, char *data, int part, int parts) {
    const auto size = dim_t(size_of(md.data_type));
    const padding_runs runs = runs_of(md, d);
    const tile_grid grid = padded_tiles(md, d);
    dim_t tiles = 1;
    for (int i = 0; i < md.ndims; ++i) tiles *= grid.size[i];
    for_each_tile(md, grid, split(tiles, parts, part), [&](dim_t offset) {
        for (dim_t i = 0; i < runs.count; ++i)
            std::memset(data + (offset + i * runs.period + runs.first) * size, 0, size_t(runs.length * size));
    });
}

} // namespace

void zero_padding(const memory_desc &md, void *data, int part, int parts) {
    if (nelems(md) == 0) return;
    for (int d = 0; d < md.ndims; ++d)
        if (md.dims[d] != md.padded_dims[d]) zero_padding_of(md, d, static_cast<char *>(data), part, parts);
}

} // namespace jitnorm::impl
