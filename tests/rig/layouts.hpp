// SPDX-License-Identifier: Apache-2.0
// layouts: memory layouts by a short text, for tables of test cases: a tag ("aBcd8b"), the dimensions of any rank in
// their order in memory ("@cab": b is dense), row-major strides with a gap after each row ("gap") or with space between
// the elements of a row ("spread"), or the strides themselves ("40,1"); each may end in "+7", an offset0.
#pragma once

#include <string>
#include <vector>

#include "core/memory_desc.hpp"

namespace jitnorm::tests {

impl::memory_desc make_layout(const std::string &text, const std::vector<impl::dim_t> &dims, jitnorm_data_type_t type);

} // namespace jitnorm::tests
