// SPDX-License-Identifier: Apache-2.0
// Operations fused with a normalization: a residual before it, in backward the gradient of that sum, scales of dst that
// the library finds, and the pre-quantization output, dst before post-ops and scales. Kernels give the reference's bits
// in every length, on every number of threads, and the bits of separate steps where the definition says so. The cross
// product (test_cross_product.cpp) has their types, layouts and attributes.
#include <cmath>
#include <limits>

#include "support/dynamic_scales.hpp"
#include "support/sweep.hpp"

namespace jitnorm::tests {
namespace {

constexpr auto F32 = jitnorm_f32, BF16 = jitnorm_bf16, F16 = jitnorm_f16, F64 = jitnorm_f64, S8 = jitnorm_s8,
               NONE = jitnorm_data_type_undef;

// Around the widths of vectors, lanes, blocks and chunks.
const std::vector<dim_t> LENGTHS = {1,  3,  4,  7,   8,   9,   15,   16,   17,   31,  32,
                                    33, 37, 64, 100, 511, 513, 4095, 4096, 4097, 9000};
const choices MANY_ROWS_OR_LONG_ONES = dims({{70, 500}, {3, 9000}, {2, 100003}});

void flags_by_length(setup &s) {
    const unsigned flags[] = {jitnorm_use_scale | jitnorm_use_shift, jitnorm_rms_norm | jitnorm_use_scale,
                              jitnorm_use_global_stats, 0};
    s.flags = flags[size_t(s.dims.back()) % 4];
}

// Each tensor of rows that there is, or all of them.
choices one_or_all_packed() {
    choices list;
    for (int which = 0; which < 7; ++which)
        list.push_back([=](setup &s) {
            int number = 0;
            for (std::string *tensor :
                 {&s.src, &s.dst, &s.diff_src, &s.residual.added, &s.residual.sum, &s.pre_quantization}) {
                if (!tensor->empty() && (which == number || which == 6)) *tensor = "@ba";
                ++number;
            }
        });
    return list;
}

// Rows with infinities, NaN and zeros, sums that cancel and sums that overflow.
void make_special(run &r) {
    std::vector<double> src = r[SRC].values(), added = r[RESIDUAL].values();
    added.resize(src.size());
    const size_t C = size_t(r.p.row_length());
    src[C - 1] = NAN;
    added[C] = INFINITY;
    src[2 * C + 3] = INFINITY;
    added[2 * C + 3] = -INFINITY;
    for (size_t c = 0; c < C; ++c) {
        added[3 * C + c] = -src[3 * C + c];       // a row of zeros
        added[4 * C + c] = 1 - src[4 * C + c];    // nearly constant
        src[5 * C + c] = added[5 * C + c] = 3e38; // beyond the largest float
        src[6 * C + c] = 0, src[7 * C + c] = 1e-40;
    }
    r[SRC].fill(src);
    if (r[RESIDUAL].exists()) r[RESIDUAL].fill(added);
}

setup sum_of(dim_t rows, jitnorm_data_type_t type = F32) {
    return {.dims = {rows, 1},
            .src_type = type,
            .dst_type = type,
            .diff_src_type = type,
            .mean = 3,
            .seed = 0,
            .residual = {.added = "dense", .sum = "dense", .type = type, .sum_type = type}};
}
setup sum_over_residual(dim_t rows) {
    setup s = sum_of(rows);
    s.residual.in_place = true;
    return s;
}
void types_of_src(setup &s) { s.residual.type = s.dst_type = s.src_type; }
const choices ROUNDED = each_of(&residual_setup::rounded, {false, true});
const choices BIASES = each_of(&residual_setup::bias_type, {NONE, F32, BF16, F16});
const choices GATES = each_of(&residual_setup::gate_type, {NONE, F32, BF16, NONE, F16}); // five, as a turn of its own
const choices SUM_TYPES = each_of(&residual_setup::sum_type, {F32, BF16});

setup gradient_of_sum(dim_t rows, jitnorm_data_type_t type = F32) {
    setup s = sum_of(rows, type);
    s.kind = jitnorm_backward;
    s.residual.added = "";
    return s;
}
const choices BACKWARDS = kinds({jitnorm_backward, jitnorm_backward_data});
const choices FORWARDS = kinds({jitnorm_forward_training, jitnorm_forward_inference, jitnorm_forward_inference});

setup with_pre_quantization(dim_t rows, jitnorm_data_type_t type = F32) {
    return {.dims = {rows, 1}, .src_type = type, .dst_type = type, .seed = 0, .pre_quantization = "dense"};
}
choices pre_quantization_types(const types &values) { return each_of(&setup::pre_quantization_type, values); }

// A sum post-op too, which reads dst.
void quantize_after_post_ops(setup &s) {
    s.dst_type = S8;
    s.attr.src_scale = s.attr.dst_scale = true;
    s.attr.post_ops.entries = {impl::eltwise_post_op{jitnorm_eltwise_gelu_erf, 0, 0}, impl::sum_post_op{0.5F},
                               impl::binary_post_op{jitnorm_binary_mul, dense({1, s.dims.back()})}};
}

setup with_scales(dim_t rows) {
    return {.dims = {rows, 1}, .dst_type = S8, .dynamic_scales = scales_of({rows, 1}), .seed = 0};
}
void quantize_by_given_statistics(setup &s) {
    s.flags = jitnorm_use_global_stats;
    s.dst_type = S8;
    s.dynamic_scales = scales_of(s.dims);
}
void rms_of_even_lengths(setup &s) {
    s.flags = jitnorm_use_scale | unsigned(s.dims.back() % 2 == 0 ? jitnorm_rms_norm : jitnorm_use_shift);
}
void add_narrow_residual(setup &s) {
    s.residual = {.added = "dense", .sum = "dense", .type = BF16, .sum_type = BF16};
    s.residual.in_place = s.dims.back() % 3 == 0;
}
void multiply_columns(setup &s) {
    s.attr.post_ops.entries = {impl::binary_post_op{jitnorm_binary_mul, dense({1, s.dims.back()})}};
}
void write_pre_quantization(setup &s) { s.pre_quantization = "dense"; }
void put_the_sum_over_the_residual(setup &s) {
    s.residual.in_place = !s.residual.sum.empty() && s.residual.type == s.residual.sum_type;
}
void leave_out_the_sum(setup &s) {
    if (!s.residual.rounded) s.residual.sum.clear(); // the rounded sum is the stored one
}

// One scale for each row, for a half, a third, sixteen elements of it, for each element.
const choices GROUPS_OF_EVERY_SIZE = each_value<dim_t>({0, 2, 3, 16, 1}, [](setup &s, dim_t part) {
    const dim_t C = s.dims.back(), wanted = part == 0 ? 1 : std::max<dim_t>(C / part, 1);
    s.dynamic_scales = scales_of(s.dims, C % wanted == 0 ? wanted : 1);
});

const std::vector<sweep> SWEEPS = {
    {.name = "sums",
     .of = sum_of(37),
     .each = {columns(LENGTHS), each_of(&setup::src_type, {F32, BF16, F64}), SUM_TYPES, ROUNDED},
     .in_turn = {{flags_by_length},
                 {types_of_src},
                 BIASES,
                 GATES,
                 {leave, leave, leave_out_the_sum},
                 rows({37, 9, 37, 1}), // at most 32 are a single batch
                 FORWARDS,
                 each_of(&residual_setup::silu, {false, false, true}),
                 {leave, put_the_sum_over_the_residual}},
     .small_caches = true},
    {.name = "sums_on_threads",
     .of = sum_of(0, BF16),
     .each = {joined(MANY_ROWS_OR_LONG_ONES, dims({{5, 16000}})), one_or_all_packed(), ROUNDED},
     .in_turn = {BIASES, GATES, SUM_TYPES},
     .threads = {1, 2, 3, 7},
     .late_sizes = true},
    {.name = "sums_over_the_residual_in_parts", // which must not be added twice
     .of = sum_over_residual(2),
     .each = {columns({9000, 40000, 100003}), {leave, quantize_by_given_statistics}},
     .threads = {1, 2, 7}},
    {.name = "packed_sums_in_parts", // of tiles that have several batches, since statistics are not evenly spaced
     .of = sum_over_residual(0),
     .each = {each_layouts({{{5, 3, 9000}, "spread", "spread", "spread", "@ba"}})},
     .threads = {1, 2}},
    {.name = "sums_of_special_values",
     .of = sum_of(8),
     .each = {columns({20, 21, 22, 23, 300, 5000}), rows({8, 40}), SUM_TYPES, {leave, put_the_sum_over_the_residual}},
     .in_turn = {{flags_by_length}},
     .small_caches = true,
     .prepare = make_special},
    {.name = "gradients", // vectors are crossed where types are not alike
     .of = gradient_of_sum(13),
     .each = {columns(LENGTHS),
              row_types(FLOATING),
              each_of(&residual_setup::sum_type, FLOATING),
              {leave, [](setup &s) { s.dst_type = s.diff_src_type = BF16; }}},
     .in_turn = {{flags_by_length}, BACKWARDS},
     .small_caches = true},
    {.name = "gradients_on_threads",
     .of = gradient_of_sum(0, BF16),
     .each = {dims({{100, 500}, {3, 9000}, {2, 200003}}), one_or_all_packed()},
     .in_turn = {BACKWARDS, SUM_TYPES},
     .threads = {1, 2, 3, 7},
     .late_sizes = true},
    {.name = "second_outputs",
     .of = with_pre_quantization(37),
     .each = {columns(LENGTHS), row_types({F32, BF16, F64}), {leave, quantize_after_post_ops}},
     .in_turn = {{flags_by_length}, pre_quantization_types(FLOATING), rows({37, 9, 37, 1, 1}), FORWARDS},
     .small_caches = true},
    {.name = "second_outputs_on_threads",
     .of = with_pre_quantization(0, BF16),
     .each = {MANY_ROWS_OR_LONG_ONES, one_or_all_packed()},
     .threads = {1, 2, 3, 7},
     .late_sizes = true},
    {.name = "second_outputs_of_special_values",
     .of = with_pre_quantization(8),
     .each = {columns({20, 300, 5000}), pre_quantization_types(FLOATING)},
     .prepare = make_special},
    {.name = "found_scales",
     .of = with_scales(1),
     .each = {columns(lengths_up_to(70, {127, 128, 129, 512, 1000, 1024, 4095, 4096})), rows({1, 2, 3, 40}),
              GROUPS_OF_EVERY_SIZE},
     .in_turn = {each_of(&setup::dst_type, QUANTIZED),
                 {rms_of_even_lengths},
                 each_of(&setup::src_type, {F32, F32, BF16}),
                 {leave, leave, add_residual, multiply_columns, write_pre_quantization}},
     .small_caches = true},
    {.name = "found_scales_of_special_values",
     .of = with_scales(8),
     .each = {columns({20, 33, 64, 300, 5000}), each_of(&setup::dst_type, QUANTIZED), scales_per_row({1, 4})},
     .in_turn = {{rms_of_even_lengths}},
     .prepare = make_special},
    {.name = "found_scales_on_threads",
     .of = with_scales(1),
     .each = {dims({{25000, 16}, {4000, 100}, {520, 768}, {97, 4096}, {1, 300000}, {2, 300000}}),
              scales_per_row({1, 4})},
     .in_turn = {{rms_of_even_lengths}},
     .threads = {1, 2, 3, 4}},
    {.name = "found_scales_of_long_rows", // beyond the tile of floats, groups that are, and tiles of part of a row
     .of = with_scales(7),
     .each = {columns({4097, 4160, 9000, 16512, 40000, 70000}),
              scales_per_row({1, 2, 8, 10, 129}),
              {leave, one_or_all_packed().back()},
              {leave, add_narrow_residual, multiply_columns}},
     .in_turn = {{rms_of_even_lengths}, {leave, write_pre_quantization}},
     .threads = {1, 3}},
};

const std::vector<sweep> EMULATED = {
    {.name = "sums",
     .of = sum_of(5),
     .each = {columns({37, 64}), each_of(&setup::src_type, {F32, BF16, F64}), SUM_TYPES, ROUNDED},
     .in_turn = {{flags_by_length}, {types_of_src}, BIASES, GATES},
     .small_caches = true},
    {.name = "gradients",
     .of = gradient_of_sum(3),
     .each = {columns({37}), row_types(FLOATING), each_of(&residual_setup::sum_type, FLOATING)},
     .in_turn = {{flags_by_length}}},
    {.name = "second_outputs",
     .of = with_pre_quantization(5),
     .each = {columns({37, 64}), row_types({F32, BF16, F64}), {leave, quantize_after_post_ops}},
     .in_turn = {{flags_by_length}, pre_quantization_types({F32, BF16, F64})}},
    {.name = "found_scales",
     .of = with_scales(3),
     .each = {columns({1, 15, 16, 17, 31, 64, 77, 144}), GROUPS_OF_EVERY_SIZE, each_of(&setup::dst_type, QUANTIZED)},
     .in_turn = {{rms_of_even_lengths}}},
    {.name = "found_scales_of_special_values",
     .of = with_scales(8),
     .each = {columns({33, 64, 300}), each_of(&setup::dst_type, QUANTIZED)},
     .in_turn = {{rms_of_even_lengths}},
     .prepare = make_special},
};

class fused_kernels : public equality_in_sweeps {};
TEST_P(fused_kernels, equal_the_reference) { expect_equal(); }
INSTANTIATE_TEST_SUITE_P(native, fused_kernels, native(SWEEPS), name_of_sweep);
INSTANTIATE_TEST_SUITE_P(emulated, fused_kernels, emulated(EMULATED), name_of_sweep);

class fused_kernels_on : public on_isa {};

// Zeros, numbers beyond and below the range, infinities and NaN, one and several among others, at every place of a row.
TEST_P(fused_kernels_on, scales_of_special_values) {
    constexpr float INF = std::numeric_limits<float>::infinity(), QUIET = std::numeric_limits<float>::quiet_NaN();
    const float specials[] = {0.0F,      -0.0F,     INF,       -INF,  QUIET,  0x1p-149F, 0x1p-140F,
                              0x1p-128F, 0x1p-121F, 0x1p-119F, 3e38F, -3e38F, 127.5F,    1e-30F};
    constexpr dim_t C = 37;
    for (const float rest : {0.0F, 1.0F, -0x1p-149F, 0x1p-126F, 1e38F}) {
        std::vector<double> src;
        dim_t rows = 0;
        for (const float special : specials)
            for (dim_t at = 0; at < C; at += 3, ++rows)
                for (dim_t c = 0; c < C; ++c)
                    src.push_back(c == at ? double(special) : double(rest) * double(c % 5 - 2));
        for (const auto type : QUANTIZED) {
            setup s = letting_through(rows, C);
            s.dst_type = type;
            expect_equal_to_reference(GetParam(), s, holding(src));
        }
    }
}

// Neither output knows of the other.
TEST_P(fused_kernels_on, the_second_output_is_dst_of_a_normalization_without_attributes) {
    for (const implementation &entry : {reference_entry, jit_for(GetParam())})
        for (const auto type : {F32, BF16, F16})
            for (const dim_t C : {20, 300, 5000}) {
                setup plain = with_pre_quantization(6, BF16);
                plain.dims.back() = C;
                plain.dst_type = plain.pre_quantization_type = type;
                setup s = plain;
                quantize_after_post_ops(s);
                s.attr.src_scale = false;
                setup alone = s;
                alone.pre_quantization = plain.pre_quantization = "";
                const outputs both = outputs_by(entry, s);
                EXPECT_TRUE(same_bits(both[PRE_QUANTIZATION], outputs_by(entry, plain).result())) << s;
                EXPECT_TRUE(same_bits(both.result(), outputs_by(entry, alone).result())) << s;
            }
}

// x * silu(z) to within 2.5 ulp, and the normalization of this.
TEST_P(fused_kernels_on, a_gate_before_the_normalization_is_a_product_and_a_normalization) {
    for (const implementation &entry : {reference_entry, jit_for(GetParam())})
        for (const dim_t C : {1, 7, 31, 64, 768, 4096, 8200})
            for (const unsigned rms : {0U, unsigned(jitnorm_rms_norm)}) {
                setup s = sum_of(3, F32);
                s.dims.back() = C;
                s.flags = rms | jitnorm_use_scale;
                s.dst_type = F32;
                s.residual.silu = true;
                s.residual.in_place = false;
                run gated(s);
                gated.execute_on(entry);
                setup plain = s;
                plain.residual = {};
                run normalization(plain);
                normalization[SRC].fill(gated[SUM].values());
                normalization.execute_on(entry);
                EXPECT_TRUE(same_bits(gated[DST].values(), normalization[DST].values())) << s;
                const std::vector<double> x = gated[SRC].values(), z = gated[RESIDUAL].values(),
                                          got = gated[SUM].values();
                for (size_t i = 0; i < x.size(); ++i) {
                    const double exact = x[i] * z[i] / (1 + std::exp(-z[i]));
                    ASSERT_NEAR(got[i], exact, 3e-7 * std::fabs(exact)) << s;
                }
            }
}

INSTANTIATE_TEST_SUITE_P(native, fused_kernels_on, testing::Values(isa::avx2, isa::avx512), on_isa::name);

} // namespace
} // namespace jitnorm::tests
