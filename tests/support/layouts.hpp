// SPDX-License-Identifier: Apache-2.0
// layouts: makes memory layouts from a short text, for tables of test cases:
//   aBcd8b   a tag
//   @cab     the dimensions of any rank in the order of memory; here b is dense
//   reversed  the dimensions from the last to the first
//   rotated   the first dimension is the innermost, and the others are in order
//   gap      row-major strides with a gap after each row
//   spread   row-major strides with space between the elements of a row
//   woven    of two dimensions or more: elements of the first dimension between elements of the last
//   40,1     strides
// Each may end in "+7", an offset0.
#pragma once

#include <string>
#include <vector>

#include "tensor/memory_desc.hpp"

namespace jitnorm::tests {

impl::memory_desc make_layout(const std::string &text, const std::vector<impl::dim_t> &dims, jitnorm_data_type_t type);

} // namespace jitnorm::tests
