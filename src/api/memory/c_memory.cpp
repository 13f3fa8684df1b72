// SPDX-License-Identifier: Apache-2.0
// C interface: memory descriptors and memories.
#include <cstring>
#include <memory>
#include <utility>

#include "jitnorm/jitnorm_memory.h"
#include "memory.hpp"

namespace impl = jitnorm::impl;
using namespace jitnorm::impl;
using namespace jitnorm::impl::api;

namespace {

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

// ---- memories

namespace {

status create_memory(jitnorm_memory_t *memory, const memory_desc &md, jitnorm_engine_t engine, void *handle) {
    if (md.format_kind == jitnorm_format_kind_any)
        return invalid("memory_desc has an undecided layout (format_tag_any)");
    if (md.format_kind == jitnorm_format_kind_host_scalar) return invalid("memory_desc is of a host scalar");
    if (has_runtime_dims(md)) return invalid("memory_desc has dimensions or strides that are known at run time only");
    const bool allocate = handle == JITNORM_MEMORY_ALLOCATE;
    const size_t size = allocate ? bytes(md) : 0;
    aligned_bytes owned(size == 0 ? nullptr : allocate_aligned(size));
    if (size != 0 && owned == nullptr) return OUT_OF_MEMORY;
    void *data = allocate ? owned.get() : handle;
    *memory = new jitnorm_memory{word_of(md), data, engine, std::move(owned), md};
    return {};
}

status create_host_scalar(jitnorm_memory_t *memory, const memory_desc &md, const void *value) {
    const size_t size = size_of(md.data_type);
    aligned_bytes owned(allocate_aligned(size));
    if (owned == nullptr) return OUT_OF_MEMORY;
    std::memcpy(owned.get(), value, size);
    *memory = new jitnorm_memory{word_of(md), nullptr, nullptr, std::move(owned), md};
    return {};
}

bool holds_its_value(const jitnorm_memory &memory) { return memory.md.format_kind == jitnorm_format_kind_host_scalar; }

constexpr status HOST_SCALAR = invalid("the memory holds its value itself (a host scalar)");
constexpr status NO_HOST_SCALAR = invalid("the memory or descriptor is not a host scalar");

} // namespace

jitnorm_status_t jitnorm_memory_create(jitnorm_memory_t *memory, const_jitnorm_memory_desc_t memory_desc,
                                       jitnorm_engine_t engine, void *handle) {
    JITNORM_REFUSE_NULL(memory, engine);
    return guarded(__func__, [&] {
        return create_memory(memory, memory_desc != nullptr ? *memory_desc : NO_TENSOR, engine, handle);
    });
}

jitnorm_status_t jitnorm_memory_create_v2(jitnorm_memory_t *memory, const_jitnorm_memory_desc_t memory_desc,
                                          jitnorm_engine_t engine, int nhandles, void **handles) {
    JITNORM_REFUSE_NULL(memory, engine, handles);
    if (nhandles != 1) return report(__func__, invalid(explain("nhandles is %d; 1 is expected", nhandles)));
    return jitnorm_memory_create(memory, memory_desc, engine, *handles);
}

jitnorm_status_t jitnorm_memory_create_host_scalar(jitnorm_memory_t *memory, const_jitnorm_memory_desc_t memory_desc,
                                                   void *value) {
    JITNORM_REFUSE_NULL(memory, memory_desc, value);
    if (memory_desc->format_kind != jitnorm_format_kind_host_scalar) return report(__func__, NO_HOST_SCALAR);
    return guarded(__func__, [&] { return create_host_scalar(memory, *memory_desc, value); });
}

jitnorm_status_t jitnorm_memory_get_host_scalar_value(const_jitnorm_memory_t memory, void *value) {
    JITNORM_REFUSE_NULL(memory, value);
    if (!holds_its_value(*memory)) return report(__func__, NO_HOST_SCALAR);
    std::memcpy(value, memory->owned.get(), size_of(memory->md.data_type));
    return jitnorm_success;
}

jitnorm_status_t jitnorm_memory_set_host_scalar_value(jitnorm_memory_t memory, const void *value) {
    JITNORM_REFUSE_NULL(memory, value);
    if (!holds_its_value(*memory)) return report(__func__, NO_HOST_SCALAR);
    std::memcpy(memory->owned.get(), value, size_of(memory->md.data_type));
    return jitnorm_success;
}

JITNORM_GETTER(jitnorm_memory_get_memory_desc, const_jitnorm_memory_t, memory, const_jitnorm_memory_desc_t, memory_desc,
               &memory->md)
JITNORM_GETTER(jitnorm_memory_get_engine, const_jitnorm_memory_t, memory, jitnorm_engine_t, engine, memory->engine)
JITNORM_GETTER(jitnorm_memory_get_data_handle, const_jitnorm_memory_t, memory, void *, handle, memory->handle)

jitnorm_status_t jitnorm_memory_get_data_handle_v2(const_jitnorm_memory_t memory, void **handle, int index) {
    return index == 0 ? jitnorm_memory_get_data_handle(memory, handle) : report(__func__, no_buffer(index));
}

jitnorm_status_t jitnorm_memory_set_data_handle(jitnorm_memory_t memory, void *handle) {
    JITNORM_REFUSE_NULL(memory);
    if (holds_its_value(*memory)) return report(__func__, HOST_SCALAR);
    if (handle != memory->owned.get()) memory->owned.reset();
    memory->handle = handle;
    return jitnorm_success;
}

jitnorm_status_t jitnorm_memory_set_data_handle_v2(jitnorm_memory_t memory, void *handle, int index) {
    return index == 0 ? jitnorm_memory_set_data_handle(memory, handle) : report(__func__, no_buffer(index));
}

jitnorm_status_t jitnorm_memory_map_data(const_jitnorm_memory_t memory, void **mapped) {
    JITNORM_REFUSE_NULL(memory, mapped);
    *mapped = holds_its_value(*memory) ? memory->owned.get() : bytes(memory->md) == 0 ? nullptr : memory->handle;
    return jitnorm_success;
}

jitnorm_status_t jitnorm_memory_map_data_v2(const_jitnorm_memory_t memory, void **mapped, int index) {
    return index == 0 ? jitnorm_memory_map_data(memory, mapped) : report(__func__, no_buffer(index));
}

jitnorm_status_t jitnorm_memory_unmap_data(const_jitnorm_memory_t memory, void *) {
    JITNORM_REFUSE_NULL(memory);
    return jitnorm_success;
}

jitnorm_status_t jitnorm_memory_unmap_data_v2(const_jitnorm_memory_t memory, void *mapped, int index) {
    return index == 0 ? jitnorm_memory_unmap_data(memory, mapped) : report(__func__, no_buffer(index));
}

jitnorm_status_t jitnorm_memory_destroy(jitnorm_memory_t memory) { return destroy(memory); }
