// SPDX-License-Identifier: Apache-2.0
// forward_kernels: the kernels of a forward problem, and the numbers of its post-ops. Which kernels there are follows
// from types, flags and attributes, from the length of a row where that is short, and from the plan: the kernels of the
// steps that it takes, and the stores and prefetches that it says.
#pragma once

#include <optional>
#include <vector>

#include "../jit/kernels/kernels.hpp"
#include "../norm/plan.hpp"
#include "../norm/problem.hpp"

namespace jitnorm::impl::layer_norm {

template <typename T> // the compute type
struct forward_kernels {
    // Takes the kernels from the kernel cache or generates them. Throws std::system_error when executable pages are
    // refused.
    // Only those are made that the plan needs; all that the problem may need if there is no plan yet (run-time sizes).
    forward_kernels(const problem &p, const plan *planned, jit::isa vectors);

    // Whether rows may be written while others are reduced. Sums with a residual are made for whole rows; RUNTIME_DIM
    // is less than CHUNK.
    static bool may_go_in_one_loop(const problem &p) {
        return p.finds_statistics() && p.writes(DST) && !p.has_dynamic_scales() &&
               (!p.reads(RESIDUAL) || p.row_length() <= layer_norm::CHUNK);
    }
    // Whether one kernel may do rows from their inputs to dst. Scales that are found must be those of whole rows.
    static bool may_go_in_bands(const problem &p) {
        return !p.computes_in_double() && p.finds_statistics() && p.writes(DST) &&
               (!p.has_dynamic_scales() || columns_per_scale(p) == p.row_length());
    }
    // Whether the output for the sum holds the rows as they are normalized. Otherwise they have a tile.
    static bool normalizes_the_sum(const problem &p) { return p.writes(SUM) && p[SUM].data_type == p.row_type(); }

    // Compute sums with a residual: `add` the rows to normalize only, `add_and_write` also the output for the sum.
    struct addition_kernels {
        jit::addition_kernel<T> add, add_and_write;
    };
    std::optional<addition_kernels> addition; // empty: the problem adds no residual
    // Also do the first reduction; empty, too, where the rows are no numbers of the compute type.
    std::optional<addition_kernels> reducing_addition;

    jit::reduction_kernel<T> repeat;                // a reduction over rows with given pivots
    std::optional<jit::reduction_kernel<T>> reduce; // the first reduction; empty where all rows go in bands
    std::optional<jit::normalize_kernel<T>> normalize, non_temporal; // the former has ordinary stores; empty: no dst
    // Where scales of dst are dynamic, but `normalize` does not find them itself, it stores floats, and this kernel
    // multiplies them and stores dst.
    std::optional<jit::normalize_kernel<float>> multiply;

    std::optional<jit::stores_of<jit::forward_loop_kernel<T>>> loop;          // write rows while they reduce others
    std::optional<jit::forward_rows_kernel> rows, rows_non_temporal, one_row; // do bands of rows; only with float
    std::vector<T> post_op_parameters;              // two per post-op, as normalize_arguments says
    std::vector<jitnorm_data_type_t> operand_types; // one per post-op, as post_op_conf says

private:
    void make_bands(const problem &p, const plan *planned, jit::isa vectors);
    void make_steps(const problem &p, const plan *planned, jit::isa vectors);
};

} // namespace jitnorm::impl::layer_norm
