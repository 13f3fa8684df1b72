// SPDX-License-Identifier: Apache-2.0
// C interface: memory descriptors.
#include <memory>

#include "../../base/boundary.hpp"
#include "jitnorm/jitnorm_memory.h"
#include "memory.hpp"

namespace impl = jitnorm::impl;
using namespace jitnorm::impl;
using namespace jitnorm::impl::api;

namespace {

constexpr jitnorm_dims_t NO_OFFSETS = {};

// Answers queries about layouts. An undecided layout has no such properties.
status query_layout(const memory_desc &md, jitnorm_query_t what, void *result) {
    if (md.format_kind != jitnorm_blocked) return {jitnorm_not_required};
    switch (what) {
    case jitnorm_query_strides:
        return answer<const dim_t *>(result, md.strides);
    case jitnorm_query_inner_nblks_s32:
        return answer(result, md.inner_nblks);
    case jitnorm_query_inner_blks:
        return answer<const dim_t *>(result, md.inner_blks);
    default:
        return answer<const dim_t *>(result, md.inner_idxs);
    }
}

status query(const memory_desc &md, jitnorm_query_t what, void *result) {
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
    case jitnorm_query_inner_nblks_s32:
    case jitnorm_query_inner_blks:
    case jitnorm_query_inner_idxs:
        return query_layout(md, what, result);
    default:
        return unsupported(explain("query %d is not about memory descriptors", int(what)));
    }
}

// Creates a descriptor for the caller. make(md) fills it and returns a status.
template <typename Make>
jitnorm_status_t create_desc(const char *function, jitnorm_memory_desc_t *memory_desc, Make &&make) {
    if (any_null(memory_desc)) return report_null(function, "memory_desc", {memory_desc});
    return guarded(function, [&]() -> status {
        auto md = std::make_unique<impl::memory_desc>();
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
