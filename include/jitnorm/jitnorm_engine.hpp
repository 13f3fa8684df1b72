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
    engine(kind k, size_t index) {
        jitnorm_engine_t result;
        error::wrap_c_api(jitnorm_engine_create(&result, convert(k), index), "could not create an engine");
        reset(result);
    }

    static size_t get_count(kind k) { return jitnorm_engine_get_count(convert(k)); }

    kind get_kind() const {
        jitnorm_engine_kind_t result;
        error::wrap_c_api(jitnorm_engine_get_kind(get(), &result), "could not get the kind of an engine");
        return static_cast<kind>(result);
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
        jitnorm_stream_t result;
        error::wrap_c_api(jitnorm_stream_create(&result, on.get(), static_cast<unsigned>(f)),
                          "could not create a stream");
        reset(result);
    }

    // Makes a stream whose executions use the caller's threads.
    stream(const engine &on, const thread_pool &pool, flags f = flags::default_flags) {
        jitnorm_stream_t result;
        error::wrap_c_api(jitnorm_stream_create_with_thread_pool(&result, on.get(), static_cast<unsigned>(f), &pool),
                          "could not create a stream with a thread pool");
        reset(result);
    }

    engine get_engine() const {
        jitnorm_engine_t result;
        error::wrap_c_api(jitnorm_stream_get_engine(get(), &result), "could not get the engine of a stream");
        return engine(result, true);
    }

    stream &wait() {
        error::wrap_c_api(jitnorm_stream_wait(get()), "could not wait on a stream");
        return *this;
    }
};

} // namespace jitnorm

#endif
