// SPDX-License-Identifier: Apache-2.0
// first_call: the part of an operation's first call that is the same for all operations.
#pragma once

#include <initializer_list>
#include <utility>

#include "../dispatch/object_cache.hpp"
#include "live_executors.hpp"
#include "lower/lower.hpp"

namespace jitnorm::impl::aclnn {

// A parameter that must not be null.
struct needed {
    const void *pointer;
    const char *missing; // the reason for refusing null
};

// For needed::pointer: a pointer that may be null unless the condition holds.
inline const void *needed_if(bool condition, const void *pointer) {
    static constexpr char NOTHING = 0;
    return condition ? pointer : &NOTHING;
}

// Finds the operation that an earlier call with such parameters has made, or makes it. If the system refused pages for
// the code of the best implementation, the operation is not cached, so that the next call tries again.
template <typename Parameters>
acl_status find_or_make(const Parameters &given, std::shared_ptr<const ready_operation> &ready) {
    const auto key = cache_key_of(given);
    ready = layer_norm::find_cached<ready_operation>(key);
    if (ready != nullptr) return {};
    request what;
    JITNORM_TRY(lower(given, what));
    JITNORM_TRY(ready_operation::make(std::move(what), ready));
    if (ready->is_as_chosen) ready = layer_norm::cache(key, std::move(ready));
    return {};
}

// Checks the needed parameters, makes the executor and writes its handle and the workspace's size for the caller.
template <typename Parameters>
jitnorm_acl_status_t first_call(const char *function, std::initializer_list<needed> all, const Parameters &given,
                                uint64_t *workspace_size, jitnorm_acl_op_executor_t *executor) {
    return guarded(function, [&]() -> acl_status {
        for (const needed &one : all)
            if (one.pointer == nullptr) return null_pointer(one.missing);
        if (workspace_size == nullptr || executor == nullptr)
            return null_pointer("a null pointer for the workspace's size or the executor");
        std::shared_ptr<const ready_operation> ready;
        JITNORM_TRY(find_or_make(given, ready));
        const auto tensors = given.tensors();
        auto made = std::make_shared<op_executor>(std::move(ready), tensors);
        const uint64_t bytes = made->workspace_bytes();
        *executor = enter(std::move(made));
        *workspace_size = bytes;
        return {};
    });
}

} // namespace jitnorm::impl::aclnn
