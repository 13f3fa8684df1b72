// SPDX-License-Identifier: Apache-2.0
// live_executors: the executors that have handles. A handle is not an address but a number that is never used again, so
// that a handle whose executor has ended is not mistaken for another executor's.
#pragma once

#include <memory>

#include "op_executor.hpp"

namespace jitnorm::impl::aclnn {

// Gives the executor a handle.
jitnorm_acl_op_executor_t enter(std::shared_ptr<op_executor> executor);

// Null if the executor has ended or never existed.
std::shared_ptr<op_executor> find(jitnorm_acl_op_executor_t handle);

// Ends the handle. False if it had ended before. A caller that has found the executor may still use it.
bool end(jitnorm_acl_op_executor_t handle);

} // namespace jitnorm::impl::aclnn
