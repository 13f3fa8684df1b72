// SPDX-License-Identifier: Apache-2.0
// tensors: the list of all tensors that a problem may have (tables/tensors.inc). Whoever goes through a problem's
// tensors (the arguments of an execution, reasons of refusals, sizes, layouts, tensors that share memory, panels of
// rows) loops over this list. problem::use_of() says which of them a problem reads and writes, problem::layout() has
// their descriptors.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <iterator>

#include "attributes.hpp"
#include "jitnorm/jitnorm_types.h"

namespace jitnorm::impl::layer_norm {

struct problem;
struct plan;
class row_groups;

// A slot is the small number of a tensor.
enum slot : int {
#define TENSOR(place, ...) place,
#define ATTR_SCALE(place, ...) place,
#define FURTHER_OUTPUT(place, ...) place,
#include "../../tables/tensors.inc"
    FIRST_POST_OP, // src1 of binary post-op i is FIRST_POST_OP + i
    SLOT_COUNT = FIRST_POST_OP + MAX_POST_OPS,
    NO_SLOT = -1
};

constexpr slot post_op_slot(size_t post_op) { return slot(size_t(FIRST_POST_OP) + post_op); }

// The bit of a slot in a set of slots.
constexpr unsigned bit_of(slot s) { return 1U << unsigned(s); }

// The dimensions that a tensor has.
enum class extent {
    rows,       // of src
    statistics, // the dimensions of src that count rows
    columns,    // one, of C elements; scale, shift and the gate may also have row dimensions (row_groups.hpp)
    gradient,   // of scale, shift or gate; in a partial problem, one row of C elements for each part of the sums
    scale,      // one element; or one for each row or group of columns, if the library finds the scales
    row_sums,   // the dimensions of src that count rows, and one for the numbers of a row
    bytes
};

struct tensor_kind {
    slot place;
    int arg;              // JITNORM_ARG_...
    const char *arg_name; // as text, without JITNORM_ARG_
    const char *name;     // for the reasons of refusals
    extent dims;
    // The slot whose descriptor in the problem is the tensor's. NO_SLOT: the problem has none, because the dimensions
    // follow from other tensors, and the type from an attribute or from the tensor whose gradient this is.
    slot descriptor;
    const char *knob = nullptr; // of a further output (tables/outputs.inc)
};

constexpr bool has_descriptor(const tensor_kind &t) { return t.descriptor == t.place; } // of its own

// The outputs of tables/outputs.inc: of forward only, in f32, bf16, f16 or f64.
constexpr bool is_further_output(const tensor_kind &t) { return t.knob != nullptr; }

// Each slot before FIRST_POST_OP, in order.
inline constexpr std::array TENSORS = {
#define TENSOR(place, arg, name, dims, descriptor)                                                                     \
    tensor_kind{place, JITNORM_ARG_##arg, #arg, name, extent::dims, descriptor},
#define ATTR_SCALE(place, data, name, md)                                                                              \
    tensor_kind{place, JITNORM_ARG_ATTR_SCALES | JITNORM_ARG_##data, "ATTR_SCALES|" #data, name, extent::scale, md},
#define FURTHER_OUTPUT(place, number, attribute, name, knob, meaning)                                                  \
    tensor_kind{place, JITNORM_ARG_DST_##number, "DST_" #number, name, extent::rows, place, knob},
#include "../../tables/tensors.inc"
};

constexpr int arg_of(slot s) {
    return s < FIRST_POST_OP ? TENSORS[size_t(s)].arg
                             : JITNORM_ARG_ATTR_MULTIPLE_POST_OP(s - FIRST_POST_OP) | JITNORM_ARG_SRC_1;
}

// Returns NO_SLOT for an argument that no primitive has.
[[gnu::noinline]] constexpr slot find_slot(int arg) {
    if (arg >= JITNORM_ARG_ATTR_MULTIPLE_POST_OP_BASE) {
        const int post_op = arg / JITNORM_ARG_ATTR_MULTIPLE_POST_OP_BASE - 1;
        const bool is_src1 = arg % JITNORM_ARG_ATTR_MULTIPLE_POST_OP_BASE == JITNORM_ARG_SRC_1;
        return is_src1 && post_op < MAX_POST_OPS ? post_op_slot(size_t(post_op)) : NO_SLOT;
    }
    for (int s = FIRST_POST_OP - 1; s >= 0; --s)
        if (arg_of(slot(s)) == arg) return slot(s);
    return NO_SLOT;
}

constexpr int LOW_ARGS = JITNORM_ARG_DIFF_SHIFT + 1; // the arguments below are in the table
inline constexpr auto SLOT_OF_LOW_ARG = [] {
    std::array<signed char, LOW_ARGS> slots = {};
    for (int arg = 0; arg < LOW_ARGS; ++arg) slots[size_t(arg)] = static_cast<signed char>(find_slot(arg));
    return slots;
}();

inline slot slot_of(int arg) {
    return 0 <= arg && arg < LOW_ARGS ? slot(SLOT_OF_LOW_ARG[size_t(arg)]) : find_slot(arg);
}

constexpr const char *tensor_name(slot s) {
    return s < FIRST_POST_OP ? TENSORS[size_t(s)].name : "src1 of a binary post-op";
}

constexpr const char *STATISTICS = "statistics (mean and variance)"; // for the reasons of refusals

// The tensors with one value for each row, in the order of their slots.
inline constexpr std::array ROW_STATISTICS = {MEAN, VARIANCE};
static_assert(std::ranges::count(TENSORS, extent::statistics, &tensor_kind::dims) == std::ssize(ROW_STATISTICS));

// How an execution uses a tensor.
enum class use { absent, read, written, updated /* read, then written */ };

// The outputs that a problem may omit (problem::omitted).
constexpr unsigned OMITTABLE =
    bit_of(DST) | bit_of(MEAN) | bit_of(VARIANCE) | bit_of(DIFF_SRC) | bit_of(DIFF_SCALE) | bit_of(DIFF_SHIFT);

// The arguments of one execution: a pointer for each slot, which is the tensor's data handle, to which offset0 is not
// added yet. It may have any alignment (bytes.hpp), and is null where the problem has no such tensor. The caller owns
// the memory. Executors do not write to inputs.
class arguments {
public:
    void *operator[](slot s) const { return (set_ >> s & 1) != 0 ? pointers_[s] : nullptr; }
    void *given(slot s) const { return pointers_[s]; } // of a slot that has been set, whether or not it is marked
    void set(slot s, const void *pointer) {
        pointers_[s] = const_cast<void *>(pointer);
        set_ |= uint64_t(1) << s;
    }
    // The same in two steps. Only given() sees what is not marked.
    void put_unmarked(slot s, void *pointer) { pointers_[s] = pointer; }
    void mark_as_set(uint64_t slots) { set_ |= slots; }

    // Only for a problem with run-time sizes: the same problem with the sizes of this execution, and the plan for it.
    const problem *sizes = nullptr;
    const plan *planned = nullptr;
    // If not null, `sizes` is one group of rows (row_groups.hpp), and the tensors hold all groups. The executor makes
    // all that it needs for these sizes once, before it writes anything, and then executes each group.
    const row_groups *groups = nullptr;

private:
    static_assert(SLOT_COUNT < 64);
    uint64_t set_ = 0;           // bit s: whether slot s has been set
    void *pointers_[SLOT_COUNT]; // undefined until then: to clear them took a seventh of an execution of a short row
};

} // namespace jitnorm::impl::layer_norm
