// SPDX-License-Identifier: Apache-2.0
// boundary: the border between a C interface and the C++ code behind it. The code behind returns a status or throws.
// The C interface returns a status only, keeps the reason as the thread's last error, and writes errors to the verbose
// log.
#pragma once

#include <cstddef>
#include <initializer_list>
#include <new>
#include <string_view>
#include <system_error>

#include "jitnorm/jitnorm_types.h"
#include "status.hpp"

namespace jitnorm::impl {

constexpr status OUT_OF_MEMORY{jitnorm_out_of_memory, "out of memory"};

template <typename... Pointer>
constexpr bool any_null(const Pointer *...pointers) {
    return ((pointers == nullptr) || ...);
}

// The status "<name> is null" for the first null pointer; at least one of them must be null. `names` has the pointers'
// names in the same order, separated by ", ".
status null_among(std::string_view names, std::initializer_list<const void *> pointers) noexcept;
#define JITNORM_NULL_AMONG(...) jitnorm::impl::null_among(#__VA_ARGS__, {__VA_ARGS__})

// An array, to be checked by JITNORM_NULL_AMONG(): the pointer itself, but never null if the array has no elements.
inline const void *array_of(size_t count, const void *elements) noexcept {
    static const char NOTHING = 0;
    return count == 0 ? &NOTHING : elements;
}

// Writes the line "error,<function>,<status>,<reason>" to the verbose log.
void log_error(const char *function, std::string_view code, const char *reason) noexcept;

// Keeps the reason of an error as the thread's last error, and logs it under the function's name.
[[gnu::cold]] void report_error(const char *function, status error) noexcept;

// Returns the code of the status. Reports the status if it is an error.
inline jitnorm_status_t report(const char *function, status result) noexcept {
    if (result.failed()) report_error(function, result);
    return result.code;
}

// Runs `body` and reports the status that it returns or the exception that it throws.
template <typename Body>
jitnorm_status_t guarded(const char *function, Body &&body) noexcept {
    try {
        return report(function, body());
    } catch (const std::bad_alloc &) {
        return report(function, OUT_OF_MEMORY);
    } catch (const std::exception &error) {
        return report(function, {jitnorm_runtime_error, error.what()});
    } catch (...) {
        return report(function, {jitnorm_runtime_error, "an unknown error"});
    }
}

// Makes a new object from the arguments. The caller owns it and gives it back to destroy().
template <typename Object, typename... Argument>
jitnorm_status_t create(const char *function, Object **object, Argument &&...arguments) noexcept {
    return guarded(function, [&]() -> status {
        *object = new Object{static_cast<Argument &&>(arguments)...};
        return {};
    });
}

template <typename Object>
jitnorm_status_t clone(const char *function, Object **result, const Object *existing) noexcept {
    if (any_null(result, existing)) return report(function, JITNORM_NULL_AMONG(result, existing));
    return create(function, result, *existing);
}

template <typename Object>
jitnorm_status_t destroy(Object *object) noexcept {
    delete object;
    return jitnorm_success;
}

} // namespace jitnorm::impl

// The objects that these handles of all C interfaces point to.
struct jitnorm_engine {
    jitnorm_engine_kind_t kind;
};

struct jitnorm_stream {
    jitnorm_engine_t engine;
    bool has_pool; // whether executions run on the caller's `pool`; otherwise they run on the library's own threads
    jitnorm_thread_pool_t pool;

    const jitnorm_thread_pool_t *thread_pool() const { return has_pool ? &pool : nullptr; }
};
