// SPDX-License-Identifier: Apache-2.0
// same_tensor: whether two descriptors mean the same elements at the same places.
#pragma once

#include "memory_desc.hpp"

namespace jitnorm::impl {

// Whether two numbers of a descriptor match: when they are equal, or when `open` is what run time decides.
inline bool match(dim_t given, dim_t asked, dim_t open) { return given == asked || asked == open; }

// Whether a tensor is what is asked for. Looks at the dimensions in use only and not at the stride of a dimension of
// size 1, which is never stepped along; padded dimensions follow from the others. A dimension or stride `open` may be
// anything.
inline bool is_tensor(const memory_desc &a, const memory_desc &b, dim_t open) {
    if (a.ndims != b.ndims || a.data_type != b.data_type || a.format_kind != b.format_kind ||
        a.inner_nblks != b.inner_nblks || a.offset0 != b.offset0)
        return false;
    for (int d = 0; d < a.ndims; ++d)
        if (!match(a.dims[d], b.dims[d], open) || (!match(a.strides[d], b.strides[d], open) && a.dims[d] != 1))
            return false;
    for (int i = 0; i < a.inner_nblks; ++i)
        if (a.inner_blks[i] != b.inner_blks[i] || a.inner_idxs[i] != b.inner_idxs[i]) return false;
    return true;
}

inline bool same_tensor(const memory_desc &a, const memory_desc &b) {
    constexpr dim_t NOTHING = -1; // no dimension or stride is this
    return is_tensor(a, b, NOTHING);
}

// Whether a memory of descriptor `md` may stand where `pattern`, which may leave numbers to run time, is asked for.
inline bool fits(const memory_desc &md, const memory_desc &pattern) { return is_tensor(md, pattern, RUNTIME_DIM); }

} // namespace jitnorm::impl
