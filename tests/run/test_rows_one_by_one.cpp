// SPDX-License-Identifier: Apache-2.0
// Rows that one kernel does from their inputs to their result, one after the other or some together: when plans say so,
// and the bits.
#include <gtest/gtest.h>

#include <limits>

#include "plans_on_machines.hpp"

namespace jitnorm::tests {
namespace {

// Rows stay in L1 until they are written.
constexpr machine IN_MEMORY = {.l1 = 1 << 15, .l2 = 1 << 10, .last_level = 1 << 12, .overlaps_batches = false};

class rows_one_by_one : public plans_on_machines {};

setup sums_apart(dim_t rows, dim_t columns) {
    setup s = in_place_of(jitnorm_forward_training, jitnorm_f32, rows, columns);
    s.residual = {.added = "dense", .sum = "dense", .type = jitnorm_f32, .sum_type = jitnorm_f32};
    return s;
}

// Between L1 and L2 sums that have an output of their own are made, reduced and normalized row by row.
TEST_P(rows_one_by_one, of_sums) {
    for (const unsigned flags : {0U, unsigned(jitnorm_rms_norm), unsigned(jitnorm_use_scale | jitnorm_use_shift)})
        for (const auto dst : {jitnorm_f32, jitnorm_bf16, jitnorm_s8})
            for (const auto added : {jitnorm_f32, jitnorm_bf16})
                for (const dim_t columns : {192, 193, 207, 208, 511, 513, 4095, 4096}) {
                    setup s = sums_apart(columns % 2 == 0 ? 7 : 67, columns);
                    s.flags = flags;
                    s.dst_type = dst;
                    s.residual.type = added;
                    s.residual.bias_type = columns % 3 == 0 ? jitnorm_bf16 : jitnorm_data_type_undef;
                    s.residual.gate_type = columns % 4 == 3 ? jitnorm_f32 : jitnorm_data_type_undef;
                    s.statistics_type = columns == 511 ? jitnorm_bf16 : jitnorm_f32;
                    s.attr.src_scale = dst == jitnorm_s8;
                    if (dst == jitnorm_s8) s.pre_quantization = "dense";
                    const plan how = plan_of(s, SMALL_L1);
                    EXPECT_TRUE(how.on(1, true).row_by_row && how.on(2, false).row_by_row) << s;
                    expect_reference(s, SMALL_L1);
                    s.src = "gap";
                    s.statistics = "dense+7";
                    expect_reference(s, SMALL_L1);
                    s.residual.in_place = added == jitnorm_f32; // goes in batches
                    expect_reference(s, SMALL_L1);
                }
    run late(sums_apart(7, 192));
    late.execute_on(jit_for(GetParam()), sizes_come::at_execution, SMALL_L1);
    expect_same(outputs_of(late), outputs_by(reference_entry, sums_apart(7, 192)), sums_apart(7, 192),
                "sizes at execution");
}

// Where batches are not overlapped, rows of forward that come from memory are done one by one: with ordinary and with
// non-temporal stores, in place, and with gaps between rows. They are prefetched where batches stay in L1.
TEST_P(rows_one_by_one, of_forward) {
    machine unaided = IN_MEMORY;
    unaided.batches_in_l1 = false;
    for (const unsigned flags :
         {0U, unsigned(jitnorm_use_scale | jitnorm_use_shift), unsigned(jitnorm_rms_norm | jitnorm_use_scale)})
        for (const auto &[src, dst] : {std::pair(jitnorm_f32, jitnorm_f32), std::pair(jitnorm_f32, jitnorm_bf16),
                                       std::pair(jitnorm_f32, jitnorm_s8), std::pair(jitnorm_bf16, jitnorm_bf16),
                                       std::pair(jitnorm_f16, jitnorm_f32), std::pair(jitnorm_u8, jitnorm_f32)})
            for (const dim_t length : {192, 193, 207, 256, 512, 1024}) {
                const dim_t columns = src == jitnorm_f32 ? length : 3072 + length; // conversions
                setup s = in_place_of(jitnorm_forward_training, src, length % 2 == 0 ? 35 : 7, columns);
                s.flags = flags;
                s.dst_type = dst;
                s.form = length == 512 ? statistics_form::inverse_deviation : statistics_form::variance;
                s.statistics_type = length == 207 ? jitnorm_bf16 : jitnorm_f32;
                s.attr.src_scale = src == jitnorm_u8;
                s.attr.dst_scale = dst == jitnorm_s8;
                const plan how = plan_of(s, IN_MEMORY);
                EXPECT_TRUE(how.on(1, true).row_by_row && how.on(2, false).row_by_row) << s;
                const bool in_lines = columns % 64 == 0 || columns > 3072; // or long
                EXPECT_EQ(how.on(1, true).non_temporal, in_lines && dst != jitnorm_s8) << s;
                EXPECT_TRUE(how.on(1, true).prefetch) << s;
                const schedule without = plan_of(s, unaided).on(1, true);
                EXPECT_TRUE(without.row_by_row) << s;
                EXPECT_EQ(without.prefetch, src == jitnorm_bf16 || src == jitnorm_f16) << s << ": more than 6 KB";
                for (const machine &m : {IN_MEMORY, unaided}) expect_reference(s, m);
                s.src = length == 256 ? "gap" : "dense+7";
                s.dst = "gap";
                expect_reference(s, IN_MEMORY);
            }
    setup s = in_place_of(jitnorm_forward_training, jitnorm_f32);
    run late(s);
    late.execute_on(jit_for(GetParam()), sizes_come::at_execution, IN_MEMORY);
    expect_same(outputs_of(late), outputs_by(reference_entry, s), s, "sizes at execution");
    s.in_place = true;
    expect_reference(s, IN_MEMORY);
}

// Where batches are not overlapped, rows of backward that come from memory or from L2 are done one by one: with
// ordinary and with non-temporal stores, in place, and with gaps between rows. If they come from memory and have
// gradients of scale and shift, they are prefetched to L1 or, for non-temporal stores alone, to L2.
TEST_P(rows_one_by_one, of_backward) {
    constexpr machine in_l2 = {.l1 = 1, .l2 = 1 << 20, .last_level = dim_t(1) << 40, .overlaps_batches = false};
    constexpr machine far_from_l2 = {.l1 = 1, .l2 = 1, .last_level = dim_t(1) << 40, .overlaps_batches = false};
    constexpr machine in_memory = {.l1 = 1, .l2 = 1, .last_level = 1, .overlaps_batches = false};
    constexpr machine through_l2 = {
        .l1 = 1, .l2 = 1, .last_level = 1, .overlaps_batches = false, .batches_in_l1 = false};
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
                    EXPECT_EQ(plan_of(s, in_memory).on(2, true).prefetch, has_gradients) << s;
                    EXPECT_FALSE(plan_of(s, far_from_l2).on(2, true).prefetch) << s;
                    EXPECT_FALSE(plan_of(s, in_memory).prefetch_to_l2) << s;
                    const plan to_l2 = plan_of(s, through_l2);
                    EXPECT_TRUE(to_l2.on(2, true).row_by_row) << s;
                    EXPECT_EQ(to_l2.prefetch_to_l2, has_gradients && to_l2.non_temporal_threads > 0) << s;
                    EXPECT_EQ(to_l2.prefetch_threads, 0) << s;
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
    EXPECT_FALSE(goes(in_place_of(jitnorm_backward, jitnorm_f32), ROOMY)) << "overlapped";
    EXPECT_FALSE(goes(in_place_of(jitnorm_backward, jitnorm_f32, 37, 95), in_memory)) << "short rows";
    EXPECT_FALSE(goes(in_place_of(jitnorm_backward, jitnorm_f32, 37, 3000), in_memory)) << "rows that leave L1";
    EXPECT_FALSE(goes(in_place_of(jitnorm_backward, jitnorm_f32, 37, 4097), in_memory)) << "longer than a chunk";
    constexpr machine all_in_l1 = {.l1 = 1 << 20, .l2 = 1 << 20, .overlaps_batches = false};
    EXPECT_FALSE(goes(in_place_of(jitnorm_backward, jitnorm_f32), all_in_l1));
    setup given = in_place_of(jitnorm_backward, jitnorm_f32);
    given.flags |= jitnorm_use_global_stats;
    EXPECT_FALSE(goes(given, in_memory)) << "no sums of rows";
}

// Rows with infinities, NaN, zeros and a huge mean, between rows without.
TEST_P(rows_one_by_one, special_ones_of_backward) {
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

// Rows whose first reduction is not enough, between rows for which it is; of 13 rows.
void fill_with_special_rows(run &r) {
    constexpr double HUGE_SUM = 1e30, TINY_SUM = 1e-25;
    std::vector<double> x = r[SRC].values();
    const size_t columns = x.size() / 13;
    const auto set = [&](size_t row, auto &&value) {
        for (size_t c = 0; c < columns; ++c) x[row * columns + c] = value(double(c % 7) - 3, c);
    };
    set(1, [](double, size_t) { return 0.0; });
    set(3, [](double, size_t) { return 5.0; });
    set(5, [](double wave, size_t) { return TINY_SUM * wave; });
    set(7, [](double wave, size_t) { return HUGE_SUM * wave; });
    set(8, [](double wave, size_t c) { return c < 4 ? 1e4 : wave; }); // a poor pivot
    x[11 * columns - 1] = std::numeric_limits<double>::infinity();
    x[12 * columns] = std::numeric_limits<double>::quiet_NaN();
    r[SRC].fill(x);
}

TEST_P(rows_one_by_one, special_ones_of_forward) {
    for (const unsigned flags : {0U, unsigned(jitnorm_rms_norm)}) {
        setup sums = sums_apart(13, 192), alone = in_place_of(jitnorm_forward_training, jitnorm_f32, 13);
        sums.flags = alone.flags = flags;
        EXPECT_TRUE(plan_of(sums, SMALL_L1).on(1, true).row_by_row);
        expect_reference(sums, SMALL_L1, [](run &r) {
            fill_with_special_rows(r);
            r[RESIDUAL].fill(std::vector<double>(13 * 192, 0.0));
        });
        EXPECT_TRUE(plan_of(alone, IN_MEMORY).on(1, true).row_by_row);
        EXPECT_TRUE(plan_of(alone, IN_MEMORY).on(1, true).non_temporal);
        expect_reference(alone, IN_MEMORY, fill_with_special_rows);
    }
}

// With the root mean square in float, a kernel does as many rows in the caches together as take 12 KB.
TEST_P(rows_one_by_one, together) {
    const auto rms = [](dim_t rows, dim_t columns) {
        setup s = in_place_of(jitnorm_forward_training, jitnorm_f32, rows, columns);
        s.flags = jitnorm_rms_norm | jitnorm_use_scale;
        return s;
    };
    const auto together = [&](const setup &s, const machine &m = ROOMY) { return plan_of(s, m).rows_in_kernel; };
    for (const auto &[columns, rows] : {std::pair<dim_t, dim_t>(256, 12),
                                        {257, 11},
                                        {300, 10},
                                        {511, 6},
                                        {512, 6},
                                        {513, 5},
                                        {767, 4},
                                        {1023, 3},
                                        {1024, 3},
                                        {1025, 2},
                                        {1535, 2},
                                        {1536, 2}})
        for (const dim_t all : {2, 7, 33, 67}) {
            setup s = rms(all, columns);
            s.form = columns == 511 ? statistics_form::inverse_deviation : statistics_form::variance;
            s.statistics_type = columns == 513 ? jitnorm_bf16 : jitnorm_f32;
            s.affine_type = columns == 767 ? jitnorm_bf16 : jitnorm_f32;
            if (columns == 300) s.flags = jitnorm_rms_norm;
            if (columns == 1025) s.flags |= jitnorm_use_shift;
            EXPECT_EQ(together(s), all == 2 ? 0 : rows) << s << ": two rows go by the executor of few";
            expect_reference(s, ROOMY);
            s.in_place = true;
            expect_reference(s, ROOMY);
            s.in_place = false;
            s.src = "gap";
            s.dst = columns == 1024 ? "gap" : "dense+7";
            EXPECT_EQ(together(s) > 0, all != 2) << s;
            expect_reference(s, ROOMY);
        }
    for (const dim_t columns : {256, 300, 1024}) expect_reference(rms(13, columns), ROOMY, fill_with_special_rows);
    run late(rms(37, 512));
    late.execute_on(jit_for(GetParam()), sizes_come::at_execution, ROOMY);
    expect_same(outputs_of(late), outputs_by(reference_entry, rms(37, 512)), rms(37, 512), "sizes at execution");

    EXPECT_EQ(together(rms(37, 255)), 0) << "short rows";
    EXPECT_EQ(together(rms(37, 1537)), 0) << "one row takes the bytes of two";
    EXPECT_EQ(together(rms(37, 512), NO_CACHES), 0) << "in one loop";
    EXPECT_EQ(together(rms(37, 512), IN_MEMORY), 0) << "row by row";
    EXPECT_EQ(together(in_place_of(jitnorm_forward_training, jitnorm_f32, 37, 512)), 0) << "means";
    setup other = sums_apart(37, 512);
    other.flags = jitnorm_rms_norm;
    EXPECT_EQ(together(other), 0) << "a residual";
    for (const auto type : {&setup::src_type, &setup::dst_type}) {
        other = rms(37, 512);
        other.*type = jitnorm_bf16;
        EXPECT_EQ(together(other), 0) << "conversions";
    }
}

TEST_P(rows_one_by_one, what_goes_otherwise) {
    const auto goes = [&](const setup &s, const machine &m) { return plan_of(s, m).on(1, true).row_by_row; };
    EXPECT_FALSE(goes(sums_apart(7, 192), ROOMY)) << "all is in L1";
    EXPECT_FALSE(goes(sums_apart(37, 192), NO_L2)) << "in one loop";
    EXPECT_FALSE(goes(sums_apart(37, 191), SMALL_L1)) << "short rows";
    EXPECT_FALSE(goes(sums_apart(7, 4097), SMALL_L1)) << "longer than a chunk";
    setup narrow = sums_apart(37, 192);
    narrow.src_type = jitnorm_bf16;
    EXPECT_FALSE(goes(narrow, SMALL_L1)) << "conversions";
    EXPECT_FALSE(goes(in_place_of(jitnorm_forward_training, jitnorm_f32), SMALL_L1)) << "nothing is added";

    const setup alone = in_place_of(jitnorm_forward_training, jitnorm_f32);
    EXPECT_TRUE(goes(alone, IN_MEMORY));
    EXPECT_FALSE(goes(alone, SMALL_CACHES[0])) << "overlapped";
    EXPECT_FALSE(goes(in_place_of(jitnorm_forward_training, jitnorm_f32, 37, 191), IN_MEMORY)) << "short rows";
    EXPECT_FALSE(goes(in_place_of(jitnorm_forward_training, jitnorm_f32, 7, 4097), IN_MEMORY)) << "long rows";
    EXPECT_FALSE(goes(in_place_of(jitnorm_forward_training, jitnorm_bf16, 7, 3071), IN_MEMORY)) << "conversions";
    EXPECT_FALSE(goes(in_place_of(jitnorm_forward_training, jitnorm_f64), IN_MEMORY)) << "no kernel";
    EXPECT_FALSE(goes(sums_apart(37, 192), IN_MEMORY)) << "sums stay in L1 or L2";
    constexpr machine m = {.l1 = 1 << 10, .l2 = 1 << 10, .last_level = dim_t(1) << 40, .overlaps_batches = false};
    EXPECT_FALSE(goes(alone, m)) << "in the last level";
}

INSTANTIATE_TEST_SUITE_P(native, rows_one_by_one, testing::Values(isa::avx2, isa::avx512), on_isa::name);

} // namespace
} // namespace jitnorm::tests
