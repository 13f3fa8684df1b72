// SPDX-License-Identifier: Apache-2.0
#include "problem.hpp"

namespace jitnorm::impl::layer_norm {

dim_t problem::rows() const {
    dim_t count = 1;
    for (int d = 0; d + 1 < src.ndims; ++d) count *= src.dims[d];
    return count;
}

} // namespace jitnorm::impl::layer_norm
