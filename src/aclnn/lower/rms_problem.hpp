// SPDX-License-Identifier: Apache-2.0
// rms_problem: the parts of lower() that the operations of RMS normalization have in common.
#pragma once

#include "checks.hpp"

namespace jitnorm::impl::aclnn {

// Parts the shape of x: gamma must have elements, and its shape is that of the normalized dimensions.
acl_status part(const named_tensor &x, const tensor &gamma, row_shape &parted);

// A problem with all that x and gamma decide. The tensor in the variance's slot is rstd. The caller sets the kind, the
// outputs and the rest.
layer_norm::problem begin_rms_problem(const tensor &x, const tensor &gamma, const row_shape &parted);

} // namespace jitnorm::impl::aclnn
