// SPDX-License-Identifier: Apache-2.0
#include <cstring>

#include "memory_desc.hpp"
#include "tensor_axis.hpp"

namespace jitnorm::impl {

namespace {

// The inner tiles at the end of these dimensions, and at the end of no other one of those that have padding, as a
// tensor with one element for each tile, its first one. Both are sets of dimensions.
memory_desc tiles_at_end(const memory_desc &md, unsigned of, unsigned padded) {
    memory_desc tiles = md;
    for (int d = 0; d < md.ndims; ++d) tiles.dims[d] = md.padded_dims[d];
    for (int i = 0; i < md.inner_nblks; ++i) tiles.dims[md.inner_idxs[i]] /= md.inner_blks[i];
    for (int d = 0; d < md.ndims; ++d) {
        if ((padded >> d & 1) != 0) --tiles.dims[d];
        if ((of >> d & 1) == 0) continue;
        tiles.offset0 += tiles.dims[d] * md.strides[d];
        tiles.dims[d] = 1;
    }
    tiles.inner_nblks = 0;
    return tiles;
}

// A tile at the end of dimension d has runs of padding, one for each combination of indices in the blocks outside that
// of d. A run is as long as the unused indices of that block and all blocks inside it.
void clear_end(const memory_desc &md, int d, char *tile_begin) {
    dim_t step = 1, tile = 1, block = 1;
    for (int i = md.inner_nblks - 1; i >= 0; --i) {
        if (md.inner_idxs[i] == d) {
            block = md.inner_blks[i];
            step = tile;
        }
        tile *= md.inner_blks[i];
    }
    const dim_t size = element_size(md), used = md.dims[d] % block;
    for (dim_t begin = used * step; begin < tile; begin += block * step)
        std::memset(tile_begin + begin * size, 0, size_t((block - used) * step * size));
}

} // namespace

// Each tile is cleared by one thread, at the end of however many dimensions it is.
void zero_padding(const memory_desc &md, void *data, int part, int parts) {
    if (nelems(md) == 0) return;
    unsigned padded = 0;
    for (int d = 0; d < md.ndims; ++d)
        if (md.dims[d] != md.padded_dims[d]) padded |= 1U << d;
    for (unsigned ends = padded; ends != 0; ends = (ends - 1) & padded) {
        const memory_desc ending = tiles_at_end(md, ends, padded);
        if (nelems(ending) == 0) continue;
        const layer_norm::tensor_axis tiles(ending, 0, md.ndims);
        const range mine = split(tiles.size(), parts, part);
        char *const first = static_cast<char *>(data) + ending.offset0 * element_size(md);
        tiles.for_each_run(mine.begin, mine.end - mine.begin, [&](dim_t offset, dim_t count) {
            for (dim_t t = 0; t < count; ++t)
                for (int d = 0; d < md.ndims; ++d)
                    if ((ends >> d & 1) != 0) clear_end(md, d, first + offset + t * tiles.step());
        });
    }
}

} // namespace jitnorm::impl
