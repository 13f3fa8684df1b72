// SPDX-License-Identifier: Apache-2.0
#include "tensor_rows.hpp"

#include <algorithm>

namespace jitnorm::impl::layer_norm::reference {

namespace {

dim_t last_block(const memory_desc &md) {
    dim_t block = 1;
    for (int i = 0; i < md.inner_nblks; ++i)
        if (md.inner_idxs[i] == md.ndims - 1) block *= md.inner_blks[i];
    return block;
}

} // namespace

tensor_rows::tensor_rows(const memory_desc &md, const memory_desc &shape) : md_(md) {
    std::copy(shape.dims, shape.dims + shape.ndims, row_dims_);
    const int last = md.ndims - 1;
    if (md.dims[last] == 1 && shape.dims[last] != 1) return; // broadcast along the row: stride 0
    stride_ = md.strides[last];
    const dim_t block = last_block(md);
    if (block == 1) return;
    jitnorm_dims_t position = {};
    for (; position[last] < block; ++position[last]) inner_.push_back(offset(md, position) - md.offset0);
}

dim_t tensor_rows::row_offset(dim_t row) const {
    jitnorm_dims_t position;
    position[md_.ndims - 1] = 0;
    for (int d = md_.ndims - 2; d >= 0; --d) {
        position[d] = md_.dims[d] == 1 ? 0 : row % row_dims_[d];
        row /= row_dims_[d];
    }
    return offset(md_, position);
}

} // namespace jitnorm::impl::layer_norm::reference
