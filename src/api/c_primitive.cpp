// SPDX-License-Identifier: Apache-2.0
// C interface: primitives and their execution.
#include <chrono>
#include <cstdio>
#include <string>

#include "../core/verbose.hpp"
#include "argument_map.hpp"
#include "boundary.hpp"
#include "jitnorm/jitnorm.h"
#include "thread_scratchpad.hpp"

using namespace jitnorm::impl;
using namespace jitnorm::impl::api;

namespace {

using executor_pointer = std::shared_ptr<const layer_norm::executor>;

// By the descriptor's implementation, or by the next one when the system refuses pages for its code.
executor_pointer make_executor(jitnorm_primitive_desc &pd) {
    for (;;) {
        try {
            return pd.implementation->create(pd.problem);
        } catch (const std::system_error &error) {
            const std::string refused = std::string(pd.implementation->name) + "," + error.what();
            if (!pd.move_to_next_implementation()) throw;
            if (verbose_level() >= 1) log_line("fallback", refused + ",taking " + pd.implementation->name);
        }
    }
}

} // namespace

struct jitnorm_primitive {
    jitnorm_primitive_desc desc;
    executor_pointer executor;
    argument_map arguments;
    size_t library_scratchpad; // bytes that the executing thread's buffer must have

    explicit jitnorm_primitive(const jitnorm_primitive_desc &pd) : jitnorm_primitive(pd, pd) {}

    jitnorm_primitive(const jitnorm_primitive &) = delete;
    jitnorm_primitive &operator=(const jitnorm_primitive &) = delete;

private:
    // Another implementation than the one asked for may need a larger scratchpad than the user was told: then it gets
    // the library's.
    jitnorm_primitive(const jitnorm_primitive_desc &pd, jitnorm_primitive_desc copy)
        : desc(copy), executor(make_executor(desc)), arguments(promised(pd)),
          library_scratchpad(user_scratchpad_suffices(pd) ? 0 : desc.scratchpad_bytes()) {
        if (thread_scratchpad(library_scratchpad) == nullptr && library_scratchpad != 0) throw std::bad_alloc();
    }

    const jitnorm_primitive_desc &promised(const jitnorm_primitive_desc &pd) {
        desc.scratchpad = pd.scratchpad;
        return desc;
    }

    bool user_scratchpad_suffices(const jitnorm_primitive_desc &pd) const {
        return pd.user_gives_scratchpad() && desc.scratchpad_bytes() <= pd.scratchpad_bytes();
    }
};

namespace {

using stopwatch = std::chrono::steady_clock;

// "primitive,<event>,cpu,layer_normalization,<implementation>,<problem>,<milliseconds>"
void log_timed(const char *event, const jitnorm_primitive &primitive, stopwatch::time_point start) {
    const std::chrono::duration<double, std::milli> taken = stopwatch::now() - start;
    const jitnorm_primitive_desc &pd = primitive.desc;
    char milliseconds[32];
    std::snprintf(milliseconds, sizeof milliseconds, ",%.6g", taken.count());
    log_line(event, std::string("cpu,layer_normalization,") + pd.implementation->name + "," + describe(pd.problem) +
                        milliseconds);
}

verdict create_primitive(jitnorm_primitive_t *result, const jitnorm_primitive_desc &pd) {
    const auto start = stopwatch::now();
    auto primitive = std::make_unique<jitnorm_primitive>(pd);
    if (verbose_level() >= 2) log_timed("primitive,create", *primitive, start);
    *result = primitive.release();
    return {};
}

jitnorm_status_t run(const jitnorm_primitive &primitive, const layer_norm::arguments &arguments) {
    if (verbose_level() < 1) return primitive.executor->execute(arguments);
    const auto start = stopwatch::now();
    const jitnorm_status_t status = primitive.executor->execute(arguments);
    log_timed("primitive,exec", primitive, start);
    return status;
}

} // namespace

jitnorm_status_t jitnorm_primitive_create(jitnorm_primitive_t *primitive,
                                          const_jitnorm_primitive_desc_t primitive_desc) {
    if (any_null(primitive, primitive_desc)) return report(__func__, NULL_POINTER);
    return guarded(__func__, [&] { return create_primitive(primitive, *primitive_desc); });
}

jitnorm_status_t jitnorm_primitive_execute(const_jitnorm_primitive_t primitive, jitnorm_stream_t stream, int nargs,
                                           const jitnorm_exec_arg_t *args) {
    if (any_null(primitive, stream) || (nargs > 0 && args == nullptr)) return report(__func__, NULL_POINTER);
    if (nargs < 0) return report(__func__, {jitnorm_invalid_arguments, "a negative number of arguments"});
    layer_norm::arguments arguments;
    const jitnorm_status_t status = primitive->arguments.resolve(nargs, args, arguments);
    if (status != jitnorm_success) return status;
    if (primitive->library_scratchpad != 0) {
        arguments.scratchpad = thread_scratchpad(primitive->library_scratchpad);
        if (arguments.scratchpad == nullptr) return report(__func__, OUT_OF_MEMORY);
    }
    return guarded(__func__, [&]() -> verdict { return {run(*primitive, arguments)}; });
}

jitnorm_status_t jitnorm_primitive_get_primitive_desc(const_jitnorm_primitive_t primitive,
                                                      const_jitnorm_primitive_desc_t *primitive_desc) {
    if (any_null(primitive, primitive_desc)) return report(__func__, NULL_POINTER);
    *primitive_desc = &primitive->desc;
    return jitnorm_success;
}

jitnorm_status_t jitnorm_primitive_destroy(jitnorm_primitive_t primitive) { return destroy(primitive); }
