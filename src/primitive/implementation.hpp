// SPDX-License-Identifier: Apache-2.0
// implementation: one way to solve problems. The list is a ranking: the first that does not refuse is taken.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "../core/executor.hpp"
#include "../core/problem.hpp"

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

// Best first; the reference is last and refuses nothing that validate() accepts.
std::span<const implementation> implementations();

// From now on only implementations of this name are taken, or any where it is empty, whatever JITNORM_IMPL says. False,
// and no change, when no implementation has the name.
bool set_forced_implementation(std::string_view name);

// The first implementation at or after `from` that takes the problem; null when there is none. Honours the forced name
// (set_forced_implementation(), else the environment's JITNORM_IMPL) and writes each refusal to the verbose log.
// *status says which it is: success, unimplemented (all refuse, or the forced one does), runtime_error (JITNORM_IMPL
// names no implementation).
const implementation *choose(const problem &p, const implementation *from = nullptr,
                             jitnorm_status_t *status = nullptr);

// The same from a given list, with the forced name as an argument (empty: none).
const implementation *choose_among(std::span<const implementation> list, std::string_view forced_name, const problem &p,
                                   const implementation *from, jitnorm_status_t *status);

} // namespace jitnorm::impl::layer_norm
