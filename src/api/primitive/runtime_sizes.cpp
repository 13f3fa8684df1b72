// SPDX-License-Identifier: Apache-2.0
#include "runtime_sizes.hpp"

#include "../memory/tensor_match.hpp"

namespace jitnorm::impl::api {

using layer_norm::extent;

namespace {

// A dimension that is left to run time cannot be broadcast, because the kernel was made for a dimension of dst's size.
bool has_sizes_of(const memory_desc &src1, const memory_desc &pattern, const memory_desc &dst) {
    for (int d = 0; d < src1.ndims; ++d)
        if (pattern.dims[d] == RUNTIME_DIM && src1.dims[d] != dst.dims[d]) return false;
    return true;
}

} // namespace

bool agrees(const memory_desc &md, const memory_desc &pattern, slot s, const layer_norm::problem &sizes) {
    if (s >= FIRST_POST_OP) return has_sizes_of(md, pattern, sizes[DST]);
    switch (layer_norm::TENSORS[size_t(s)].dims) {
    case extent::statistics:
        return same_tensor(md, sizes[s]);
    case extent::columns:
    case extent::gradient:
        return md.dims[0] == sizes.row_length();
    default:
        return true;
    }
}

} // namespace jitnorm::impl::api
