// SPDX-License-Identifier: Apache-2.0
// boundary: where a C interface ends. Functions behind it answer a verdict or throw; in front of it there are only
// status codes, and a line in the verbose log for each error.
#pragma once

#include <new>
#include <system_error>

#include "problem.hpp"

namespace jitnorm::impl {

using layer_norm::verdict;

constexpr verdict NULL_POINTER{jitnorm_invalid_arguments, "a null pointer"};
constexpr verdict OUT_OF_MEMORY{jitnorm_out_of_memory, "out of memory"};

template <typename... Pointer>
constexpr bool any_null(const Pointer *...pointers) {
    return ((pointers == nullptr) || ...);
}

// The status of the verdict; an error is logged under the function's name.
jitnorm_status_t report(const char *function, verdict result) noexcept;

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
jitnorm_status_t clone(const char *function, Object **object, const Object *existing) noexcept {
    if (any_null(object, existing)) return report(function, NULL_POINTER);
    return create(function, object, *existing);
}

template <typename Object>
jitnorm_status_t destroy(Object *object) noexcept {
    delete object;
    return jitnorm_success;
}

} // namespace jitnorm::impl
