// SPDX-License-Identifier: Apache-2.0
// blocked_sum adds up a chunk in the order that docs/arithmetic.md, "Sums", defines: with values whose sum depends on
// the order, only that order gives the bits.
#include <cmath>
#include <random>
#include <vector>

#include "jit/emit/sums.hpp"
#include "math/constants.hpp"
#include "small_function.hpp"

namespace jitnorm::tests {
namespace {

using impl::layer_norm::BACKWARD_LANES;
using impl::layer_norm::BLOCK;
using impl::layer_norm::CHUNK;

class blocked_sum : public emitter {};

// The sum of rdx numbers at rdi, over BACKWARD_LANES, to rsi.
void sum_up(kernel_generator &g) {
    const int vectors_of_sum = impl::jit::backward_vectors(g.kind);
    impl::jit::tail_mask tail(g, g.vector(15));
    const impl::jit::vector_loop loop(g, g.rax, g.rcx);
    impl::jit::element_io io(g, tail, loop, g.r9);
    impl::jit::blocked_sum blocks(g, loop, g.rdx, g.r8);
    const std::vector<vmm> lanes = g.registers.take_vectors(vectors_of_sum);
    g.push(g.rbp);
    g.mov(g.rbp, g.rsp);
    g.sub(g.rsp, 64 * vectors_of_sum);
    g.and_(g.rsp, -64);
    tail.prepare(g.rdx, g.r8, g.r9);
    blocks.sum(lanes, vectors_of_sum, [&](places vectors) {
        for (const auto &p : vectors) {
            io.load(g.vector(8), g.rdi, p, g.kind.compute);
            g.ops.add(lanes[size_t(p.slot)], lanes[size_t(p.slot)], g.vector(8));
        }
    });
    g.ops.store_lowest(g.ptr[g.rsi], impl::jit::horizontal_sum(g, g.vector(9)).to_lowest(lanes));
    g.mov(g.rsp, g.rbp);
    g.pop(g.rbp);
}

template <typename T>
T sum_by_definition(const T *x, impl::dim_t count) {
    constexpr impl::dim_t LANES = BACKWARD_LANES<T>;
    T chunk[LANES] = {};
    for (impl::dim_t begin = 0; begin < count; begin += BLOCK) {
        T block[LANES] = {};
        for (impl::dim_t i = begin; i < std::min(begin + BLOCK, count); ++i) block[(i - begin) % LANES] += x[i];
        for (impl::dim_t l = 0; l < LANES; ++l) chunk[l] += block[l];
    }
    return impl::layer_norm::horizontal_sum(chunk);
}

TEST_P(blocked_sum, order) {
    const small_function sum = function(sum_up);
    with_number([&]<typename T>(T) {
        std::mt19937 generator(13);
        std::uniform_real_distribution<T> exponent(-12, 12);
        std::vector<T> x(CHUNK);
        for (T &value : x) value = std::exp2(exponent(generator));
        for (impl::dim_t count : {1, 15, 16, 17, 40, 511, 512, 513, 540, 1023, 1024, 1025, 1536, 2000, 4095, 4096}) {
            T got = -1;
            sum(x.data(), &got, count);
            EXPECT_EQ(got, sum_by_definition(x.data(), count)) << count;
        }
    });
}

JITNORM_EVERY_KIND(blocked_sum);

} // namespace
} // namespace jitnorm::tests
