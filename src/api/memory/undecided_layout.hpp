// SPDX-License-Identifier: Apache-2.0
// undecided_layout: decides the layout of tensors that were described with jitnorm_format_tag_any.
#pragma once

#include "../../base/boundary.hpp"
#include "../../norm/problem.hpp"

namespace jitnorm::impl::api {

// If the layout of `md` is undecided, gives it the order of dimensions and the inner blocks of `model`, without gaps.
// It becomes row major if model has blocks of a dimension that md does not have, if model is broadcast, or if one of
// the two has run-time sizes. `name` is what the tensor is called in a reason. Whether the dimensions of the two fit
// together is checked by validate(), not here.
status follow_layout(memory_desc &md, const memory_desc &model, const char *name);

// Decides the layouts of all tensors of the problem. src must have a decided layout.
status decide_layouts(layer_norm::problem &p);

} // namespace jitnorm::impl::api
