// SPDX-License-Identifier: Apache-2.0
#include "live_executors.hpp"

#include <unordered_map>

#include "../base/process_wide.hpp"

namespace jitnorm::impl::aclnn {

namespace {

struct registry {
    std::unordered_map<uintptr_t, std::shared_ptr<op_executor>> executors;
    uintptr_t last = 0;
};

constinit process_wide<registry> shared;

registry &live() { return shared.get(); }

uintptr_t number_of(jitnorm_acl_op_executor_t handle) { return reinterpret_cast<uintptr_t>(handle); }

} // namespace

jitnorm_acl_op_executor_t enter(std::shared_ptr<op_executor> executor) {
    registry &all = live();
    const std::lock_guard lock(process_lock);
    const uintptr_t number = all.last + 1;
    all.executors.emplace(number, std::move(executor));
    all.last = number;
    return reinterpret_cast<jitnorm_acl_op_executor_t>(number);
}

std::shared_ptr<op_executor> find(jitnorm_acl_op_executor_t handle) {
    registry &all = live();
    const std::lock_guard lock(process_lock);
    const auto found = all.executors.find(number_of(handle));
    return found == all.executors.end() ? nullptr : found->second;
}

bool end(jitnorm_acl_op_executor_t handle) {
    registry &all = live();
    std::shared_ptr<op_executor> ended; // destroyed without the lock
    const std::lock_guard lock(process_lock);
    const auto found = all.executors.find(number_of(handle));
    if (found == all.executors.end()) return false;
    ended = std::move(found->second);
    all.executors.erase(found);
    return true;
}

} // namespace jitnorm::impl::aclnn
