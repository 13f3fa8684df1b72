// SPDX-License-Identifier: Apache-2.0
// memory_desc: the type, shape and layout of a tensor, as a value.
//
// A layout is outer strides plus up to MAX_NDIMS inner blocks (oneDNN's blocked format): logical index i of dimension
// d is split by the blocks of d, the block indices address a dense inner tile, what is left is multiplied by
// strides[d].
#pragma once

#include <cstddef>
#include <span>
#include <type_traits>

#include "../system/dim.hpp"
#include "jitnorm/jitnorm_types.h"

namespace jitnorm::impl {

constexpr int MAX_NDIMS = JITNORM_MAX_NDIMS;
constexpr dim_t RUNTIME_DIM = JITNORM_RUNTIME_DIM_VAL;

} // namespace jitnorm::impl

// The C handle is the value itself.
struct jitnorm_memory_desc {
    int ndims = 0; // 0: no tensor
    jitnorm_dims_t dims;
    jitnorm_data_type_t data_type = jitnorm_data_type_undef;
    jitnorm_format_kind_t format_kind = jitnorm_format_kind_undef;
    jitnorm_dims_t padded_dims; // dims rounded up to whole blocks
    jitnorm_dims_t strides;     // of the outer blocks, in elements
    int inner_nblks = 0;
    jitnorm_dims_t inner_blks;
    jitnorm_dims_t inner_idxs;
    jitnorm_dim_t offset0 = 0; // elements from the data handle to the first element

    constexpr jitnorm_memory_desc() : dims(), padded_dims(), strides(), inner_blks(), inner_idxs() {}

    // What lies beyond the dimensions and blocks in use means nothing: it is neither compared nor copied. With all its
    // 500 bytes most of the time of making a memory went into the copy.
    constexpr jitnorm_memory_desc(const jitnorm_memory_desc &other) {
        if (std::is_constant_evaluated())
            for (int d = 0; d < JITNORM_MAX_NDIMS; ++d)
                dims[d] = padded_dims[d] = strides[d] = inner_blks[d] = inner_idxs[d] = 0;
        *this = other;
    }
    constexpr jitnorm_memory_desc &operator=(const jitnorm_memory_desc &other) {
        ndims = other.ndims;
        data_type = other.data_type;
        format_kind = other.format_kind;
        inner_nblks = other.inner_nblks;
        offset0 = other.offset0;
        for (int d = 0; d < other.ndims; ++d) {
            dims[d] = other.dims[d];
            padded_dims[d] = other.padded_dims[d];
            strides[d] = other.strides[d];
        }
        for (int i = 0; i < other.inner_nblks; ++i) {
            inner_blks[i] = other.inner_blks[i];
            inner_idxs[i] = other.inner_idxs[i];
        }
        return *this;
    }

    bool operator==(const jitnorm_memory_desc &other) const;
};

namespace jitnorm::impl {

using memory_desc = jitnorm_memory_desc;

size_t size_of(jitnorm_data_type_t type); // bytes of one element; 0 for undef or unknown

// Checks and builds; invalid_arguments for a bad rank, a negative dimension, an unknown type or tag, and then md is
// empty. The numbers are none of md's own.
jitnorm_status_t make_with_strides(memory_desc &md, int ndims, const dim_t *dims, jitnorm_data_type_t type,
                                   const dim_t *strides /* null: row major */);
jitnorm_status_t make_with_tag(memory_desc &md, int ndims, const dim_t *dims, jitnorm_data_type_t type,
                               jitnorm_format_tag_t tag);
// In the order and the blocks of a rule that has as many dimensions, without gaps. invalid_arguments as above.
struct layout_rule;
jitnorm_status_t make_with_rule(memory_desc &md, const dim_t *dims, jitnorm_data_type_t type, const layout_rule &rule);
// A dense row-major tensor; empty where it cannot be addressed, which tensors of a problem that validate() accepts, and
// all that have some of their dimensions, can.
memory_desc make_dense(std::span<const dim_t> dims, jitnorm_data_type_t type);

dim_t nelems(const memory_desc &md);        // product of dims; 0 without a tensor
dim_t padded_nelems(const memory_desc &md); // product of padded_dims
size_t bytes(const memory_desc &md);        // from the data handle to the end of the last element, padding included
bool has_runtime_dims(const memory_desc &md);
bool same_dims(const memory_desc &a, const memory_desc &b);
bool same_layout(const memory_desc &a, const memory_desc &b); // equal but for the data type
bool has_padding(const memory_desc &md);
// Whether elements share memory along a dimension of stride 0: then it can be read only.
bool is_broadcast(const memory_desc &md);

// Offset in elements of the element at `position` (ndims indices, each below its padded dimension).
dim_t offset(const memory_desc &md, const dim_t *position);
// The same for the linear row-major index over dims.
dim_t offset_of_index(const memory_desc &md, dim_t index);

} // namespace jitnorm::impl
