// SPDX-License-Identifier: Apache-2.0
// found_scales: scales of dst that the library finds from the values themselves, one for each row or for each of
// several groups of a row's columns, and writes to a tensor. Its descriptor says which (attributes::found_scales): f32,
// with the dimensions of dst but for the normalized ones, which are all 1: one scale for a row; or, where one dimension
// is normalized, the number of groups, all of the same width.
#pragma once

#include "problem.hpp"

namespace jitnorm::impl::layer_norm {

// Of a problem that finds scales.
dim_t scales_per_row(const problem &p);
dim_t columns_per_scale(const problem &p);

verdict check_found_scales(const problem &p);

} // namespace jitnorm::impl::layer_norm
