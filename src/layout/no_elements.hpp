// SPDX-License-Identifier: Apache-2.0
// no_elements: problems whose data tensors have no elements, for every implementation: there is nothing to normalize,
// but statistics of empty rows and gradients over no rows are written all the same (docs/arithmetic.md, "Empty rows").
// Strides of such tensors mean nothing and may have any size, so nobody else should compute with them.
#pragma once

#include <memory>

#include "../core/executor.hpp"
#include "../core/problem.hpp"

namespace jitnorm::impl::layer_norm {

// p.has_elements() is false.
jitnorm_status_t execute_without_elements(const problem &p, const arguments &args);
std::shared_ptr<const executor> create_without_elements(const problem &p);

} // namespace jitnorm::impl::layer_norm
