// SPDX-License-Identifier: Apache-2.0
// desc_views: makes descriptors of the same elements, or of some of them, from a descriptor. jitnorm_memory.h has the
// rules.
#include <algorithm>

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

// Consecutive dimensions, without dimensions of size 1. The layout of a run of new dimensions follows from the run of
// old dimensions with as many elements.
struct run {
    int count = 0;
    int dims[MAX_NDIMS] = {};
    dim_t elements = 1;
};

constexpr status MOVED_ZERO = invalid("a dimension of size 0 cannot be joined, split, added or removed");

class reshaping {
public:
    reshaping(const memory_desc &from, memory_desc &to) : from_(from), to_(to) {}

    status lay_out() {
        int old_at = 0, new_at = 0;
        for (;;) {
            run olds, news;
            take(from_, old_at, olds);
            take(to_, new_at, news);
            if (olds.count == 0 && news.count == 0) break;
            if ((olds.elements == 0) != (news.elements == 0)) return MOVED_ZERO;
            while (olds.elements != news.elements) { // both tensors have as many elements, so neither list ends first
                olds.elements < news.elements ? take(from_, old_at, olds) : take(to_, new_at, news);
                if (olds.elements == 0 || news.elements == 0) return MOVED_ZERO;
            }
            JITNORM_TRY(lay_out(olds, news));
        }
        lay_out_ones();
        return ACCEPTED;
    }

private:
    // Appends the next dimension of a size other than 1 to the run, if there is one.
    static void take(const memory_desc &md, int &at, run &r) {
        while (at < md.ndims && md.dims[at] == 1) ++at;
        if (at == md.ndims) return;
        r.dims[r.count++] = at;
        r.elements *= md.dims[at++];
    }

    status lay_out(const run &olds, const run &news) {
        if (olds.count == 1 && news.count == 1) {
            keep(olds.dims[0], news.dims[0]);
            return ACCEPTED;
        }
        for (int i = 0; i < olds.count; ++i) JITNORM_TRY(check_joined(olds, i));
        dim_t stride = from_.strides[olds.dims[olds.count - 1]];
        for (int i = news.count; i-- > 0;) {
            to_.strides[news.dims[i]] = stride;
            if (i > 0 && __builtin_mul_overflow(stride, to_.dims[news.dims[i]], &stride)) return TOO_LARGE;
        }
        return ACCEPTED;
    }

    // Whether the run's i-th dimension can be joined or split: it has no blocks, and follows the one before without a
    // gap.
    status check_joined(const run &olds, int i) const {
        const int d = olds.dims[i];
        if (block_of(from_, d) != 1)
            return invalid(explain("dimension %d has inner blocks and cannot be joined or split", d));
        if (i == 0) return ACCEPTED;
        const int before = olds.dims[i - 1];
        dim_t expected = 0;
        const bool follows =
            !__builtin_mul_overflow(from_.strides[d], from_.dims[d], &expected) && from_.strides[before] == expected;
        return follows ? ACCEPTED
                       : invalid(explain("dimensions %d and %d cannot be joined: their strides are %lld and %lld; "
                                         "without a gap the first would be %lld times the second",
                                         before, d, as_number(from_.strides[before]), as_number(from_.strides[d]),
                                         as_number(from_.dims[d])));
    }

    void keep(int old_dim, int new_dim) {
        to_.strides[new_dim] = from_.strides[old_dim];
        to_.padded_dims[new_dim] = from_.padded_dims[old_dim];
        for (int i = 0; i < from_.inner_nblks; ++i)
            if (from_.inner_idxs[i] == old_dim) to_.inner_idxs[i] = new_dim;
    }

    // Gives dimensions of size 1 the strides that they would have without gaps. These strides are never used.
    void lay_out_ones() {
        for (int d = to_.ndims; d-- > 0;) {
            if (to_.dims[d] != 1) continue;
            dim_t stride = 1;
            if (d + 1 < to_.ndims && __builtin_mul_overflow(to_.dims[d + 1], to_.strides[d + 1], &stride)) stride = 1;
            to_.strides[d] = stride;
        }
    }

    const memory_desc &from_;
    memory_desc &to_;
};

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
        JITNORM_TRY(reshaping(md, other).lay_out());
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
