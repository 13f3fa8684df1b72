// SPDX-License-Identifier: Apache-2.0
// C interface: memory descriptors; descriptors of the same elements as another one, or of some of them.
// jitnorm_memory.h has the rules for these.
#include <algorithm>
#include <memory>
#include <span>
#include <vector>

#include "jitnorm/jitnorm_memory.h"
#include "memory.hpp"

using namespace jitnorm::impl;
using namespace jitnorm::impl::api;

namespace {

constexpr status RUNTIME_SIZES = invalid("dimensions or strides are known at run time only");
constexpr status NOT_LAID_OUT = invalid("the descriptor has no decided layout");

bool is_laid_out(const memory_desc &md) { return md.format_kind == jitnorm_blocked; }

// ---- Functions that make a descriptor for the caller from another one. `result` is only used if they succeed.

// ---------------------------------------------------------------- a part of a tensor

status check_part(const memory_desc &parent, const dim_t *dims, const dim_t *offsets, int d) {
    if (dims[d] < 0) return invalid(explain("dims[%d] is %lld, which is negative", d, as_number(dims[d])));
    if (offsets[d] < 0) return invalid(explain("offsets[%d] is %lld, which is negative", d, as_number(offsets[d])));
    if (dims[d] > parent.dims[d] - offsets[d])
        return invalid(explain("offsets[%d] + dims[%d] is %lld + %lld, which exceeds parent's %lld", d, d,
                               as_number(offsets[d]), as_number(dims[d]), as_number(parent.dims[d])));
    const dim_t block = block_of(parent, d);
    const bool ends_whole = dims[d] % block == 0 || offsets[d] + dims[d] == parent.dims[d];
    if (offsets[d] % block == 0 && ends_whole) return ACCEPTED;
    return unsupported(explain("dimension %d of the part begins or ends within a block", d));
}

status part_of(const memory_desc &parent, const dim_t *dims, const dim_t *offsets, memory_desc &result) {
    if (!is_laid_out(parent)) return NOT_LAID_OUT;
    if (has_runtime_dims(parent)) return RUNTIME_SIZES;
    result = parent;
    for (int d = 0; d < parent.ndims; ++d) {
        JITNORM_TRY(check_part(parent, dims, offsets, d));
        const bool is_to_the_end = offsets[d] + dims[d] == parent.dims[d];
        result.dims[d] = dims[d];
        result.padded_dims[d] = is_to_the_end ? parent.padded_dims[d] - offsets[d] : dims[d];
        // A tensor without elements may have any strides, with which this product could overflow.
        if (nelems(parent) != 0) result.offset0 += offsets[d] / block_of(parent, d) * parent.strides[d];
    }
    return ACCEPTED;
}

// ---------------------------------------------------------------- other dimensions

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
    JITNORM_TRY(make_with_tag(result, ndims, dims, md.data_type, jitnorm_format_tag_any));
    if (!is_laid_out(md)) return ACCEPTED;
    for (int d = 0; d < md.ndims; ++d)
        if (md.dims[d] == 1 && md.padded_dims[d] != 1)
            return invalid("a dimension of 1 with padding cannot be reshaped");
    result.format_kind = jitnorm_blocked;
    result.offset0 = md.offset0;
    result.inner_nblks = md.inner_nblks;
    std::copy(md.inner_blks, md.inner_blks + md.inner_nblks, result.inner_blks);
    return lay_out(md, result);
}

// ---------------------------------------------------------------- another order of dimensions

status permuted(const memory_desc &md, const int *permutation, memory_desc &result) {
    if (!is_laid_out(md) && md.format_kind != jitnorm_format_kind_any) return NOT_LAID_OUT;
    if (has_runtime_dims(md)) return RUNTIME_SIZES;
    result = md;
    unsigned seen = 0;
    for (int d = 0; d < md.ndims; ++d) {
        const int to = permutation[d];
        if (to < 0 || to >= md.ndims || (seen & 1u << to) != 0)
            return invalid(explain("permutation[%d] is %d, which is out of range or repeated", d, to));
        seen |= 1u << to;
        result.dims[to] = md.dims[d];
        result.padded_dims[to] = md.padded_dims[d];
        result.strides[to] = md.strides[d];
    }
    for (int i = 0; i < md.inner_nblks; ++i) result.inner_idxs[i] = permutation[md.inner_idxs[i]];
    return ACCEPTED;
}

// ---------------------------------------------------------------- the C interface

constexpr jitnorm_dims_t NO_OFFSETS = {};

// An undecided layout has no strides and no inner blocks.
bool is_about_layout(jitnorm_query_t what) {
    return what == jitnorm_query_strides || what == jitnorm_query_inner_nblks_s32 || what == jitnorm_query_inner_blks ||
           what == jitnorm_query_inner_idxs;
}

status query(const memory_desc &md, jitnorm_query_t what, void *result) {
    if (is_about_layout(what) && md.format_kind != jitnorm_blocked) return {jitnorm_not_required};
    switch (what) {
    case jitnorm_query_ndims_s32:
        return answer(result, md.ndims);
    case jitnorm_query_dims:
        return answer<const dim_t *>(result, md.dims);
    case jitnorm_query_data_type:
        return answer(result, md.data_type);
    case jitnorm_query_submemory_offset_s64:
        return answer<int64_t>(result, md.offset0);
    case jitnorm_query_padded_dims:
        return answer<const dim_t *>(result, md.padded_dims);
    case jitnorm_query_padded_offsets:
        return answer<const dim_t *>(result, NO_OFFSETS);
    case jitnorm_query_format_kind:
        return answer(result, md.format_kind);
    case jitnorm_query_num_handles_s32:
        return answer(result, 1);
    case jitnorm_query_strides:
        return answer<const dim_t *>(result, md.strides);
    case jitnorm_query_inner_nblks_s32:
        return answer(result, md.inner_nblks);
    case jitnorm_query_inner_blks:
        return answer<const dim_t *>(result, md.inner_blks);
    case jitnorm_query_inner_idxs:
        return answer<const dim_t *>(result, md.inner_idxs);
    default:
        return unsupported(explain("query %d is not about memory descriptors", int(what)));
    }
}

