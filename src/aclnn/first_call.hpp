// SPDX-License-Identifier: Apache-2.0
// first_call: what the first calls of all operations do with their parameters.
#pragma once

#include <initializer_list>
#include <utility>

#include "../primitive/recent.hpp"
#include "live_executors.hpp"
#include "lower.hpp"

namespace jitnorm::impl::aclnn {

constexpr outcome NO_RESULT = null_pointer("a null pointer for the workspace's size or the executor");

struct named {
    const void *pointer;
    const char *missing; // what to say where it is null
};

inline outcome check_present(std::initializer_list<named> needed) {
    for (const named &one : needed)
        if (one.pointer == nullptr) return null_pointer(one.missing);
    return {};
}

// What was refused pages for its code is tried again another time.
template <typename Parameters>
outcome find_or_make(const Parameters &given, std::shared_ptr<const ready_operation> &ready) {
    const auto asked = fingerprint_of(given);
    ready = layer_norm::recall<ready_operation>(asked);
    if (ready != nullptr) return {};
    request what;
    if (outcome lowered = lower(given, what); lowered.failed()) return lowered;
    if (outcome made = ready_operation::make(std::move(what), ready); made.failed()) return made;
    if (ready->is_as_chosen) ready = layer_norm::keep(asked, std::move(ready));
    return {};
}

template <typename Parameters>
outcome prepare(const Parameters &given, uint64_t *workspace_size, jitnorm_acl_op_executor_t *executor) {
    std::shared_ptr<const ready_operation> ready;
    if (outcome found = find_or_make(given, ready); found.failed()) return found;
    const auto tensors = tensors_of(given);
    auto made = std::make_shared<op_executor>(std::move(ready), tensors);
    const uint64_t bytes = made->workspace_bytes();
    *executor = enter(std::move(made));
    *workspace_size = bytes;
    return {};
}

} // namespace jitnorm::impl::aclnn
