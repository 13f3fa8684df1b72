// SPDX-License-Identifier: Apache-2.0
// checks: the rules that operations have in common.
#pragma once

#include <initializer_list>

#include "../objects/failure.hpp"
#include "request.hpp"
#include "row_shape.hpp"

namespace jitnorm::impl::aclnn {

// A parameter, which may be null: then it is not checked.
struct named_tensor {
    const char *name;
    const tensor *t;
};
using tensor_list = std::initializer_list<named_tensor>;

// The views of all, and whether outputs can be written; check_tensors: their types, too.
outcome check_views(tensor_list inputs, tensor_list outputs);
outcome check_tensors(tensor_list inputs, tensor_list outputs);

// `what` says whose type or shape that is.
outcome check_type(tensor_list tensors, int type, const char *what); // an aclDataType
outcome check_shape(tensor_list tensors, shape expected, const char *what);
outcome check_contiguous(tensor_list tensors);
outcome check_epsilon(double epsilon); // finite, not negative

// weight or bias, gamma: the type of the data, or FLOAT.
outcome check_affine_type(const named_tensor &affine, const tensor &data);

// The same refusal with the number that some operations of CANN have for all but types.
outcome as_tiling(outcome refused);

// The dimensions of x, which parted has, with ones in place of the normalized ones.
std::vector<dim_t> shape_of_statistics(const tensor &x, const row_shape &parted);

// The tensor's elements, in their order, as a tensor of the given dimensions; `otherwise` where that cannot be said.
outcome place(const tensor &t, shape dims, memory_desc &layout, outcome otherwise);

// mean and rstd: one shape, as many elements as there are rows. Their layouts, and the problem's, which is both
// tensors' or a dense one.
outcome place_statistics(const tensor &mean, const tensor &rstd, const row_shape &parted, request &result);

} // namespace jitnorm::impl::aclnn
