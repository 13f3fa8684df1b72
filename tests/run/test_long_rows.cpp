// SPDX-License-Identifier: Apache-2.0
// Rows that leave L1 before they are written, on machines that do not overlap batches: when plans prefetch them to L2
// and write several of them panel by panel, and the bits.
#include <gtest/gtest.h>

#include <limits>

#include "plans_on_machines.hpp"

namespace jitnorm::tests {
namespace {

// Panels have 64 columns, whatever the type.
constexpr machine THROUGH_L2 = {
    .l1 = 1 << 10, .l2 = 1 << 18, .last_level = 1 << 12, .overlaps_batches = false, .batches_in_l1 = false};
constexpr machine IN_L2 = {
    .l1 = 1 << 10, .l2 = 1 << 20, .last_level = dim_t(1) << 40, .overlaps_batches = false, .batches_in_l1 = false};

class long_rows : public plans_on_machines {
protected:
    // Expects panels of several rows on both machines.
    void expect_panels(const setup &s) const {
        for (const machine &m : {THROUGH_L2, IN_L2}) {
            const plan how = plan_of(s, m);
            EXPECT_EQ(s.kind == jitnorm_backward || s.kind == jitnorm_backward_data ? how.panel_columns
                                                                                    : how.columns_to_write,
                      64)
                << s;
            EXPECT_GT(how.batch_rows, 1) << s;
            EXPECT_FALSE(how.on(1, true).row_by_row || how.on(1, true).one_loop) << s;
            expect_reference(s, m);
        }
    }
};

constexpr dim_t LENGTHS[] = {129, 191, 192, 1024, 4096, 4097, 8192 + 65};

TEST_P(long_rows, of_forward_go_in_panels) {
    for (const unsigned flags :
         {0U, unsigned(jitnorm_use_scale | jitnorm_use_shift), unsigned(jitnorm_rms_norm | jitnorm_use_scale),
          unsigned(jitnorm_use_scale | jitnorm_use_shift | jitnorm_use_global_stats)})
        for (const auto &[src, dst] : {std::pair(jitnorm_f32, jitnorm_f32), std::pair(jitnorm_f32, jitnorm_s8),
                                       std::pair(jitnorm_bf16, jitnorm_f16), std::pair(jitnorm_f64, jitnorm_f64)})
            for (const dim_t columns : LENGTHS) {
                setup s = in_place_of(jitnorm_forward_training, src, 7, columns);
                if (impl::element_size(make_problem(s)[SRC]) * columns < 512) continue; // it stays in L1
                s.flags = flags;
                s.dst_type = dst;
                s.affine_type = columns % 2 == 0 ? jitnorm_bf16 : jitnorm_f32;
                s.attr.dst_scale = dst == jitnorm_s8;
                expect_panels(s);
                s.in_place = src == dst;
                expect_panels(s);
                s.in_place = false;
                s.src = "gap";
                s.dst = "dense+7";
                expect_panels(s);
            }
}

// Operands, the second output, sums in their output and in a tile: each panel has its own part of them.
TEST_P(long_rows, of_forward_with_more_tensors_go_in_panels) {
    for (const dim_t columns : LENGTHS) {
        setup s = in_place_of(jitnorm_forward_training, jitnorm_f32, 7, columns);
        s.pre_quantization = "dense";
        s.attr.post_ops.entries = {impl::binary_post_op{jitnorm_binary_mul, dense({1, columns})},
                                   impl::sum_post_op{0.5F, 0, jitnorm_f32},
                                   impl::binary_post_op{jitnorm_binary_add, dense({7, columns}, jitnorm_bf16)}};
        expect_panels(s);
        for (const auto type : {jitnorm_f32, jitnorm_bf16})
            for (const auto *sum : {"dense", ""})
                for (const bool given : {false, true}) {
                    setup added = in_place_of(jitnorm_forward_training, jitnorm_f32, 7, columns);
                    added.residual = {.added = "dense", .sum = sum, .type = type, .sum_type = type};
                    if (given) added.flags |= jitnorm_use_global_stats;
                    expect_panels(added);
                }
    }
}

TEST_P(long_rows, of_backward_go_in_panels) {
    for (const auto kind : {jitnorm_backward, jitnorm_backward_data})
        for (const auto type : FLOATING)
            for (const dim_t columns : {6001, 8192, 8192 + 65}) {
                setup s = in_place_of(kind, type, 19, columns);
                if (type != jitnorm_f32 || columns != 6001) s.flags |= jitnorm_rms_norm;
                expect_panels(s);
                s.in_place = true;
                expect_panels(s);
            }
    EXPECT_EQ(plan_of(in_place_of(jitnorm_backward, jitnorm_f32, 19, 8192), IN_L2).batch_rows, 8) << "of L2's half";
}

// Rows from memory that are longer than what the processor reads ahead: one by one as long as they stay in L1.
TEST_P(long_rows, of_forward_are_prefetched_to_l2) {
    machine roomy = THROUGH_L2;
    roomy.l1 = 1 << 15;
    for (const unsigned flags : {0U, unsigned(jitnorm_rms_norm | jitnorm_use_scale)})
        for (const auto type : {jitnorm_f32, jitnorm_bf16, jitnorm_f64})
            for (const dim_t bytes : {6 * 1024 - 8, 6 * 1024, 16 * 1024 - 8, 16 * 1024}) {
                setup s = in_place_of(jitnorm_forward_training, type, 19, 1);
                s.dims.back() = bytes / impl::element_size(make_problem(s)[SRC]);
                s.flags = flags;
                const plan how = plan_of(s, roomy);
                EXPECT_EQ(how.prefetch_to_l2, bytes >= 6 * 1024) << s;
                EXPECT_EQ(how.on(2, true).prefetch, bytes >= 6 * 1024) << s;
                const bool alone = type == jitnorm_f32 ? bytes < 16 * 1024 : type == jitnorm_bf16 && bytes == 6 * 1024;
                EXPECT_EQ(how.on(2, true).row_by_row, alone) << s;
                EXPECT_EQ(how.non_temporal, bytes % 64 == 0) << s;
                expect_reference(s, roomy);
                s.in_place = true;
                expect_reference(s, roomy);
                s.in_place = false;
                s.src = "gap";
                expect_reference(s, roomy);
                roomy.last_level = dim_t(1) << 40;
                EXPECT_FALSE(plan_of(s, roomy).prefetch_to_l2) << s;
                roomy.last_level = THROUGH_L2.last_level;
            }
    const setup s = in_place_of(jitnorm_forward_training, jitnorm_f32, 19, 3072);
    run late(s);
    late.execute_on(jit_for(GetParam()), sizes_come::at_execution, roomy);
    expect_same(outputs_of(late), outputs_by(reference_entry, s), s, "sizes at execution");
}

constexpr dim_t LONGER_THAN_A_CHUNK[] = {4097, 5120, 8192, 3 * 4096 + 15};

// One row of more than a chunk is reduced chunk by chunk and written by the kernel of one row.
TEST_P(long_rows, alone) {
    for (const unsigned flags :
         {0U, unsigned(jitnorm_use_scale | jitnorm_use_shift), unsigned(jitnorm_rms_norm | jitnorm_use_scale)})
        for (const auto &[src, dst] : {std::pair(jitnorm_f32, jitnorm_f32), std::pair(jitnorm_f32, jitnorm_s8),
                                       std::pair(jitnorm_bf16, jitnorm_f16), std::pair(jitnorm_u8, jitnorm_bf16)})
            for (const dim_t columns : LONGER_THAN_A_CHUNK) {
                setup s = in_place_of(jitnorm_forward_training, src, 1, columns);
                s.flags = flags;
                s.dst_type = dst;
                s.attr.dst_scale = dst == jitnorm_s8;
                s.attr.src_scale = src == jitnorm_u8;
                s.statistics_type = columns == 5120 ? jitnorm_bf16 : jitnorm_f32;
                s.form = columns == 8192 ? statistics_form::inverse_deviation : statistics_form::variance;
                s.mean = columns == 4097 ? 1e6 : 1; // other pivots
                EXPECT_TRUE(plan_of(s, ROOMY).on(2, true).row_by_row) << s;
                expect_reference(s, ROOMY);
                s.dst = "dense+7";
                expect_reference(s, NO_CACHES);
                s.dst = "dense";
                s.in_place = src == dst;
                expect_reference(s, ROOMY);
            }
    EXPECT_FALSE(plan_of(in_place_of(jitnorm_forward_training, jitnorm_f32, 1, 64 * 1024), ROOMY).row_kernel)
        << "threads share the chunks";
    const setup s = in_place_of(jitnorm_forward_training, jitnorm_f32, 1, 5120);
    run late(s);
    late.execute_on(jit_for(GetParam()), sizes_come::at_execution, ROOMY);
    expect_same(outputs_of(late), outputs_by(reference_entry, s), s, "sizes at execution");
}

TEST_P(long_rows, alone_with_a_residual) {
    for (const unsigned flags : {unsigned(jitnorm_use_scale | jitnorm_use_shift), unsigned(jitnorm_rms_norm)})
        for (const auto &[type, sum, layout] :
             {std::tuple(jitnorm_f32, jitnorm_f32, "dense"), std::tuple(jitnorm_f32, jitnorm_bf16, "dense"),
              std::tuple(jitnorm_f32, jitnorm_f32, ""), std::tuple(jitnorm_bf16, jitnorm_bf16, "dense")})
            for (const dim_t columns : LONGER_THAN_A_CHUNK) {
                setup s = in_place_of(jitnorm_forward_training, type, 1, columns);
                s.flags = flags;
                s.residual = {.added = "dense", .sum = layout, .type = type, .sum_type = sum};
                s.residual.bias_type = columns % 2 != 0 ? jitnorm_bf16 : jitnorm_data_type_undef;
                s.residual.gate_type = columns == 8192 ? jitnorm_f32 : jitnorm_data_type_undef;
                s.residual.silu = columns == 5120;
                EXPECT_TRUE(plan_of(s, ROOMY).row_kernel) << s;
                expect_reference(s, ROOMY);
                s.residual.in_place = type == sum && layout[0] != '\0';
                expect_reference(s, ROOMY);
            }
    setup cut = in_place_of(jitnorm_forward_training, jitnorm_f32, 1, 16 * 1024 + 1);
    cut.residual = {.added = "dense", .sum = "", .type = jitnorm_f32, .sum_type = jitnorm_f32};
    EXPECT_FALSE(plan_of(cut, ROOMY).row_kernel) << "the tile of sums has no room for the row";
    expect_reference(cut, ROOMY);
}

// Zeros, one value, sums that vanish or overflow, poor pivots, and what is no number, each in one chunk or in both.
TEST_P(long_rows, special_ones_alone) {
    constexpr double INF = std::numeric_limits<double>::infinity(), NOT = std::numeric_limits<double>::quiet_NaN();
    for (const unsigned flags : {0U, unsigned(jitnorm_rms_norm)})
        for (const bool added : {false, true})
            for (const auto &[first, other, factor] :
                 {std::tuple(0.0, 0.0, 0.0), std::tuple(5.0, 5.0, 0.0), std::tuple(0.0, 0.0, 1e-25),
                  std::tuple(0.0, 0.0, 1e30), std::tuple(1e4, 0.0, 1.0), std::tuple(INF, 0.0, 1.0),
                  std::tuple(NOT, 1.0, 1.0)}) {
                setup s = in_place_of(jitnorm_forward_training, jitnorm_f32, 1, 5120);
                s.flags = flags;
                if (added)
                    s.residual = {.added = "dense", .sum = "dense", .type = jitnorm_f32, .sum_type = jitnorm_f32};
                EXPECT_TRUE(plan_of(s, ROOMY).row_kernel);
                for (const size_t at : {size_t(0), size_t(4096)})
                    expect_reference(s, ROOMY, [&](run &r) {
                        std::vector<double> x(5120);
                        for (size_t c = 0; c < x.size(); ++c)
                            x[c] = (c - at < 4 ? first : other) + factor * (double(c % 7) - 3);
                        r[SRC].fill(x);
                        if (added) r[RESIDUAL].fill(std::vector<double>(5120, 0.0));
                    });
            }
}

INSTANTIATE_TEST_SUITE_P(native, long_rows, testing::Values(isa::avx2, isa::avx512), on_isa::name);

} // namespace
} // namespace jitnorm::tests
