// SPDX-License-Identifier: Apache-2.0
// C interface: the last error, verbose log, instruction sets, implementations, profiling, cache, scratchpad, version.
#include <atomic>

#include "../base/boundary.hpp"
#include "../base/thread_state.hpp"
#include "../base/verbose.hpp"
#include "../dispatch/object_cache.hpp"
#include "../dispatch/prepare.hpp"
#include "../jit/isa.hpp"
#include "../jit/kernel_cache.hpp"
#include "../jit/profiling/profiling.hpp"
#include "jitnorm/jitnorm.h"

using namespace jitnorm::impl;

namespace {

constinit std::atomic<jitnorm_cpu_isa_hints_t> cpu_isa_hints = jitnorm_cpu_isa_no_hints; // only its getter reads it

} // namespace

const char *jitnorm_get_last_error(void) { return last_reason(); }

jitnorm_status_t jitnorm_set_verbose(int level) {
    if (level < 0 || level > 2) return report(__func__, invalid(explain("level is %d; 0, 1 or 2 is expected", level)));
    set_verbose_level(level == 0 ? VERBOSE_NOTHING : level);
    return jitnorm_success;
}

void jitnorm_print_errors_as_onednn(void) { print_errors_as_onednn(); }

jitnorm_status_t jitnorm_set_max_cpu_isa(jitnorm_cpu_isa_t isa) {
    return guarded(__func__, [&]() -> status {
        const layer_norm::settings_change change;
        return {jit::set_max_isa(isa), explain("unknown instruction set %d", int(isa))};
    });
}

jitnorm_cpu_isa_t jitnorm_get_effective_cpu_isa(void) { return jit::effective_isa(); }

jitnorm_status_t jitnorm_set_cpu_isa_hints(jitnorm_cpu_isa_hints_t hints) {
    if (hints != jitnorm_cpu_isa_no_hints && hints != jitnorm_cpu_isa_prefer_ymm)
        return report(__func__, invalid(explain("unknown hints %d", int(hints))));
    cpu_isa_hints.store(hints, std::memory_order_relaxed);
    return jitnorm_success;
}

jitnorm_cpu_isa_hints_t jitnorm_get_cpu_isa_hints(void) { return cpu_isa_hints.load(std::memory_order_relaxed); }

jitnorm_status_t jitnorm_set_implementation(const char *name) {
    return guarded(__func__, [&]() -> status {
        const layer_norm::settings_change change;
        if (layer_norm::set_forced_implementation(name == nullptr ? "" : name)) return {};
        return invalid(
            explain("unknown implementation '%s'; known: %s", name, layer_norm::implementation_names().text()));
    });
}

jitnorm_status_t jitnorm_set_jit_profiling_flags(unsigned flags) {
    constexpr unsigned OF_ONEDNN = 0xF;
    if ((flags & ~OF_ONEDNN) != 0) return report(__func__, invalid(explain("flags 0x%x has unknown bits", flags)));
    if ((flags & ~JITNORM_JIT_PROFILE_LINUX_PERF) != 0)
        return report(__func__, unsupported("flags asks for VTune or for the time-stamp counter; supported: perf"));
    jit::set_profilers(flags);
    return jitnorm_success;
}

jitnorm_status_t jitnorm_set_jit_dump(int enable) {
    jit::set_dump(enable != 0);
    return jitnorm_success;
}

jitnorm_status_t jitnorm_set_jit_dump_folder(const char *folder) {
    return guarded(__func__, [&] { jit::set_dump_folder(folder == nullptr ? "" : folder); });
}

jitnorm_status_t jitnorm_free_thread_scratchpad(void) {
    free_thread_scratchpad();
    return jitnorm_success;
}

jitnorm_status_t jitnorm_get_primitive_cache_capacity(int *capacity) {
    JITNORM_REFUSE_NULL(capacity);
    *capacity = int(jit::kernel_cache_capacity());
    return jitnorm_success;
}

jitnorm_status_t jitnorm_set_primitive_cache_capacity(int capacity) {
    if (capacity < 0) return report(__func__, invalid(explain("capacity is %d, which is negative", capacity)));
    return guarded(__func__, [&] {
        jit::set_kernel_cache_capacity(capacity);
        layer_norm::set_object_cache_capacity(size_t(capacity));
    });
}

const jitnorm_version_t *jitnorm_version(void) {
#ifdef JITNORM_THREADING_OMP
    constexpr unsigned RUNTIME = JITNORM_RUNTIME_OMP;
#else
    constexpr unsigned RUNTIME = JITNORM_RUNTIME_SEQ;
#endif
    static const jitnorm_version_t VERSION{JITNORM_VERSION_MAJOR, JITNORM_VERSION_MINOR, JITNORM_VERSION_PATCH,
                                           JITNORM_COMMIT_HASH, RUNTIME};
    return &VERSION;
}
