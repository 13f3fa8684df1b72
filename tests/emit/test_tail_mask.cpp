// SPDX-License-Identifier: Apache-2.0
// tail_mask touches the elements that are there and no byte more, on both sides of a guard page.
#include "jit/emit/tail_mask.hpp"
#include "rig/guarded_buffer.hpp"
#include "small_function.hpp"

namespace jitnorm::tests {
namespace {

template <typename On>
class tail_mask : public emitter<On> {};
TYPED_TEST_SUITE(tail_mask, every_isa_and_type);

// out = in + 1 where there are elements; zero_absent keeps the ones out of the rest, which is then stored whole.
TYPED_TEST(tail_mask, load_zero_store) {
    using vector = typename TestFixture::vmm;
    using T = typename TestFixture::compute_type;
    const small_function masked([&](Xbyak::CodeGenerator &g) {
        impl::jit::tail_mask<TestFixture::I, typename TestFixture::compute_type> mask(g, vector(3));
        g.lea(g.r8, g.ptr[g.rsi + 31 * int(sizeof(T))]); // holds 1
        mask.prepare(g.rdx, g.rax, g.rcx);
        mask.load(vector(0), g.rdi);
        mask.store(g.rsi, vector(0));
        const impl::jit::vector_ops<T> ops(g);
        ops.broadcast(vector(1), g.ptr[g.r8]);
        ops.add(vector(0), vector(0), vector(1));
        mask.zero_absent(vector(0));
        g.vmovups(g.ptr[g.rsi + 16 * int(sizeof(T))], vector(0));
        g.vzeroupper();
        g.ret();
        mask.emit_table();
    });
    for (int count = 1; count < TestFixture::WIDTH; ++count) {
        const guarded_buffer in(size_t(count) * sizeof(T), guard_side::after);
        for (int i = 0; i < count; ++i) in.as<T>()[i] = T(i + 1);
        alignas(64) T out[32];
        std::fill(std::begin(out), std::end(out), T(-1));
        out[31] = 1;
        masked(in.data(), out, count);
        for (int i = 0; i < TestFixture::WIDTH; ++i) {
            EXPECT_EQ(out[i], i < count ? T(i + 1) : T(-1));
            EXPECT_EQ(out[16 + i], i < count ? T(i + 2) : T(0));
        }
    }
}

TYPED_TEST(tail_mask, store_stops_at_the_end) {
    using vector = typename TestFixture::vmm;
    using T = typename TestFixture::compute_type;
    const small_function masked([&](Xbyak::CodeGenerator &g) {
        impl::jit::tail_mask<TestFixture::I, typename TestFixture::compute_type> mask(g, vector(3));
        mask.prepare(g.rdx, g.rax, g.rcx);
        g.vxorps(vector(0), vector(0), vector(0));
        mask.store(g.rsi, vector(0));
        g.vzeroupper();
        g.ret();
        mask.emit_table();
    });
    for (int count = 1; count < TestFixture::WIDTH; ++count) {
        const guarded_buffer out(size_t(count) * sizeof(T), guard_side::after);
        masked(nullptr, out.data(), count);
        for (int i = 0; i < count; ++i) EXPECT_EQ(out.as<T>()[i], T(0));
        EXPECT_TRUE(out.slack_untouched());
    }
}

} // namespace
} // namespace jitnorm::tests
