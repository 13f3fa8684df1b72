// SPDX-License-Identifier: Apache-2.0
// lower_checks: the rules that operations have in common.
#pragma once

#include <initializer_list>

#include "op_executor.hpp"
#include "row_shape.hpp"

namespace jitnorm::impl::aclnn {

// A parameter, which may be null: then it is not checked.
struct named_tensor {
    const char *name;
    const tensor *t;
};

// check_tensor of each, check_view, and check_writable.
outcome check_tensors(std::initializer_list<named_tensor> tensors);
outcome check_views(std::initializer_list<named_tensor> tensors);
outcome check_outputs(std::initializer_list<named_tensor> tensors);

// Of one type, an aclDataType; of one shape, `what` says whose.
outcome check_type(std::initializer_list<named_tensor> tensors, int type, const char *what);
outcome check_shape(const named_tensor &checked, shape expected, const char *what);
outcome check_epsilon(double epsilon); // finite, not negative

outcome check_contiguous(std::initializer_list<named_tensor> tensors);

// The part of the problem that a parameter is, unless it is null.
inline slot if_wanted(const tensor *t, slot part) { return t != nullptr ? part : layer_norm::NO_SLOT; }

// The same refusal with the number that some operations of CANN have for all but types.
outcome as_tiling(outcome refused);

// The dimensions of x, which parted has, with ones in place of the normalized ones.
std::vector<dim_t> shape_of_statistics(const tensor &x, const row_shape &parted);

// weight or bias: the shape of normalizedShape.
outcome check_affine(const named_tensor &affine, const row_shape &parted);

// weight or bias: the type of the data, or FLOAT.
outcome check_affine_type(const named_tensor &affine, const tensor &data);

// mean and rstd: one shape, as many elements as there are rows. Their layouts, and the problem's, which is both
// tensors' or a dense one.
outcome place_statistics(const tensor &mean, const tensor &rstd, const row_shape &parted, request &result);

// A tensor of as many elements as a row has, as one of the normalized dimensions.
outcome place_columns(const tensor &t, const row_shape &parted, memory_desc &layout);

} // namespace jitnorm::impl::aclnn
