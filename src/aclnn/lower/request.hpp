// SPDX-License-Identifier: Apache-2.0
// request: an operation on given tensors as the core's problem. lower() (lower.hpp) makes it from the operation's
// parameters; an op_executor runs it.
#pragma once

#include <initializer_list>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "../../dispatch/layout_adapter.hpp"
#include "../../norm/executor.hpp"
#include "../../tensor/memory_desc.hpp"
#include "../objects/failure.hpp"
#include "../objects/handles.hpp"

namespace jitnorm::impl::aclnn {

// ---- Shapes and strides of this front end's tensors, and the core's layouts of them.

using shape = std::span<const dim_t>;

// "[4, 6]", for reasons.
struct shape_text {
    char text[120];
    explicit shape_text(shape dims);
};

dim_t count(shape dims); // of elements; 1 without dimensions
bool equal(shape a, shape b);

// The strides with which a tensor of the shape `dims` has the same elements in the same row-major order. `dims` must
// have as many elements as the tensor. None if no strides do that.
std::optional<std::vector<dim_t>> strides_as(const tensor &t, shape dims);

// A layout of the tensor's type from the tensor's first element on, so without its offset. Elements may share memory,
// as some strides of inputs have it.
memory_desc describe(const tensor &t, shape dims, std::span<const dim_t> strides);

enum class operation {
    layer_norm,
    layer_norm_with_impl_mode,
    fast_layer_norm,
    layer_norm_backward,
    ada_layer_norm,
    ada_layer_norm_v2,
    rms_norm,
    gemma_rms_norm,
    rms_norm_grad,
    add_rms_norm,
    add_layer_norm,
    rms_norm_dynamic_quant,
    add_rms_norm_dynamic_quant
};

// The parameters of an operation that are no tensors. An operation has some of these.
struct settings {
    operation op;
    double epsilon = 0;
    int32_t impl_mode = 0;
    bool additional_output = false;
    int64_t dst_type = 0;
    const int_array *normalized_shape = nullptr;
    const bool_array *output_mask = nullptr;
};

using layer_norm::slot;
using enum layer_norm::slot;
using layer_norm::post_op_slot;

// A tensor that is a parameter of an operation, null if it is absent, and the parameter's name for the reason of a
// refusal.
struct named_tensor {
    const char *name;
    const tensor *t;

    explicit operator bool() const { return t != nullptr; }
    const tensor &operator*() const { return *t; }
    const tensor *operator->() const { return t; }
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
    layer_norm::problem problem; // before layer_norm::complete()
    layer_norm::adapted_layouts layouts;
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
