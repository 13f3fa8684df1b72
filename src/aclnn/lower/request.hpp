// SPDX-License-Identifier: Apache-2.0
// request: an operation on given tensors in the core's words, which lower() (lower.hpp) makes and an executor solves.
#pragma once

#include <memory>
#include <vector>

#include "../../core/arguments.hpp"
#include "../../primitive/layout_adapter.hpp"
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

// One tensor among an operation's parameters.
struct parameter {
    slot part = layer_norm::NO_SLOT; // that: it is not looked at
    bool is_null = true;             // there was no tensor
    bool has_elements = false;       // otherwise the address does not matter
    int64_t offset = 0;              // bytes from the address to the first element

    parameter(const tensor *t, slot what);
    void *first_element(void *address) const { return static_cast<char *>(address) + offset; }
};

// The part of the problem that a parameter is, unless it is null.
inline slot if_wanted(const tensor *t, slot part) { return t != nullptr ? part : layer_norm::NO_SLOT; }

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
    // Bytes that it leaves in the workspace for this one: its sum is this problem's src. 0: it leaves nothing.
    size_t bytes_from_before = 0;
};

} // namespace jitnorm::impl::aclnn
