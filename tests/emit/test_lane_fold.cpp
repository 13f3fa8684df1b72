// SPDX-License-Identifier: Apache-2.0
// lane_fold adds lanes in the defined order: with values whose sum depends on the order, only that order gives the
// bits.
#include <random>
#include <vector>

#include "arithmetic/lanes.hpp"
#include "jit/emit/lane_fold.hpp"
#include "small_function.hpp"

namespace jitnorm::tests {
namespace {

using impl::layer_norm::FORWARD_LANES;

template <typename On>
class lane_fold : public emitter<On> {};
TYPED_TEST_SUITE(lane_fold, every_isa_and_type);

TYPED_TEST(lane_fold, order) {
    using vector = typename TestFixture::vmm;
    using T = typename TestFixture::compute_type;
    const small_function fold([&](Xbyak::CodeGenerator &g) {
        std::vector<vector> lanes;
        for (int i = 0; i < FORWARD_LANES<T> / TestFixture::WIDTH; ++i) {
            lanes.emplace_back(i);
            g.vmovups(lanes.back(), g.ptr[g.rdi + i * impl::jit::vector_traits<TestFixture::I>::bytes]);
        }
        impl::jit::lane_fold<TestFixture::I, T>(g, Xbyak::Xmm(9)).to_lowest(lanes);
        impl::jit::vector_ops<T>(g).store_lowest(g.ptr[g.rsi], Xbyak::Xmm(0));
        g.vzeroupper();
        g.ret();
    });
    std::mt19937 generator(11);
    std::uniform_real_distribution<T> exponent(-12, 12);
    for (int trial = 0; trial < 1000; ++trial) {
        T lanes[FORWARD_LANES<T>], got = 0;
        for (T &lane : lanes) lane = std::exp2(exponent(generator)) * (trial % 2 ? 1 : -1);
        fold(lanes, &got, 0);
        EXPECT_EQ(got, impl::layer_norm::fold(lanes));
    }
}

// A vector in order to its place of a crossed pair, and pairs of lanes that are crossed.
TEST(crossing, spread_and_fold) {
    if (!impl::jit::is_allowed(impl::jit::isa::avx2)) GTEST_SKIP() << "this processor lacks AVX2";
    constexpr int LANES = FORWARD_LANES<float>, WIDTH = 8;
    const small_function fold([](Xbyak::CodeGenerator &g) {
        const std::vector<Xbyak::Ymm> sums = {g.ymm0, g.ymm1, g.ymm2, g.ymm3};
        for (const auto &sum : sums) g.vxorps(sum, sum, sum);
        for (int i = 0; i < LANES / WIDTH; ++i) {
            const std::vector<Xbyak::Ymm> pair = {g.ymm4, g.ymm5};
            g.vmovups(pair[size_t(i % 2)], g.ptr[g.rdi + i * WIDTH * int(sizeof(float))]);
            impl::jit::crossing(g).spread(pair[0], pair[1], i % 2 == 1);
            for (size_t j = 0; j < 2; ++j) {
                const auto &sum = sums[size_t(i - i % 2) + j];
                g.vaddps(sum, sum, pair[j]);
            }
        }
        impl::jit::lane_fold<isa::avx2, float>(g, g.xmm9, true).to_lowest(sums);
        g.vmovss(g.ptr[g.rsi], g.xmm0);
        g.vzeroupper();
        g.ret();
    });
    std::mt19937 generator(13);
    std::uniform_real_distribution<float> exponent(-12, 12);
    for (int trial = 0; trial < 1000; ++trial) {
        float lanes[LANES], got = 0;
        for (float &lane : lanes) lane = std::exp2(exponent(generator));
        fold(lanes, &got, 0);
        EXPECT_EQ(got, impl::layer_norm::fold(lanes));
    }
}

// The sums s and q of eight rows, each of eight lanes.
TEST(fold_of_eight, order) {
    if (!impl::jit::is_allowed(impl::jit::isa::avx2)) GTEST_SKIP() << "this processor lacks AVX2";
    constexpr int ROWS = 8, LANES = 8;
    const small_function fold_eight([](Xbyak::CodeGenerator &g) {
        impl::jit::fold_of_eight fold(g, {g.ymm0, g.ymm1, g.ymm2, g.ymm3}, g.ymm4);
        g.push(g.rbp);
        g.mov(g.rbp, g.rsp);
        g.sub(g.rsp, ROWS * fold.ROW_BYTES);
        g.and_(g.rsp, -fold.ROW_BYTES);
        for (int row = 0; row < ROWS; ++row) {
            g.vmovups(g.ymm6, g.ptr[g.rdi + row * 2 * LANES * int(sizeof(float))]);
            g.vmovups(g.ymm7, g.ptr[g.rdi + (row * 2 + 1) * LANES * int(sizeof(float))]);
            fold.keep(g.ptr[g.rsp + row * fold.ROW_BYTES], g.ymm6, g.ymm7);
        }
        fold.fold(Xbyak::RegExp(g.rsp), [&](int row, const Xbyak::Ymm &sums) {
            g.vmovups(g.ptr[g.rsi + row * int(sizeof(float))], Xbyak::Xmm(sums.getIdx()));
            g.vextractf128(g.ptr[g.rsi + (ROWS + row) * int(sizeof(float))], sums, 1);
        });
        g.mov(g.rsp, g.rbp);
        g.pop(g.rbp);
        g.vzeroupper();
        g.ret();
    });
    std::mt19937 generator(12);
    std::uniform_real_distribution<float> exponent(-12, 12);
    for (int trial = 0; trial < 1000; ++trial) {
        float lanes[ROWS][2][LANES], got[2][ROWS];
        for (auto &row : lanes)
            for (auto &sum : row)
                for (float &lane : sum) lane = std::exp2(exponent(generator));
        fold_eight(lanes, got, 0);
        for (int row = 0; row < ROWS; ++row)
            for (int sum = 0; sum < 2; ++sum)
                EXPECT_EQ(got[sum][row], impl::layer_norm::fold(lanes[row][sum])) << row << (sum ? " q" : " s");
    }
}

} // namespace
} // namespace jitnorm::tests
