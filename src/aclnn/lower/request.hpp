// SPDX-License-Identifier: Apache-2.0
// request: an operation on given tensors as the core's problem. lower() (lower.hpp) makes it from the operation's
// parameters, by the rules and steps here that several operations share; an op_executor runs it.
#pragma once

#include <initializer_list>
#include <memory>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "../../dispatch/layout_adapter.hpp"
#include "../../norm/executor.hpp"
#include "../../tensor/memory_desc.hpp"
#include "../objects/objects.hpp"

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
    const int_array *normalized_shape = nullptr;
    const bool_array *output_mask = nullptr;
    int32_t impl_mode = 0;
    bool additional_output = false;
    int64_t dst_type = 0;
};

using layer_norm::slot;
using enum layer_norm::slot;
using layer_norm::post_op_slot;

// A tensor that is a parameter of an operation, null if it is absent, and the parameter's name for the reason of a
// refusal.
struct named_tensor {
    const char *name;
    const tensor *t = nullptr;

    explicit operator bool() const { return t != nullptr; }
    operator std::pair<const char *, const void *>() const { return {name, t}; }
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

    // Lists the parameters, the inputs first, with the slots that they have in the problem unless they are null.
    void list(std::span<const named_tensor *const> given, size_t count_of_inputs, std::initializer_list<slot> slots);
};

// ---- Rules for parameters that several operations have.

// Refuses parameters, of which the names and addresses are given, if one is null. `why` follows "<name> is null" in the
// reason of a refusal.
acl_status refuse_null(std::initializer_list<std::pair<const char *, const void *>> all, const char *why = "");

// The shape of an operation's input, parted into the dimensions that count rows and those that are normalized.
class row_shape {
public:
    // `columns` must be the sizes of the input's last dimensions, of one at least. `name` is its name in reasons.
    static acl_status part(const named_tensor &input, const char *name, shape columns, row_shape &result);

    // The input's dimensions. If all of them are normalized, there is a dimension of 1 in front, because the core needs
    // at least one dimension that counts rows.
    shape dims() const { return dims_; }
    shape rows() const { return dims().first(dims_.size() - columns_); }
    shape columns() const { return dims().last(columns_); }
    int normalized_axes() const { return int(columns_); }

    // The layout of a tensor that has the input's shape.
    memory_desc data(const tensor &t) const;
    // The layout of the normalized dimensions of a tensor, which are its last ones, at index 0 of the others.
    memory_desc columns_of(const tensor &t) const;

private:
    std::vector<dim_t> dims_;
    size_t columns_ = 0; // the number of normalized dimensions
};

// Parameters to check. A check skips one that is null.
using tensor_list = std::initializer_list<named_tensor>;

// Rules for every tensor: 1 to 8 dimensions; a plain format; no negative dimension, stride or offset; no element
// further away than can be addressed. No two elements of an output share memory.
acl_status check_views(tensor_list inputs, tensor_list outputs);
acl_status check_tensors(tensor_list inputs, tensor_list outputs); // that the types are FLOAT, FLOAT16 or BF16, too

// `type` is an aclDataType; `why` follows its name in the reason of a refusal.
acl_status check_type(tensor_list tensors, int type, const char *why = "");
// `what` names the tensor with the expected shape, for the reason of a refusal.
acl_status check_shape(tensor_list tensors, shape expected, const char *what);
acl_status check_float(const named_tensor &one);  // FLOAT, FLOAT16 or BF16
acl_status check_contiguous(tensor_list tensors); // row-major, without gaps
acl_status check_has_elements(const named_tensor &one);
acl_status check_epsilon(double epsilon); // finite, not negative

// weight, bias and gamma must have the data's type or FLOAT.
acl_status check_affine_type(const named_tensor &affine, const tensor &data);

// Some operations of CANN refuse all but types by the status INNER_TILING. Turns the status PARAM_INVALID into it; the
// reason stays.
acl_status as_tiling(acl_status refused);

// The dimensions of x with ones in place of the normalized ones. `parted` is made from x.
std::vector<dim_t> shape_of_statistics(const tensor &x, const row_shape &parted);

// Describes the tensor's elements, in row-major order, as a tensor of the given dimensions. Refuses if these have
// another number of elements, or if no strides can do that. `what` names the dimensions for the reason.
acl_status place(const named_tensor &given, shape dims, const char *what, memory_desc &layout);

// Describes mean and rstd, each of which may be null, in the request. They must have one shape and one element for each
// row.
acl_status place_statistics(const named_tensor &mean, const named_tensor &rstd, const row_shape &parted,
                            request &result);

// Parts the shape of x: gamma must have elements, and its shape is that of the normalized dimensions.
acl_status part(const named_tensor &x, const tensor &gamma, row_shape &parted);

// Begins a request from the settings and the input. The tensor in the variance's slot is rstd.
layer_norm::problem &begin(const settings &with, const tensor &input, const row_shape &parted, request &result);

// The same of RMS normalization, whose scale is gamma.
layer_norm::problem &begin_rms(const settings &with, const tensor &input, const named_tensor &gamma,
                               const row_shape &parted, request &result);

// Describes these vectors, each of which may be null, as the request's scale and shift.
void take_affine(const named_tensor &scale, const named_tensor &shift, const row_shape &parted, request &result);

} // namespace jitnorm::impl::aclnn
