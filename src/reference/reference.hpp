// SPDX-License-Identifier: Apache-2.0
// reference: the definition of the result's bits (docs/arithmetic.md) in plain C++, for every problem that validate()
// accepts. Tests compare generated kernels with it, and it runs where kernels cannot.
#pragma once

#include <memory>

#include "../norm/executor.hpp"
#include "../norm/problem.hpp"

namespace jitnorm::impl::layer_norm::reference {

std::shared_ptr<const executor> create(const problem &p);

// Both need a problem with elements whose sizes are known.
std::shared_ptr<const executor> create_forward(const problem &p);
std::shared_ptr<const executor> create_backward(const problem &p);

} // namespace jitnorm::impl::layer_norm::reference
