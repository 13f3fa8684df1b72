// SPDX-License-Identifier: Apache-2.0
// C interface: engines and streams.
#include "../base/boundary.hpp"
#include "../base/environment.hpp"
#include "jitnorm/jitnorm_debug.h"
#include "jitnorm/jitnorm_memory.h"

using namespace jitnorm::impl;

namespace {

// The only engine. All engine handles point to it, so they are equal and stay valid as long as the library is loaded.
jitnorm_engine cpu{jitnorm_cpu};

bool are_known(unsigned flags) { return flags == jitnorm_stream_in_order || flags == jitnorm_stream_out_of_order; }

status unknown(unsigned flags) {
    return invalid(explain("flags is 0x%x, in_order or out_of_order is expected", flags));
}

} // namespace

size_t jitnorm_engine_get_count(jitnorm_engine_kind_t kind) {
    return kind == jitnorm_cpu || kind == jitnorm_any_engine ? 1 : 0;
}

jitnorm_status_t jitnorm_engine_create(jitnorm_engine_t *engine, jitnorm_engine_kind_t kind, size_t index) {
    if (any_null(engine)) return report(__func__, JITNORM_NULL_AMONG(engine));
    if (index >= jitnorm_engine_get_count(kind))
        return report(__func__,
                      invalid(explain("there is no engine %zu of kind %s", index, jitnorm_engine_kind2str(kind))));
    the_environment(); // read it now, when a program begins, and not later in some thread
    *engine = &cpu;
    return jitnorm_success;
}

jitnorm_status_t jitnorm_engine_get_kind(jitnorm_engine_t engine, jitnorm_engine_kind_t *kind) {
    if (any_null(engine, kind)) return report(__func__, JITNORM_NULL_AMONG(engine, kind));
    *kind = engine->kind;
    return jitnorm_success;
}

jitnorm_status_t jitnorm_engine_destroy(jitnorm_engine_t) { return jitnorm_success; }

jitnorm_status_t jitnorm_stream_create(jitnorm_stream_t *stream, jitnorm_engine_t engine, unsigned flags) {
    if (any_null(stream, engine)) return report(__func__, JITNORM_NULL_AMONG(stream, engine));
    if (!are_known(flags)) return report(__func__, unknown(flags));
    return create(__func__, stream, engine, false, jitnorm_thread_pool_t{});
}

jitnorm_status_t jitnorm_stream_create_with_thread_pool(jitnorm_stream_t *stream, jitnorm_engine_t engine,
                                                        unsigned flags, const jitnorm_thread_pool_t *pool) {
    if (any_null(stream, engine, pool)) return report(__func__, JITNORM_NULL_AMONG(stream, engine, pool));
    if (!are_known(flags)) return report(__func__, unknown(flags));
    if (pool->concurrency < 1)
        return report(__func__, invalid(explain("pool has a concurrency of %d, 1 is the least", pool->concurrency)));
    if (pool->concurrency > 1 && pool->parallel_for == nullptr)
        return report(__func__,
                      invalid(explain("pool has a concurrency of %d and no parallel_for", pool->concurrency)));
    return create(__func__, stream, engine, true, *pool);
}

jitnorm_status_t jitnorm_stream_get_engine(const_jitnorm_stream_t stream, jitnorm_engine_t *engine) {
    if (any_null(stream, engine)) return report(__func__, JITNORM_NULL_AMONG(stream, engine));
    *engine = stream->engine;
    return jitnorm_success;
}

jitnorm_status_t jitnorm_stream_wait(jitnorm_stream_t stream) {
    return any_null(stream) ? report(__func__, JITNORM_NULL_AMONG(stream)) : jitnorm_success;
}

jitnorm_status_t jitnorm_stream_destroy(jitnorm_stream_t stream) { return destroy(stream); }
