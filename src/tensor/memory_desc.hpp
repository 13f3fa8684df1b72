// SPDX-License-Identifier: Apache-2.0
// memory_desc: the type, shape and layout of a tensor, as a value.
//
// A layout has a stride for each dimension and up to MAX_NDIMS inner blocks (oneDNN's blocked format). An element's
// index i in dimension d is split by the inner blocks of d: the remainders are the element's place in a dense inner
// tile, and the quotient, the number of the tile along d, is multiplied by strides[d].
#pragma once

#include <cstddef>
#include <span>
#include <type_traits>

#include "../base/bytes.hpp"
#include "../base/status.hpp"
#include "jitnorm/jitnorm_types.h"

namespace jitnorm::impl {

struct data_type_properties {
    const char *name = "undef";
    size_t size = 0;   // bytes of one element
    int precision = 0; // significant bits; 0 for integers
    double largest = 0;
};

// The defaults for undef and unknown types.
constexpr data_type_properties properties_of(jitnorm_data_type_t type) {
    switch (type) {
#define DATA_TYPE(name, number, size, precision, min_exponent, lowest, largest)                                        \
    case jitnorm_##name:                                                                                               \
        return {#name, size, precision, largest};
#include "../../tables/data_types.inc"
    case jitnorm_data_type_undef:
        break;
    }
    return {};
}

constexpr bool is_f8(jitnorm_data_type_t type) {
    const data_type_properties p = properties_of(type);
    return p.size == 1 && p.precision != 0;
}
constexpr bool is_int8(jitnorm_data_type_t type) {
    const data_type_properties p = properties_of(type);
    return p.size == 1 && p.precision == 0;
}
constexpr bool is_half(jitnorm_data_type_t type) { return type == jitnorm_bf16 || type == jitnorm_f16; }
constexpr bool is_single_or_half(jitnorm_data_type_t type) { return type == jitnorm_f32 || is_half(type); }
constexpr bool is_float(jitnorm_data_type_t type) { return type == jitnorm_f64 || is_single_or_half(type); } // no f8

constexpr int MAX_NDIMS = JITNORM_MAX_NDIMS;
constexpr dim_t RUNTIME_DIM = JITNORM_RUNTIME_DIM_VAL;

} // namespace jitnorm::impl

// The C interface's handle jitnorm_memory_desc_t points to this value.
struct jitnorm_memory_desc {
    int ndims = 0; // 0: an empty descriptor, which describes no tensor
    jitnorm_dims_t dims;
    jitnorm_data_type_t data_type = jitnorm_data_type_undef;
    jitnorm_format_kind_t format_kind = jitnorm_format_kind_undef;
    jitnorm_dims_t padded_dims; // dims rounded up to whole inner blocks
    jitnorm_dims_t strides;     // from one inner tile to the next along each dimension, in elements
    int inner_nblks = 0;
    jitnorm_dims_t inner_blks; // sizes of the inner blocks, outermost first
    jitnorm_dims_t inner_idxs; // the dimension that each inner block splits
    jitnorm_dim_t offset0 = 0; // elements from the data handle to the first element

