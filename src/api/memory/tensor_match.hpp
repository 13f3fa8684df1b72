// SPDX-License-Identifier: Apache-2.0
// tensor_match: whether two descriptors mean the same elements at the same places, found out quickly.
#pragma once

#include <array>
#include <cstddef>
#include <utility>

#include "../../core/same_tensor.hpp"

namespace jitnorm::impl::api {

// What tells tensors of few dimensions apart, in one cache line: every execution compares a descriptor per argument.
class tensor_digest {
    static constexpr size_t DIMS = 3, WORDS = 2 + 2 * DIMS;

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

    bool operator==(const tensor_digest &other) const {
        const auto differences = [&]<size_t... I>(std::index_sequence<I...>) { // without a loop or a branch
            return ((words_[I] ^ other.words_[I]) | ...);
        };
        return differences(std::make_index_sequence<WORDS>()) == 0;
    }

    // Whether tensors with this digest are the same: there are no more dimensions, and no inner blocks.
    bool says_all() const { return (words_[0] & 0xff) <= dim_t(DIMS) && words_[0] >> 24 == 0; }

private:
    std::array<dim_t, WORDS> words_ = {};
};

} // namespace jitnorm::impl::api
