// SPDX-License-Identifier: Apache-2.0
// problem_kernels: the kernels that a problem takes. Which there are follows from types, flags and attributes, from the
// length of a row where that is short, and from the plan: the kernels of the steps that it takes (none where all rows
// go in bands), and the stores and prefetches that it says.
#pragma once

#include <optional>
#include <vector>

#include "../jit/kernels/kernels.hpp"
#include "../norm/plan.hpp"
#include "../norm/problem.hpp"

namespace jitnorm::impl::layer_norm {

// The kernels of a forward problem, and the numbers of its post-ops.
template <typename T> // the compute type
struct forward_kernels {
    forward_kernels(const problem &p, const plan &planned, const jit::vector_kind &kind);

    // Compute sums with a residual: `add` the rows to normalize only, `add_and_write` also the output for the sum.
    struct addition_kernels {
        jit::forward_kernel<T> add, add_and_write;
    };
    std::optional<addition_kernels> addition; // empty: no residual is added by itself

    std::optional<jit::forward_kernel<T>> repeat; // a reduction over rows with given pivots; empty: nothing is reduced
    std::optional<jit::forward_kernel<T>> reduce; // the first reduction; empty where bands do it
    std::optional<jit::stores_of<jit::forward_kernel<T>>> normalize; // empty: no dst

    std::optional<jit::forward_kernel<T>> one_row; // this and bands: only with float
    std::optional<jit::stores_of<jit::forward_kernel<T>>> bands;
    std::vector<T> post_op_parameters; // two per post-op, as forward_arguments says
    std::vector<jit::post_op_conf> post_ops;

private:
    void make_bands(const problem &p, const plan &planned, const jit::vector_kind &kind);
    void make_steps(const problem &p, const plan &planned, const jit::vector_kind &kind);
};

// The kernels that add up the gradients of scale and shift: sums of row blocks to the sums of a part, sums of parts to
// a total and to the gradient, and the sums of the only row block, if there may be but one, to the gradient.
struct weights_kernels {
    jit::backward_weights_kernel add_block, add_part, finish;
    std::optional<jit::backward_weights_kernel> finish_block;
};

template <typename T> // the compute type
struct backward_kernels {
    backward_kernels(const problem &p, const plan &planned, const jit::vector_kind &kind);

    // Empty where all rows go in bands.
    std::optional<jit::backward_kernel<T>> sums; // row sums and column sums; empty: the problem needs no sums
    std::optional<jit::stores_of<jit::backward_kernel<T>>> data; // diff_src; empty: it is omitted

    std::optional<jit::stores_of<jit::backward_kernel<T>>> bands;
    std::optional<weights_kernels> weights; // empty: neither gradient is made of column sums

private:
    void make_steps(const problem &p, const plan &planned, const jit::vector_kind &kind);
};

} // namespace jitnorm::impl::layer_norm