    // Array elements beyond ndims and inner_nblks mean nothing: they are neither set nor compared nor copied. When all
    // 500 bytes were, this took most of the time of making a memory object.
    constexpr jitnorm_memory_desc() {
        if (std::is_constant_evaluated())
            for (int d = 0; d < JITNORM_MAX_NDIMS; ++d)
                dims[d] = padded_dims[d] = strides[d] = inner_blks[d] = inner_idxs[d] = 0;
    }
    constexpr jitnorm_memory_desc(const jitnorm_memory_desc &other) : jitnorm_memory_desc() { *this = other; }
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

inline constexpr memory_desc NO_TENSOR;

inline std::span<const dim_t> dims_of(const memory_desc &md) { return {md.dims, size_t(md.ndims)}; }

// The bytes of one element; 0 for undef or unknown types.
constexpr size_t size_of(jitnorm_data_type_t type) { return properties_of(type).size; }
inline dim_t element_size(const memory_desc &md) { return dim_t(size_of(md.data_type)); }

// No program has more addresses than this on any x86-64 processor. Up to these limits no number that is derived from
// sizes overflows: lengths of vectors, sums of several tensors' bytes, strides times sizes, sizes of scratchpads.
constexpr dim_t MOST_BYTES = dim_t(1) << 56;
constexpr dim_t MOST_ELEMENTS = MOST_BYTES / dim_t(sizeof(double));

constexpr status TOO_LARGE = invalid("the tensor is too large to be addressed");

// Each of these checks its arguments and sets md. If the rank, a dimension, a stride, the type or the tag is invalid,
// or the tensor is too large to be addressed, md becomes empty and the status is invalid_arguments. With ndims 0 md
// becomes empty and the status is success. The arrays that are passed must not be members of md.
//
// Two elements may share memory only along a dimension of stride 0 (a broadcast dimension). Along the others they may
// interleave (overlap.cpp). The stride of a dimension of size 1 does not matter, since it is never used.
status make_with_strides(memory_desc &md, int ndims, const dim_t *dims, jitnorm_data_type_t type,
                         const dim_t *strides /* null: row major */);
status make_with_tag(memory_desc &md, int ndims, const dim_t *dims, jitnorm_data_type_t type, jitnorm_format_tag_t tag);
// A tensor without gaps in the order and with the blocks of the rule; `dims` has rule.ndims numbers.
struct layout_rule;
status make_with_rule(memory_desc &md, const dim_t *dims, jitnorm_data_type_t type, const layout_rule &rule);
// Refuses strides with which elements overlap. Needs a largest offset that is a dim_t.
status check_overlap(const memory_desc &md);
// Writes zeros to the elements that a blocked layout adds to fill its last inner blocks: as in oneDNN they are zero
// after every execution. Gaps between strided rows are not padding. `data` is the data handle. Several threads may
// share the work: each call does the piece `part` of `parts`, before, after or while the elements are written.
void zero_padding(const memory_desc &md, void *data, int part = 0, int parts = 1);
// A dense row-major tensor; empty if it cannot be addressed. The dimensions of a tensor of a problem that validate()
// accepts, or some of them, can always be addressed.
memory_desc make_dense(std::span<const dim_t> dims, jitnorm_data_type_t type);

// The first three are RUNTIME_DIM where the numbers that they need are known at execution only.
dim_t product_of(std::span<const dim_t> dims);
dim_t nelems(const memory_desc &md);          // product of dims; 0 without a tensor
size_t bytes(const memory_desc &md);          // from the data handle to the end of the last element, padding included
bool has_runtime_dims(const memory_desc &md); // whether a dimension or a stride is known at execution only
bool same_dims(const memory_desc &a, const memory_desc &b);
dim_t block_of(const memory_desc &md, int d); // elements of the inner tile along dimension d
// Whether elements share memory along a dimension of stride 0. Such a tensor can be an input only.
bool is_broadcast(const memory_desc &md);

// Whether memory could hold the tensor: it has at most MOST_ELEMENTS elements, padding included, the last of which ends
// at most MOST_BYTES after the data handle. A dimension of 0 or of run time counts as 1, because the other dimensions
// still are sizes of vectors and statistics; without elements, or with run-time numbers, strides do not count. Every
// front end asks this of every tensor that a program describes, in which any numbers may be that are not negative.
bool fits_in_memory(const memory_desc &md);

// Whether the elements of every row follow each other in row-major order without a gap. The dimensions from `row_ndims`
// on count a row's elements. False if this depends on sizes or strides that are known at execution only.
bool has_dense_rows(const memory_desc &md, int row_ndims);
// Whether the distance between rows is a multiple of a cache line, along each of the first `row_ndims` dimensions.
bool has_rows_in_lines(const memory_desc &md, int row_ndims);
// Whether the address of the first element of a tensor with the data handle `data` is a multiple of so many bytes.
bool is_aligned(const memory_desc &md, const void *data, dim_t bytes);

// The distance in elements from the data handle to a position: ndims indices, each below its padded dimension.
dim_t offset(const memory_desc &md, const dim_t *position);
// The same for the element with this number in row-major order over dims.
dim_t offset_of_index(const memory_desc &md, dim_t index);

// Whether a number of a descriptor is the number that is asked for. If that is `open`, any number will do.
inline bool match(dim_t given, dim_t asked, dim_t open) { return given == asked || asked == open; }

// Whether md may be passed where `pattern` is asked for, whose numbers that are `open` may be any number in md. The
// stride of a dimension of size 1 is not compared, because it is never used; padded dimensions are not compared,
// because they follow from dimensions and blocks.
inline bool fits(const memory_desc &md, const memory_desc &pattern, dim_t open = RUNTIME_DIM) {
    if (md.ndims != pattern.ndims || md.data_type != pattern.data_type || md.format_kind != pattern.format_kind ||
        md.inner_nblks != pattern.inner_nblks || md.offset0 != pattern.offset0)
        return false;
    for (int d = 0; d < md.ndims; ++d)
        if (!match(md.dims[d], pattern.dims[d], open) ||
            (!match(md.strides[d], pattern.strides[d], open) && md.dims[d] != 1))
            return false;
    for (int i = 0; i < md.inner_nblks; ++i)
        if (md.inner_blks[i] != pattern.inner_blks[i] || md.inner_idxs[i] != pattern.inner_idxs[i]) return false;
    return true;
}

inline bool same_tensor(const memory_desc &a, const memory_desc &b) {
    constexpr dim_t NOTHING = -1; // no dimension and no stride has this value, so nothing is open
    return fits(a, b, NOTHING);
}

} // namespace jitnorm::impl
