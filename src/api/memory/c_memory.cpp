// SPDX-License-Identifier: Apache-2.0
// C interface: memories.
#include <cstring>
#include <utility>

#include "jitnorm/jitnorm_memory.h"
#include "memory.hpp"

using namespace jitnorm::impl;
using namespace jitnorm::impl::api;

namespace {

bool holds_its_value(const jitnorm_memory &memory) { return memory.md.format_kind == jitnorm_format_kind_host_scalar; }

constexpr status NO_HOST_SCALAR = invalid("the memory or descriptor is not a host scalar");

} // namespace

jitnorm_status_t jitnorm_memory_create(jitnorm_memory_t *memory, const_jitnorm_memory_desc_t memory_desc,
                                       jitnorm_engine_t engine, void *handle) {
    JITNORM_REFUSE_NULL(memory, engine);
    return guarded(__func__, [&]() -> status {
        const jitnorm_memory_desc &md = memory_desc != nullptr ? *memory_desc : NO_TENSOR;
        if (md.format_kind == jitnorm_format_kind_any)
            return invalid("memory_desc has an undecided layout (format_tag_any)");
        if (md.format_kind == jitnorm_format_kind_host_scalar) return invalid("memory_desc is of a host scalar");
        if (has_runtime_dims(md))
            return invalid("memory_desc has dimensions or strides that are known at run time only");
        const bool allocate = handle == JITNORM_MEMORY_ALLOCATE;
        const size_t size = allocate ? bytes(md) : 0;
        aligned_bytes owned(size == 0 ? nullptr : allocate_aligned(size));
        if (size != 0 && owned == nullptr) return OUT_OF_MEMORY;
        void *data = allocate ? owned.get() : handle;
        *memory = new jitnorm_memory{layout_key(md), data, engine, std::move(owned), md};
        return {};
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
    return guarded(__func__, [&]() -> status {
        const size_t size = size_of(memory_desc->data_type);
        aligned_bytes owned(allocate_aligned(size));
        if (owned == nullptr) return OUT_OF_MEMORY;
        std::memcpy(owned.get(), value, size);
        *memory = new jitnorm_memory{layout_key(*memory_desc), nullptr, nullptr, std::move(owned), *memory_desc};
        return {};
    });
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
    if (holds_its_value(*memory)) return report(__func__, invalid("the memory holds its value itself (a host scalar)"));
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
