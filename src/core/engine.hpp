// SPDX-License-Identifier: Apache-2.0
// engine and stream as the C interfaces' handles know them.
#pragma once

#include "jitnorm/jitnorm_types.h"

struct jitnorm_engine {
    jitnorm_engine_kind_t kind;
};

struct jitnorm_stream {
    jitnorm_engine_t engine;
    bool has_pool; // otherwise the library's own threads
    jitnorm_thread_pool_t pool;

    const jitnorm_thread_pool_t *thread_pool() const { return has_pool ? &pool : nullptr; }
};
