// SPDX-License-Identifier: Apache-2.0
// argument_text: what is wrong with an execution's argument, in words. Nothing is allocated and nothing thrown.
#pragma once

#include "../../core/boundary.hpp"
#include "../../core/memory_desc.hpp"

namespace jitnorm::impl::api {

struct short_text {
    char text[64];
};

// "DIFF_SHIFT", "ATTR_MULTIPLE_POST_OP(1)|SRC_1"; of an argument that nothing has, its number.
short_text argument_name(int arg) noexcept;

// Why a memory described so cannot stand where the primitive has `wanted`.
verdict explain_difference(int arg, const memory_desc &given, const memory_desc &wanted) noexcept;

} // namespace jitnorm::impl::api
