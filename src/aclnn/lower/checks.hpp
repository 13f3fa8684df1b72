// SPDX-License-Identifier: Apache-2.0
// checks: rules for parameters that several operations have.
#pragma once

#include <initializer_list>

#include "../objects/failure.hpp"
#include "request.hpp"

namespace jitnorm::impl::aclnn {

// A parameter that must not be null.
struct needed {
    const char *name;
    const void *pointer;

    needed(const named_tensor &one) : name(one.name), pointer(one.t) {}
    needed(const char *named, const void *given) : name(named), pointer(given) {}
};

// `why` follows "<name> is null" in the reason of a refusal.
acl_status refuse_null(std::initializer_list<needed> all, const char *why = "");

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
