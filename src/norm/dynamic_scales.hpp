// SPDX-License-Identifier: Apache-2.0
// dynamic_scales: scales of dst that the library finds from the values of dst and writes to a tensor of f32. A row has
// one scale, or its columns are cut into groups of equal width and each group has one. The dimensions of the tensor
// (attributes::dynamic_scales) say which. Its row dimensions are those of dst. If all its normalized dimensions are 1,
// a row has one scale. If exactly one dimension is normalized, it may be the number of groups instead.
#pragma once

#include "problem.hpp"

namespace jitnorm::impl::layer_norm {

// Both need a problem that finds scales; columns_per_scale() also needs one whose tensors have elements.
dim_t scales_per_row(const problem &p);
dim_t columns_per_scale(const problem &p);

status check_dynamic_scales(const problem &p);

} // namespace jitnorm::impl::layer_norm
