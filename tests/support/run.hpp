// SPDX-License-Identifier: Apache-2.0
// run: one execution inside the library, without a front end: a problem, its tensors filled with random values, the
// same problem for the oracle, and the call. Nothing else in tests/ knows the arguments of executors.
//
// A test may change everything between making a run and executing it: the problem, the values of tensors, and where
// they lie.
#pragma once

#include <array>
#include <cstddef>
#include <memory>
#include <vector>

#include "norm/implementation.hpp"
#include "problems.hpp"
#include "reference/reference.hpp"
#include "tensor.hpp"

namespace benchdnn_lite {
struct oracle_problem;
}

namespace jitnorm::tests {

using benchdnn_lite::oracle_problem;
using impl::layer_norm::executor;
using impl::layer_norm::implementation;
using impl::layer_norm::plan;
using impl::layer_norm::reference_entry;
using impl::layer_norm::slot;

// The plan, the executor and the scratchpad size that an implementation has for a problem, on this machine unless
// another one is given.
inline plan plan_of(const implementation &entry, const problem &p, const impl::machine &on = impl::the_machine()) {
    return entry.make_plan(p, on);
}
inline std::shared_ptr<const executor> create(const implementation &entry, const problem &p,
                                              const impl::machine &on = impl::the_machine()) {
    return entry.create(p, plan_of(entry, p, on));
}
inline size_t scratchpad_bytes(const implementation &entry, const problem &p,
                               const impl::machine &on = impl::the_machine()) {
    return plan_of(entry, p, on).scratchpad.bytes();
}

// When the executor learns the sizes: it is made for them, or they come with the arguments.
enum class sizes_come { at_creation, at_execution };

class run {
public:
    explicit run(const setup &s);

    // The tensor in a slot; an output that works in place has that of an input. Without memory if there is none.
    tensor &operator[](slot s) { return tensors_[size_t(place_of(s))]; }
    const tensor &operator[](slot s) const { return tensors_[size_t(place_of(s))]; }

    const tensor &result() const { return (*this)[p.is_forward() ? DST : DIFF_SRC]; }
    const tensor &operand(size_t post_op) const { return (*this)[impl::layer_norm::post_op_slot(post_op)]; }

    // The slots of the tensors that the problem writes, or reads. The scratchpad is none of them.
    std::vector<slot> written() const;
    std::vector<slot> read() const;

    // The problem for the oracle, with the values that the tensors hold now. In place, this must come before execute().
    oracle_problem question() const;

    void execute() { execute_on(reference_entry); }

    void execute_on(const implementation &entry, sizes_come when = sizes_come::at_creation,
                    const impl::machine &on = impl::the_machine());

    // If `how` is given, the sizes come at execution.
    void execute_on(const executor &made, size_t scratchpad_bytes, const plan *how = nullptr);

    // Only the call: without protection of the inputs and checks of the surroundings.
    jitnorm_status_t call(const executor &made, void *scratchpad, const plan *how = nullptr) const;

    problem p;

private:
    slot place_of(slot s) const;
    void fill(slot s, const setup &how);

    bool in_place_, sum_in_place_;
    std::array<tensor, impl::layer_norm::SLOT_COUNT> tensors_;
};

} // namespace jitnorm::tests
