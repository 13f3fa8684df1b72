// SPDX-License-Identifier: Apache-2.0
// tensor_match: whether two descriptors mean the same elements at the same places.
#pragma once

#include <array>
#include <cstddef>
#include <utility>

#include "../core/memory_desc.hpp"

namespace jitnorm::impl::api {

// Equality that looks at the dimensions in use only and not at the stride of a dimension of size 1, which is never
// stepped along.
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

// What tells tensors of few dimensions apart, in one cache line: every execution compares a descriptor per argument.
class tensor_digest {
    static constexpr int DIMS = 3, WORDS = 2 + 2 * DIMS;

public:
    tensor_digest() = default;
    explicit tensor_digest(const memory_desc &md)
        : words_{md.ndims | dim_t(md.data_type) << 8 | dim_t(md.format_kind) << 16 | dim_t(md.inner_nblks) << 24,
                 md.offset0} {
        for (int d = 0; d < md.ndims && d < DIMS; ++d) {
            words_[size_t(2 + d)] = md.dims[d];
            words_[size_t(2 + DIMS + d)] = md.dims[d] == 1 ? 0 : md.strides[d];
        }
    }

    bool operator==(const tensor_digest &other) const {
        const auto differences = [&]<size_t... I>(std::index_sequence<I...>) { // without a loop or a branch
            return ((words_[I] ^ other.words_[I]) | ...);
        };
        return differences(std::make_index_sequence<WORDS>()) == 0;
    }

    // Whether tensors with this digest are the same: there are no more dimensions, and no inner blocks.
    bool says_all() const { return (words_[0] & 0xff) <= DIMS && words_[0] >> 24 == 0; }

private:
    std::array<dim_t, WORDS> words_ = {};
};

} // namespace jitnorm::impl::api
