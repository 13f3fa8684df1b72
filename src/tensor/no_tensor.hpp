// SPDX-License-Identifier: Apache-2.0
// no_tensor: says in words why numbers make no memory descriptor. It is called after a failure and need not be fast.
#pragma once

#include "../base/boundary.hpp"
#include "memory_desc.hpp"

namespace jitnorm::impl {

// The type and the dimensions that the caller gave.
struct tensor_request {
    int ndims;
    const dim_t *dims;
    jitnorm_data_type_t data_type;
};

status explain_no_tensor(const tensor_request &given, jitnorm_format_tag_t tag);
status explain_no_tensor(const tensor_request &given, const dim_t *strides); // strides may be null

} // namespace jitnorm::impl
