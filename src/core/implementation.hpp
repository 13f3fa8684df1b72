// SPDX-License-Identifier: Apache-2.0
// implementation: one way to solve problems, as a value. Each room that solves some has its own; src/primitive ranks
// them.
#pragma once

#include <memory>
#include <string>

#include "executor.hpp"
#include "problem.hpp"

namespace jitnorm::impl::layer_norm {

struct implementation {
    const char *name; // "jit:avx512", "jit:avx2", "ref:any": what impl_info_str answers and JITNORM_IMPL takes

    // Empty: this implementation solves the problem on this machine; otherwise why not, for the verbose log.
    std::string (*refusal)(const problem &p);

    // Of a problem that validate() accepts. Throws std::bad_alloc, or std::system_error when the system refuses
    // executable pages.
    std::shared_ptr<const executor> (*create)(const problem &p);

    // Known before the executor is built, so that a primitive descriptor can report it. With run-time sizes the library
    // asks again at execution, when they are known, and a user's scratchpad has what is enough for all sizes.
    size_t (*scratchpad_bytes)(const problem &p);

    // Whether problems with run-time sizes are taken: executions bring the sizes (arguments::sizes). Implementations
    // that do not are never asked about such problems.
    bool takes_runtime_sizes = false;
};

} // namespace jitnorm::impl::layer_norm
