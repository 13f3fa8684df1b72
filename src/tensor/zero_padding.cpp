// SPDX-License-Identifier: Apache-2.0
#include <cstring>

#include "memory_desc.hpp"
#include "tensor_axis.hpp"

namespace jitnorm::impl {

namespace {

// The inner tiles that have padding of one dimension, as a tensor with one element for each tile, its first one.
memory_desc padded_tiles(const memory_desc &md, int d) {
    memory_desc tiles = md;
    for (int i = 0; i < md.ndims; ++i) tiles.dims[i] = md.padded_dims[i];
    for (int i = 0; i < md.inner_nblks; ++i) tiles.dims[md.inner_idxs[i]] /= md.inner_blks[i];
    tiles.offset0 += (tiles.dims[d] - 1) * md.strides[d];
    tiles.dims[d] = 1;
    tiles.inner_nblks = 0;
    return tiles;
}

// Each inner tile at the end of dimension d has runs of padding, one for each combination of indices in the blocks
// outside that of d. A run is as long as the unused indices of that block and all blocks inside it.
void zero_padding_of(const memory_desc &md, int d, char *data, int part, int parts) {
    dim_t step = 1, tile = 1, block = 1;
    for (int i = md.inner_nblks - 1; i >= 0; --i) {
        if (md.inner_idxs[i] == d) {
            block = md.inner_blks[i];
            step = tile;
        }
        tile *= md.inner_blks[i];
    }
    const dim_t size = element_size(md), used = md.dims[d] % block;
    const memory_desc padded = padded_tiles(md, d);
    const layer_norm::tensor_axis tiles(padded, 0, md.ndims);
    const range mine = split(tiles.size(), parts, part);
    tiles.for_each_run(mine.begin, mine.end - mine.begin, [&](dim_t offset, dim_t count) {
        for (dim_t t = 0; t < count; ++t)
            for (dim_t begin = used * step; begin < tile; begin += block * step) {
                const dim_t first = offset + t * tiles.step() + (padded.offset0 + begin) * size;
                std::memset(data + first, 0, size_t((block - used) * step * size));
            }
    });
}

} // namespace

void zero_padding(const memory_desc &md, void *data, int part, int parts) {
    if (nelems(md) == 0) return;
    for (int d = 0; d < md.ndims; ++d)
        if (md.dims[d] != md.padded_dims[d]) zero_padding_of(md, d, static_cast<char *>(data), part, parts);
}

} // namespace jitnorm::impl
