// SPDX-License-Identifier: Apache-2.0
// tensors: the tensors that a primitive reads and writes, their slots and their execution arguments.
#pragma once

#include <array>

#include "../../norm/arguments.hpp"
#include "primitive_desc.hpp"

namespace jitnorm::impl::api {

using layer_norm::arg_of;
using layer_norm::slot;
using enum layer_norm::slot;

constexpr slot slot_of_post_op(int arg) {
    const int index = arg / JITNORM_ARG_ATTR_MULTIPLE_POST_OP_BASE - 1;
    const bool is_src1 = arg % JITNORM_ARG_ATTR_MULTIPLE_POST_OP_BASE == JITNORM_ARG_SRC_1;
    return is_src1 && 0 <= index && index < MAX_POST_OPS ? layer_norm::post_op_slot(size_t(index)) : NO_SLOT;
}

// The search begins with the last slots, because slot_of() finds the others in its table.
constexpr slot find_slot(int arg) {
    if (arg >= JITNORM_ARG_ATTR_MULTIPLE_POST_OP_BASE) return slot_of_post_op(arg);
    for (int s = FIRST_POST_OP - 1; s >= 0; --s)
        if (layer_norm::arg_of(slot(s)) == arg) return slot(s);
    return NO_SLOT;
}

constexpr int LOW_ARGS = JITNORM_ARG_DIFF_SHIFT + 1; // the arguments below are in the table
inline constexpr auto SLOT_OF_LOW_ARG = [] {
    std::array<signed char, LOW_ARGS> slots = {};
    for (int arg = 0; arg < LOW_ARGS; ++arg) slots[size_t(arg)] = static_cast<signed char>(find_slot(arg));
    return slots;
}();

// Returns NO_SLOT for an argument that no primitive has.
constexpr slot slot_of(int arg) {
    return 0 <= arg && arg < LOW_ARGS ? slot(SLOT_OF_LOW_ARG[size_t(arg)]) : find_slot(arg);
}

enum class role { absent, input, output, ignored /* may be given, but is neither read nor written */ };

struct tensor {
    role use;
    const memory_desc *md; // belongs to `described`; empty if the tensor is absent
};

// The table of tensors in jitnorm.h, as code.
tensor tensor_of(const described &what, slot s);

} // namespace jitnorm::impl::api
