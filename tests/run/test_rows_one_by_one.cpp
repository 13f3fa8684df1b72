// SPDX-License-Identifier: Apache-2.0
// Rows of backward that one kernel does from their inputs to their result, one after the other: when plans say so, and
// the bits.
#include <gtest/gtest.h>

#include <limits>

#include "plans_on_machines.hpp"

namespace jitnorm::tests {
namespace {

class rows_one_by_one : public plans_on_machines {};

// Where there is no loop over two batches, rows of backward that come from memory or from L2 are done one by one: with
// ordinary and with non-temporal stores, in place, and with gaps between rows. If they come from memory and have
// gradients of scale and shift, they are prefetched to L1 or, for non-temporal stores alone, to L2.
TEST_P(rows_one_by_one, of_every_type) {
    constexpr machine in_l2 = batches_in_l1(1, 1 << 20, dim_t(1) << 40);
    constexpr machine far_from_l2 = batches_in_l1(1, 1, dim_t(1) << 40);
    constexpr machine in_memory = batches_in_l1(1, 1, 1), through_l2 = batches_in_l2(1, 1, 1);
    for (const auto kind : {jitnorm_backward, jitnorm_backward_data})
        for (const auto type : FLOATING)
            for (const unsigned flags :
                 {0U, unsigned(jitnorm_use_scale | jitnorm_use_shift), unsigned(jitnorm_rms_norm | jitnorm_use_scale)})
                for (const dim_t columns : {192, 207, 513, 1499}) {
                    setup s = in_place_of(kind, type, columns % 2 == 0 ? 67 : 37, columns);
                    s.flags = flags;
                    s.form = columns == 513 ? statistics_form::inverse_deviation : statistics_form::variance;
                    s.affine_type = columns == 207 ? jitnorm_bf16 : jitnorm_f32;
                    s.residual.sum = columns != 1499 ? "dense" : ""; // whose gradient is added
                    s.residual.sum_type = type;
                    EXPECT_EQ(make_problem(s).reads(DIFF_SUM), columns != 1499) << s;
                    const bool narrow = type == jitnorm_bf16 || type == jitnorm_f16;
                    EXPECT_TRUE(plan_of(s, in_memory).on(2, true).row_by_row) << s;
                    EXPECT_TRUE(plan_of(s, far_from_l2).on(2, true).row_by_row) << s;
                    EXPECT_EQ(plan_of(s, in_l2).on(2, true).row_by_row, !narrow) << s << ": conversions";
                    EXPECT_TRUE(columns != 192 || plan_of(s, in_memory).on(2, true).non_temporal) << s;
                    const bool has_gradients = kind == jitnorm_backward && (flags & jitnorm_use_scale) != 0;
                    EXPECT_EQ(plan_of(s, in_memory).prefetch_to_l1, has_gradients) << s;
                    EXPECT_FALSE(plan_of(s, far_from_l2).prefetch_to_l1) << s;
                    EXPECT_FALSE(plan_of(s, in_memory).prefetch_to_l2) << s;
                    const plan to_l2 = plan_of(s, through_l2);
                    EXPECT_TRUE(to_l2.on(2, true).row_by_row) << s;
                    EXPECT_EQ(to_l2.prefetch_to_l2, has_gradients && to_l2.non_temporal_threads > 0) << s;
                    EXPECT_FALSE(to_l2.prefetch_to_l1) << s;
                    for (const machine &m : {in_l2, far_from_l2, in_memory, through_l2}) expect_reference(s, m);
                    s.in_place = true;
                    for (const machine &m : {in_memory, through_l2}) expect_reference(s, m);
                    s.in_place = false;
                    s.src = s.diff_src = "gap";
                    for (const machine &m : {in_memory, through_l2}) expect_reference(s, m);
                }
    const setup late = in_place_of(jitnorm_backward, jitnorm_f32);
    run r(late);
    r.execute_on(jit_for(GetParam()), sizes_come::at_execution, in_memory);
    expect_same(outputs_of(r), outputs_by(reference_entry, late), late, "sizes at execution");

    const auto goes = [&](const setup &s, const machine &m) { return plan_of(s, m).on(1, true).row_by_row; };
    EXPECT_FALSE(goes(in_place_of(jitnorm_backward, jitnorm_f32), ROOMY)) << "one loop";
    EXPECT_FALSE(goes(in_place_of(jitnorm_backward, jitnorm_f32, 37, 95), in_memory)) << "short rows";
    EXPECT_FALSE(goes(in_place_of(jitnorm_backward, jitnorm_f32, 37, 3000), in_memory)) << "rows that leave L1";
    EXPECT_FALSE(goes(in_place_of(jitnorm_backward, jitnorm_f32, 37, 4097), in_memory)) << "longer than a chunk";
    constexpr machine all_in_l1 = batches_in_l1(1 << 20, 1 << 20, 1 << 23);
    EXPECT_FALSE(goes(in_place_of(jitnorm_backward, jitnorm_f32), all_in_l1));
    setup given = in_place_of(jitnorm_backward, jitnorm_f32);
    given.flags |= jitnorm_use_global_stats;
    EXPECT_FALSE(goes(given, in_memory)) << "no sums of rows";
}

// Rows with infinities, NaN, zeros and a huge mean, between rows without.
TEST_P(rows_one_by_one, special_ones) {
    setup s = in_place_of(jitnorm_backward, jitnorm_f32, 40, 192);
    EXPECT_TRUE(plan_of(s, IN_MEMORY).on(1, true).row_by_row);
    expect_reference(s, IN_MEMORY, [](run &r) {
        const auto change = [&](slot which, auto &&to) {
            std::vector<double> x = r[which].values();
            for (size_t row = 0; row < 40; row += 2)
                for (size_t c = 0; c < 192; ++c) x[row * 192 + c] = to(row, c, x[row * 192 + c]);
            r[which].fill(x);
        };
        change(SRC, [](size_t row, size_t c, double x) {
            return row == 4 ? 1e30 + x : row == 8 && c == 191 ? std::numeric_limits<double>::infinity() : x;
        });
        change(DIFF_DST, [](size_t row, size_t c, double dy) {
            if (row == 12) return -0.0;
            if (row == 16) return 1e38;
            if (row == 20) return c % 2 == 0 ? 1e-44 : -1e-44;
            return row == 24 && c == 0 ? std::numeric_limits<double>::quiet_NaN() : dy;
        });
    });
}

INSTANTIATE_TEST_SUITE_P(native, rows_one_by_one, testing::Values(isa::avx2, isa::avx512), on_isa::name);

} // namespace
} // namespace jitnorm::tests
