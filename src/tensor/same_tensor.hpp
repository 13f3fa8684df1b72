// SPDX-License-Identifier: Apache-2.0
// same_tensor: whether two descriptors mean the same elements at the same places.
#pragma once

#include "memory_desc.hpp"

namespace jitnorm::impl {

// Whether a number of a descriptor is the number that is asked for. If that is `open`, any number will do.
inline bool match(dim_t given, dim_t asked, dim_t open) { return given == asked || asked == open; }

// Whether a describes the tensor that b asks for. A dimension or stride of b that is `open` may be any number in a. The
// stride of a dimension of size 1 is not compared, because it is never used; padded dimensions are not compared,
// because they follow from dimensions and blocks.
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
    constexpr dim_t NOTHING = -1; // no dimension and no stride has this value, so nothing is open
    return is_tensor(a, b, NOTHING);
}

// Whether a memory with the descriptor `md` may be passed where `pattern` is asked for. Run-time numbers of the pattern
// may be any number in md.
inline bool fits(const memory_desc &md, const memory_desc &pattern) { return is_tensor(md, pattern, RUNTIME_DIM); }

} // namespace jitnorm::impl
