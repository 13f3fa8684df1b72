// SPDX-License-Identifier: Apache-2.0
// Problems that are a single batch of rows of at most a chunk, as one row is: the bits of the reference for every type,
// length, attribute and output, and for rows whose first reduction is not enough.
#include <limits>

#include "run/make_plan.hpp"
#include "support/equality.hpp"

namespace jitnorm::tests {
namespace {

constexpr jitnorm_data_type_t FLOATING[] = {jitnorm_f32, jitnorm_bf16, jitnorm_f16};

// Around the widths of vectors, lanes and blocks.
constexpr dim_t RESIDUAL_LENGTHS[] = {1, 3, 4, 7, 8, 9, 15, 16, 17, 31, 32, 33, 37, 64, 100, 511, 513, 4095, 4096};

setup setup_of_sum(dim_t columns, jitnorm_data_type_t type, jitnorm_data_type_t sum_type) {
    return {.dims = {1, columns},
            .src_type = type,
            .dst_type = type,
            .side = columns % 2 == 0 ? guard_side::before : guard_side::after,
            .mean = 3,
            .seed = unsigned(columns),
            .residual = {.added = "dense", .sum = "dense", .type = type, .sum_type = sum_type}};
}

class single_batch : public on_isa {
protected:
    bool says_so(const setup &s) const {
        const problem p = make_problem(s);
        return takes_single_batch(p, plan_of(jit_for(GetParam()), p));
    }
    // A tile of sums has as much room as a batch of this machine's processor.
    bool has_no_tile_for(const setup &s) const {
        const problem p = make_problem(s);
        return p.reads(RESIDUAL) && p.rows() * p.row_length() * dim_t(sizeof(float)) > impl::the_machine().batch;
    }

