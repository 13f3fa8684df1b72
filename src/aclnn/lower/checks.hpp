// SPDX-License-Identifier: Apache-2.0
// checks: rules for parameters that several operations have.
#pragma once

#include <initializer_list>

#include "../objects/failure.hpp"
#include "request.hpp"
#include "row_shape.hpp"

namespace jitnorm::impl::aclnn {

// Parameters to check. A check skips one that is null.
using tensor_list = std::initializer_list<named_tensor>;

// check_views(): check_view() of all, and check_writable() of the outputs. check_tensors(): check_tensor() of all, and
// check_writable() of the outputs.
acl_status check_views(tensor_list inputs, tensor_list outputs);
acl_status check_tensors(tensor_list inputs, tensor_list outputs);

// `type` is an aclDataType; `why` is what the reason of a refusal says behind its name.
acl_status check_type(tensor_list tensors, int type, const char *why = "");
// `what` names the tensor with the expected shape, for the reason of a refusal.
acl_status check_shape(tensor_list tensors, shape expected, const char *what);
acl_status check_float(const named_tensor &one); // FLOAT, FLOAT16 or BF16
acl_status check_contiguous(tensor_list tensors);
acl_status check_epsilon(double epsilon); // finite, not negative

// weight, bias and gamma must have the data's type or FLOAT.
acl_status check_affine_type(const named_tensor &affine, const tensor &data);

// Some operations of CANN have the status INNER_TILING for all refusals but those of types. This turns the status
// PARAM_INVALID into it; the reason stays.
acl_status as_tiling(acl_status refused);

// The dimensions of x with ones in place of the normalized ones. `parted` is made from x.
std::vector<dim_t> shape_of_statistics(const tensor &x, const row_shape &parted);

// Describes the tensor's elements, in row-major order, as a tensor of the given dimensions. Refuses if these have
// another number of elements, or if no strides can do that. `what` names the dimensions for the reason.
acl_status place(const named_tensor &given, shape dims, const char *what, memory_desc &layout);

// Describes mean and rstd, which may be the same tensor, in the request. They must have one shape and one element for
// each row. The problem's layout
// of statistics becomes that of both if they have the same one; otherwise it becomes dense.
acl_status place_statistics(const named_tensor &mean, const named_tensor &rstd, const row_shape &parted,
                            request &result);

} // namespace jitnorm::impl::aclnn
