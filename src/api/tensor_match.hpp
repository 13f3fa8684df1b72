// SPDX-License-Identifier: Apache-2.0
// tensor_match: whether two descriptors mean the same elements at the same places.
#pragma once

#include "../core/memory_desc.hpp"

namespace jitnorm::impl::api {

// Equality that looks at the dimensions in use only and not at the stride of a dimension of size 1, which is never
// stepped along. Runs at every execution for every argument.
inline bool same_tensor(const memory_desc &a, const memory_desc &b) {
    if (a.ndims != b.ndims || a.data_type != b.data_type || a.format_kind != b.format_kind ||
        a.inner_nblks != b.inner_nblks || a.offset0 != b.offset0)
        return false;
    for (int d = 0; d < a.ndims; ++d)
        if (a.dims[d] != b.dims[d] || a.padded_dims[d] != b.padded_dims[d] ||
            (a.strides[d] != b.strides[d] && a.dims[d] != 1))
            return false;
    for (int i = 0; i < a.inner_nblks; ++i)
        if (a.inner_blks[i] != b.inner_blks[i] || a.inner_idxs[i] != b.inner_idxs[i]) return false;
    return true;
}

} // namespace jitnorm::impl::api
