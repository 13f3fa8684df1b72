// SPDX-License-Identifier: Apache-2.0
// validate_attributes: the rules for attributes, a part of validate().
#pragma once

#include "problem.hpp"

namespace jitnorm::impl::layer_norm {

status check_residual(const problem &p);
status check_further_outputs(const problem &p); // those of attributes that have no other settings
status check_attributes(const problem &p);      // that backward has none
status check_post_ops(const problem &p);

// Scales of dst that the library finds: their tensor has the dimensions that scales_per_row() describes.
status check_dynamic_scales(const problem &p);

} // namespace jitnorm::impl::layer_norm
