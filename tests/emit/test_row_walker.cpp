// SPDX-License-Identifier: Apache-2.0
// row_walker visits every vector of a row once, in its slot, whole ones before the incomplete one, for any count.
#include <vector>

#include "jit/emit/row_walker.hpp"
#include "small_function.hpp"

namespace jitnorm::tests {
namespace {

template <typename On>
class row_walker : public emitter<On> {};
TYPED_TEST_SUITE(row_walker, every_isa_and_type);

// What the walked code counts: visits by slot, whole and incomplete, and where the last position was.
struct visits {
    int64_t whole[8] = {}, incomplete[8] = {};
};

TYPED_TEST(row_walker, counts) {
    for (int unroll : {1, 2, 4}) {
        const small_function walked([&](Xbyak::CodeGenerator &g) {
            impl::jit::row_walker<TestFixture::I, typename TestFixture::compute_type> walker(g, g.rax, g.rdx);
            g.xor_(g.eax, g.eax);
            walker.walk(unroll, [&](impl::jit::places vectors) {
                for (const auto &p : vectors)
                    g.inc(g.qword[g.rsi + (p.tail ? offsetof(visits, incomplete) : offsetof(visits, whole)) +
                                  size_t(p.slot) * sizeof(int64_t)]);
            });
            g.ret();
        });
        for (int count = 0; count <= 9 * TestFixture::WIDTH + 1; ++count) {
            visits got;
            walked(nullptr, &got, count);
            const int vectors = count / TestFixture::WIDTH, rest = count % TestFixture::WIDTH;
            for (int slot = 0; slot < unroll; ++slot) {
                EXPECT_EQ(got.whole[slot], vectors / unroll + (slot < vectors % unroll)) << count << " slot " << slot;
                EXPECT_EQ(got.incomplete[slot], rest != 0 && slot == vectors % unroll) << count << " slot " << slot;
            }
        }
    }
}

TYPED_TEST(row_walker, counts_freely) {
    const small_function walked([&](Xbyak::CodeGenerator &g) {
        impl::jit::row_walker<TestFixture::I, typename TestFixture::compute_type> walker(g, g.rax, g.rdx);
        g.xor_(g.eax, g.eax);
        walker.walk_freely(2, [&](impl::jit::places vectors) {
            for (const auto &p : vectors)
                g.inc(g.qword[g.rsi + (p.tail ? offsetof(visits, incomplete) : offsetof(visits, whole))]);
        });
        g.ret();
    });
    for (int count = 0; count <= 5 * TestFixture::WIDTH + 1; ++count) {
        visits got;
        walked(nullptr, &got, count);
        EXPECT_EQ(got.whole[0], count / TestFixture::WIDTH) << count;
        EXPECT_EQ(got.incomplete[0], count % TestFixture::WIDTH != 0) << count;
    }
}

// The addresses: copying through them copies every whole vector to its own place.
TYPED_TEST(row_walker, addresses) {
    using T = typename TestFixture::compute_type;
    constexpr int UNROLL = 2;
    const small_function copy([&](Xbyak::CodeGenerator &g) {
        impl::jit::row_walker<TestFixture::I, typename TestFixture::compute_type> walker(g, g.rax, g.rdx);
        g.xor_(g.eax, g.eax);
        walker.walk(UNROLL, [&](impl::jit::places vectors) {
            for (const auto &p : vectors) {
                if (p.tail) continue;
                const typename TestFixture::vmm v(p.slot);
                g.vmovups(v, g.ptr[walker.at(g.rdi, p, sizeof(T))]);
                g.vmovups(g.ptr[walker.at(g.rsi, p, sizeof(T))], v);
            }
        });
        g.vzeroupper();
        g.ret();
    });
    for (int vectors = 0; vectors <= 7; ++vectors) {
        const auto count = size_t(vectors * TestFixture::WIDTH);
        std::vector<T> in(count + 1), out(count + 1, -1);
        for (size_t i = 0; i < count; ++i) in[i] = T(i);
        copy(in.data(), out.data(), int64_t(count));
        for (size_t i = 0; i < count; ++i) EXPECT_EQ(out[i], T(i));
        EXPECT_EQ(out[count], -1);
    }
}

} // namespace
} // namespace jitnorm::tests
