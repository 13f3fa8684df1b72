// SPDX-License-Identifier: Apache-2.0
// What executions of forward do that the table of plans does not show: sums and operands in one loop over two batches,
// groups of a row, single batches.
#include <gtest/gtest.h>

#include "plans_on_machines.hpp"
#include "run/forward.hpp"
#include "run/make_plan.hpp"

namespace jitnorm::tests {
namespace {

class forward_plans : public plans_on_machines {};

// Sums with a residual are added and reduced while the batch before is written: in the output, where it holds the rows
// as they are normalized, and otherwise in two tiles; in place and not.
TEST_P(forward_plans, sums_in_one_loop) {
    for (const unsigned flags : {0U, unsigned(jitnorm_rms_norm)})
        for (const auto &[src, sum] : {std::pair(jitnorm_f32, jitnorm_f32), std::pair(jitnorm_f32, jitnorm_bf16),
                                       std::pair(jitnorm_bf16, jitnorm_bf16), std::pair(jitnorm_f64, jitnorm_f64)})
            for (const dim_t columns : {33, 100, 511, 513, 4096})
                for (const char *output : {"dense", ""}) {
                    setup s = in_place_of(jitnorm_forward_training, src, 37, columns);
                    s.flags |= flags;
                    s.residual = {.added = "dense", .sum = output, .type = src, .sum_type = sum};
                    EXPECT_TRUE(plan_of(s, NO_CACHES).on(2, true).one_loop) << s;
                    expect_reference(s, NO_CACHES);
                    s.residual.in_place = sum == src && output[0] != '\0';
                    s.in_place = true;
                    expect_reference(s, NO_CACHES);
                }
    setup longer = in_place_of(jitnorm_forward_training, jitnorm_f32, 7, 5000);
    longer.residual = {.added = "dense", .sum = "dense", .type = jitnorm_f32, .sum_type = jitnorm_f32};
    EXPECT_FALSE(plan_of(longer, NO_CACHES).on(1, true).one_loop) << "rows of more than a chunk";
}

// Operands of post-ops that are gathered have tiles for a chunk, also where the last batch of long rows is only
// written.
TEST_P(forward_plans, gathered_operands_in_one_loop) {
    for (const dim_t columns : {300, 4096, 5000, 9000}) {
        setup s = in_place_of(jitnorm_forward_training, jitnorm_f32, 5, columns);
        s.attr.post_ops.entries = {impl::binary_post_op{jitnorm_binary_mul, dense({5, columns}, jitnorm_f64)}};
        EXPECT_TRUE(plan_of(s, NO_CACHES).on(1, true).one_loop) << s;
        expect_reference(s, NO_CACHES);
    }
}

// Unless post-ops have operands.
TEST_P(forward_plans, groups_of_a_row_share_a_tile_where_a_batch_has_fewer_rows) {
    for (const auto type : FLOATING)
        for (const dim_t rows : {1, 37})
            for (const dim_t groups : {1, 4, 40, 160}) { // 160: more than a tile takes
                setup s = in_place_of(jitnorm_forward_training, type, rows, 640);
                s.flags = jitnorm_use_scale | jitnorm_use_shift;
                s.dst_type = groups == 4 ? jitnorm_f8_e4m3 : jitnorm_s8;
                s.dynamic_scales = scales_of(s.dims, groups);
                const auto groups_go_in_rows = [&] {
                    return quantizer(make_problem(s), plan_of(s, ROOMY)).takes_groups_of_a_row();
                };
                const plan how = plan_of(s, ROOMY);
                EXPECT_EQ(groups_go_in_rows(), groups > how.batch_rows) << s;
                for (const machine &m : MACHINES) expect_reference(s, m);
                s.pre_quantization = "dense";
                s.attr.post_ops.entries = {impl::eltwise_post_op{jitnorm_eltwise_swish, 1, 0}};
                EXPECT_EQ(groups_go_in_rows(), groups > how.batch_rows) << s;
                for (const machine &m : MACHINES) expect_reference(s, m);
                s.attr.post_ops.entries = {impl::binary_post_op{jitnorm_binary_mul, dense({1, 640})}};
                EXPECT_FALSE(groups_go_in_rows()) << s;
                for (const machine &m : MACHINES) expect_reference(s, m);
            }
}

// Where one batch on one thread is all, in tensors whose rows are evenly spaced.
TEST_P(forward_plans, single_batches) {
    const auto forward = [](dim_t rows, dim_t columns) {
        return in_place_of(jitnorm_forward_training, jitnorm_f32, rows, columns);
    };
    const auto laid_out = [&](const char *layout, const std::vector<dim_t> &dims) {
        setup s = forward(1, 1);
        s.dims = dims;
        s.src = s.dst = layout;
        return s;
    };
    const auto is_single = [&](const setup &s, const machine &m = ROOMY) {
        return takes_single_batch(make_problem(s), plan_of(s, m));
    };
    EXPECT_TRUE(is_single(forward(32, 192)));
    EXPECT_FALSE(is_single(forward(33, 192))) << "two batches";
    EXPECT_FALSE(is_single(forward(32, 192), NO_CACHES)) << "in one loop";
    EXPECT_FALSE(is_single(forward(32, 4096 * 8))) << "of several threads, in chunks";
    EXPECT_FALSE(is_single(laid_out("@ba", {32, 192}))) << "in tiles";
    EXPECT_FALSE(is_single(laid_out("@bac", {3, 5, 64}))) << "unevenly spaced";
    EXPECT_FALSE(is_single(in_place_of(jitnorm_backward, jitnorm_f32, 32, 192)));
    plan several = plan_of(forward(32, 192), ROOMY);
    several.row_threads = 2;
    EXPECT_FALSE(takes_single_batch(make_problem(forward(32, 192)), several));
}

INSTANTIATE_TEST_SUITE_P(native, forward_plans, testing::Values(isa::avx2, isa::avx512), on_isa::name);

} // namespace
} // namespace jitnorm::tests
