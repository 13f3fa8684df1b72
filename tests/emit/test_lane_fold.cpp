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
TYPED_TEST_SUITE(lane_fold, every_isa);

TYPED_TEST(lane_fold, order) {
    using vector = typename TestFixture::vmm;
    const small_function fold([&](Xbyak::CodeGenerator &g) {
        std::vector<vector> lanes;
        for (int i = 0; i < FORWARD_LANES<float> / TestFixture::WIDTH; ++i) {
            lanes.emplace_back(i);
            g.vmovups(lanes.back(), g.ptr[g.rdi + i * TestFixture::WIDTH * 4]);
        }
        impl::jit::emit_fold<TestFixture::I>(g, lanes, Xbyak::Xmm(9));
        g.vmovss(g.ptr[g.rsi], Xbyak::Xmm(0));
        g.vzeroupper();
        g.ret();
    });
    std::mt19937 generator(11);
    std::uniform_real_distribution<float> exponent(-12, 12);
    for (int trial = 0; trial < 1000; ++trial) {
        float lanes[FORWARD_LANES<float>], got = 0;
        for (float &lane : lanes) lane = std::exp2(exponent(generator)) * (trial % 2 ? 1.0F : -1.0F);
        fold(lanes, &got, 0);
        EXPECT_EQ(got, impl::layer_norm::fold(lanes));
    }
}

} // namespace
} // namespace jitnorm::tests
