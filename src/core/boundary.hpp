// SPDX-License-Identifier: Apache-2.0
// boundary: where a C interface ends. Functions behind it answer a verdict or throw; in front of it there are only
// status codes, the reason of the thread's last error, and a line in the verbose log for each error.
#pragma once

#include <cstddef>
#include <initializer_list>
#include <new>
#include <string_view>
#include <system_error>

#include "../system/last_error.hpp"
#include "problem.hpp"

namespace jitnorm::impl {

constexpr verdict OUT_OF_MEMORY{jitnorm_out_of_memory, "out of memory"};

template <typename... Pointer>
constexpr bool any_null(const Pointer *...pointers) {
    return ((pointers == nullptr) || ...);
}

// "<name> is null" of the first that is, by names that are separated by ", ". One of them is.
verdict null_among(std::string_view names, std::initializer_list<const void *> pointers) noexcept;
#define JITNORM_NULL_AMONG(...) jitnorm::impl::null_among(#__VA_ARGS__, {__VA_ARGS__})

// Among such pointers an array, which may be null where it has no elements.
inline const void *array_of(size_t count, const void *elements) noexcept {
    static const char NOTHING = 0;
    return count == 0 ? &NOTHING : elements;
}

// "error,<function>,<status>,<reason>" in the verbose log.
void log_error(const char *function, std::string_view status, const char *reason) noexcept;

// Keeps the reason of an error for the thread, and logs it under the function's name.
[[gnu::cold]] void report_error(const char *function, verdict error) noexcept;

// The status of the verdict, whose error is reported if it is one.
inline jitnorm_status_t report(const char *function, verdict result) noexcept {
    if (result.failed()) report_error(function, result);
    return result.status;
}

// report() of what body answers or throws.
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

// A new object of the caller's, made from the arguments.
template <typename Object, typename... Argument>
jitnorm_status_t create(const char *function, Object **object, Argument &&...arguments) noexcept {
    return guarded(function, [&]() -> verdict {
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
