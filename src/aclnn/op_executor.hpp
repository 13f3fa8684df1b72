// SPDX-License-Identifier: Apache-2.0
// op_executor: the object that an operation's first call makes and its second call runs: the operation, ready to run,
// and the addresses of its tensors.
#pragma once

#include <array>
#include <atomic>
#include <memory>
#include <vector>

#include "../base/boundary.hpp"
#include "../dispatch/ready_call.hpp"
#include "../norm/aliases.hpp"
#include "lower/request.hpp"
#include "objects/failure.hpp"

namespace jitnorm::impl::aclnn {

// A request with all that its runs need, except the addresses. Immutable, and shared by executors of equal requests.
struct ready_operation {
    request asked;
    std::shared_ptr<const layer_norm::ready_call> call = nullptr; // null if there is nothing to do
    layer_norm::alias_check aliases = {};                    // of the parameters, by their numbers, in both problems
    std::shared_ptr<const ready_operation> before = nullptr; // solves request::before

    size_t scratchpad_bytes() const { return call == nullptr ? 0 : call->scratchpad_bytes(); }
    // False if the system refused pages for the code of an implementation that was chosen.
    bool is_as_chosen() const {
        return (call == nullptr || call->is_as_chosen()) && (before == nullptr || before->is_as_chosen());
    }

    // If the core refuses the problem, the status says why.
    static acl_status make(request &&asked, std::shared_ptr<const ready_operation> &result);
};

// The arguments of one run: for the operation's problem, and for the problem that is solved before it, if there is one.
struct run_arguments {
    layer_norm::arguments main, before;
};

class op_executor {
public:
    using tensors = std::span<const named_tensor>;
    // `given` are the operation's parameters, in the order of request::parameters; a parameter that is absent is null.
    // The executor keeps their addresses, not the tensors.
    op_executor(std::shared_ptr<const ready_operation> what, tensors given);

    operation op() const { return what_->asked.op; }
    uint64_t workspace_bytes() const;

    // Checks all that could refuse a run with this workspace, and sets the run's arguments.
    acl_status check_run(void *workspace, uint64_t bytes, run_arguments &arguments) const;
    acl_status run(const run_arguments &arguments, const jitnorm_stream *stream) const;

    // Changes the address of one parameter. `numbering` says what `index` counts: inputs, outputs or all tensors.
    acl_status set_address(jitnorm_acl_numbering_t numbering, size_t index, void *address);

    std::atomic<bool> is_repeatable = false; // if not, the executor ends with its first run

private:
    // The bytes of the workspace for request::bytes_from_before, in whole cache lines.
    size_t handed_on_bytes() const { return size_t(in_whole_lines(dim_t(what_->asked.bytes_from_before))); }
    using first_elements = std::array<void *, MOST_PARAMETERS>; // of the parameters that are used
    acl_status bind(const ready_operation &what, void *scratchpad, layer_norm::arguments &arguments,
                    first_elements &first) const;
    acl_status check_addresses(const first_elements &first, const void *workspace) const;

    std::shared_ptr<const ready_operation> what_;
    std::array<void *, MOST_PARAMETERS> addresses_ = {};
};

// The executors that have handles. A handle is not an address but a number that is never used again, so
// that a handle whose executor has ended is not mistaken for another executor's.

// Gives the executor a handle.
jitnorm_acl_op_executor_t enter(std::shared_ptr<op_executor> executor);

// Null if the executor has ended or never existed.
std::shared_ptr<op_executor> find(jitnorm_acl_op_executor_t handle);

// Ends the handle. False if it had ended before. A caller that has found the executor may still use it.
bool end(jitnorm_acl_op_executor_t handle);

} // namespace jitnorm::impl::aclnn
