// SPDX-License-Identifier: Apache-2.0
// Rows that leave L1 before they are written, on machines that keep batches in L2: when plans prefetch them to L2, how
// many are a batch, and the bits.
#include <gtest/gtest.h>

#include "plans_on_machines.hpp"

namespace jitnorm::tests {
namespace {

class long_rows : public plans_on_machines {};

// Several rows, longer than a chunk or with what the kernel for groups does not do, are a batch.
TEST_P(long_rows, of_forward_in_batches) {
    for (const unsigned flags :
         {unsigned(jitnorm_use_scale | jitnorm_use_shift), unsigned(jitnorm_rms_norm | jitnorm_use_scale),
          unsigned(jitnorm_use_scale | jitnorm_use_shift | jitnorm_use_global_stats)})
        for (const auto &[src, dst] : {std::pair(jitnorm_f32, jitnorm_f32), std::pair(jitnorm_f32, jitnorm_s8),
                                       std::pair(jitnorm_bf16, jitnorm_f16), std::pair(jitnorm_f64, jitnorm_f64)})
            for (const dim_t columns : {1024, 4096, 4097, 8192 + 65})
                for (const machine &m : {THROUGH_L2, IN_L2}) {
                    setup s = in_place_of(jitnorm_forward_training, src, 7, columns);
                    s.flags = flags;
                    s.dst_type = dst;
                    s.attr.dst_scale = dst == jitnorm_s8;
                    if (columns <= 4096) s.pre_quantization = "dense";
                    if (columns <= 4096 && src == jitnorm_f32)
                        s.attr.post_ops.entries = {impl::binary_post_op{jitnorm_binary_mul, dense({1, columns})},
                                                   impl::sum_post_op{0.5F, 0, dst}};
                    const dim_t row = columns * impl::element_size(make_problem(s)[SRC]);
                    if (plan_of(s, m).band_rows == 0) {
                        EXPECT_EQ(plan_of(s, m).batch_rows, std::clamp<dim_t>(m.l2 / 8 / row, 1, 32)) << s;
                    }
                    expect_reference(s, m);
                    s.src = "gap";
                    s.dst = "dense+7";
                    expect_reference(s, m);
                    for (const auto *sum : {"dense", ""}) {
                        setup added = in_place_of(jitnorm_forward_training, jitnorm_f32, 7, columns);
                        added.flags = flags;
                        added.residual = {.added = "dense", .sum = sum, .type = jitnorm_bf16, .sum_type = jitnorm_bf16};
                        expect_reference(added, m);
                    }
                }
}

TEST_P(long_rows, of_backward_in_batches) {
    for (const auto kind : {jitnorm_backward, jitnorm_backward_data})
        for (const auto type : FLOATING)
            for (const dim_t columns : {4097, 6001, 8192, 8192 + 65})
                for (const machine &m : {THROUGH_L2, IN_L2}) {
                    setup s = in_place_of(kind, type, 19, columns);
                    if (type != jitnorm_f32 || columns != 6001) s.flags |= jitnorm_rms_norm;
                    EXPECT_EQ(plan_of(s, m).band_rows, 0) << s;
                    EXPECT_FALSE(plan_of(s, m).on(1, true).one_loop) << s;
                    expect_reference(s, m);
                    s.in_place = true;
                    expect_reference(s, m);
                }
}

// Batches of rows from memory.
TEST_P(long_rows, of_forward_are_prefetched_to_l2) {
    machine roomy = THROUGH_L2;
    for (const unsigned flags : {0U, unsigned(jitnorm_rms_norm | jitnorm_use_scale)})
        for (const auto type : {jitnorm_f32, jitnorm_bf16, jitnorm_f64})
            for (const dim_t bytes : {6 * 1024 - 8, 6 * 1024, 16 * 1024 - 8, 16 * 1024}) {
                setup s = in_place_of(jitnorm_forward_training, type, 19, 1);
                s.dims.back() = bytes / impl::element_size(make_problem(s)[SRC]);
                s.flags = flags;
                const plan how = plan_of(s, roomy);
                EXPECT_EQ(how.prefetch, 2) << s;
                EXPECT_TRUE(how.on(2, true).non_temporal) << s;
                expect_reference(s, roomy);
                s.in_place = true;
                expect_reference(s, roomy);
                s.in_place = false;
                s.src = "gap";
                expect_reference(s, roomy);
                roomy.last_level = dim_t(1) << 40;
                EXPECT_EQ(plan_of(s, roomy).prefetch, 0) << s;
                roomy.last_level = THROUGH_L2.last_level;
            }
    const setup s = in_place_of(jitnorm_forward_training, jitnorm_f32, 19, 3072);
    run late(s);
    late.execute_on(jit_for(GetParam()), sizes_come::at_execution, roomy);
    expect_same(outputs_of(late), outputs_by(reference_entry, s), s, "sizes at execution");
}

INSTANTIATE_TEST_SUITE_P(native, long_rows, testing::Values(isa::avx2, isa::avx512), on_isa::name);

} // namespace
} // namespace jitnorm::tests
