// SPDX-License-Identifier: Apache-2.0
#include "problem.hpp"

namespace jitnorm::impl::layer_norm {

bool problem::has_runtime_sizes() const {
    for (const memory_desc *md : {&src, &dst, &diff_dst, &diff_src, &statistics})
        if (has_runtime_dims(*md)) return true;
    for (const post_op &entry : attr.post_ops.entries) {
        const auto *binary = std::get_if<binary_post_op>(&entry);
        if (binary != nullptr && has_runtime_dims(binary->src1)) return true;
    }
    return false;
}

dim_t problem::row_length() const {
    dim_t count = 1;
    for (int d = row_ndims(); d < src.ndims; ++d) {
        if (src.dims[d] == RUNTIME_DIM) return RUNTIME_DIM;
        count *= src.dims[d];
    }
    return count;
}

dim_t problem::rows() const {
    dim_t count = 1;
    for (int d = 0; d < row_ndims(); ++d) count *= src.dims[d];
    return count;
}

} // namespace jitnorm::impl::layer_norm
