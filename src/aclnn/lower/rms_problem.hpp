// SPDX-License-Identifier: Apache-2.0
// rms_problem: what the operations of RMS normalization have in common when they become problems.
#pragma once

#include "checks.hpp"

namespace jitnorm::impl::aclnn {

// gamma's shape are the normalized dimensions; it has elements.
outcome part(const tensor &x, const tensor &gamma, row_shape &parted);

// Of x and gamma; rstd stands in the variance's place. Its kind, its outputs and all else are to be filled in.
layer_norm::problem begin_rms_problem(const tensor &x, const tensor &gamma, const row_shape &parted);

} // namespace jitnorm::impl::aclnn
