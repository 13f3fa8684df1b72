// SPDX-License-Identifier: Apache-2.0
// op_executor: what a first call makes and the second runs: a problem made ready, and where its tensors are.
#pragma once

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

enum class operation { layer_norm, layer_norm_with_impl_mode, fast_layer_norm, layer_norm_backward };

using layer_norm::slot;

// One tensor among an operation's parameters.
struct parameter {
    slot part = layer_norm::NO_SLOT; // that: it is not looked at
    bool is_null = true;             // there was no tensor
    bool has_elements = false;       // otherwise the address does not matter
    int64_t offset = 0;              // bytes from the address to the first element
    void *address = nullptr;

    parameter(const tensor *t, slot what);
    void *first_element() const { return static_cast<char *>(address) + offset; }
};

// An operation on given tensors in the core's words.
struct request {
    operation op;
    layer_norm::problem problem;
    layer_norm::adapted_layouts sides;
    std::vector<parameter> parameters; // inputs first
    size_t inputs = 0;
    bool has_work = true; // some output is asked for
};

class op_executor {
public:
    // Prepares the problem; its refusal is in the outcome.
    static outcome make(request &&what, std::unique_ptr<op_executor> &result);

    operation op() const { return request_.op; }
    uint64_t workspace_bytes() const;

    // Whether a run with such a workspace can begin, and with which arguments.
    outcome check_run(void *workspace, uint64_t bytes, layer_norm::arguments &arguments) const;
    outcome run(const layer_norm::arguments &arguments, const jitnorm_stream *stream) const;

    outcome set_address(jitnorm_acl_numbering_t numbering, size_t index, void *address);

    std::atomic<bool> is_repeatable = false;

private:
    explicit op_executor(request &&what) : request_(std::move(what)) {}
    outcome prepare();
    jitnorm_status_t run_logged(const layer_norm::arguments &arguments) const;

    request request_;
    layer_norm::solution solution_;
    std::shared_ptr<const layer_norm::executor> executor_; // null: nothing to do
    size_t scratchpad_bytes_ = 0;
    layer_norm::alias_check aliases_;
};

} // namespace jitnorm::impl::aclnn
