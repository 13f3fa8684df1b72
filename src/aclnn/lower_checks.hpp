// SPDX-License-Identifier: Apache-2.0
// lower_checks: the rules that forward and backward have in common.
#pragma once

#include <initializer_list>

#include "op_executor.hpp"
#include "row_shape.hpp"

namespace jitnorm::impl::aclnn {

// check_tensor of each that is not null.
outcome check_tensors(std::initializer_list<const tensor *> tensors);
outcome check_outputs(std::initializer_list<const tensor *> tensors);

// weight and bias, each of which may be null: the shape of normalizedShape, the data's type or FLOAT.
outcome check_affine(const tensor *t, const tensor &input, const row_shape &parted);

// mean and rstd: one type, one shape, as many elements as there are rows. Their layouts, and the problem's, which is
// both tensors' or a dense one.
outcome place_statistics(const tensor &mean, const tensor &rstd, const row_shape &parted, request &result);

// A tensor of as many elements as a row has, as one of the normalized dimensions.
outcome place_columns(const tensor &t, const row_shape &parted, memory_desc &layout);

} // namespace jitnorm::impl::aclnn
