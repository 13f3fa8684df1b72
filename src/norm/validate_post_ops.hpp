// SPDX-License-Identifier: Apache-2.0
// validate_post_ops: the rules for post-ops, a part of validate().
#pragma once

#include "problem.hpp"

namespace jitnorm::impl::layer_norm {

status check_post_ops(const problem &p);

} // namespace jitnorm::impl::layer_norm
