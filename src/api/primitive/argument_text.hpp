// SPDX-License-Identifier: Apache-2.0
// argument_text: says in words what is wrong with an argument of an execution. It allocates nothing and throws nothing.
#pragma once

#include "../../base/boundary.hpp"
#include "../../tensor/reasons.hpp"

namespace jitnorm::impl::api {

// "DIFF_SHIFT", "ATTR_MULTIPLE_POST_OP(1)|SRC_1"; the number of an argument that no primitive has.
short_text argument_name(int arg) noexcept;

// Says why a memory with this descriptor cannot be the argument for which the primitive has the descriptor `wanted`.
status explain_difference(int arg, const memory_desc &given, const memory_desc &wanted) noexcept;

} // namespace jitnorm::impl::api
