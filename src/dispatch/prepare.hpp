// SPDX-License-Identifier: Apache-2.0
// prepare: the list of implementations; chooses the one that solves a problem, and makes its executor. Front ends call
// prepare(); the second step is taken by a ready_call (ready_call.hpp).
//
//     solution how;
//     JITNORM_TRY(prepare(p, how));
//     const size_t scratchpad = how.scratchpad_bytes(); // executions need so many bytes, 64-byte aligned
//     ...
//     auto executor = make_executor(p, how);
//     executor->execute(arguments);
#pragma once

#include <algorithm>
#include <memory>
#include <span>
#include <string_view>

#include "../norm/implementation.hpp"

namespace jitnorm::impl::layer_norm {

// Best first. The first one that does not refuse a problem solves it; the reference is last and refuses nothing that
// validate() accepts.
std::span<const implementation> implementations();
name_list implementation_names();

// From now on only the implementation of this name is chosen, or any if the name is empty. This takes precedence over
// JITNORM_IMPL. If no implementation has the name, returns false and changes nothing.
bool set_forced_implementation(std::string_view name);

// The name that set_forced_implementation() has set, otherwise that in JITNORM_IMPL; empty if any implementation may be
// chosen. The text lives as long as the process.
std::string_view forced_implementation();

// The first implementation of the list at or after `from` (null: of all) that has the forced name (empty: any) and
// takes the problem; null if there is none. Writes refusals and a forced name that no implementation has to the verbose
// log.
const implementation *choose(const problem &p, const implementation *from = nullptr,
                             std::span<const implementation> list = implementations(),
                             std::string_view forced_name = forced_implementation());

// The implementation that solves a problem, and its plan. If scale, shift or gate have row dimensions, and the
// implementation does not take all groups of rows at once, it is the plan of one group (src/norm/row_groups.hpp).
struct solution {
    const implementation *by = nullptr;
    layer_norm::plan plan;
    int groups_at_once = 1; // so many threads at the most take groups of rows, each of them whole groups
    // The second step of backward with a gate (src/norm/gate_gradients.hpp), by the same implementation; the rest is
    // the first one. Null: there is no second step.
    std::shared_ptr<const solution> gate = nullptr;

    size_t scratchpad_bytes() const {
        const size_t own = size_t(groups_at_once) * plan.scratchpad.bytes();
        return gate == nullptr ? own : std::max(own, gate->scratchpad_bytes());
    }
};

// Checks the problem by validate() and chooses the implementation. If this fails, `chosen` is unchanged and the status
// is invalid_arguments, unimplemented, or runtime_error if an environment variable has a value without a meaning.
status prepare(const problem &p, solution &chosen);

// Makes the executor by the chosen implementation. If the system refuses pages for its code, moves to the next
// implementation that takes the problem: then `chosen` changes, and its plan may need another scratchpad. Throws
// std::bad_alloc, or std::system_error if the system refuses pages to the last implementation, too.
std::shared_ptr<const executor> make_executor(const problem &p, solution &chosen);

// Moves to the next implementation that takes the problem. If there is none, returns false and changes nothing.
bool move_to_next(const problem &p, solution &chosen);

// The plan for one execution of a problem with run-time sizes; `sizes` is the problem with the sizes of this execution.
// The scratchpad has `scratchpad_bytes`. If that is less than the best plan needs, the plan is one whose threads do not
// share chunks; implementation::make_plan has asked for enough bytes for such a plan.
plan plan_for_sizes(const solution &chosen, const problem &sizes, size_t scratchpad_bytes);

} // namespace jitnorm::impl::layer_norm