// Creates a descriptor for the caller. make(md) fills it and returns a status.
template <typename Make>
jitnorm_status_t create_desc(const char *function, jitnorm_memory_desc_t *memory_desc, Make &&make) {
    if (any_null(memory_desc)) return report_null(function, "memory_desc", {memory_desc});
    return guarded(function, [&]() -> status {
        auto md = std::make_unique<jitnorm_memory_desc>();
        JITNORM_TRY(make(*md));
        *memory_desc = md.release();
        return {};
    });
}

} // namespace

jitnorm_status_t jitnorm_memory_desc_create_with_tag(jitnorm_memory_desc_t *memory_desc, int ndims,
                                                     const jitnorm_dims_t dims, jitnorm_data_type_t data_type,
                                                     jitnorm_format_tag_t tag) {
    return create_desc(__func__, memory_desc, [&](auto &md) { return make_with_tag(md, ndims, dims, data_type, tag); });
}

jitnorm_status_t jitnorm_memory_desc_create_with_strides(jitnorm_memory_desc_t *memory_desc, int ndims,
                                                         const jitnorm_dims_t dims, jitnorm_data_type_t data_type,
                                                         const jitnorm_dims_t strides) {
    return create_desc(__func__, memory_desc,
                       [&](auto &md) { return make_with_strides(md, ndims, dims, data_type, strides); });
}

jitnorm_status_t jitnorm_memory_desc_create_host_scalar(jitnorm_memory_desc_t *memory_desc,
                                                        jitnorm_data_type_t data_type) {
    return create_desc(__func__, memory_desc, [&](auto &md) {
        const dim_t one = 1;
        JITNORM_TRY(make_with_strides(md, 1, &one, data_type, nullptr));
        md.format_kind = jitnorm_format_kind_host_scalar;
        return status{};
    });
}

jitnorm_status_t jitnorm_memory_desc_create_submemory(jitnorm_memory_desc_t *memory_desc,
                                                      const_jitnorm_memory_desc_t parent, const jitnorm_dims_t dims,
                                                      const jitnorm_dims_t offsets) {
    JITNORM_REFUSE_NULL(memory_desc, parent, dims, offsets);
    return create_desc(__func__, memory_desc, [&](auto &md) { return part_of(*parent, dims, offsets, md); });
}

jitnorm_status_t jitnorm_memory_desc_reshape(jitnorm_memory_desc_t *memory_desc, const_jitnorm_memory_desc_t existing,
                                             int ndims, const jitnorm_dims_t dims) {
    JITNORM_REFUSE_NULL(memory_desc, existing, dims);
    return create_desc(__func__, memory_desc, [&](auto &md) { return reshaped(*existing, ndims, dims, md); });
}

jitnorm_status_t jitnorm_memory_desc_permute_axes(jitnorm_memory_desc_t *memory_desc,
                                                  const_jitnorm_memory_desc_t existing, const int *permutation) {
    JITNORM_REFUSE_NULL(memory_desc, existing, permutation);
    return create_desc(__func__, memory_desc, [&](auto &md) { return permuted(*existing, permutation, md); });
}

jitnorm_status_t jitnorm_memory_desc_clone(jitnorm_memory_desc_t *memory_desc, const_jitnorm_memory_desc_t existing) {
    return clone(__func__, memory_desc, existing);
}

jitnorm_status_t jitnorm_memory_desc_destroy(jitnorm_memory_desc_t memory_desc) { return destroy(memory_desc); }

jitnorm_status_t jitnorm_memory_desc_query(const_jitnorm_memory_desc_t memory_desc, jitnorm_query_t what,
                                           void *result) {
    JITNORM_REFUSE_NULL(memory_desc, result);
    return report(__func__, query(*memory_desc, what, result));
}

jitnorm_status_t jitnorm_memory_desc_query_v2(const_jitnorm_memory_desc_t memory_desc, jitnorm_query_t what, int index,
                                              void *result) {
    JITNORM_REFUSE_NULL(memory_desc, result);
    return index == 0 ? report(__func__, query(*memory_desc, what, result)) : report(__func__, no_buffer(index));
}

int jitnorm_memory_desc_equal(const_jitnorm_memory_desc_t a, const_jitnorm_memory_desc_t b) {
    return same_tensor(a != nullptr ? *a : NO_TENSOR, b != nullptr ? *b : NO_TENSOR);
}

size_t jitnorm_memory_desc_get_size(const_jitnorm_memory_desc_t memory_desc) {
    if (memory_desc == nullptr) return 0;
    return memory_desc->format_kind == jitnorm_format_kind_host_scalar ? size_of(memory_desc->data_type)
                                                                       : bytes(*memory_desc);
}

size_t jitnorm_memory_desc_get_size_v2(const_jitnorm_memory_desc_t memory_desc, int index) {
    return index == 0 ? jitnorm_memory_desc_get_size(memory_desc) : 0;
}

size_t jitnorm_data_type_size(jitnorm_data_type_t data_type) { return size_of(data_type); }