    // The setup has one row. Several of them are tested as well.
    void expect_reference(setup s, const preparation &prepare = {}) const {
        EXPECT_TRUE(says_so(s)) << s;
        expect_equal_to_reference(GetParam(), s, prepare);
        s.dims[0] = s.dims.back() % 5 == 0 && s.dims.back() <= 200 ? 32 : 2 + s.dims.back() % 9;
        EXPECT_TRUE(says_so(s) || has_no_tile_for(s)) << s;
        expect_equal_to_reference(GetParam(), s, prepare);
    }
};

class emulated_single_batch : public single_batch {};

std::vector<setup> setups_of(std::initializer_list<dim_t> lengths) {
    std::vector<setup> all;
    for (const dim_t C : lengths)
        for (const unsigned flags : {0U, unsigned(jitnorm_use_scale | jitnorm_use_shift), unsigned(jitnorm_rms_norm)})
            for (const auto type : FLOATING)
                all.push_back({.flags = flags,
                               .dims = {1, C},
                               .src_type = type,
                               .dst_type = type,
                               .side = C % 2 == 0 ? guard_side::before : guard_side::after,
                               .mean = 3,
                               .seed = unsigned(C)});
    return all;
}

TEST_P(single_batch, every_length_around_vectors_lanes_and_blocks) {
    for (const setup &s : setups_of({1,   2,   3,   4,   5,   7,    8,    9,    15,   16,   17,   23,   24,  25,
                                     31,  32,  33,  40,  47,  48,   49,   63,   64,   65,   70,   127,  128, 129,
                                     256, 511, 512, 513, 768, 1023, 1024, 1025, 1536, 2500, 3584, 4095, 4096}))
        expect_reference(s);
}

TEST_P(emulated_single_batch, some_lengths) {
    for (const setup &s : setups_of({3, 16, 100, 530})) expect_reference(s);
}

TEST_P(emulated_single_batch, some_sums_with_a_residual) {
    for (const dim_t C : {16, 100, 530})
        for (const auto type : {jitnorm_f32, jitnorm_bf16}) // the emulator rounds f16 in another way
            for (const unsigned flags : {0U, unsigned(jitnorm_rms_norm)}) {
                setup s = setup_of_sum(C, type, jitnorm_f32);
                s.flags = flags;
                expect_reference(s);
            }
}

TEST_P(single_batch, every_type_and_dimension) {
    for (const auto src : {jitnorm_f32, jitnorm_bf16, jitnorm_f16, jitnorm_s8, jitnorm_u8})
        for (const auto dst : {jitnorm_f32, jitnorm_bf16, jitnorm_f16, jitnorm_s8, jitnorm_f8_e4m3})
            for (const dim_t C : {5, 64, 100})
                expect_reference({.kind = C == 64 ? jitnorm_forward_inference : jitnorm_forward_training,
                                  .dims = {1, 1, C},
                                  .src_type = src,
                                  .dst_type = dst,
                                  .affine_type = C == 5 ? jitnorm_bf16 : jitnorm_f32,
                                  .mean = 20,
                                  .deviation = 30});
}

TEST_P(single_batch, sums_with_a_residual) {
    for (const dim_t C : RESIDUAL_LENGTHS)
        for (const auto type : FLOATING)
            for (const auto sum : FLOATING)
                for (const auto bias : {jitnorm_data_type_undef, jitnorm_f32})
                    for (const char *output : {"dense", ""}) {
                        setup s = setup_of_sum(C, type, sum);
                        s.flags = C % 3 == 0 ? jitnorm_rms_norm : jitnorm_use_shift;
                        s.residual.sum = output;
                        s.residual.bias_type = bias;
                        s.residual.gate_type = C % 5 == 0 ? bias : jitnorm_data_type_undef;
                        s.residual.silu = C % 7 == 1;
                        s.residual.rounded = output[0] != '\0' && C % 2 == 0;
                        s.residual.in_place = output[0] != '\0' && sum == type && C % 4 != 0;
                        expect_reference(s);
                    }
}

// Nothing is added again, which would change a sum in the place of the residual.
TEST_P(single_batch, whose_first_reduction_is_not_enough) {
    constexpr double INF = std::numeric_limits<double>::infinity();
    const auto fill = [](std::vector<double> &x, int kind) {
        for (size_t c = 0; c < x.size(); ++c) {
            const double wave = double(c % 7) - 3;
            x[c] = kind == 0 ? 0 : kind == 1 ? 5 : kind == 2 ? 1e-25 * wave : kind == 3 ? 1e30 * wave : wave;
            if (kind == 4 && c < 4) x[c] = 1e4; // a poor pivot
        }
        if (kind == 5) x.back() = INF;
        if (kind == 6) x.back() = std::numeric_limits<double>::quiet_NaN();
    };
    for (int kind = 0; kind < 7; ++kind)
        for (const dim_t C : {1, 3, 16, 100, 1000, 4095})
            for (const unsigned flags : {0U, unsigned(jitnorm_rms_norm)})
                for (const bool adds : {false, true}) {
                    setup s = adds ? setup_of_sum(C, jitnorm_f32, jitnorm_f32) : setup{.dims = {1, C}};
                    s.flags = flags | jitnorm_use_scale;
                    s.residual.in_place = adds;
                    s.in_place = !adds;
                    expect_reference(s, [&](run &r) {
                        std::vector<double> x = r[SRC].values();
                        fill(x, kind);
                        r[SRC].fill(x);
                        if (kind == 2) r.p.epsilon = 0; // which would hide tiny squares
                        if (!adds) return;
                        for (double &value : x) value *= 0.5;
                        r[RESIDUAL].fill(x);
                    });
                }
}

TEST_P(single_batch, attributes_and_outputs) {
    for (const dim_t C : {16, 100, 4095}) {
        setup s = {.flags = jitnorm_use_scale | jitnorm_use_shift | jitnorm_scale_plus_one,
                   .dims = {1, C},
                   .src = "dense+7",
                   .dst = "dense+7",
                   .statistics = "dense+7",
                   .dst_type = jitnorm_s8,
                   .statistics_type = jitnorm_bf16,
                   .pre_quantization = "dense+7",
                   .pre_quantization_type = jitnorm_bf16};
        s.attr.src_scale = s.attr.dst_scale = true;
        expect_reference(s);
        s.form = statistics_form::inverse_deviation;
        s.omitted = bit_of(MEAN);
        s.statistics_type = jitnorm_f32;
        expect_reference(s);
        for (const auto sum : {jitnorm_f32, jitnorm_bf16}) { // normalized from its output, from a tile
            setup added = setup_of_sum(C, jitnorm_bf16, sum);
            added.src = added.residual.added = added.residual.sum = "dense+7";
            expect_reference(added);
        }
    }
}

std::vector<setup> setups_with_post_ops() {
    std::vector<setup> all;
    for (const dim_t rows : {1, 2, 9, 32})
        for (const dim_t C : {1, 31, 64, 100, 200}) {
            setup s = {.dims = {rows, C}, .seed = unsigned(C)};
            s.attr.post_ops.entries = {impl::eltwise_post_op{jitnorm_eltwise_relu, 0, 0}};
            all.push_back(s);
            s.attr.post_ops.entries = {impl::sum_post_op{}, impl::binary_post_op{jitnorm_binary_mul, dense({rows, 1})},
                                       impl::binary_post_op{jitnorm_binary_add, dense({1, C}, jitnorm_f64)}};
            all.push_back(s);
            s.residual = {.added = "dense", .sum = "dense"};
            all.push_back(s);
        }
    return all;
}

// Lengths around the number of vectors that are quantized at once.
std::vector<setup> setups_with_found_scales() {
    std::vector<setup> all;
    for (const dim_t rows : {1, 2, 9})
        for (const dim_t C : {1, 8, 31, 32, 33, 63, 64, 65, 100, 127, 128, 129, 1000})
            for (const auto dst : {jitnorm_s8, jitnorm_u8, jitnorm_f8_e5m2, jitnorm_f8_e4m3}) {
                setup s = {.dims = {rows, C}, .dst_type = dst, .seed = unsigned(C)};
                if (C % 2 == 0) s.flags |= jitnorm_rms_norm;
                s.side = C % 2 == 0 ? guard_side::before : guard_side::after;
                s.dynamic_scales = scales_of(s.dims);
                if (C == 33) s.src_type = jitnorm_bf16;
                if (C == 65) s.attr.post_ops.entries = {impl::eltwise_post_op{jitnorm_eltwise_relu, 0, 0}};
                if (C == 129) s.pre_quantization = "dense";
                if (C == 100) s.residual = {.added = "dense", .sum = "dense"};
                all.push_back(s);
            }
    return all;
}

TEST_P(single_batch, with_post_ops) {
    for (const setup &s : setups_with_post_ops()) {
        EXPECT_TRUE(says_so(s)) << s;
        expect_equal_to_reference(GetParam(), s);
    }
}
TEST_P(emulated_single_batch, some_with_post_ops) {
    for (const setup &s : setups_with_post_ops())
        if (s.dims[0] != 32) expect_equal_to_reference(GetParam(), s);
}

TEST_P(single_batch, with_scales_that_are_found) {
    for (const setup &s : setups_with_found_scales()) {
        EXPECT_TRUE(says_so(s)) << s;
        expect_equal_to_reference(GetParam(), s);
    }
}
TEST_P(emulated_single_batch, some_with_scales_that_are_found) {
    for (const setup &s : setups_with_found_scales())
        if (s.dims[0] != 2) expect_equal_to_reference(GetParam(), s);
}

// Zeros are stored where the factor would not be finite.
TEST_P(single_batch, scales_of_zeros_and_of_what_is_not_finite) {
    for (const auto dst : {jitnorm_s8, jitnorm_u8, jitnorm_f8_e4m3})
        for (const double x :
             {0.0, 1e-44, std::numeric_limits<double>::infinity(), std::numeric_limits<double>::quiet_NaN()}) {
            setup s = {.dims = {3, 100}, .dst_type = dst};
            s.dynamic_scales = scales_of(s.dims);
            for (const bool given : {false, true}) {
                s.flags = given ? jitnorm_rms_norm | jitnorm_use_global_stats : unsigned(jitnorm_rms_norm);
                expect_equal_to_reference(GetParam(), s, [&](run &r) {
                    std::vector<double> values(300, 0.0);
                    values[7] = values[150] = x;
                    r[SRC].fill(values);
                });
            }
        }
}

// The executor asks once whether there is any.
TEST_P(single_batch, a_single_attribute_or_output) {
    const auto expect = [&](const std::function<void(setup &)> &change) {
        setup s = {.dims = {1, 100}, .omitted = bit_of(MEAN) | bit_of(VARIANCE)};
        change(s);
        expect_reference(s);
    };
    expect([](setup &s) { s.attr.src_scale = true; });
    expect([](setup &s) { s.attr.dst_scale = true; });
    expect([](setup &s) { s.pre_quantization = "dense"; });
    expect([](setup &s) { s.omitted = bit_of(VARIANCE); });
}

TEST_P(single_batch, whose_length_the_execution_tells) {
    for (const dim_t C : {16, 100, 4096})
        for (const bool adds : {false, true}) {
            setup s = adds ? setup_of_sum(C, jitnorm_f32, jitnorm_f32) : setup{.dims = {1, C}};
            s.dims[0] = C == 100 ? 3 : 1;
            run r(s);
            r.execute_on(jit_for(GetParam()), sizes_come::at_execution);
            expect_same(outputs_of(r), outputs_by(reference_entry, s), s, "sizes at execution");
        }
}

TEST_P(single_batch, evenly_spaced) {
    for (const char *layout : {"gap", "dense+7"})
        for (const bool adds : {false, true}) {
            setup s = adds ? setup_of_sum(100, jitnorm_f32, jitnorm_bf16) : setup{.dims = {1, 100}};
            s.dims = {3, 1, 100};
            s.src = s.dst = s.statistics = layout;
            (adds ? s.residual.sum : s.pre_quantization) = layout;
            if (adds) s.residual.added = layout;
            EXPECT_TRUE(says_so(s)) << s;
            expect_equal_to_reference(GetParam(), s);
        }
    const setup uneven = {.dims = {2, 2, 64}, .src = "@bac", .dst = "dense"};
    EXPECT_FALSE(says_so(uneven));
    expect_equal_to_reference(GetParam(), uneven);
}

TEST_P(single_batch, is_not_for_what_the_kernel_does_not_do) {
    const setup s = {.dims = {1, 64}};
    EXPECT_TRUE(says_so(s));
    EXPECT_FALSE(says_so({.dims = {1, 4097}})) << "more than a chunk";
    EXPECT_TRUE(says_so({.dims = {32, 64}}));
    EXPECT_FALSE(says_so({.dims = {33, 64}})) << "two batches";
    EXPECT_FALSE(says_so({.dims = {32, 4096}})) << "enough for several threads";
    EXPECT_FALSE(says_so({.dims = {1, 8, 8}, .src = "@acb", .dst = "@acb", .axes = 2})) << "not dense";
    EXPECT_FALSE(says_so({.dims = {1, 64}, .src_type = jitnorm_f64, .dst_type = jitnorm_f64}));
    EXPECT_FALSE(says_so({.flags = jitnorm_use_global_stats, .dims = {1, 64}}));
    EXPECT_FALSE(says_so({.dims = {1, 64}, .dst_type = jitnorm_s8, .dynamic_scales = scales_of({1, 64}, 4)}));
}

INSTANTIATE_TEST_SUITE_P(emulated, emulated_single_batch, testing::Values(isa::avx512), on_isa::name);
INSTANTIATE_TEST_SUITE_P(native, single_batch, testing::Values(isa::avx2, isa::avx512), on_isa::name);

} // namespace
} // namespace jitnorm::tests
