// SPDX-License-Identifier: Apache-2.0
#include "reference.hpp"

namespace jitnorm::impl::layer_norm::reference {

std::shared_ptr<const executor> create(const problem &p) {
    return p.is_forward() ? create_forward(p) : create_backward(p);
}

} // namespace jitnorm::impl::layer_norm::reference
