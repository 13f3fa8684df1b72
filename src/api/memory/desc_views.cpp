// SPDX-License-Identifier: Apache-2.0
// desc_views: makes descriptors of the same elements, or of some of them, from a descriptor. jitnorm_memory.h has the
// rules.
#include <algorithm>
#include <span>
#include <vector>

#include "memory.hpp"

namespace jitnorm::impl::api {

namespace {

constexpr status RUNTIME_SIZES = invalid("dimensions or strides are known at run time only");
constexpr status NOT_LAID_OUT = invalid("the descriptor has no decided layout");

bool is_laid_out(const memory_desc &md) { return md.format_kind == jitnorm_blocked; }

// ---------------------------------------------------------------- a part of a tensor

status check_part(const memory_desc &parent, const dim_t *dims, const dim_t *offsets, int d) {
    if (dims[d] < 0) return invalid(explain("dims[%d] is %lld, which is negative", d, as_number(dims[d])));
    if (offsets[d] < 0) return invalid(explain("offsets[%d] is %lld, which is negative", d, as_number(offsets[d])));
    if (dims[d] > parent.dims[d] - offsets[d])
        return invalid(explain("offsets[%d] + dims[%d] is %lld + %lld, which exceeds parent's %lld", d, d,
                               as_number(offsets[d]), as_number(dims[d]), as_number(parent.dims[d])));
    const dim_t block = block_of(parent, d);
    const bool ends_whole = dims[d] % block == 0 || offsets[d] + dims[d] == parent.dims[d];
    return offsets[d] % block == 0 && ends_whole
               ? ACCEPTED
               : unsupported(explain("dimension %d of the part begins or ends within a block", d));
}

} // namespace

status part_of(const memory_desc &parent, const dim_t *dims, const dim_t *offsets, memory_desc &result) {
    if (!is_laid_out(parent)) return NOT_LAID_OUT;
    if (has_runtime_dims(parent)) return RUNTIME_SIZES;
    memory_desc part = parent;
    for (int d = 0; d < parent.ndims; ++d) {
        JITNORM_TRY(check_part(parent, dims, offsets, d));
        const bool is_to_the_end = offsets[d] + dims[d] == parent.dims[d];
        part.dims[d] = dims[d];
        part.padded_dims[d] = is_to_the_end ? parent.padded_dims[d] - offsets[d] : dims[d];
        // A tensor without elements may have any strides, with which this product could overflow.
        if (nelems(parent) != 0) part.offset0 += offsets[d] / block_of(parent, d) * parent.strides[d];
    }
    result = part;
    return ACCEPTED;
}

// ---------------------------------------------------------------- other dimensions

namespace {

constexpr status MOVED_ZERO = invalid("a dimension of size 0 cannot be joined, split, added or removed");

// Consecutive dimensions, without dimensions of size 1. The layout of a run of new dimensions follows from the run of
// old dimensions with as many elements.
using run = std::span<const int>;

std::vector<int> without_ones(const memory_desc &md) {
    std::vector<int> dims;
    for (int d = 0; d < md.ndims; ++d)
        if (md.dims[d] != 1) dims.push_back(d);
    return dims;
}

// Whether the dimensions of a run can be joined or split: they have no blocks and follow each other without a gap.
status check_joined(const memory_desc &md, run dims) {
    for (size_t i = 0; i < dims.size(); ++i) {
        const int d = dims[i];
        if (block_of(md, d) != 1)
            return invalid(explain("dimension %d has inner blocks and cannot be joined or split", d));
        if (i == 0) continue;
        const int before = dims[i - 1];
        dim_t expected = 0;
        if (__builtin_mul_overflow(md.strides[d], md.dims[d], &expected) || md.strides[before] != expected)
            return invalid(explain("dimensions %d and %d cannot be joined: their strides are %lld and %lld; "
                                   "without a gap the first would be %lld times the second",
                                   before, d, as_number(md.strides[before]), as_number(md.strides[d]),
                                   as_number(md.dims[d])));
    }
    return ACCEPTED;
}

status lay_out(const memory_desc &from, run olds, memory_desc &to, run news) {
    if (olds.size() == 1 && news.size() == 1) {
        to.strides[news[0]] = from.strides[olds[0]];
        to.padded_dims[news[0]] = from.padded_dims[olds[0]];
        for (int i = 0; i < from.inner_nblks; ++i)
            if (from.inner_idxs[i] == olds[0]) to.inner_idxs[i] = news[0];
        return ACCEPTED;
    }
    JITNORM_TRY(check_joined(from, olds));
    dim_t stride = from.strides[olds.back()];
    for (size_t i = news.size(); i-- > 0;) {
        to.strides[news[i]] = stride;
        if (i > 0 && __builtin_mul_overflow(stride, to.dims[news[i]], &stride)) return TOO_LARGE;
    }
    return ACCEPTED;
}

// Sets the strides, padded dimensions and blocks of `to`, which has the elements of `from` in other dimensions.
status lay_out(const memory_desc &from, memory_desc &to) {
    const std::vector<int> olds = without_ones(from), news = without_ones(to);
    size_t old_end = 0, new_end = 0;
    while (old_end < olds.size() || new_end < news.size()) {
        const size_t old_begin = old_end, new_begin = new_end;
        dim_t old_elements = 1, new_elements = 1;
        const auto take_old = [&] { old_elements *= from.dims[olds[old_end++]]; };
        const auto take_new = [&] { new_elements *= to.dims[news[new_end++]]; };
        if (old_end < olds.size()) take_old();
        if (new_end < news.size()) take_new();
        while (old_elements != new_elements) { // both tensors have as many elements, so neither list ends first
            if (old_elements == 0 || new_elements == 0) return MOVED_ZERO;
            old_elements < new_elements ? take_old() : take_new();
        }
        JITNORM_TRY(lay_out(from, run(olds).subspan(old_begin, old_end - old_begin), to,
                            run(news).subspan(new_begin, new_end - new_begin)));
    }
    // Dimensions of size 1 get the strides that they would have without gaps. These strides are never used.
    for (int d = to.ndims; d-- > 0;) {
        if (to.dims[d] != 1) continue;
        dim_t stride = 1;
        if (d + 1 < to.ndims && __builtin_mul_overflow(to.dims[d + 1], to.strides[d + 1], &stride)) stride = 1;
        to.strides[d] = stride;
    }
    return ACCEPTED;
}

// Counts the elements. A dimension of size 0 counts as 1, so that what lies around it is compared, too.
status count_elements(int ndims, const dim_t *dims, dim_t &elements) {
    elements = 1;
    for (int d = 0; d < ndims; ++d) {
        if (dims[d] < 0) return invalid(explain("dims[%d] is %lld, which is negative", d, as_number(dims[d])));
        if (__builtin_mul_overflow(elements, std::max<dim_t>(dims[d], 1), &elements)) return TOO_LARGE;
    }
    return ACCEPTED;
}

// Whether a dimension of size 1 is padded to a block. Such a dimension could not be removed.
bool has_padded_ones(const memory_desc &md) {
    for (int d = 0; d < md.ndims; ++d)
        if (md.dims[d] == 1 && md.padded_dims[d] != 1) return true;
    return false;
}

} // namespace

status reshaped(const memory_desc &md, int ndims, const dim_t *dims, memory_desc &result) {
    if (ndims < 1 || ndims > MAX_NDIMS) return invalid(explain("ndims is %d; 1 to %d are possible", ndims, MAX_NDIMS));
    if (!is_laid_out(md) && md.format_kind != jitnorm_format_kind_any) return NOT_LAID_OUT;
    if (has_runtime_dims(md)) return RUNTIME_SIZES;
    dim_t elements = 0, existing = 0;
    JITNORM_TRY(count_elements(ndims, dims, elements));
    JITNORM_TRY(count_elements(md.ndims, md.dims, existing));
    if (elements != existing)
        return invalid(explain("dims have %lld elements; the tensor has %lld%s", as_number(elements),
                               as_number(existing), nelems(md) == 0 ? " (dimensions of size 0 left out)" : ""));
    if (ndims == md.ndims && std::equal(dims, dims + ndims, md.dims)) {
        result = md;
        return ACCEPTED;
    }
    memory_desc other;
    JITNORM_TRY(make_with_tag(other, ndims, dims, md.data_type, jitnorm_format_tag_any));
    if (is_laid_out(md)) {
        if (has_padded_ones(md)) return invalid("a dimension of 1 with padding cannot be reshaped");
        other.format_kind = jitnorm_blocked;
        other.offset0 = md.offset0;
        other.inner_nblks = md.inner_nblks;
        std::copy(md.inner_blks, md.inner_blks + md.inner_nblks, other.inner_blks);
        JITNORM_TRY(lay_out(md, other));
    }
    result = other;
    return ACCEPTED;
}

// ---------------------------------------------------------------- another order of dimensions

status permuted(const memory_desc &md, const int *permutation, memory_desc &result) {
    if (!is_laid_out(md) && md.format_kind != jitnorm_format_kind_any) return NOT_LAID_OUT;
    if (has_runtime_dims(md)) return RUNTIME_SIZES;
    memory_desc other = md;
    unsigned seen = 0;
    for (int d = 0; d < md.ndims; ++d) {
        const int to = permutation[d];
        if (to < 0 || to >= md.ndims || (seen & 1u << to) != 0)
            return invalid(explain("permutation[%d] is %d, which is out of range or repeated", d, to));
        seen |= 1u << to;
        other.dims[to] = md.dims[d];
        other.padded_dims[to] = md.padded_dims[d];
        other.strides[to] = md.strides[d];
    }
    for (int i = 0; i < md.inner_nblks; ++i) other.inner_idxs[i] = permutation[md.inner_idxs[i]];
    result = other;
    return ACCEPTED;
}

} // namespace jitnorm::impl::api
