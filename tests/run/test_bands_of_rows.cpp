// SPDX-License-Identifier: Apache-2.0
// Forward by the kernel that reduces a band of rows and then writes them: when plans say so, and the bits: lengths
// around vectors, lanes and blocks, numbers of rows around eights and bands, every type, tiles, special rows.
#include <gtest/gtest.h>

#include <limits>

#include "plans_on_machines.hpp"

namespace jitnorm::tests {
namespace {

constexpr unsigned FLAGS[] = {0U, unsigned(jitnorm_use_scale | jitnorm_use_shift),
                              unsigned(jitnorm_rms_norm | jitnorm_use_scale)};

class bands_of_rows : public plans_on_machines {
protected:
    void expect_bands(const setup &s, const machine &m, const preparation &prepare = {}) {
        EXPECT_GT(plan_of(s, m).band_rows, 0) << s;
        EXPECT_FALSE(plan_of(s, m).on(1, true).one_loop) << s;
        expect_reference(s, m, prepare);
    }
};

setup added_to(setup s, const char *sum = "dense", jitnorm_data_type_t sum_type = jitnorm_f32) {
    s.residual = {.added = "dense", .sum = sum, .type = s.src_type, .sum_type = sum_type};
    return s;
}

TEST_P(bands_of_rows, of_every_length) {
    for (const unsigned flags : FLAGS)
        for (const bool adds : {false, true})
            for (const dim_t columns :
                 {1,   2,   3,   4,   5,   7,   8,   9,   15,  16,  17,   23,   24,   25,   31,   32,   33,  39,  40,
                  41,  47,  48,  49,  63,  64,  65,  95,  96,  97,  111,  112,  113,  127,  128,  129,  191, 192, 193,
                  207, 255, 256, 383, 385, 511, 512, 513, 767, 768, 1023, 1025, 1537, 2047, 3584, 4095, 4096}) {
                setup s = in_place_of(jitnorm_forward_training, jitnorm_f32, columns % 3 == 0 ? 37 : 41, columns);
                s.flags = flags;
                s.side = columns % 2 == 0 ? guard_side::before : guard_side::after;
                s.mean = 3;
                if (adds) s = added_to(s);
                expect_bands(s, NO_LOOP);
            }
}

TEST_P(bands_of_rows, of_every_number_of_rows) {
    for (const unsigned flags : FLAGS)
        for (const dim_t columns : {5, 64, 200, 700, 1100})
            for (const dim_t rows : {2, 3, 4, 5, 7, 8, 9, 11, 12, 15, 16, 17, 24, 31, 32, 33, 40, 63, 64, 65, 97}) {
                setup s = in_place_of(jitnorm_forward_training, jitnorm_f32, rows, columns);
                s.flags = flags;
                expect_bands(s, NO_LOOP);
                expect_bands(added_to(s), NO_LOOP);
            }
}

// With ordinary and non-temporal stores, in place and with gaps, statistics of every form and type.
TEST_P(bands_of_rows, of_every_type) {
    for (const unsigned flags : FLAGS)
        for (const auto &[src, dst] : {std::pair(jitnorm_f32, jitnorm_f32), std::pair(jitnorm_f32, jitnorm_bf16),
                                       std::pair(jitnorm_f32, jitnorm_s8), std::pair(jitnorm_bf16, jitnorm_bf16),
                                       std::pair(jitnorm_f16, jitnorm_f32), std::pair(jitnorm_u8, jitnorm_f32),
                                       std::pair(jitnorm_s8, jitnorm_f8_e4m3), std::pair(jitnorm_f16, jitnorm_f16)})
            for (const dim_t columns : {16, 40, 61, 192, 193, 207, 256, 512, 1024, 3072}) {
                setup s = in_place_of(jitnorm_forward_training, src, columns % 2 == 0 ? 67 : 9, columns);
                s.flags = flags;
                s.dst_type = dst;
                s.form = columns == 512 ? statistics_form::inverse_deviation : statistics_form::variance;
                s.statistics_type = columns == 207 || columns == 16 ? jitnorm_bf16 : jitnorm_f32;
                s.affine_type = columns == 61 ? jitnorm_bf16 : jitnorm_f32;
                s.attr.src_scale = src == jitnorm_u8;
                s.attr.dst_scale = dst == jitnorm_s8;
                const bool in_lines = columns * dim_t(impl::size_of(dst)) % 64 == 0 && impl::size_of(dst) > 1;
                EXPECT_EQ(plan_of(s, IN_MEMORY).on(1, true).non_temporal, in_lines) << s;
                for (const machine &m : {NO_LOOP, IN_MEMORY}) expect_bands(s, m);
                if (columns == 192) s.pre_quantization = "dense";
                s.src = columns == 256 ? "gap" : "dense+7";
                s.dst = s.statistics = "gap";
                expect_bands(s, IN_MEMORY);
                s.src = s.dst = "dense";
                s.in_place = src == dst;
                expect_bands(s, IN_MEMORY);
            }
}

TEST_P(bands_of_rows, of_sums) {
    for (const unsigned flags : FLAGS)
        for (const auto src : {jitnorm_f32, jitnorm_bf16, jitnorm_f16})
            for (const auto sum : {jitnorm_f32, jitnorm_bf16})
                for (const char *output : {"dense", ""})
                    for (const dim_t columns : {1, 31, 64, 193, 207, 512, 1000, 4096}) {
                        setup s =
                            added_to(in_place_of(jitnorm_forward_training, src, columns % 2 == 0 ? 9 : 35, columns),
                                     output, sum);
                        s.flags = flags;
                        s.residual.rounded = output[0] != '\0' && columns % 4 == 0;
                        s.residual.bias_type = columns % 3 == 0 ? jitnorm_bf16 : jitnorm_data_type_undef;
                        s.residual.gate_type = columns % 5 == 0 ? jitnorm_f32 : jitnorm_data_type_undef;
                        s.residual.silu = columns == 64;
                        s.residual.in_place = src == sum && output[0] != '\0' && columns % 2 == 1;
                        for (const machine &m : {NO_LOOP, IN_MEMORY}) expect_bands(s, m);
                    }
}

// Post-ops without operands, with one value for each row, with rows in place and with rows that are gathered.
TEST_P(bands_of_rows, with_post_ops) {
    for (const unsigned flags : FLAGS)
        for (const dim_t columns : {1, 16, 61, 192, 1000, 4096})
            for (const dim_t rows : {2, 9, 67}) {
                setup s = in_place_of(jitnorm_forward_training, jitnorm_f32, rows, columns);
                s.flags = flags;
                s.dst_type = columns == 61 ? jitnorm_s8 : columns == 192 ? jitnorm_bf16 : jitnorm_f32;
                s.attr.dst_scale = columns == 61;
                s.attr.post_ops.entries = {impl::eltwise_post_op{jitnorm_eltwise_swish, 1, 0}};
                for (const machine &m : {NO_LOOP, IN_MEMORY}) expect_bands(s, m);
                s.attr.post_ops.entries = {
                    impl::sum_post_op{}, impl::binary_post_op{jitnorm_binary_mul, dense({rows, 1})},
                    impl::binary_post_op{jitnorm_binary_add, dense({1, columns})},
                    impl::binary_post_op{jitnorm_binary_sub, dense({rows, columns}, jitnorm_f64)},
                    impl::eltwise_post_op{jitnorm_eltwise_relu, 0.5, 0}};
                for (const machine &m : {NO_LOOP, IN_MEMORY}) expect_bands(s, m);
                expect_bands(added_to(s), NO_LOOP);
                s.src = s.dst = "@ba";
                expect_bands(s, NO_LOOP);
            }
}

TEST_P(bands_of_rows, with_scales_that_are_found) {
    for (const unsigned flags : FLAGS)
        for (const auto dst : {jitnorm_s8, jitnorm_u8, jitnorm_f8_e5m2, jitnorm_f8_e4m3})
            for (const auto src : {jitnorm_f32, jitnorm_bf16})
                for (const dim_t columns : {1, 8, 31, 33, 64, 129, 1000, 4096})
                    for (const dim_t rows : {2, 9, 67}) {
                        setup s = in_place_of(jitnorm_forward_training, src, rows, columns);
                        s.flags = flags;
                        s.dst_type = dst;
                        s.dynamic_scales = scales_of(s.dims);
                        s.side = columns % 2 == 0 ? guard_side::before : guard_side::after;
                        if (columns == 129) s.pre_quantization = "dense";
                        if (columns == 31)
                            s.attr.post_ops.entries = {impl::eltwise_post_op{jitnorm_eltwise_tanh, 0, 0}};
                        for (const machine &m : {NO_LOOP, IN_MEMORY}) expect_bands(s, m);
                        if (columns == 33) s.src = s.dst = "@ba";
                        expect_bands(added_to(s), NO_LOOP);
                    }
}

// Rows of other layouts are gathered, and what their bands write is scattered.
TEST_P(bands_of_rows, in_tiles) {
    for (const unsigned flags : FLAGS)
        for (const dim_t columns : {5, 48, 64, 100, 700, 4096})
            for (const char *dst : {"@ba", "dense"}) {
                setup s = in_place_of(jitnorm_forward_training, jitnorm_f32, 41, columns);
                s.flags = flags;
                s.src = "@ba";
                s.dst = dst;
                for (const machine &m : {NO_LOOP, ROOMY, NO_CACHES}) {
                    EXPECT_EQ(int(plan_of(s, m).rows), int(row_access::tiles)) << s;
                    expect_bands(s, m);
                    for (const char *sum : {"@ba", "dense", ""})
                        for (const auto type : {jitnorm_f32, jitnorm_bf16}) expect_bands(added_to(s, sum, type), m);
                }
            }
}

// Rows whose first reduction is not enough, between rows for which it is: one of a band, and all of a band.
void fill_with_special_rows(run &r) {
    constexpr double HUGE_SUM = 1e30, TINY_SUM = 1e-25;
    std::vector<double> x = r[SRC].values();
    const size_t rows = size_t(r.p.rows()), columns = x.size() / rows;
    for (size_t row = 0; row < rows; ++row)
        for (size_t c = 0; c < columns; ++c) {
            double &value = x[row * columns + c];
            const double wave = double(c % 7) - 3;
            const size_t kind = row < 26 ? row % 13 : row < 42 ? 1 : 0;
            if (kind == 1) value = 0;
            if (kind == 3) value = 5;
            if (kind == 5) value = TINY_SUM * wave;
            if (kind == 7) value = HUGE_SUM * wave;
            if (kind == 8) value = c < 4 ? 1e4 : wave; // a poor pivot
            if (kind == 10 && c + 1 == columns) value = std::numeric_limits<double>::infinity();
            if (kind == 12 && c == 0) value = std::numeric_limits<double>::quiet_NaN();
        }
    r[SRC].fill(x);
    r.p.epsilon = 1e-30; // which would hide tiny squares if it were larger
}

TEST_P(bands_of_rows, whose_first_reduction_is_not_enough) {
    for (const unsigned flags : FLAGS)
        for (const dim_t columns : {1, 5, 16, 100, 192, 1000, 4096})
            for (const dim_t rows : {2, 13, 61})
                for (const bool adds : {false, true})
                    for (const machine &m : {NO_LOOP, IN_MEMORY}) {
                        setup s = in_place_of(jitnorm_forward_training, jitnorm_f32, rows, columns);
                        s.flags = flags;
                        if (adds) s = added_to(s);
                        expect_bands(s, m, [&](run &r) {
                            fill_with_special_rows(r);
                            if (adds) r[RESIDUAL].fill(std::vector<double>(size_t(rows * columns), 0.0));
                        });
                    }
}

TEST_P(bands_of_rows, whose_sizes_the_execution_tells) {
    for (const dim_t columns : {1, 16, 192, 4096})
        for (const dim_t rows : {2, 67})
            for (const bool adds : {false, true}) {
                setup s = in_place_of(jitnorm_forward_training, jitnorm_f32, rows, columns);
                if (adds) s = added_to(s);
                run late(s);
                late.execute_on(jit_for(GetParam()), sizes_come::at_execution, IN_MEMORY);
                expect_same(outputs_of(late), outputs_by(reference_entry, s), s, "sizes at execution");
            }
}

INSTANTIATE_TEST_SUITE_P(native, bands_of_rows, testing::Values(isa::avx2, isa::avx512), on_isa::name);

} // namespace
} // namespace jitnorm::tests
