// SPDX-License-Identifier: Apache-2.0
// op_executor: what a first call makes and the second runs: an operation made ready, and where its tensors are.
#pragma once

#include <array>
#include <atomic>
#include <memory>
#include <vector>

#include "../core/aliases.hpp"
#include "../core/engine.hpp"
#include "../primitive/layout_adapter.hpp"
#include "../primitive/prepare.hpp"
#include "failure.hpp"
#include "handles.hpp"

namespace jitnorm::impl::aclnn {

enum class operation {
    layer_norm,
    layer_norm_with_impl_mode,
    fast_layer_norm,
    layer_norm_backward,
    rms_norm,
    gemma_rms_norm,
    rms_norm_grad,
    add_rms_norm,
    add_layer_norm,
    rms_norm_dynamic_quant,
    add_rms_norm_dynamic_quant
};

using layer_norm::slot;

// One tensor among an operation's parameters.
struct parameter {
    slot part = layer_norm::NO_SLOT; // that: it is not looked at
    bool is_null = true;             // there was no tensor
    bool has_elements = false;       // otherwise the address does not matter
    int64_t offset = 0;              // bytes from the address to the first element

    parameter(const tensor *t, slot what);
    void *first_element(void *address) const { return static_cast<char *>(address) + offset; }
};

constexpr size_t MOST_PARAMETERS = 10; // tensors

// An operation on given tensors in the core's words.
struct request {
    operation op;
    layer_norm::problem problem;
    layer_norm::adapted_layouts sides;
    std::vector<parameter> parameters; // inputs first
    size_t inputs = 0;
    bool has_work = true; // some output is asked for
    // Another problem of the same operation, which is solved before: its parameters are the same tensors in other
    // parts.
    std::shared_ptr<request> before = nullptr;
};

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
    outcome bind(const ready_operation &what, void *workspace, layer_norm::arguments &arguments) const;

    std::shared_ptr<const ready_operation> what_;
    std::array<void *, MOST_PARAMETERS> addresses_ = {};
};

} // namespace jitnorm::impl::aclnn
