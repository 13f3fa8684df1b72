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

tensor_rows::tensor_rows(const memory_desc &md, const memory_desc &shape, int row_ndims)
    : md_(md), row_ndims_(row_ndims) {
    std::copy(shape.dims, shape.dims + shape.ndims, dims_);
    const int last = md.ndims - 1;
    width_ = std::max<dim_t>(dims_[last], 1);
    if (md.dims[last] == 1 && dims_[last] != 1) return; // broadcast along the last dimension: stride 0
    stride_ = md.strides[last];
    const dim_t block = last_block(md);
    if (block == 1) return;
    jitnorm_dims_t position = {};
    for (; position[last] < block; ++position[last]) inner_.push_back(offset(md, position) - md.offset0);
}

dim_t tensor_rows::offset_along(int begin, int end, dim_t index) const {
    jitnorm_dims_t position = {};
    for (int d = end - 1; d >= begin; --d) {
        position[d] = md_.dims[d] == 1 ? 0 : index % dims_[d];
        index /= dims_[d];
    }
    return offset(md_, position) - md_.offset0;
}

} // namespace jitnorm::impl::layer_norm::reference
