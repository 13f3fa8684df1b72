// SPDX-License-Identifier: Apache-2.0
// forward_plan: makes the plan of a forward problem on a given machine.
#pragma once

#include "../base/machine.hpp"
#include "../core/plan.hpp"
#include "../norm/problem.hpp"

namespace jitnorm::impl::layer_norm {

// For a problem with elements and known sizes.
plan forward_plan(const problem &p, const machine &m);

// For a problem with run-time sizes. Only plan::scratchpad of the result counts: it is enough for any sizes, if the
// plan of an execution does not share the chunks of long rows among threads (plan::give_up_chunks).
plan forward_plan_for_any_size(const problem &p);

} // namespace jitnorm::impl::layer_norm
