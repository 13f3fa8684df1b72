// SPDX-License-Identifier: Apache-2.0
// Scales of dst that the library finds, for rows and for groups of columns: kernels give the reference's bits, and the
// reference what the definition says of values that it has stored without them.
#include <bit>
#include <limits>
#include <span>

#include "arithmetic/convert.hpp"
#include "rig/equality.hpp"

namespace jitnorm::tests {
namespace {

using impl::post_op;

constexpr float INF = std::numeric_limits<float>::infinity(), NOT_A_NUMBER = std::numeric_limits<float>::quiet_NaN();
constexpr jitnorm_data_type_t SCALED_TYPES[] = {jitnorm_s8, jitnorm_u8, jitnorm_f8_e5m2, jitnorm_f8_e4m3};
constexpr jitnorm_data_type_t SRC_TYPES[] = {jitnorm_f32, jitnorm_bf16, jitnorm_f16, jitnorm_f64, jitnorm_s8};
constexpr unsigned RMS = jitnorm_use_scale | jitnorm_rms_norm;

setup setup_of(const std::vector<dim_t> &dims, dim_t per_row = 1, jitnorm_data_type_t dst = jitnorm_s8) {
    return {.flags = dims.back() % 2 == 0 ? RMS : jitnorm_use_scale | jitnorm_use_shift,
            .dims = dims,
            .dst_type = dst,
            .attr = finding_scales(dims, per_row),
            .side = dims.back() % 2 == 0 ? guard_side::before : guard_side::after,
            .seed = unsigned(dims.back())};
}

void sweep_lengths(isa vectors, std::span<const dim_t> lengths, std::span<const dim_t> rows) {
    for (const dim_t C : lengths)
        for (const dim_t n : rows)
            for (const dim_t per_row : {dim_t(1), C / 2, C / 3, C / 16, C})
                if (per_row > 0 && C % per_row == 0) {
                    expect_equal_to_reference(vectors, setup_of({n, C}, per_row, SCALED_TYPES[(n + C) % 4]));
                    if (testing::Test::HasFailure()) return;
                }
}

class found_scales : public on_isa {};
class emulated_found_scales : public on_isa {};

TEST_P(found_scales, lengths) {
    std::vector<dim_t> lengths;
    for (dim_t c = 1; c <= 70; ++c) lengths.push_back(c);
    for (dim_t c : {127, 128, 129, 512, 1000, 1024, 4095, 4096}) lengths.push_back(c);
    constexpr dim_t rows[] = {1, 2, 3, 40};
    sweep_lengths(GetParam(), lengths, rows);
}

TEST_P(emulated_found_scales, lengths) {
    constexpr dim_t lengths[] = {1, 15, 16, 17, 31, 64, 77, 144}, rows[] = {3};
    sweep_lengths(GetParam(), lengths, rows);
}

// Rows beyond the tile of floats, and groups that are.
TEST_P(found_scales, long_rows) {
    for (const dim_t C : {4097, 5000, 16384, 16512, 40000})
        for (const dim_t per_row : {1, 2, 4, 8, 129}) {
            if (C % per_row != 0) continue;
            expect_equal_for_threads(GetParam(), setup_of({3, C}, per_row), {1, 2, 3, 7});
        }
    expect_equal_for_threads(GetParam(), setup_of({1, 300000}), {1, 4});
    expect_equal_for_threads(GetParam(), setup_of({2, 300000}, 300000 / 4), {1, 4});
}

TEST_P(found_scales, threads) {
    for (const dim_t C : {16, 100, 768, 4096})
        expect_equal_for_threads(GetParam(), setup_of({std::max<dim_t>(9, 400000 / C), C}, C % 4 == 0 ? 4 : 1),
                                 {1, 2, 3, 4});
}

TEST_P(found_scales, types_of_src) {
    for (const auto src : SRC_TYPES)
        for (const auto affine : {jitnorm_f32, jitnorm_bf16})
            for (const auto dst : SCALED_TYPES)
                for (const dim_t C : {1, 7, 16, 50, 100, 4096, 6000}) {
                    setup s = setup_of({5, C}, 1, dst);
                    s.src_type = src;
                    s.affine_type = affine;
                    s.attr.src_scale = C % 3 == 0;
                    expect_equal_to_reference(GetParam(), s);
                    if (C % 4 != 0) continue;
                    s.attr = finding_scales(s.dims, C / 4);
                    expect_equal_to_reference(GetParam(), s);
                }
}

TEST_P(found_scales, layouts) {
    const std::vector<dim_t> dims = {3, 5, 96};
    for (const char *src : {"abc", "acb", "bac", "cba", "aBc8b", "gap"})
        for (const char *dst : {"abc", "cba", "bac", "aBc8b"})
            for (const dim_t per_row : {1, 3})
                for (const char *scales : {"dense", "bac", "cba"}) {
                    setup s = setup_of(dims, per_row);
                    s.src = src;
                    s.dst = dst;
                    s.attr.found_scales = make_layout(scales, {3, 5, per_row}, jitnorm_f32);
                    expect_equal_to_reference(GetParam(), s);
                    if (HasFailure()) return;
                }
}

// Tiles that take whole rows, and tiles that do not.
TEST_P(found_scales, layouts_of_long_rows) {
    for (const dim_t C : {4160, 9000, 70000})
        for (const dim_t per_row : {1, 5, 10}) {
            setup s = setup_of({7, C}, per_row);
            s.src = s.dst = "ba";
            expect_equal_for_threads(GetParam(), s, {1, 3});
            s.attr.post_ops.entries = {impl::binary_post_op{jitnorm_binary_mul, dense({1, C})}};
            expect_equal_for_threads(GetParam(), s, {1, 3});
        }
}

TEST_P(found_scales, in_place) {
    for (const char *layout : {"ab", "ba"})
        for (const dim_t C : {16, 100, 5000})
            for (const dim_t per_row : {1, 2}) {
                setup s = setup_of({40, C}, per_row);
                s.src_type = jitnorm_s8;
                s.src = s.dst = layout;
                s.in_place = true;
                s.deviation = 30;
                expect_equal_to_reference(GetParam(), s);
            }
}

TEST_P(found_scales, several_axes) {
    setup s = setup_of({3, 4, 50});
    s.axes = 2;
    s.attr.found_scales = dense({3, 1, 1});
    expect_equal_to_reference(GetParam(), s);
}

// Post-ops come before, smooth scales of columns among them; gathered operands too.
TEST_P(found_scales, post_ops) {
    for (const dim_t C : {5, 48, 100, 5000})
        for (const dim_t per_row : {dim_t(1), 1 + (C + 1) % 2})
            for (const char *layout : {"ab", "ba"}) {
                if (C % per_row != 0) continue;
                setup s = setup_of({9, C}, per_row);
                s.attr.post_ops.entries = {
                    impl::eltwise_post_op{jitnorm_eltwise_swish, 1, 0},
                    impl::binary_post_op{jitnorm_binary_mul, dense({1, C}, jitnorm_bf16)},
                    impl::binary_post_op{jitnorm_binary_add, make_layout(layout, {9, C}, jitnorm_f32)}};
                expect_equal_to_reference(GetParam(), s);
            }
}

// The residual is added before; its place may take the sum. Rows in one piece, rows and groups that are longer.
TEST_P(found_scales, of_sums_with_a_residual) {
    for (const dim_t C : {16, 100, 4096, 5000, 9000})
        for (const dim_t per_row : {dim_t(1), C / 4})
            for (const char *layout : {"ab", "ba"})
                for (const bool in_place : {false, true}) {
                    setup s = setup_of({7, C}, per_row);
                    s.src = s.dst = layout;
                    s.src_type = jitnorm_bf16;
                    s.residual = {.added = layout, .sum = layout, .type = jitnorm_bf16, .sum_type = jitnorm_bf16};
                    s.residual.in_place = in_place;
                    expect_equal_for_threads(GetParam(), s, {1, 3});
                    if (HasFailure()) return;
                }
}

// Given statistics that change nothing let every value through.
setup letting_through(dim_t rows, dim_t columns, dim_t per_row = 1) {
    setup s = setup_of({rows, columns}, per_row);
    s.kind = jitnorm_forward_inference;
    s.flags = jitnorm_use_global_stats;
    return s;
}

preparation values(const std::vector<double> &src) {
    return [src](run &r) {
        r.p.epsilon = 0;
        r.src.fill(src);
        r.mean.fill(std::vector<double>(size_t(r.p.rows()), 0));
        r.variance.fill(std::vector<double>(size_t(r.p.rows()), 1));
    };
}

// Zeros, numbers beyond and below the range, infinities and NaN, alone and among others, at every place of a row.
TEST_P(found_scales, special_values) {
    const float specials[] = {0.0F,      -0.0F,     INF,       -INF,  NOT_A_NUMBER, 0x1p-149F, 0x1p-140F,
                              0x1p-128F, 0x1p-121F, 0x1p-119F, 3e38F, -3e38F,       127.5F,    1e-30F};
    constexpr dim_t C = 37;
    for (const float rest : {0.0F, 1.0F, -0x1p-149F, 0x1p-126F, 1e38F}) {
        std::vector<double> src;
        dim_t rows = 0;
        for (const float special : specials)
            for (dim_t at = 0; at < C; at += 3, ++rows)
                for (dim_t c = 0; c < C; ++c)
                    src.push_back(c == at ? double(special) : double(rest) * double(c % 5 - 2));
        for (const auto type : SCALED_TYPES) {
            setup s = letting_through(rows, C);
            s.dst_type = type;
            expect_equal_to_reference(GetParam(), s, values(src));
        }
    }
}

INSTANTIATE_TEST_SUITE_P(native, found_scales, testing::Values(isa::avx2, isa::avx512), on_isa::name);
INSTANTIATE_TEST_SUITE_P(emulated, emulated_found_scales, testing::Values(isa::avx512), on_isa::name);

// ---------------------------------------------------------------- the reference

// What the same problem stores as f32, without scales.
std::vector<double> unscaled(setup s, const preparation &prepare = {}) {
    s.dst_type = jitnorm_f32;
    s.attr.found_scales = {};
    return outputs_by(reference_entry, s, prepare).result;
}

TEST(reference_found_scales, follow_the_definition) {
    for (const auto type : {jitnorm_s8, jitnorm_u8})
        for (const dim_t C : {1, 12, 600, 1200})
            for (const dim_t per_row : {dim_t(1), C / 6}) {
                if (per_row == 0) continue;
                const setup s = setup_of({4, C}, per_row, type);
                const outputs got = outputs_by(reference_entry, s);
                const std::vector<double> y = unscaled(s);
                const double limit = type == jitnorm_s8 ? 127 : 255, lowest = type == jitnorm_s8 ? -128 : 0;
                const size_t width = size_t(C / per_row);
                ASSERT_EQ(got.found_scales.size() * width, y.size());
                for (size_t group = 0; group < got.found_scales.size(); ++group) {
                    double largest = 0;
                    for (size_t i = group * width; i < (group + 1) * width; ++i)
                        largest = std::max(largest, std::fabs(y[i]));
                    const float scale = float(largest) / float(limit), factor = 1 / scale;
                    EXPECT_EQ(got.found_scales[group], double(scale));
                    for (size_t i = group * width; i < (group + 1) * width; ++i)
                        EXPECT_EQ(got.result[i],
                                  std::clamp(std::nearbyint(double(float(y[i]) * factor)), lowest, limit));
                }
            }
}

// As do those of 8-bit floats, whose rounding has tests of its own.
TEST(reference_found_scales, of_f8_follow_the_definition) {
    for (const auto type : {jitnorm_f8_e5m2, jitnorm_f8_e4m3}) {
        const setup s = setup_of({4, 100}, 5, type);
        const outputs got = outputs_by(reference_entry, s);
        const std::vector<double> y = unscaled(s);
        for (size_t i = 0; i < y.size(); ++i) {
            double largest = 0;
            for (size_t j = i / 20 * 20; j < i / 20 * 20 + 20; ++j) largest = std::max(largest, std::fabs(y[j]));
            const float scale = float(largest) / (type == jitnorm_f8_e5m2 ? 57344.0F : 448.0F);
            EXPECT_EQ(got.found_scales[i / 20], double(scale));
            impl::visit_data_type(type, [&]<typename Stored>(impl::stored_as<Stored>) {
                EXPECT_EQ(got.result[i], impl::widen<double>(impl::narrow<Stored>(float(y[i]) * (1 / scale))));
            });
        }
    }
}

TEST(reference_found_scales, the_largest_becomes_the_end_of_the_range) {
    const outputs got = outputs_by(reference_entry, letting_through(3, 4),
                                   values({1, -2, 0.5, 0,        // -127
                                           0, 0, 0, 0,           //
                                           300, 200, 100, -1})); // 127
    EXPECT_EQ(got.result, (std::vector<double>{64, -127, 32, 0, 0, 0, 0, 0, 127, 85, 42, 0}));
    EXPECT_EQ(got.found_scales, (std::vector<double>{double(2.0F / 127), 0, double(300.0F / 127)}));
}

// What is beside them is zero, and the scale tells of them; other groups do not notice.
TEST(reference_found_scales, infinities_and_nan_stay_in_their_group) {
    const outputs got =
        outputs_by(reference_entry, letting_through(2, 4, 2), values({INF, 1, 2, 1, NOT_A_NUMBER, INF, 127, -1}));
    EXPECT_EQ(got.result, (std::vector<double>{0, 0, 127, 64, 0, 0, 127, -1}));
    EXPECT_EQ(got.found_scales[0], INF);
    EXPECT_TRUE(std::isnan(got.found_scales[2]));
    EXPECT_EQ(got.found_scales[3], 1);
}

TEST(reference_found_scales, of_rows_without_elements_are_zero) {
    for (const implementation *by : {&reference_entry, &jit_for(isa::avx2), &jit_for(isa::avx512)})
        EXPECT_EQ(outputs_by(*by, setup_of({3, 0})).found_scales, (std::vector<double>(3, 0)));
}

} // namespace
} // namespace jitnorm::tests
