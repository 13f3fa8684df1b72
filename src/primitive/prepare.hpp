// SPDX-License-Identifier: Apache-2.0
// prepare: from a problem to what runs it, in two steps that every front end takes:
//
//     solution how;
//     if (verdict v = prepare(p, how); v.status != jitnorm_success) return v;
//     const size_t scratchpad = how.plan.scratchpad.bytes(); // what executions will want, 64-byte aligned
//     ...
//     auto executor = make_executor(p, how);
//     executor->execute(arguments);
#pragma once

#include "ranking.hpp"

namespace jitnorm::impl::layer_norm {

// Who solves a problem, and how.
struct solution {
    const implementation *by = nullptr;
    layer_norm::plan plan;
};

// Checks the problem (validate()) and chooses who solves it. Whatever is wrong is in the verdict, and the solution is
// as it was: invalid_arguments, unimplemented, or runtime_error where an environment variable has a value of no
// meaning.
verdict prepare(const problem &p, solution &chosen);

// The executor, by the chosen implementation or, when the system refuses pages for its code, by the next one that takes
// the problem: then the solution is that one's, and may want another scratchpad. Throws std::bad_alloc, or
// std::system_error when the last implementation is refused too.
std::shared_ptr<const executor> make_executor(const problem &p, solution &chosen);

// Moves to the next implementation that takes the problem; false, without a change, when there is none.
bool move_to_next(const problem &p, solution &chosen);

// The plan of one execution of a problem with run-time sizes, when they are known. `scratchpad_bytes`: what a user
// gives at the most, enough for some plan of all sizes if the implementation has said so (implementation::make_plan).
plan plan_for_sizes(const solution &chosen, const problem &sizes, size_t scratchpad_bytes);

} // namespace jitnorm::impl::layer_norm
