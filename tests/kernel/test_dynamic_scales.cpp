// SPDX-License-Identifier: Apache-2.0
// Scales of dst that the library finds, for rows and for groups of columns: kernels give the reference's bits.
#include <limits>
#include <span>

#include "rig/dynamic_scales.hpp"

namespace jitnorm::tests {
namespace {

using impl::post_op;

constexpr float INF = std::numeric_limits<float>::infinity(), NOT_A_NUMBER = std::numeric_limits<float>::quiet_NaN();
constexpr jitnorm_data_type_t SCALED_TYPES[] = {jitnorm_s8, jitnorm_u8, jitnorm_f8_e5m2, jitnorm_f8_e4m3};
constexpr jitnorm_data_type_t SRC_TYPES[] = {jitnorm_f32, jitnorm_bf16, jitnorm_f16, jitnorm_f64, jitnorm_s8};

void sweep_lengths(isa vectors, std::span<const dim_t> lengths, std::span<const dim_t> rows) {
    for (const dim_t C : lengths)
        for (const dim_t n : rows)
            for (const dim_t per_row : {dim_t(1), C / 2, C / 3, C / 16, C})
                if (per_row > 0 && C % per_row == 0) {
                    expect_equal_to_reference(vectors, quantizing({n, C}, per_row, SCALED_TYPES[(n + C) % 4]));
                    if (testing::Test::HasFailure()) return;
                }
}

class dynamic_scales : public on_isa {};
class emulated_dynamic_scales : public on_isa {};

TEST_P(dynamic_scales, lengths) {
    std::vector<dim_t> lengths;
    for (dim_t c = 1; c <= 70; ++c) lengths.push_back(c);
    for (dim_t c : {127, 128, 129, 512, 1000, 1024, 4095, 4096}) lengths.push_back(c);
    constexpr dim_t rows[] = {1, 2, 3, 40};
    sweep_lengths(GetParam(), lengths, rows);
}

TEST_P(emulated_dynamic_scales, lengths) {
    constexpr dim_t lengths[] = {1, 15, 16, 17, 31, 64, 77, 144}, rows[] = {3};
    sweep_lengths(GetParam(), lengths, rows);
}

// Rows beyond the tile of floats, and groups that are.
TEST_P(dynamic_scales, long_rows) {
    for (const dim_t C : {4097, 5000, 16384, 16512, 40000})
        for (const dim_t per_row : {1, 2, 4, 8, 129}) {
            if (C % per_row != 0) continue;
            expect_equal_for_threads(GetParam(), quantizing({3, C}, per_row), {1, 2, 3, 7});
        }
    expect_equal_for_threads(GetParam(), quantizing({1, 300000}), {1, 4});
    expect_equal_for_threads(GetParam(), quantizing({2, 300000}, 300000 / 4), {1, 4});
}

TEST_P(dynamic_scales, threads) {
    for (const dim_t C : {16, 100, 768, 4096})
        expect_equal_for_threads(GetParam(), quantizing({std::max<dim_t>(9, 400000 / C), C}, C % 4 == 0 ? 4 : 1),
                                 {1, 2, 3, 4});
}

TEST_P(dynamic_scales, types_of_src) {
    for (const auto src : SRC_TYPES)
        for (const auto affine : {jitnorm_f32, jitnorm_bf16})
            for (const auto dst : SCALED_TYPES)
                for (const dim_t C : {1, 7, 16, 50, 100, 4096, 6000}) {
                    setup s = quantizing({5, C}, 1, dst);
                    s.src_type = src;
                    s.affine_type = affine;
                    s.attr.src_scale = C % 3 == 0;
                    expect_equal_to_reference(GetParam(), s);
                    if (C % 4 != 0) continue;
                    s.dynamic_scales = scales_of(s.dims, C / 4);
                    expect_equal_to_reference(GetParam(), s);
                }
}

TEST_P(dynamic_scales, layouts) {
    const std::vector<dim_t> dims = {3, 5, 96};
    for (const char *src : {"abc", "acb", "bac", "cba", "aBc8b", "gap"})
        for (const char *dst : {"abc", "cba", "bac", "aBc8b"})
            for (const dim_t per_row : {1, 3})
                for (const char *scales : {"dense", "bac", "cba"}) {
                    setup s = quantizing(dims, per_row);
                    s.src = src;
                    s.dst = dst;
                    s.dynamic_scales = make_layout(scales, {3, 5, per_row}, jitnorm_f32);
                    expect_equal_to_reference(GetParam(), s);
                    if (HasFailure()) return;
                }
}

// Tiles that take whole rows, and tiles that do not.
TEST_P(dynamic_scales, layouts_of_long_rows) {
    for (const dim_t C : {4160, 9000, 70000})
        for (const dim_t per_row : {1, 5, 10}) {
            setup s = quantizing({7, C}, per_row);
            s.src = s.dst = "ba";
            expect_equal_for_threads(GetParam(), s, {1, 3});
            s.attr.post_ops.entries = {impl::binary_post_op{jitnorm_binary_mul, dense({1, C})}};
            expect_equal_for_threads(GetParam(), s, {1, 3});
        }
}

TEST_P(dynamic_scales, in_place) {
    for (const char *layout : {"ab", "ba"})
        for (const dim_t C : {16, 100, 5000})
            for (const dim_t per_row : {1, 2}) {
                setup s = quantizing({40, C}, per_row);
                s.src_type = jitnorm_s8;
                s.src = s.dst = layout;
                s.in_place = true;
                s.deviation = 30;
                expect_equal_to_reference(GetParam(), s);
            }
}

TEST_P(dynamic_scales, several_axes) {
    setup s = quantizing({3, 4, 50});
    s.axes = 2;
    s.dynamic_scales = dense({3, 1, 1});
    expect_equal_to_reference(GetParam(), s);
}

// Post-ops come before, smooth scales of columns among them; gathered operands too.
TEST_P(dynamic_scales, post_ops) {
    for (const dim_t C : {5, 48, 100, 5000})
        for (const dim_t per_row : {dim_t(1), 1 + (C + 1) % 2})
            for (const char *layout : {"ab", "ba"}) {
                if (C % per_row != 0) continue;
                setup s = quantizing({9, C}, per_row);
                s.attr.post_ops.entries = {
                    impl::eltwise_post_op{jitnorm_eltwise_swish, 1, 0},
                    impl::binary_post_op{jitnorm_binary_mul, dense({1, C}, jitnorm_bf16)},
                    impl::binary_post_op{jitnorm_binary_add, make_layout(layout, {9, C}, jitnorm_f32)}};
                expect_equal_to_reference(GetParam(), s);
            }
}

// The residual is added before; its place may take the sum. Rows in one piece, rows and groups that are longer.
TEST_P(dynamic_scales, of_sums_with_a_residual) {
    for (const dim_t C : {16, 100, 4096, 5000, 9000})
        for (const dim_t per_row : {dim_t(1), C / 4})
            for (const char *layout : {"ab", "ba"})
                for (const bool in_place : {false, true}) {
                    setup s = quantizing({7, C}, per_row);
                    s.src = s.dst = layout;
                    s.src_type = jitnorm_bf16;
                    s.residual = {.added = layout, .sum = layout, .type = jitnorm_bf16, .sum_type = jitnorm_bf16};
                    s.residual.in_place = in_place;
                    expect_equal_for_threads(GetParam(), s, {1, 3});
                    if (HasFailure()) return;
                }
}

// Zeros, numbers beyond and below the range, infinities and NaN, alone and among others, at every place of a row.
TEST_P(dynamic_scales, special_values) {
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
            expect_equal_to_reference(GetParam(), s, holding(src));
        }
    }
}

INSTANTIATE_TEST_SUITE_P(native, dynamic_scales, testing::Values(isa::avx2, isa::avx512), on_isa::name);
INSTANTIATE_TEST_SUITE_P(emulated, emulated_dynamic_scales, testing::Values(isa::avx512), on_isa::name);

} // namespace
} // namespace jitnorm::tests
