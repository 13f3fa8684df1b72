// SPDX-License-Identifier: Apache-2.0
// executor: a problem made ready to run, and its arguments: what one execution reads and writes, as a pointer for each
// slot.
#pragma once

#include <cstddef>
#include <cstring>
#include <utility>

#include "tensors.hpp"

namespace jitnorm::impl::layer_norm {

struct problem;
struct plan;

// Each pointer is the tensor's data handle: the descriptor's offset0 is not yet added. It may have any alignment
// (bytes.hpp). It is null where the problem has no such tensor. The caller owns the memory. Executors do not write to
// inputs.
class arguments {
public:
    // The pointers of post-ops are undefined until they are set, because clearing 32 of them takes time. There is no
    // loop, because compilers turn it into a string instruction, which takes longer than a store for each two.
    arguments() {
        [&]<size_t... I>(std::index_sequence<I...>) __attribute__((always_inline)) {
            (std::memset(pointers_ + 2 * I, 0, 2 * sizeof(pointers_[0])), ...);
        }
        (std::make_index_sequence<(FIRST_POST_OP + 1) / 2>());
    }

    void *operator[](slot s) const { return pointers_[s]; }
    void set(slot s, const void *pointer) { pointers_[s] = const_cast<void *>(pointer); }

    // Only for a problem with run-time sizes: the same problem with the sizes of this execution, and the plan for it.
    const problem *sizes = nullptr;
    const plan *planned = nullptr;

private:
    void *pointers_[SLOT_COUNT];
};

// Executors are immutable, and several threads may execute one at once: all that changes is in the memory that the
// arguments point to.
class executor {
public:
    executor() = default;
    executor(const executor &) = delete;
    executor &operator=(const executor &) = delete;
    virtual ~executor() = default;

    virtual jitnorm_status_t execute(const arguments &args) const = 0;
};

} // namespace jitnorm::impl::layer_norm
