// SPDX-License-Identifier: Apache-2.0
// undecided_layout: what jitnorm_format_tag_any becomes.
#pragma once

#include "../../core/boundary.hpp"

namespace jitnorm::impl::api {

// Gives `md`, if its layout is undecided, the order of dimensions and the inner blocks of `model`, without gaps. Row
// major where model splits a dimension that md does not have, or broadcasts one. Whether md's dimensions make sense
// beside model's is for validate() to say.
verdict follow_layout(memory_desc &md, const memory_desc &model);

// Decides every layout that the problem's source can decide.
verdict decide_layouts(layer_norm::problem &p);

} // namespace jitnorm::impl::api
