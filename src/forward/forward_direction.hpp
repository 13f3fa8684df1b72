// SPDX-License-Identifier: Apache-2.0
// forward_direction: the plan, the kernels and the executors of forward, as src/dispatch uses them.
#pragma once

#include "../layout/row_order.hpp"
#include "../layout/rows_in_place.hpp"
#include "../layout/rows_in_tiles.hpp"
#include "forward_executor.hpp"
#include "forward_plan.hpp"
#include "rows_with_sums.hpp"

namespace jitnorm::impl::layer_norm {

struct forward_direction {
    template <typename T>
    using kernels = forward_kernels<T>;

    static plan make_plan(const problem &p, const machine &m) {
        return p.has_runtime_sizes() ? forward_plan_for_any_size(p) : forward_plan(p, m);
    }

    // Calls body.operator()<Executor>(problem) with the class of the executor and with the problem whose rows are in
    // the order in which the executor visits them. T is the compute type.
    template <typename T, typename Body>
    static decltype(auto) visit_executor(const problem &p, const plan &how, Body &&body) {
        if (how.rows == row_access::in_place) return visit_rows<T, rows_in_place>(p, body);
        return visit_rows<T, rows_in_tiles>(in_order_of_memory(p), body);
    }

private:
    template <typename T, typename Rows, typename Body>
    static decltype(auto) visit_rows(const problem &p, Body &body) {
        if (!p.reads(RESIDUAL)) return body.template operator()<forward_executor<T, Rows>>(p);
        return body.template operator()<forward_executor<T, rows_with_sums<T, Rows>>>(p);
    }
};

} // namespace jitnorm::impl::layer_norm
