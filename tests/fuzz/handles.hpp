// SPDX-License-Identifier: Apache-2.0
// handles: owners of the C interface's objects, and the engine and the streams that all inputs share.
#pragma once

#include <memory>

#include "jitnorm/jitnorm.h"
#include "run_one.hpp"

namespace jitnorm::fuzz {

template <auto destroy>
struct destroyer {
    template <typename T>
    void operator()(T *object) const {
        require(destroy(object) == 0, "an object can be destroyed");
    }
};

template <typename T, auto destroy>
using owner = std::unique_ptr<T, destroyer<destroy>>;

using memory_desc = owner<jitnorm_memory_desc, jitnorm_memory_desc_destroy>;
using attributes = owner<jitnorm_primitive_attr, jitnorm_primitive_attr_destroy>;
using post_ops = owner<jitnorm_post_ops, jitnorm_post_ops_destroy>;
using primitive_desc = owner<jitnorm_primitive_desc, jitnorm_primitive_desc_destroy>;
using primitive = owner<jitnorm_primitive, jitnorm_primitive_destroy>;
using memory = owner<jitnorm_memory, jitnorm_memory_destroy>;

inline jitnorm_engine_t engine() {
    static const jitnorm_engine_t the_engine = [] {
        jitnorm_engine_t e = nullptr;
        require(jitnorm_engine_create(&e, jitnorm_cpu, 0) == jitnorm_success, "there is an engine");
        return e;
    }();
    return the_engine;
}

// Runs a thread pool's work on the executing thread, the last part first: work is cut as for several threads, and what
// depends on the order shows.
inline void last_part_first(void *, int count, void (*body)(void *, int), void *argument) {
    for (int i = count - 1; i >= 0; --i) body(argument, i);
}

// The executing thread alone, or three imagined ones.
inline jitnorm_stream_t stream(bool in_parts) {
    const auto make = [](int concurrency) {
        const jitnorm_thread_pool_t pool{last_part_first, nullptr, concurrency};
        jitnorm_stream_t s = nullptr;
        require(jitnorm_stream_create_with_thread_pool(&s, engine(), jitnorm_stream_default_flags, &pool) ==
                    jitnorm_success,
                "there are streams");
        return s;
    };
    static const jitnorm_stream_t whole = make(1), parts = make(3);
    return in_parts ? parts : whole;
}

} // namespace jitnorm::fuzz
