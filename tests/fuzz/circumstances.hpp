// SPDX-License-Identifier: Apache-2.0
// circumstances: the streams that all inputs share, and the choice of the implementation.
#pragma once

#include "jitnorm/jitnorm.h"
#include "run_one.hpp"
#include "support/jitnorm_handle.hpp"

namespace jitnorm::fuzz {

// Runs a thread pool's work on the executing thread, the last part first: work is cut as for several threads, and a
// dependence on the order shows.
inline void last_part_first(void *, int count, void (*body)(void *, int), void *argument) {
    for (int i = count - 1; i >= 0; --i) body(argument, i);
}

// On the executing thread, or by a pool that pretends to have three threads.
inline jitnorm_stream_t stream(bool in_parts) {
    static const tests::owned_stream whole = tests::make_stream({last_part_first, nullptr, 1});
    static const tests::owned_stream parts = tests::make_stream({last_part_first, nullptr, 3});
    return in_parts ? parts : whole;
}

// While one lives, new problems get the plain C++ reference: for interfaces whose callers do not choose an
// implementation.
class reference_only {
public:
    reference_only() { set(jitnorm_cpu_isa_sse41); }
    ~reference_only() { set(jitnorm_cpu_isa_default); }
    reference_only(const reference_only &) = delete;
    reference_only &operator=(const reference_only &) = delete;

private:
    static void set(jitnorm_cpu_isa_t cap) {
        require(jitnorm_set_max_cpu_isa(cap) == jitnorm_success, "instruction sets can be capped");
    }
};

} // namespace jitnorm::fuzz
