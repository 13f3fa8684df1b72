// SPDX-License-Identifier: Apache-2.0
// C interface: engines and streams.
#include "boundary.hpp"
#include "engine.hpp"
#include "jitnorm/jitnorm_memory.h"

using namespace jitnorm::impl::api;

namespace {

// The one engine. Sharing it makes every engine handle equal and alive for as long as the library is.
jitnorm_engine cpu{jitnorm_cpu};

} // namespace

size_t jitnorm_engine_get_count(jitnorm_engine_kind_t kind) {
    return kind == jitnorm_cpu || kind == jitnorm_any_engine ? 1 : 0;
}

jitnorm_status_t jitnorm_engine_create(jitnorm_engine_t *engine, jitnorm_engine_kind_t kind, size_t index) {
    if (any_null(engine)) return report(__func__, NULL_POINTER);
    if (index >= jitnorm_engine_get_count(kind))
        return report(__func__, {jitnorm_invalid_arguments, "there is no engine of this kind and index"});
    *engine = &cpu;
    return jitnorm_success;
}

jitnorm_status_t jitnorm_engine_get_kind(jitnorm_engine_t engine, jitnorm_engine_kind_t *kind) {
    if (any_null(engine, kind)) return report(__func__, NULL_POINTER);
    *kind = engine->kind;
    return jitnorm_success;
}

jitnorm_status_t jitnorm_engine_destroy(jitnorm_engine_t) { return jitnorm_success; }

jitnorm_status_t jitnorm_stream_create(jitnorm_stream_t *stream, jitnorm_engine_t engine, unsigned flags) {
    if (any_null(stream, engine)) return report(__func__, NULL_POINTER);
    if (flags != jitnorm_stream_in_order && flags != jitnorm_stream_out_of_order)
        return report(__func__, {jitnorm_invalid_arguments, "unknown stream flags"});
    return create(__func__, stream, engine);
}

jitnorm_status_t jitnorm_stream_get_engine(const_jitnorm_stream_t stream, jitnorm_engine_t *engine) {
    if (any_null(stream, engine)) return report(__func__, NULL_POINTER);
    *engine = stream->engine;
    return jitnorm_success;
}

jitnorm_status_t jitnorm_stream_wait(jitnorm_stream_t stream) {
    return any_null(stream) ? report(__func__, NULL_POINTER) : jitnorm_success;
}

jitnorm_status_t jitnorm_stream_destroy(jitnorm_stream_t stream) { return destroy(stream); }
