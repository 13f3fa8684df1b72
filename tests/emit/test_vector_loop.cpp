// SPDX-License-Identifier: Apache-2.0
// vector_loop visits every vector of a row once, in its slot, whole ones before the incomplete one, for any count.
#include <vector>

#include "jit/emit/loops.hpp"
#include "small_function.hpp"

namespace jitnorm::tests {
namespace {

class vector_loop : public emitter {};

// The counts of the walked code: visits by slot, whole and incomplete, and where the last position was.
struct visits {
    int64_t whole[8] = {}, incomplete[8] = {};
};

TEST_P(vector_loop, counts) {
    for (int unroll : {1, 2, 4}) {
        const small_function walked = function([&](kernel_generator &g) {
            impl::jit::vector_loop loop(g, g.rax, g.rdx);
            g.xor_(g.eax, g.eax);
            loop.walk(unroll, [&](places vectors) {
                for (const auto &p : vectors)
                    g.inc(g.qword[g.rsi + (p.tail ? offsetof(visits, incomplete) : offsetof(visits, whole)) +
                                  size_t(p.slot) * sizeof(int64_t)]);
            });
        });
        for (int count = 0; count <= 9 * kind.width() + 1; ++count) {
            visits got;
            walked(nullptr, &got, count);
            const int vectors = count / kind.width(), rest = count % kind.width();
            for (int slot = 0; slot < unroll; ++slot) {
                EXPECT_EQ(got.whole[slot], vectors / unroll + (slot < vectors % unroll)) << count << " slot " << slot;
                EXPECT_EQ(got.incomplete[slot], rest != 0 && slot == vectors % unroll) << count << " slot " << slot;
            }
        }
    }
}

TEST_P(vector_loop, counts_freely) {
    const small_function walked = function([&](kernel_generator &g) {
        impl::jit::vector_loop loop(g, g.rax, g.rdx);
        g.xor_(g.eax, g.eax);
        loop.walk_freely(2, [&](places vectors) {
            for (const auto &p : vectors)
                g.inc(g.qword[g.rsi + (p.tail ? offsetof(visits, incomplete) : offsetof(visits, whole))]);
        });
    });
    for (int count = 0; count <= 5 * kind.width() + 1; ++count) {
        visits got;
        walked(nullptr, &got, count);
        EXPECT_EQ(got.whole[0], count / kind.width()) << count;
        EXPECT_EQ(got.incomplete[0], count % kind.width() != 0) << count;
    }
}

// The addresses: copying through them copies every whole vector to its own place.
TEST_P(vector_loop, addresses) {
    with_number([&]<typename T>(T) {
        constexpr int UNROLL = 2;
        const small_function copy = function([&](kernel_generator &g) {
            impl::jit::vector_loop loop(g, g.rax, g.rdx);
            g.xor_(g.eax, g.eax);
            loop.walk(UNROLL, [&](places vectors) {
                for (const auto &p : vectors) {
                    if (p.tail) continue;
                    const vmm v = g.vector(p.slot);
                    g.vmovups(v, g.ptr[loop.at(g.rdi, p, sizeof(T))]);
                    g.vmovups(g.ptr[loop.at(g.rsi, p, sizeof(T))], v);
                }
            });
        });
        for (int vectors = 0; vectors <= 7; ++vectors) {
            const auto count = size_t(vectors * kind.width());
            std::vector<T> in(count + 1), out(count + 1, -1);
            for (size_t i = 0; i < count; ++i) in[i] = T(i);
            copy(in.data(), out.data(), int64_t(count));
            for (size_t i = 0; i < count; ++i) EXPECT_EQ(out[i], T(i));
            EXPECT_EQ(out[count], -1);
        }
    });
}

JITNORM_EVERY_KIND(vector_loop);

} // namespace
} // namespace jitnorm::tests
