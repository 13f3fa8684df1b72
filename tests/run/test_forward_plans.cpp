// SPDX-License-Identifier: Apache-2.0
// What executions of forward do that the table of plans does not show: groups of a row, single batches.
#include <gtest/gtest.h>

#include "plans_on_machines.hpp"
#include "run/forward.hpp"
#include "run/make_plan.hpp"

namespace jitnorm::tests {
namespace {

class forward_plans : public plans_on_machines {};

// With operands of post-ops one group at a time, otherwise as many as a tile takes.
TEST_P(forward_plans, groups_of_columns_with_scales) {
    for (const auto type : {jitnorm_f32, jitnorm_bf16, jitnorm_f16})
        for (const dim_t rows : {1, 37})
            for (const dim_t groups : {1, 4, 40, 160}) { // 160: more than a tile takes
                setup s = in_place_of(jitnorm_forward_training, type, rows, 640);
                s.flags = jitnorm_use_scale | jitnorm_use_shift;
                s.dst_type = groups == 4 ? jitnorm_f8_e4m3 : jitnorm_s8;
                s.dynamic_scales = scales_of(s.dims, groups);
                const auto expect = [&] {
                    for (const machine &m : MACHINES) expect_reference(s, m);
                };
                expect();
                s.pre_quantization = "dense";
                s.attr.post_ops.entries = {impl::eltwise_post_op{jitnorm_eltwise_swish, 1, 0}};
                expect();
                s.attr.post_ops.entries = {impl::binary_post_op{jitnorm_binary_mul, dense({1, 640})}};
                expect();
            }
}

// Where one batch of rows of at most a chunk is all, on one thread, in tensors whose rows are evenly spaced.
TEST_P(forward_plans, single_batches) {
    const auto forward = [](std::vector<dim_t> dims, const char *layout = "dense", unsigned flags = 0) {
        return setup{.flags = flags, .dims = std::move(dims), .src = layout, .dst = layout};
    };
    setup in_double = forward({1, 64}), normalized_together = forward({1, 8, 8}, "@acb"), found_scales = in_double,
          several_scales = in_double, operands = in_double, sums = forward({3, 1, 100}, "gap");
    in_double.src_type = in_double.dst_type = jitnorm_f64;
    normalized_together.axes = 2;
    found_scales.dst_type = several_scales.dst_type = jitnorm_s8;
    found_scales.dynamic_scales = scales_of({1, 64});
    several_scales.dynamic_scales = scales_of({1, 64}, 4);
    operands.attr.post_ops.entries = {impl::sum_post_op{},
                                      impl::binary_post_op{jitnorm_binary_add, dense({1, 64}, jitnorm_f64)}};
    sums.residual = {.added = "gap", .sum = "gap", .sum_type = jitnorm_bf16};
    const struct {
        const char *what;
        bool is_single;
        setup of;
        machine on = ROOMY;
    } cases[] = {{"one row", true, forward({1, 64})},
                 {"a whole batch", true, forward({32, 192})},
                 {"two batches", false, forward({33, 192})},
                 {"enough for several threads", false, forward({32, 4096})},
                 {"enough for several threads, in chunks", false, forward({32, 4096 * 8})},
                 {"several chunks", true, forward({3, 4097})},
                 {"prefetched", false, found_scales, TO_L1},
                 {"in tiles", false, forward({32, 192}, "@ba")},
                 {"not dense", false, normalized_together},
                 {"unevenly spaced", false, forward({3, 5, 64}, "@bac")},
                 {"evenly spaced", true, forward({3, 1, 100}, "gap")},
                 {"sums", true, sums},
                 {"in double", false, in_double},
                 {"nothing is reduced", false, forward({1, 64}, "dense", jitnorm_use_global_stats)},
                 {"a scale for each row", true, found_scales},
                 {"several scales in a row", false, several_scales},
                 {"operands", true, operands},
                 {"backward", false, in_place_of(jitnorm_backward, jitnorm_f32, 32, 192)}};
    for (const auto &[what, is_single, of, on] : cases)
        EXPECT_EQ(takes_single_batch(make_problem(of), plan_of(of, on)), is_single) << what;
    plan several = plan_of(forward({32, 192}), ROOMY);
    several.row_threads = 2;
    EXPECT_FALSE(takes_single_batch(make_problem(forward({32, 192})), several));
}

INSTANTIATE_TEST_SUITE_P(native, forward_plans, testing::Values(isa::avx2, isa::avx512), on_isa::name);

} // namespace
} // namespace jitnorm::tests
