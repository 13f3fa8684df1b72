// SPDX-License-Identifier: Apache-2.0
// names: the text of values, spelled as benchdnn spells them.
#pragma once

#include <string>
#include <string_view>

#include "memory_desc.hpp"

namespace jitnorm::impl {

std::string_view name_of(jitnorm_data_type_t type); // "f32"
std::string_view name_of(jitnorm_prop_kind_t kind); // "FWD_D"
std::string_view name_of(jitnorm_alg_kind_t alg);   // "gelu_erf", "add"

// "128x768"
std::string join(const dim_t *values, int count);

// The layout as the name of a tag ("aBc8b"). If no tag describes it, as the letters of the dimensions if it is dense in
// some order ("cbad"), else as strides ("1024x1").
std::string layout_name(const memory_desc &md);

} // namespace jitnorm::impl
