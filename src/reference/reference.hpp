// SPDX-License-Identifier: Apache-2.0
// reference: the definition of the result's bits (docs/arithmetic.md) in plain C++, for every problem that validate()
// accepts. It is what generated kernels are compared with, and what runs where they cannot.
#pragma once

#include <memory>

#include "../core/executor.hpp"
#include "../core/problem.hpp"

namespace jitnorm::impl::layer_norm::reference {

std::shared_ptr<const executor> create(const problem &p);

// Each in a file of its own.
std::shared_ptr<const executor> create_forward(const problem &p);
std::shared_ptr<const executor> create_backward(const problem &p);

} // namespace jitnorm::impl::layer_norm::reference
