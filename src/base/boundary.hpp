// SPDX-License-Identifier: Apache-2.0
// boundary: the border between a C interface and the C++ code behind it. The C++ code returns a status or throws. The C
// interface only returns a status, keeps the reason as the thread's last error, and writes errors to the verbose log.
// Engine and stream, the objects that all C interfaces share, are here, too.
#pragma once

#include <cstddef>
#include <initializer_list>
#include <string_view>
#include <type_traits>

#include "jitnorm/jitnorm_types.h"
#include "status.hpp"

namespace jitnorm::impl {

constexpr status OUT_OF_MEMORY{jitnorm_out_of_memory, "out of memory"};

template <typename... Pointer>
constexpr bool any_null(const Pointer *...pointers) {
    return ((pointers == nullptr) || ...);
}

// An array, to be checked like a pointer: the pointer itself, but never null if the array has no elements.
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

// The status "<name> is null" for the first null pointer; at least one of them must be null. `names` has the pointers'
// names in the same order, separated by ", ".
[[gnu::cold]] status null_among(std::string_view names, std::initializer_list<const void *> pointers) noexcept;
[[gnu::cold]] jitnorm_status_t report_null(const char *function, std::string_view names,
                                           std::initializer_list<const void *> pointers) noexcept;

// If one of the pointers is null, the function around it reports the first such pointer and returns.
#define JITNORM_REFUSE_NULL(...)                                                                                       \
    do {                                                                                                               \
        if (jitnorm::impl::any_null(__VA_ARGS__))                                                                      \
            return jitnorm::impl::report_null(__func__, #__VA_ARGS__, {__VA_ARGS__});                                  \
    } while (false)

// Writes the value to *result. The status is success.
template <typename Answer>
status answer(void *result, Answer value) {
    *static_cast<Answer *>(result) = value;
    return {};
}

// Defines a C function that refuses null, or writes the value, an expression with the object, to *result.
#define JITNORM_GETTER(function, handle, object, answer, result, ...)                                                  \
    jitnorm_status_t function(handle object, answer *result) {                                                         \
        JITNORM_REFUSE_NULL(object, result);                                                                           \
        *(result) = (__VA_ARGS__);                                                                                     \
        return jitnorm_success;                                                                                        \
    }

// The status for the exception that is being handled, whose text the reason may be.
[[gnu::cold]] status status_of_exception() noexcept;

// Runs `body` and reports the status that it returns, if it returns one, or the exception that it throws.
template <typename Body>
jitnorm_status_t guarded(const char *function, Body &&body) noexcept {
    try {
        if constexpr (std::is_void_v<decltype(body())>) {
            body();
            return jitnorm_success;
        } else {
            return report(function, body());
        }
    } catch (...) {
        return report(function, status_of_exception());
    }
}

// Makes a new object from the arguments. The caller owns it and gives it back to destroy().
template <typename Object, typename... Argument>
jitnorm_status_t create(const char *function, Object **object, Argument &&...arguments) noexcept {
    return guarded(function, [&] { *object = new Object{static_cast<Argument &&>(arguments)...}; });
}

template <typename Object>
jitnorm_status_t clone(const char *function, Object **result, const Object *existing) noexcept {
    if (any_null(result, existing)) return report_null(function, "result, existing", {result, existing});
    return create(function, result, *existing);
}

template <typename Object>
jitnorm_status_t destroy(Object *object) noexcept {
    delete object;
    return jitnorm_success;
}

} // namespace jitnorm::impl

struct jitnorm_engine {
    jitnorm_engine_kind_t kind;
};

struct jitnorm_stream {
    jitnorm_engine_t engine;
    bool has_pool; // whether executions run on the caller's `pool`; otherwise they run on the library's own threads
    jitnorm_thread_pool_t pool;

    const jitnorm_thread_pool_t *thread_pool() const { return has_pool ? &pool : nullptr; }
};
