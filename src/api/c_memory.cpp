// SPDX-License-Identifier: Apache-2.0
// C interface: memories.
#include "../core/boundary.hpp"
#include "jitnorm/jitnorm_memory.h"
#include "memory.hpp"

#include <utility>

using namespace jitnorm::impl;
using namespace jitnorm::impl::api;

namespace {

verdict create_memory(jitnorm_memory_t *memory, const memory_desc &md, jitnorm_engine_t engine, void *handle) {
    if (md.format_kind == jitnorm_format_kind_any)
        return {jitnorm_invalid_arguments, "memory_desc has an undecided layout (format_tag_any)"};
    if (has_runtime_dims(md))
        return {jitnorm_invalid_arguments, "memory_desc has dimensions or strides that are known at run time only"};
    const bool allocate = handle == JITNORM_MEMORY_ALLOCATE;
    const size_t size = allocate ? bytes(md) : 0;
    aligned_bytes owned(size == 0 ? nullptr : allocate_aligned(size));
    if (size != 0 && owned == nullptr) return OUT_OF_MEMORY;
    void *data = allocate ? owned.get() : handle;
    *memory = new jitnorm_memory{tensor_digest(md), data, engine, std::move(owned), md};
    return {};
}

} // namespace

jitnorm_status_t jitnorm_memory_create(jitnorm_memory_t *memory, const_jitnorm_memory_desc_t memory_desc,
                                       jitnorm_engine_t engine, void *handle) {
    if (any_null(memory, engine)) return report(__func__, JITNORM_NULL_AMONG(memory, engine));
    return guarded(__func__, [&] {
        return create_memory(memory, memory_desc != nullptr ? *memory_desc : jitnorm_memory_desc{}, engine, handle);
    });
}

jitnorm_status_t jitnorm_memory_get_memory_desc(const_jitnorm_memory_t memory,
                                                const_jitnorm_memory_desc_t *memory_desc) {
    if (any_null(memory, memory_desc)) return report(__func__, JITNORM_NULL_AMONG(memory, memory_desc));
    *memory_desc = &memory->md;
    return jitnorm_success;
}

jitnorm_status_t jitnorm_memory_get_engine(const_jitnorm_memory_t memory, jitnorm_engine_t *engine) {
    if (any_null(memory, engine)) return report(__func__, JITNORM_NULL_AMONG(memory, engine));
    *engine = memory->engine;
    return jitnorm_success;
}

jitnorm_status_t jitnorm_memory_get_data_handle(const_jitnorm_memory_t memory, void **handle) {
    if (any_null(memory, handle)) return report(__func__, JITNORM_NULL_AMONG(memory, handle));
    *handle = memory->handle;
    return jitnorm_success;
}

jitnorm_status_t jitnorm_memory_set_data_handle(jitnorm_memory_t memory, void *handle) {
    if (any_null(memory)) return report(__func__, JITNORM_NULL_AMONG(memory));
    if (handle != memory->owned.get()) memory->owned.reset();
    memory->handle = handle;
    return jitnorm_success;
}

jitnorm_status_t jitnorm_memory_map_data(const_jitnorm_memory_t memory, void **mapped) {
    return jitnorm_memory_get_data_handle(memory, mapped);
}

jitnorm_status_t jitnorm_memory_unmap_data(const_jitnorm_memory_t memory, void *) {
    return any_null(memory) ? report(__func__, JITNORM_NULL_AMONG(memory)) : jitnorm_success;
}

jitnorm_status_t jitnorm_memory_destroy(jitnorm_memory_t memory) { return destroy(memory); }
