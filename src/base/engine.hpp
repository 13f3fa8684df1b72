// SPDX-License-Identifier: Apache-2.0
// engine and stream: the objects that these handles of the C interfaces point to.
#pragma once

#include "jitnorm/jitnorm_types.h"

struct jitnorm_engine {
    jitnorm_engine_kind_t kind;
};

struct jitnorm_stream {
    jitnorm_engine_t engine;
    bool has_pool; // whether executions run on the caller's `pool`; otherwise they run on the library's own threads
    jitnorm_thread_pool_t pool;

    const jitnorm_thread_pool_t *thread_pool() const { return has_pool ? &pool : nullptr; }
};
