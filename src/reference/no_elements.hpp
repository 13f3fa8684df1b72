// SPDX-License-Identifier: Apache-2.0
// no_elements: problems whose data tensors have no elements. Nothing is normalized, but statistics of empty rows and
// gradients over no rows are written (docs/arithmetic.md, "Empty rows"). Every implementation solves such problems
// here, because the strides of tensors without elements mean nothing and may be of any size: no other code should
// compute with them.
#pragma once

#include <memory>

#include "../norm/executor.hpp"
#include "../norm/problem.hpp"

namespace jitnorm::impl::layer_norm {

// For both, p.has_elements() must be false.
jitnorm_status_t execute_without_elements(const problem &p, const arguments &args);
std::shared_ptr<const executor> create_without_elements(const problem &p);

} // namespace jitnorm::impl::layer_norm
