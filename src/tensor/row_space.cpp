// SPDX-License-Identifier: Apache-2.0
#include "row_space.hpp"

#include <cstdint>

namespace jitnorm::impl {

bool has_dense_rows(const memory_desc &md, int row_ndims) {
    dim_t step = 1;
    for (int d = md.ndims - 1; d >= row_ndims; --d) {
        if (md.dims[d] != 1 && (md.strides[d] != step || step == RUNTIME_DIM)) return false;
        step = md.dims[d] == RUNTIME_DIM || step == RUNTIME_DIM ? RUNTIME_DIM : step * md.dims[d];
    }
    return md.inner_nblks == 0;
}

bool is_aligned(const memory_desc &md, const void *data, dim_t bytes) {
    const dim_t offset = md.offset0 * element_size(md);
    return (reinterpret_cast<uintptr_t>(data) + uintptr_t(offset)) % uintptr_t(bytes) == 0;
}

bool has_rows_in_lines(const memory_desc &md, int row_ndims) {
    for (int d = 0; d < row_ndims; ++d)
        if (md.dims[d] > 1 && md.strides[d] * element_size(md) % CACHE_LINE != 0) return false;
    return true;
}

row_space::row_space(std::span<const memory_desc *const> tensors, int row_ndims) : tensors_(tensors.size()) {
    for (size_t t = 0; t < tensors_; ++t) offset0_[t] = tensors[t]->offset0;
    for (int d = 0; d < row_ndims; ++d) {
        per_tensor stride = {};
        for (size_t t = 0; t < tensors_; ++t) stride[t] = tensors[t]->strides[d];
        append(tensors[0]->dims[d], stride);
    }
    if (levels_ == 0) size_[size_t(levels_++)] = 1;
}

// Adds the next inner row dimension, unless its size is 1. It is merged with the innermost level if in all tensors one
// step of that is as long as `size` steps of the dimension; otherwise it becomes a level of its own.
void row_space::append(dim_t size, const per_tensor &stride) {
    rows_ *= size;
    if (size == 1) return;
    bool merges = levels_ > 0;
    for (size_t t = 0; merges && t < tensors_; ++t) merges = stride_[size_t(levels_ - 1)][t] == stride[t] * size;
    if (!merges) size_[size_t(levels_++)] = 1;
    size_[size_t(levels_ - 1)] *= size;
    stride_[size_t(levels_ - 1)] = stride;
}

row_space::cursor row_space::locate(dim_t row) const {
    cursor at = start();
    for (size_t level = size_t(levels_); level-- > 0; row /= size_[level]) move(at, level, row % size_[level]);
    return at;
}

void row_space::move(cursor &at, size_t level, dim_t steps) const {
    at.index[level] += steps;
    for (size_t t = 0; t < tensors_; ++t) at.now.offset[t] += steps * stride_[level][t];
}

// Moves to the first row after the run. An index that reaches its level's size returns to 0 and carries outward.
void row_space::advance(cursor &at) const {
    dim_t steps = at.now.count;
    for (size_t level = size_t(levels_); level-- > 0; steps = 1) {
        move(at, level, steps);
        if (at.index[level] < size_[level]) return;
        move(at, level, -size_[level]);
    }
}

} // namespace jitnorm::impl
