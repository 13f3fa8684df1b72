// SPDX-License-Identifier: Apache-2.0
// live_executors: the executors that handles stand for. A handle is a number that is never used again, not an address,
// so that one whose executor has ended is told from all others.
#pragma once

#include <memory>

#include "op_executor.hpp"

namespace jitnorm::impl::aclnn {

jitnorm_acl_op_executor_t enter(std::shared_ptr<op_executor> executor);

// Null where the executor has ended, or never was.
std::shared_ptr<op_executor> find(jitnorm_acl_op_executor_t handle);

// False where it had ended before. Whoever has found it may go on using it.
bool end(jitnorm_acl_op_executor_t handle);

} // namespace jitnorm::impl::aclnn
