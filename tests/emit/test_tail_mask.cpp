// SPDX-License-Identifier: Apache-2.0
// tail_mask touches the elements that are there and no byte more, on both sides of a guard page.
#include "jit/emit/loops.hpp"
#include "rig/guarded_buffer.hpp"
#include "small_function.hpp"

namespace jitnorm::tests {
namespace {

class tail_mask : public emitter {};

// out = in + 1 where there are elements; zero_absent keeps the ones out of the rest, which is then stored whole.
TEST_P(tail_mask, load_zero_store) {
    const small_function masked = function([](kernel_generator &g) {
        impl::jit::tail_mask mask(g, g.vector(3));
        const vmm x = g.vector(0), one = g.vector(1);
        mask.prepare(g.rdx, g.rax, g.rcx);
        mask.load(x, g.rdi);
        mask.store(g.rsi, x);
        g.ops.broadcast(one, g.number(1));
        g.ops.add(x, x, one);
        mask.zero_absent(x);
        g.vmovups(g.ptr[g.rsi + 16 * g.kind.element()], x);
    });
    with_number([&]<typename T>(T) {
        for (int count = 1; count < kind.width(); ++count) {
            const guarded_buffer in(size_t(count) * sizeof(T), guard_side::after);
            for (int i = 0; i < count; ++i) in.as<T>()[i] = T(i + 1);
            alignas(64) T out[32];
            std::fill(std::begin(out), std::end(out), T(-1));
            masked(in.data(), out, count);
            for (int i = 0; i < kind.width(); ++i) {
                EXPECT_EQ(out[i], i < count ? T(i + 1) : T(-1));
                EXPECT_EQ(out[16 + i], i < count ? T(i + 2) : T(0));
            }
        }
    });
}

TEST_P(tail_mask, store_stops_at_the_end) {
    const small_function masked = function([](kernel_generator &g) {
        impl::jit::tail_mask mask(g, g.vector(3));
        mask.prepare(g.rdx, g.rax, g.rcx);
        g.ops.clear(g.vector(0));
        mask.store(g.rsi, g.vector(0));
    });
    with_number([&]<typename T>(T) {
        for (int count = 1; count < kind.width(); ++count) {
            const guarded_buffer out(size_t(count) * sizeof(T), guard_side::after);
            masked(nullptr, out.data(), count);
            for (int i = 0; i < count; ++i) EXPECT_EQ(out.as<T>()[i], T(0));
            EXPECT_TRUE(out.slack_untouched());
        }
    });
}

JITNORM_EVERY_KIND(tail_mask);

} // namespace
} // namespace jitnorm::tests
