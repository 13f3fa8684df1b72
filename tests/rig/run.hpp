// SPDX-License-Identifier: Apache-2.0
// run: one execution inside the library, without a front end: a problem, its tensors filled with random values, the
// same problem for the oracle, and the call. Nothing else in tests/ knows what arguments executors take.
//
// A test may change everything between making a run and executing it: the problem, the values of tensors, and where
// they lie.
#pragma once

#include <cstddef>
#include <vector>

#include "oracle.hpp"
#include "planned.hpp"
#include "problems.hpp"
#include "reference/reference.hpp"
#include "tensor.hpp"

namespace jitnorm::tests {

using impl::layer_norm::executor;
using impl::layer_norm::implementation;
using impl::layer_norm::plan;
using impl::layer_norm::reference_entry;

// When the executor learns the sizes: it is made for them, or they come with the arguments.
enum class sizes_come { at_creation, at_execution };

class run {
public:
    explicit run(const setup &s);

    // The problem for the oracle, with the values that the tensors hold now. In place, this must come before execute().
    template <typename Real = double> // or long double
    oracle_problem<Real> question() const;

    void execute() { execute_on(reference_entry); }

    void execute_on(const implementation &entry, sizes_come when = sizes_come::at_creation,
                    const impl::machine &on = impl::the_machine());

    // If `how` is given, the sizes come at execution.
    void execute_on(const executor &made, size_t scratchpad_bytes, const plan *how = nullptr);

    // The call alone, without protection of the inputs and checks of the surroundings.
    jitnorm_status_t call(const executor &made, void *scratchpad, const plan *how = nullptr) const;

    // The tensor that dst or diff_src is written to: in place, that of an input.
    const tensor &result() const;
    // The tensor that the sum with the residual is written to, forward.
    const tensor &written_sum() const { return sum_in_place_ && p.is_forward() ? residual : sum; }

    problem p;
    tensor src, dst, mean, variance, scale, shift, diff_dst, diff_src, diff_scale, diff_shift;
    tensor residual, sum, bias, diff_sum, pre_quantization;
    tensor src_scale, dst_scale;  // scales of the attributes, one float each, or those of dst that are found
    std::vector<tensor> operands; // src1 of binary post-op i

private:
    tensor make(const memory_desc &md, const std::vector<double> &values) const;
    void make_gradients(const setup &s);
    void make_residual(const setup &s);

    bool reads_dst() const { return p.attr.post_ops.read_dst(); }
    std::vector<const tensor *> written() const;
    void protect_inputs() const;

    guard_side side_;
    bool in_place_, sum_in_place_;
};

} // namespace jitnorm::tests
