// SPDX-License-Identifier: Apache-2.0
// block_loop adds up a chunk in the order that docs/arithmetic.md, "Sums", defines: with values whose sum depends on
// the order, only that order gives the bits.
#include <cmath>
#include <random>
#include <vector>

#include "arithmetic/lanes.hpp"
#include "jit/emit/block_loop.hpp"
#include "jit/emit/element_io.hpp"
#include "jit/emit/lane_fold.hpp"
#include "small_function.hpp"

namespace jitnorm::tests {
namespace {

using impl::layer_norm::BACKWARD_LANES;
using impl::layer_norm::BLOCK;
using impl::layer_norm::CHUNK;

template <typename On>
class block_loop : public emitter<On> {};
TYPED_TEST_SUITE(block_loop, every_isa_and_type);

// The sum of rdx numbers at rdi, over BACKWARD_LANES, to rsi.
template <typename On>
void sum_up(Xbyak::CodeGenerator &g) {
    using T = typename On::compute_type;
    constexpr isa I = On::value;
    using vector = typename impl::jit::vector_traits<I>::vmm;
    constexpr size_t VECTORS = BACKWARD_LANES<T> / impl::jit::VECTOR_WIDTH<I, T>;
    impl::jit::tail_mask<I, T> tail(g, vector(15));
    const impl::jit::row_walker<I, T> walker(g, g.rax, g.rcx);
    impl::jit::element_io<I, T> io(g, tail, walker, g.r9);
    impl::jit::block_loop<I, T> blocks(g, walker, g.rdx, g.r8);
    const auto lanes = impl::jit::registers_from<vector, VECTORS>(0);
    const impl::jit::vector_ops<T> ops(g);
    g.push(g.rbp);
    g.mov(g.rbp, g.rsp);
    g.sub(g.rsp, 64 * VECTORS);
    g.and_(g.rsp, -64);
    tail.prepare(g.rdx, g.r8, g.r9);
    blocks.sum(lanes, int(VECTORS), [&](impl::jit::places vectors) {
        for (const auto &p : vectors) {
            io.load(vector(8), g.rdi, p, impl::jit::data_type_of<T>);
            ops.add(lanes[size_t(p.slot)], lanes[size_t(p.slot)], vector(8));
        }
    });
    ops.store_lowest(g.ptr[g.rsi], impl::jit::lane_fold<I, T>(g, Xbyak::Xmm(9)).to_lowest(lanes));
    g.mov(g.rsp, g.rbp);
    g.pop(g.rbp);
    g.vzeroupper();
    g.ret();
    tail.emit_table();
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
    return impl::layer_norm::fold(chunk);
}

TYPED_TEST(block_loop, order) {
    using T = typename TestFixture::compute_type;
    const small_function sum([](Xbyak::CodeGenerator &g) { sum_up<TypeParam>(g); });
    std::mt19937 generator(13);
    std::uniform_real_distribution<T> exponent(-12, 12);
    std::vector<T> x(CHUNK);
    for (T &value : x) value = std::exp2(exponent(generator));
    for (impl::dim_t count : {1, 15, 16, 17, 40, 511, 512, 513, 540, 1023, 1024, 1025, 1536, 2000, 4095, 4096}) {
        T got = -1;
        sum(x.data(), &got, count);
        EXPECT_EQ(got, sum_by_definition(x.data(), count)) << count;
    }
}

} // namespace
} // namespace jitnorm::tests
