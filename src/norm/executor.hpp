// SPDX-License-Identifier: Apache-2.0
// executor: a problem made ready to run, and the arguments of one execution: a pointer for each slot.
#pragma once

#include <cstdint>

#include "tensors.hpp"

namespace jitnorm::impl::layer_norm {

struct problem;
struct plan;
class row_groups;

// Each pointer is the tensor's data handle, to which offset0 is not added yet. It may have any alignment (bytes.hpp),
// and is null where the problem has no such tensor. The caller owns the memory. Executors do not write to inputs.
class arguments {
public:
    void *operator[](slot s) const { return (set_ >> s & 1) != 0 ? pointers_[s] : nullptr; }
    void set(slot s, const void *pointer) {
        pointers_[s] = const_cast<void *>(pointer);
        set_ |= uint64_t(1) << s;
    }
    // The same in two steps. Nobody sees what is not marked.
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

// Executors are immutable, and several threads may execute one at once: only the memory of the arguments changes.
class executor {
public:
    executor() = default;
    executor(const executor &) = delete;
    executor &operator=(const executor &) = delete;
    virtual ~executor() = default;

    virtual jitnorm_status_t execute(const arguments &args) const = 0;
};

} // namespace jitnorm::impl::layer_norm
