// SPDX-License-Identifier: Apache-2.0
// forward_plan: how forward goes through rows, on a given machine.
#pragma once

#include "../core/plan.hpp"
#include "../core/problem.hpp"
#include "../system/machine.hpp"

namespace jitnorm::impl::layer_norm {

// Of a problem with elements and known sizes.
plan forward_plan(const problem &p, const machine &m);

// Of a problem with run-time sizes: only the scratchpad counts. It has room for all sizes; plans of executions that
// want more go without sharing the chunks of long rows.
plan forward_plan_for_any_size(const problem &p);

} // namespace jitnorm::impl::layer_norm
