// SPDX-License-Identifier: Apache-2.0
// execute() allocates nothing: every allocation of this program is counted.
#include <cstdlib>
#include <new>

#include "forward_run.hpp"

namespace {
thread_local long allocations = 0;
} // namespace

// NOLINTBEGIN: replacing the global allocation functions is the point of this file
void *operator new(std::size_t size) {
    ++allocations;
    if (void *memory = std::malloc(size == 0 ? 1 : size)) return memory;
    throw std::bad_alloc();
}
void operator delete(void *memory) noexcept { std::free(memory); }
void operator delete(void *memory, std::size_t) noexcept { std::free(memory); }
// NOLINTEND

namespace jitnorm::tests {
namespace {

long allocations_in_execute(const implementation &entry, const problem &p) {
    std::vector<float> src(bytes(p.src) / sizeof(float)), dst(src.size()), statistics(size_t(p.rows())),
        scale(size_t(p.row_length()));
    std::vector<unsigned char> scratchpad(entry.scratchpad_bytes(p));
    const auto executor = entry.create(p);
    impl::layer_norm::arguments args;
    args.set(SRC, src.data());
    args.set(DST, dst.data());
    args.set(MEAN, statistics.data());
    args.set(VARIANCE, statistics.data());
    args.set(SCALE, scale.data());
    args.set(SHIFT, scale.data());
    args.set(SCRATCHPAD, scratchpad.data());
    executor->execute(args); // the first may start the runtime's threads
    const long before = allocations;
    executor->execute(args);
    return allocations - before;
}

TEST(allocation, is_counted) {
    const long before = allocations;
    operator delete(operator new(1)); // a call, which the compiler may not drop as it may a new expression
    EXPECT_EQ(allocations, before + 1);
}

TEST(allocation, execute_has_none) {
    using namespace impl::layer_norm;
    for (const implementation *entry : {&jit_avx512_forward, &jit_avx2_forward, &reference_entry})
        for (dim_t C : {3, 768, 10007}) {
            const problem p = forward_problem(40, C, jitnorm_use_scale | jitnorm_use_shift);
            if (!entry->refusal(p).empty()) continue;
            EXPECT_EQ(allocations_in_execute(*entry, p), 0) << entry->name << " " << C;
        }
}

} // namespace
} // namespace jitnorm::tests
