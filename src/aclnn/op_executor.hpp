// SPDX-License-Identifier: Apache-2.0
// op_executor: what the first call of an operation makes and the second call runs: a request and the addresses of its
// tensors; and the handles of all executors of the process.
#pragma once

#include <array>
#include <atomic>
#include <memory>
#include <span>

#include "lower/lower.hpp"

namespace jitnorm::impl::aclnn {

// The arguments of one run: for the operation's problem, and for the problem that is solved before it, if there is one.
struct run_arguments {
    layer_norm::arguments main, before;
};

class op_executor {
public:
    // `given` are the operation's parameters, in the order of request::parameters; a parameter that is absent is null.
    // The executor keeps their addresses, not the tensors.
    op_executor(std::shared_ptr<const request> what, std::span<const named_tensor *const> given);

    operation op() const { return what_->op; }

    // The workspace has the first problem's results for the second, then a scratchpad that both use, one after the
    // other. The address of the caller's workspace may be any: the further bytes are room to align the begin.
    uint64_t workspace_bytes() const;

    // Checks all that could refuse a run with this workspace, and sets the run's arguments.
    acl_status check_run(void *workspace, uint64_t bytes, run_arguments &arguments) const;
    acl_status run(run_arguments &arguments, const jitnorm_stream *stream) const;

    // Changes the address of one parameter. `numbering` says what `index` counts: inputs, outputs or all tensors.
    acl_status set_address(jitnorm_acl_numbering_t numbering, size_t index, void *address);

    std::atomic<bool> is_repeatable = false; // if not, the executor ends with its first run

private:
    using first_elements = std::array<void *, MOST_PARAMETERS>; // of the parameters that are used

    // The bytes of the workspace for request::bytes_from_before, in whole cache lines.
    size_t handed_on_bytes() const;
    acl_status bind(const request &what, void *scratchpad, layer_norm::arguments &arguments,
                    first_elements &first) const;
    // Neither may two parameters share memory against the rule, nor may one begin in the workspace, which is written.
    acl_status check_addresses(const first_elements &first, const void *workspace) const;

    std::shared_ptr<const request> what_;
    std::array<void *, MOST_PARAMETERS> addresses_ = {};
};

// ---- handles

jitnorm_acl_op_executor_t give_handle(std::shared_ptr<op_executor> executor);
// Null if the executor has ended or never existed.
std::shared_ptr<op_executor> executor_of(jitnorm_acl_op_executor_t handle);
// Ends the handle. False if it had ended before. A caller that has found the executor may still use it.
bool end_handle(jitnorm_acl_op_executor_t handle);

} // namespace jitnorm::impl::aclnn
