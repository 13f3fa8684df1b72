// SPDX-License-Identifier: Apache-2.0
// C interface: primitives and their execution.
#include <utility>

#include "../../base/thread_state.hpp"
#include "../../base/verbose.hpp"
#include "../../dispatch/object_cache.hpp"
#include "../../dispatch/ready_call.hpp"
#include "argument_map.hpp"
#include "jitnorm/jitnorm.h"

namespace jitnorm::impl::api {

// ---- primitives

// The part that all primitives of one `described` share.
struct executable {
    executable(const described &what, layer_norm::ready_call made) // keeps pointers into `what`
        : call(std::move(made)), map(what) {
        const size_t wanted = what.scratchpad_bytes();
        const bool is_known = !what.problem.has_runtime_sizes() || what.user_gives_scratchpad();
        if (is_known && size_with_alignment(wanted) > bytes(what.tensors[SCRATCHPAD])) thread_bytes = wanted;
    }

    layer_norm::ready_call call;
    argument_map map;
    // The bytes that an execution takes from the executing thread's buffer: 0 if the user's scratchpad is large enough.
    // The user's may be too small if another implementation than the chosen one had to be used. With run-time sizes and
    // without a user's scratchpad this is 0, because each execution finds the size.
    size_t thread_bytes = 0;
};

// Returns the executable that was made for `what` before, or a new one. If another implementation has to be used,
// `what` becomes a description with that implementation. An executable of another implementation is not kept, so the
// next call tries the chosen one again. Throws std::bad_alloc, std::system_error.
std::shared_ptr<const executable> executable_of(std::shared_ptr<const described> &what) {
    const bool is_kept = layer_norm::caches_objects();
    if (is_kept)
        if (auto made = what->made()) return made;
    layer_norm::ready_call call({"primitive"}, what->problem, what->solution);
    if (!call.is_as_chosen()) what = std::make_shared<const described>(*what, call.solution());
    auto made = std::make_shared<const executable>(*what, std::move(call));
    return made->call.is_as_chosen() && is_kept ? what->keep(std::move(made)) : made;
}

} // namespace jitnorm::impl::api

using namespace jitnorm::impl;
using namespace jitnorm::impl::api;

struct jitnorm_primitive {
    jitnorm_primitive_desc desc;
    std::shared_ptr<const executable> made;

    explicit jitnorm_primitive(const jitnorm_primitive_desc &pd) : desc(pd), made(executable_of(desc.what)) {
        const size_t bytes = made->thread_bytes;
        if (bytes != 0 && thread_scratchpad(bytes).data() == nullptr) throw std::bad_alloc();
    }
};

namespace {

status execute(const jitnorm_primitive &primitive, const jitnorm_stream &stream, int nargs,
               const jitnorm_exec_arg_t *args) {
    layer_norm::arguments arguments;
    const executable &made = *primitive.made;
    JITNORM_TRY(made.map.resolve(nargs, args, arguments));
    return made.call.execute(arguments, stream.thread_pool(), made.thread_bytes);
}

// Executes with the sizes of the memories. The copy of the problem allocates memory if there are post-ops.
[[gnu::noinline]] status execute_with_sizes(const jitnorm_primitive &primitive, const jitnorm_stream &stream, int nargs,
                                            const jitnorm_exec_arg_t *args) {
    const described &what = *primitive.desc.what;
    const executable &made = *primitive.made;
    layer_norm::problem sizes = what.problem;
    layer_norm::arguments arguments;
    layer_norm::plan planned;
    arguments.sizes = &sizes;
    arguments.planned = &planned;
    JITNORM_TRY(made.map.resolve(nargs, args, arguments, &sizes));
    const bool by_user = what.user_gives_scratchpad() && what.problem.is_forward();
    planned = layer_norm::plan_for_sizes(what.solution, sizes, by_user ? what.scratchpad_bytes() : SIZE_MAX);
    return made.call.execute(arguments, stream.thread_pool(), by_user ? made.thread_bytes : planned.scratchpad.bytes());
}

} // namespace

jitnorm_status_t jitnorm_primitive_create(jitnorm_primitive_t *primitive,
                                          const_jitnorm_primitive_desc_t primitive_desc) {
    JITNORM_REFUSE_NULL(primitive, primitive_desc);
    return guarded(__func__, [&] {
        using layer_norm::stopwatch;
        const bool is_timed = verbose_level() >= 2; // reading the clock takes longer than finding a primitive
        const auto start = is_timed ? stopwatch::now() : stopwatch::time_point();
        auto made = std::make_unique<jitnorm_primitive>(*primitive_desc);
        if (is_timed) made->made->call.log("create", start);
        *primitive = made.release();
    });
}

jitnorm_status_t jitnorm_primitive_get_cache_blob(const_jitnorm_primitive_t primitive, size_t *size, uint8_t *) {
    JITNORM_REFUSE_NULL(primitive, size);
    *size = 0;
    return jitnorm_success;
}

jitnorm_status_t jitnorm_primitive_create_from_cache_blob(jitnorm_primitive_t *primitive,
                                                          const_jitnorm_primitive_desc_t primitive_desc, size_t size,
                                                          const uint8_t *) {
    if (size != 0) return report(__func__, invalid("cache_blob was not made by this library"));
    return jitnorm_primitive_create(primitive, primitive_desc);
}

jitnorm_status_t jitnorm_primitive_execute(const_jitnorm_primitive_t primitive, jitnorm_stream_t stream, int nargs,
                                           const jitnorm_exec_arg_t *args) {
    if (any_null(primitive, stream) || (nargs > 0 && args == nullptr))
        return report_null(__func__, "primitive, stream, args", {primitive, stream, args});
    if (nargs < 0) return report(__func__, invalid(explain("nargs is %d, which is negative", nargs)));
    return guarded(__func__, [&] {
        return primitive->made->map.has_runtime_sizes() ? execute_with_sizes(*primitive, *stream, nargs, args)
                                                        : execute(*primitive, *stream, nargs, args);
    });
}

JITNORM_GETTER(jitnorm_primitive_get_primitive_desc, const_jitnorm_primitive_t, primitive,
               const_jitnorm_primitive_desc_t, primitive_desc, &primitive->desc)

jitnorm_status_t jitnorm_primitive_destroy(jitnorm_primitive_t primitive) { return destroy(primitive); }
