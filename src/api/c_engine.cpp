// SPDX-License-Identifier: Apache-2.0
// C interface: engines and streams.
#include <algorithm>
#include <cstring>

#include "../base/boundary.hpp"
#include "../base/environment.hpp"
#include "jitnorm/jitnorm_debug.h"
#include "jitnorm/jitnorm_memory.h"

using namespace jitnorm::impl;

namespace {

// The only engine. All engine handles point to it, so they are equal and stay valid as long as the library is loaded.
jitnorm_engine cpu{jitnorm_cpu};

status check_flags(unsigned flags) {
    if (flags == jitnorm_stream_in_order || flags == jitnorm_stream_out_of_order) return ACCEPTED;
    return invalid(explain("flags is 0x%x; in_order or out_of_order is expected", flags));
}

// The three members of version 0.2, with four bytes after them that programs leave undefined: no later member may be
// there.
constexpr size_t LEAST_POOL_BYTES = 24;
constexpr size_t MOST_POOL_BYTES = 4096;

status check_pool(const jitnorm_thread_pool_t *pool, size_t bytes) {
    if (bytes < LEAST_POOL_BYTES || bytes > MOST_POOL_BYTES)
        return invalid(
            explain("pool has %zu bytes; %zu to %zu are expected", bytes, LEAST_POOL_BYTES, MOST_POOL_BYTES));
    const auto *first = reinterpret_cast<const char *>(pool);
    if (std::any_of(first + std::min(bytes, sizeof(*pool)), first + bytes, [](char byte) { return byte != 0; }))
        return unsupported("pool has a nonzero member that this version does not know");
    if (pool->concurrency < 1)
        return invalid(explain("pool has a concurrency of %d; at least 1 is expected", pool->concurrency));
    if (pool->concurrency == 1 || pool->parallel_for != nullptr) return ACCEPTED;
    return invalid(explain("pool has a concurrency of %d and no parallel_for", pool->concurrency));
}

} // namespace

size_t jitnorm_engine_get_count(jitnorm_engine_kind_t kind) {
    return kind == jitnorm_cpu || kind == jitnorm_any_engine ? 1 : 0;
}

jitnorm_status_t jitnorm_engine_create(jitnorm_engine_t *engine, jitnorm_engine_kind_t kind, size_t index) {
    JITNORM_REFUSE_NULL(engine);
    if (index >= jitnorm_engine_get_count(kind))
        return report(__func__,
                      invalid(explain("there is no engine %zu of kind %s; engine 0 of kind cpu is the only one", index,
                                      jitnorm_engine_kind2str(kind))));
    the_environment(); // read it now, when a program begins, and not later in some thread
    *engine = &cpu;
    return jitnorm_success;
}

JITNORM_GETTER(jitnorm_engine_get_kind, jitnorm_engine_t, engine, jitnorm_engine_kind_t, kind, engine->kind)

jitnorm_status_t jitnorm_engine_destroy(jitnorm_engine_t) { return jitnorm_success; }

jitnorm_status_t jitnorm_stream_create(jitnorm_stream_t *stream, jitnorm_engine_t engine, unsigned flags) {
    JITNORM_REFUSE_NULL(stream, engine);
    if (const status v = check_flags(flags); v.failed()) return report(__func__, v);
    return create(__func__, stream, engine, false, jitnorm_thread_pool_t{});
}

jitnorm_status_t jitnorm_stream_create_with_thread_pool_of_size(jitnorm_stream_t *stream, jitnorm_engine_t engine,
                                                                unsigned flags, const jitnorm_thread_pool_t *pool,
                                                                size_t pool_bytes) {
    JITNORM_REFUSE_NULL(stream, engine, pool);
    if (const status v = check_flags(flags); v.failed()) return report(__func__, v);
    if (const status v = check_pool(pool, pool_bytes); v.failed()) return report(__func__, v);
    jitnorm_thread_pool_t known{};
    std::memcpy(&known, pool, std::min(pool_bytes, sizeof(known)));
    return create(__func__, stream, engine, true, known);
}

// The name in parentheses is the function's, not the macro's.
jitnorm_status_t(jitnorm_stream_create_with_thread_pool)(jitnorm_stream_t *stream, jitnorm_engine_t engine,
                                                         unsigned flags, const jitnorm_thread_pool_t *pool) {
    return jitnorm_stream_create_with_thread_pool_of_size(stream, engine, flags, pool, LEAST_POOL_BYTES);
}

JITNORM_GETTER(jitnorm_stream_get_engine, const_jitnorm_stream_t, stream, jitnorm_engine_t, engine, stream->engine)

jitnorm_status_t jitnorm_stream_wait(jitnorm_stream_t stream) {
    JITNORM_REFUSE_NULL(stream);
    return jitnorm_success;
}

jitnorm_status_t jitnorm_stream_destroy(jitnorm_stream_t stream) { return destroy(stream); }
