// SPDX-License-Identifier: Apache-2.0
#include "tensor_axis.hpp"

#include <cassert>
#include <numeric>

namespace jitnorm::impl::layer_norm {

tensor_axis::tensor_axis(const memory_desc &md, const dim_t *dims, int begin, int end) {
    for (int d = begin; d < end; ++d) {
        size_ *= dims[d];
        if (dims[d] != 1) append(md.dims[d] == dims[d] ? level_of(md, d) : level{dims[d], dims[d], 0, 0});
    }
    if (count_ == 0) levels_[size_t(count_++)] = {1, 1, 0, 0};
    // From one index at the start of a cache line to the next such index, in the same block.
    group_ = std::max<dim_t>(std::min(fastest().block, CACHE_LINE / std::gcd(fastest().step, CACHE_LINE)), 1);
}

tensor_axis::level tensor_axis::level_of(const memory_desc &md, int d) {
    const dim_t element = element_size(md);
    const dim_t size = std::max<dim_t>(md.dims[d], 1);
    // Where another size is known at execution only, or is 0, a dim_t may have no room for the bytes from the first
    // index to past the last. Then no element is reached, and the step does not matter.
    dim_t bytes;
    const bool has_room =
        !__builtin_mul_overflow(size, element, &bytes) && !__builtin_mul_overflow(md.strides[d], bytes, &bytes);
    level found = {size, size, has_room ? md.strides[d] * element : 0, 0};
    dim_t tile = element;
    for (int i = md.inner_nblks - 1; i >= 0; tile *= md.inner_blks[i--]) {
        if (md.inner_idxs[i] != d) continue;
        assert(found.jump == 0); // a layout splits a dimension at most once
        found.block = std::min(md.inner_blks[i], size);
        found.jump = found.step;
        found.step = tile;
    }
    // Blocks that follow each other without a gap count as one block.
    if (found.jump == found.block * found.step) found.block = size;
    return found;
}

dim_t tensor_axis::level::append_to(box &to, dim_t index, dim_t count, dim_t pitch) const {
    const dim_t within = index % block;
    if (within != 0 || count < block) {
        const dim_t taken = std::min(count, block - within);
        to.append({taken, step, pitch});
        return taken;
    }
    const dim_t blocks = count / block;
    to.append({blocks, jump, block * pitch});
    to.append({block, step, pitch});
    return blocks * block;
}

void tensor_axis::append(const level &inner) {
    if (count_ > 0) {
        level &outer = levels_[size_t(count_ - 1)];
        if (outer.is_one_block() && inner.is_one_block() && outer.step == inner.step * inner.size) {
            outer.size = outer.block = outer.size * inner.size;
            outer.step = inner.step;
            return;
        }
    }
    levels_[size_t(count_++)] = inner;
}

dim_t tensor_axis::outer_offset(dim_t index) const {
    dim_t offset = 0;
    for (auto i = size_t(count_ - 1); i-- > 1; index /= levels_[i].size)
        offset += levels_[i].offset(index % levels_[i].size);
    return count_ > 1 ? offset + levels_[0].offset(index) : 0;
}

} // namespace jitnorm::impl::layer_norm
