// SPDX-License-Identifier: Apache-2.0
// tensor_match: whether two descriptors mean the same elements at the same places.
#pragma once

#include <emmintrin.h>

#include <array>
#include <cstddef>

#include "../core/memory_desc.hpp"

namespace jitnorm::impl::api {

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

// What tells tensors of few dimensions apart, in one cache line: every execution compares a descriptor per argument.
class tensor_digest {
    static constexpr size_t DIMS = 3, WORDS = 2 + 2 * DIMS; // 64 bytes

public:
    tensor_digest() = default;
    explicit tensor_digest(const memory_desc &md)
        : words_{md.ndims | dim_t(md.data_type) << 8 | dim_t(md.format_kind) << 16 | dim_t(md.inner_nblks) << 24,
                 md.offset0} {
        for (size_t d = 0; d < DIMS && d < size_t(md.ndims); ++d) {
            words_[2 + d] = md.dims[d];
            words_[2 + DIMS + d] = md.dims[d] == 1 ? 0 : md.strides[d];
        }
    }

    bool operator==(const tensor_digest &other) const { // without a loop or a branch
        const auto equal = [&](size_t i) {
            return _mm_cmpeq_epi32(_mm_load_si128(pointer_to(words_[i])), _mm_load_si128(pointer_to(other.words_[i])));
        };
        const __m128i all = _mm_and_si128(_mm_and_si128(equal(0), equal(2)), _mm_and_si128(equal(4), equal(6)));
        return _mm_movemask_epi8(all) == 0xffff;
    }

    // Whether tensors with this digest are the same: there are no more dimensions, and no inner blocks.
    bool says_all() const { return (words_[0] & 0xff) <= dim_t(DIMS) && words_[0] >> 24 == 0; }

private:
    static const __m128i *pointer_to(const dim_t &word) { return reinterpret_cast<const __m128i *>(&word); }

    alignas(16) std::array<dim_t, WORDS> words_ = {};
};

} // namespace jitnorm::impl::api
