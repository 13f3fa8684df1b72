// SPDX-License-Identifier: Apache-2.0
// The source of rows that are sums with a residual: where it shows them, and when it writes them.
#include "forward/rows_with_sums.hpp"

#include <optional>

#include "layout/rows_in_place.hpp"
#include "residual_setup.hpp"

namespace jitnorm::tests {
namespace {

// One row of ones and twos whose sums have a tile of their own, and a cursor at it.
class tiled_sum {
public:
    static constexpr dim_t C = 64;
    using source = impl::layer_norm::rows_with_sums<float, impl::layer_norm::rows_in_place>;

    explicit tiled_sum(isa vectors, const char *sum_layout) {
        setup s = setup_of_sum(1, C, jitnorm_f32, jitnorm_bf16);
        s.residual.sum = sum_layout;
        p_ = make_problem(s);
        how_ = plan_of(jit_for(vectors), p_, impl::the_machine());
        EXPECT_NE(how_.sum_pitch, 0);
        rows_.emplace(p_, how_, std::make_shared<const impl::layer_norm::forward_kernels<float>>(p_, vectors));
    }

    template <typename Body> // void(source::cursor &)
    void visit(Body &&body) {
        const guarded_buffer tiles(how_.scratchpad.bytes(), guard_side::before);
        impl::layer_norm::arguments args;
        args.set(impl::layer_norm::SRC, src_.data());
        args.set(impl::layer_norm::RESIDUAL, added_.data());
        args.set(impl::layer_norm::SUM, sum.data());
        args.set(impl::layer_norm::DST, dst_.data());
        source::cursor at(*rows_, args, static_cast<std::byte *>(tiles.data()));
        bool was_there = false;
        at.for_each_batch({0, 1}, 1, 1, [&](dim_t, dim_t) {
            body(at);
            was_there = true;
        });
        EXPECT_TRUE(was_there);
    }

    std::vector<uint16_t> sum = std::vector<uint16_t>(size_t(C));

private:
    problem p_;
    plan how_;
    std::optional<source> rows_;
    std::vector<float> src_ = std::vector<float>(size_t(C), 1), added_ = std::vector<float>(size_t(C), 2),
                       dst_ = std::vector<float>(size_t(C));
};

class rows_with_sums : public on_isa {};

// Of whole rows in the tile, some columns are where the rows have them.
TEST_P(rows_with_sums, sums_that_are_there_are_shown_where_they_are) {
    tiled_sum(GetParam(), "").visit([](auto &at) {
        const auto all = at.open({0, 1}, {0, tiled_sum::C}), some = at.open({0, 1}, {16, 32});
        EXPECT_EQ(some[0].first, all[0].first + 16 * sizeof(float));
    });
}

// Some columns that were asked for to be read are written when they are asked for again.
TEST_P(rows_with_sums, sums_that_were_only_read_are_yet_to_be_written) {
    tiled_sum one(GetParam(), "dense");
    one.visit([&](auto &at) {
        at.open_to_read({0, 1}, {16, 32});
        EXPECT_EQ(one.sum, std::vector<uint16_t>(size_t(tiled_sum::C)));
        at.open({0, 1}, {16, 32});
        for (size_t c = 0; c < one.sum.size(); ++c) EXPECT_EQ(one.sum[c], c / 16 == 1 ? 0x4040 : 0) << c; // 3
    });
}

INSTANTIATE_TEST_SUITE_P(native, rows_with_sums, testing::Values(isa::avx2, isa::avx512), on_isa::name);

} // namespace
} // namespace jitnorm::tests
