// SPDX-License-Identifier: Apache-2.0
// The sums of lanes in the defined order: with values whose sum depends on the order, only that order gives the bits.
#include <random>
#include <vector>

#include "jit/emit/sums.hpp"
#include "math/constants.hpp"
#include "small_function.hpp"

namespace jitnorm::tests {
namespace {

using impl::layer_norm::FORWARD_LANES;

class horizontal_sum : public emitter {};

TEST_P(horizontal_sum, order) {
    const small_function add_up = function([](kernel_generator &g) {
        std::vector<vmm> lanes;
        for (int i = 0; i < impl::jit::forward_vectors(g.kind); ++i) {
            lanes.push_back(g.vector(i));
            g.vmovups(lanes.back(), g.ptr[g.rdi + i * g.kind.bytes()]);
        }
        g.ops.store_lowest(g.ptr[g.rsi], impl::jit::horizontal_sum(g, g.vector(9)).to_lowest(lanes));
    });
    with_number([&]<typename T>(T) {
        std::mt19937 generator(11);
        std::uniform_real_distribution<T> exponent(-12, 12);
        for (int trial = 0; trial < 1000; ++trial) {
            T lanes[FORWARD_LANES<T>], got = 0;
            for (T &lane : lanes) lane = std::exp2(exponent(generator)) * (trial % 2 ? 1 : -1);
            add_up(lanes, &got, 0);
            EXPECT_EQ(got, impl::layer_norm::horizontal_sum(lanes));
        }
    });
}

JITNORM_EVERY_KIND(horizontal_sum);

// A vector in plain order to its place of a pair in unpack order, and lanes in unpack order.
TEST(unpack_order, spread_and_add_up) {
    if (!impl::jit::is_allowed(impl::jit::isa::avx2)) GTEST_SKIP() << "this processor lacks AVX2";
    constexpr int LANES = FORWARD_LANES<float>, WIDTH = 8;
    const small_function add_up([](kernel_generator &g) {
        const std::vector<vmm> sums = {g.ymm0, g.ymm1, g.ymm2, g.ymm3};
        for (const auto &sum : sums) g.vxorps(sum, sum, sum);
        for (int i = 0; i < LANES / WIDTH; ++i) {
            const std::vector<Xbyak::Ymm> pair = {g.ymm4, g.ymm5};
            g.vmovups(pair[size_t(i % 2)], g.ptr[g.rdi + i * WIDTH * int(sizeof(float))]);
            impl::jit::spread_to_unpack_order(g, pair[0], pair[1], i % 2 == 1);
            for (size_t j = 0; j < 2; ++j) {
                const auto &sum = sums[size_t(i - i % 2) + j];
                g.vaddps(sum, sum, pair[j]);
            }
        }
        impl::jit::horizontal_sum(g, g.ymm9, true).to_lowest(sums);
        g.vmovss(g.ptr[g.rsi], g.xmm0);
    });
    std::mt19937 generator(13);
    std::uniform_real_distribution<float> exponent(-12, 12);
    for (int trial = 0; trial < 1000; ++trial) {
        float lanes[LANES], got = 0;
        for (float &lane : lanes) lane = std::exp2(exponent(generator));
        add_up(lanes, &got, 0);
        EXPECT_EQ(got, impl::layer_norm::horizontal_sum(lanes));
    }
}

// The sums s and q of eight rows, each of eight lanes.
TEST(sums_of_eight, order) {
    if (!impl::jit::is_allowed(impl::jit::isa::avx2)) GTEST_SKIP() << "this processor lacks AVX2";
    constexpr int ROWS = 8, LANES = 8;
    const small_function add_up([](kernel_generator &g) {
        impl::jit::sums_of_eight eight(g, {g.ymm0, g.ymm1, g.ymm2, g.ymm3}, g.ymm4);
        g.push(g.rbp);
        g.mov(g.rbp, g.rsp);
        g.sub(g.rsp, ROWS * eight.ROW_BYTES);
        g.and_(g.rsp, -eight.ROW_BYTES);
        for (int row = 0; row < ROWS; ++row) {
            g.vmovups(g.ymm6, g.ptr[g.rdi + row * 2 * LANES * int(sizeof(float))]);
            g.vmovups(g.ymm7, g.ptr[g.rdi + (row * 2 + 1) * LANES * int(sizeof(float))]);
            eight.keep(g.ptr[g.rsp + row * eight.ROW_BYTES], g.ymm6, g.ymm7);
        }
        eight.add_up(Xbyak::RegExp(g.rsp), [&](int row, const Xbyak::Ymm &sums) {
            g.vmovups(g.ptr[g.rsi + row * int(sizeof(float))], Xbyak::Xmm(sums.getIdx()));
            g.vextractf128(g.ptr[g.rsi + (ROWS + row) * int(sizeof(float))], sums, 1);
        });
        g.mov(g.rsp, g.rbp);
        g.pop(g.rbp);
    });
    std::mt19937 generator(12);
    std::uniform_real_distribution<float> exponent(-12, 12);
    for (int trial = 0; trial < 1000; ++trial) {
        float lanes[ROWS][2][LANES], got[2][ROWS];
        for (auto &row : lanes)
            for (auto &sum : row)
                for (float &lane : sum) lane = std::exp2(exponent(generator));
        add_up(lanes, got, 0);
        for (int row = 0; row < ROWS; ++row)
            for (int sum = 0; sum < 2; ++sum)
                EXPECT_EQ(got[sum][row], impl::layer_norm::horizontal_sum(lanes[row][sum]))
                    << row << (sum ? " q" : " s");
    }
}

} // namespace
} // namespace jitnorm::tests
