// SPDX-License-Identifier: Apache-2.0
// request: an operation on given tensors as the core's problem. lower() (lower.hpp) makes it from the operation's
// parameters; an op_executor runs it.
#pragma once

#include <initializer_list>
#include <memory>
#include <span>
#include <vector>

#include "../../dispatch/layout_adapter.hpp"
#include "../../norm/arguments.hpp"
#include "../objects/handles.hpp"

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
using enum layer_norm::slot;

// A parameter of an operation, null if it is absent, and its name for the reason of a refusal.
struct named_tensor {
    const char *name;
    const tensor *t;
};

constexpr size_t MOST_PARAMETERS = 10; // tensors of an operation

// One tensor among an operation's parameters.
struct parameter {
    const char *name;
    slot part; // its argument slot in the problem; NO_SLOT if it is null or the problem does not use it
    bool is_null;
    bool has_elements = false; // if not, the address does not matter
    int64_t offset = 0;        // bytes from the address to the first element

    parameter(const named_tensor &given, slot what);
    void *first_element(void *address) const { return static_cast<char *>(address) + offset; }
};

// The parameters in the given order, with the slots that they have in the problem unless they are null.
std::vector<parameter> with_slots(std::span<const named_tensor> given, std::initializer_list<slot> slots);

inline slot if_wanted(bool is_wanted, slot part) { return is_wanted ? part : NO_SLOT; }

struct request {
    operation op;
    layer_norm::problem problem;
    layer_norm::adapted_layouts sides;
    std::vector<parameter> parameters; // inputs first
    size_t inputs = 0;
    bool has_work = true; // false if there is nothing to compute
    // Another problem of the same operation, which is solved first. It lists the same parameters in the same order, but
    // has slots of its own for them.
    std::shared_ptr<request> before = nullptr;
    // Bytes in the workspace for the sum of the problem that is solved first. The sum is this problem's src. 0 if this
    // problem reads no such sum.
    size_t bytes_from_before = 0;
};

} // namespace jitnorm::impl::aclnn
