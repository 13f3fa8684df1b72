// SPDX-License-Identifier: Apache-2.0
// implementation: one way to solve problems, as a value. Each room that solves some has its own; src/primitive ranks
// them.
#pragma once

#include <memory>
#include <string>

#include "../system/machine.hpp"
#include "executor.hpp"
#include "plan.hpp"
#include "problem.hpp"

namespace jitnorm::impl::layer_norm {

struct implementation {
    const char *name; // "ref:any", say: what impl_info_str answers and JITNORM_IMPL takes

    // Empty: this implementation solves the problem on this machine; otherwise why not, for the verbose log.
    std::string (*refusal)(const problem &p);

    // How it would solve a problem that validate() accepts. Allocates nothing. With run-time sizes the scratchpad has
    // what is enough for all sizes, if a user's scratchpad can have that; executions bring sizes and a plan of their
    // own (arguments::sizes).
    plan (*make_plan)(const problem &p, const machine &m);

    // Solves the problem by a plan of its own. Throws std::bad_alloc, or std::system_error when the system refuses
    // executable pages.
    std::shared_ptr<const executor> (*create)(const problem &p, const plan &how);

    // Whether problems with run-time sizes are taken. Implementations that do not are never asked about such problems.
    bool takes_runtime_sizes = false;
};

} // namespace jitnorm::impl::layer_norm
