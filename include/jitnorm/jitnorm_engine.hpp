// SPDX-License-Identifier: Apache-2.0
// jitnorm_engine.hpp: engine and stream. Included by jitnorm.hpp; everything else is described in jitnorm_memory.h.
#ifndef JITNORM_ENGINE_HPP
#define JITNORM_ENGINE_HPP

#include "jitnorm/jitnorm_handle.hpp"

namespace jitnorm {

struct engine : public handle<jitnorm_engine_t> {
    enum class kind { any = jitnorm_any_engine, cpu = jitnorm_cpu, gpu = jitnorm_gpu };

    using handle::handle;
    engine() = default;
    engine(kind k, size_t index) { create("could not create an engine", jitnorm_engine_create, convert(k), index); }

    static size_t get_count(kind k) { return jitnorm_engine_get_count(convert(k)); }

    kind get_kind() const {
        return static_cast<kind>(ask(jitnorm_engine_get_kind, "could not get the kind of an engine"));
    }

private:
    static jitnorm_engine_kind_t convert(kind k) { return static_cast<jitnorm_engine_kind_t>(k); }
};

using thread_pool = jitnorm_thread_pool_t;

struct stream : public handle<jitnorm_stream_t> {
    enum class flags : unsigned {
        in_order = jitnorm_stream_in_order,
        out_of_order = jitnorm_stream_out_of_order,
        default_flags = jitnorm_stream_default_flags
    };

    using handle::handle;
    stream() = default;
    stream(const engine &on, flags f = flags::default_flags) {
        create("could not create a stream", jitnorm_stream_create, on.get(), static_cast<unsigned>(f));
    }

    // Makes a stream whose executions use the caller's threads.
    stream(const engine &on, const thread_pool &pool, flags f = flags::default_flags) {
        create("could not create a stream with a thread pool", jitnorm_stream_create_with_thread_pool_of_size, on.get(),
               static_cast<unsigned>(f), &pool, sizeof(pool));
    }

    engine get_engine() const {
        return engine(ask(jitnorm_stream_get_engine, "could not get the engine of a stream"), true);
    }

    stream &wait() {
        error::wrap_c_api(jitnorm_stream_wait(get()), "could not wait on a stream");
        return *this;
    }
};

JITNORM_DEFINE_BITMASK(stream::flags)

} // namespace jitnorm

#endif
