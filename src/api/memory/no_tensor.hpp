// SPDX-License-Identifier: Apache-2.0
// no_tensor: why arguments make no memory descriptor, in words. Asked when they did not, so it may take its time.
#pragma once

#include "../../core/boundary.hpp"

namespace jitnorm::impl::api {

// Type and dimensions, as given.
struct tensor_request {
    int ndims;
    const dim_t *dims;
    jitnorm_data_type_t data_type;
};

verdict explain_no_tensor(const tensor_request &given, jitnorm_format_tag_t tag);
verdict explain_no_tensor(const tensor_request &given, const dim_t *strides); // which may be null

} // namespace jitnorm::impl::api
