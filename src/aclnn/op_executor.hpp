// SPDX-License-Identifier: Apache-2.0
// op_executor: what a first call makes and the second runs: an operation made ready, and where its tensors are.
#pragma once

#include <array>
#include <atomic>
#include <memory>
#include <vector>

#include "../core/aliases.hpp"
#include "../core/engine.hpp"
#include "../primitive/prepare.hpp"
#include "lower/request.hpp"
#include "objects/failure.hpp"

namespace jitnorm::impl::aclnn {

// A request made ready: all but the addresses. Immutable, and shared by executors of the same operation.
struct ready_operation {
    request asked;
    layer_norm::solution solution = {};
    std::shared_ptr<const layer_norm::executor> executor = nullptr; // null: nothing to do
    size_t scratchpad_bytes = 0;
    layer_norm::alias_check aliases = {};
    bool is_as_chosen = true;                                // no implementation was refused pages for its code
    std::shared_ptr<const ready_operation> before = nullptr; // solves request::before

    // The problem's refusal is in the outcome.
    static outcome make(request &&asked, std::shared_ptr<const ready_operation> &result);
};

// What one run of an operation reads and writes.
struct run_arguments {
    layer_norm::arguments main, before;
};

constexpr size_t MOST_PARAMETERS = 10; // tensors

class op_executor {
public:
    using tensors = std::span<const tensor *const>; // null: there is none
    // The operation's parameters are at these tensors' addresses.
    op_executor(std::shared_ptr<const ready_operation> what, tensors given);

    operation op() const { return what_->asked.op; }
    uint64_t workspace_bytes() const;

    // Whether a run with such a workspace can begin, and with which arguments.
    outcome check_run(void *workspace, uint64_t bytes, run_arguments &arguments) const;
    outcome run(const run_arguments &arguments, const jitnorm_stream *stream) const;

    outcome set_address(jitnorm_acl_numbering_t numbering, size_t index, void *address);

    std::atomic<bool> is_repeatable = false;

private:
    size_t handed_on_bytes() const { return size_t(layer_norm::in_whole_lines(dim_t(what_->asked.bytes_from_before))); }
    outcome bind(const ready_operation &what, void *scratchpad, layer_norm::arguments &arguments) const;

    std::shared_ptr<const ready_operation> what_;
    std::array<void *, MOST_PARAMETERS> addresses_ = {};
};

} // namespace jitnorm::impl::aclnn
