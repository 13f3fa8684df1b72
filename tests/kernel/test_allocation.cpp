// SPDX-License-Identifier: Apache-2.0
// execute() allocates nothing: every allocation of this program is counted.
#include <new>

#include "dispatch/prepare.hpp"
#include "support/allocation_failures.hpp"
#include "support/run.hpp"

namespace jitnorm::tests {
namespace {

long allocations_in_call(const implementation &entry, const run &r) {
    const guarded_buffer scratchpad(scratchpad_bytes(entry, r.p), guard_side::before);
    const auto executor = create(entry, r.p);
    EXPECT_EQ(r.call(*executor, scratchpad.data()), jitnorm_success); // the first may start the runtime's threads
    const long before = allocations;
    EXPECT_EQ(r.call(*executor, scratchpad.data()), jitnorm_success);
    return allocations - before;
}

TEST(allocation, is_counted) {
    const long before = allocations;
    operator delete(operator new(1)); // a call, which the compiler may not drop as it may a new expression
    EXPECT_EQ(allocations, before + 1);
}

TEST(allocation, execute_has_none) {
    for (const auto kind : {jitnorm_forward_training, jitnorm_backward})
        for (const char *layout : {"dense", "ba"})
            for (const dim_t columns : {3, 768, 10007}) {
                const run r({.kind = kind, .dims = {40, columns}, .src = layout, .dst = layout, .diff_src = layout});
                for (const implementation &entry : impl::layer_norm::implementations())
                    if (entry.refusal(r.p).empty()) {
                        EXPECT_EQ(allocations_in_call(entry, r), 0) << entry.name << ": " << describe(r.p);
                    }
            }
}

} // namespace
} // namespace jitnorm::tests
