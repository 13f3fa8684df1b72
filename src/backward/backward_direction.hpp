// SPDX-License-Identifier: Apache-2.0
// backward_direction: the plan, the kernels and the executors of backward, as src/dispatch uses them.
#pragma once

#include "../layout/row_order.hpp"
#include "backward_executor.hpp"
#include "backward_plan.hpp"
#include "backward_unit_executor.hpp"

namespace jitnorm::impl::layer_norm {

struct backward_direction {
    template <typename T>
    using kernels = backward_kernels<T>;

    // The plan for run-time sizes has no scratchpad: what backward needs grows with the sizes, so nothing is enough for
    // all of them.
    static plan make_plan(const problem &p, const machine &m) {
        return p.has_runtime_sizes() ? plan{} : backward_plan(p, m);
    }

    // Calls body.operator()<Executor>(problem) with the class of the executor and the problem. If rows are gathered,
    // and no gradients need their sums in the given order, the problem's rows are put into the order in which they lie
    // in memory. T is the compute type.
    template <typename T, typename Body>
    static decltype(auto) visit_executor(const problem &p, const plan &how, Body &&body) {
        if (how.rows == row_access::in_place) return body.template operator()<backward_executor<T, rows_in_place>>(p);
        if (how.rows == row_access::interleaved) return body.template operator()<backward_unit_executor<T>>(p);
        const bool any_order = !p.writes(DIFF_SCALE) && !p.writes(DIFF_SHIFT);
        return body.template operator()<backward_executor<T, rows_in_tiles>>(any_order ? in_order_of_memory(p) : p);
    }
};

} // namespace jitnorm::impl::layer_norm
