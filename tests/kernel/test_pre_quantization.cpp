// SPDX-License-Identifier: Apache-2.0
// The second output, of what dst is before post-ops and scales: kernels give the reference's bits, dst has those it has
// without it, and the output those of a normalization without attributes.
#include <cmath>

#include "rig/equality.hpp"

namespace jitnorm::tests {
namespace {

constexpr jitnorm_data_type_t TYPES[] = {jitnorm_f32, jitnorm_bf16, jitnorm_f16, jitnorm_f64};
constexpr jitnorm_data_type_t DATA_TYPES[] = {jitnorm_f32, jitnorm_bf16, jitnorm_f16,     jitnorm_f64,
                                              jitnorm_s8,  jitnorm_u8,   jitnorm_f8_e4m3, jitnorm_f8_e5m2};
constexpr unsigned FLAGS[] = {jitnorm_use_scale | jitnorm_use_shift, jitnorm_rms_norm | jitnorm_use_scale,
                              jitnorm_use_global_stats, 0};
constexpr dim_t LENGTHS[] = {1, 3, 4, 7, 8, 9, 15, 16, 17, 31, 32, 33, 37, 64, 100, 511, 513, 4095, 4096, 4097, 9000};

setup setup_of(dim_t rows, dim_t columns, jitnorm_data_type_t type, jitnorm_data_type_t pre_quantization) {
    return {.flags = FLAGS[size_t(columns) % std::size(FLAGS)],
            .dims = {rows, columns},
            .src_type = type,
            .dst_type = type,
            .side = columns % 2 == 0 ? guard_side::before : guard_side::after,
            .seed = unsigned(columns),
            .pre_quantization = "dense",
            .pre_quantization_type = pre_quantization};
}

// A sum post-op too, which reads dst.
impl::attributes all_attributes(dim_t columns) {
    impl::attributes attr;
    attr.src_scale = attr.dst_scale = true;
    attr.post_ops.entries = {impl::eltwise_post_op{jitnorm_eltwise_gelu_erf, 0, 0}, impl::sum_post_op{0.5F},
                             impl::binary_post_op{jitnorm_binary_mul, make_layout("dense", {1, columns}, jitnorm_f32)}};
    return attr;
}

class pre_quantization : public on_isa {};
class emulated_pre_quantization : public on_isa {};

void sweep_lengths(isa vectors, std::span<const dim_t> lengths) {
    size_t turn = 0;
    for (const dim_t C : lengths)
        for (const auto type : {jitnorm_f32, jitnorm_bf16, jitnorm_f64})
            for (int again = 0; again < 2; ++again) {
                setup s = setup_of(5, C, type, TYPES[turn++ % std::size(TYPES)]);
                expect_equal_to_reference(vectors, s);
                s.dst_type = jitnorm_s8;
                s.attr = all_attributes(C);
                expect_equal_to_reference(vectors, s);
                if (testing::Test::HasFailure()) return;
            }
}

TEST_P(pre_quantization, lengths) { sweep_lengths(GetParam(), LENGTHS); }

constexpr dim_t EMULATED_LENGTHS[] = {37, 64};
TEST_P(emulated_pre_quantization, lengths) { sweep_lengths(GetParam(), EMULATED_LENGTHS); }

TEST_P(pre_quantization, types) {
    unsigned turn = 0;
    for (const auto src : DATA_TYPES)
        for (const auto dst : DATA_TYPES)
            for (const auto other : TYPES) {
                if (src == jitnorm_f8_e4m3 || src == jitnorm_f8_e5m2) continue;
                setup s = setup_of(4, ++turn % 2 == 0 ? 50 : 64, src, other);
                s.dst_type = dst;
                if (turn % 3 == 0) s.attr.src_scale = true;
                expect_equal_to_reference(GetParam(), s);
                if (HasFailure()) return;
            }
}

// Each tensor packed, blocked and spread by itself, and all of them at once; chunks of long rows too.
TEST_P(pre_quantization, layouts) {
    const char *const layouts[] = {"dense", "@cab", "@bac", "aBc8b", "gap", "spread", "dense+7"};
    for (const std::vector<dim_t> &dims : {std::vector<dim_t>{3, 10, 21}, {40, 48, 32}, {2, 5, 4100}})
        for (const char *one : layouts)
            for (int which = 0; which < 5; ++which) {
                setup s = setup_of(1, 1, jitnorm_f32, which % 2 == 0 ? jitnorm_f32 : jitnorm_bf16);
                s.flags = FLAGS[which % 2];
                s.dims = dims;
                if (which == 0 || which == 3) s.src = one;
                if (which == 1 || which == 3) s.dst = one;
                s.pre_quantization = which >= 2 ? one : "dense";
                if (which == 4) s.residual = {.added = "dense", .sum = one, .sum_type = jitnorm_bf16};
                expect_equal_to_reference(GetParam(), s);
                if (HasFailure()) return;
            }
}

TEST_P(pre_quantization, in_place) {
    for (const char *layout : {"dense", "@ba"})
        for (const dim_t C : {33, 4096, 10000})
            for (const auto type : {jitnorm_f32, jitnorm_bf16}) {
                setup s = setup_of(7, C, type, type);
                s.src = s.dst = s.pre_quantization = layout;
                const outputs expected = outputs_by(reference_entry, s);
                s.in_place = true;
                expect_same(outputs_by(reference_entry, s), expected, s, "the reference in place");
                expect_same(outputs_by(jit_for(GetParam()), s), expected, s, "kernels in place");
            }
}

// Rows that are longer than the tile of floats are normalized twice.
TEST_P(pre_quantization, beside_scales_that_are_found) {
    size_t turn = 0;
    for (const dim_t C : {64, 1000, 4096, 40000})
        for (const dim_t per_row : {1, 8})
            for (const char *layout : {"dense", "@ba"})
                for (const bool adds : {false, true}) {
                    setup s = setup_of(5, C, jitnorm_bf16, TYPES[turn++ * 5 / 4 % std::size(TYPES)]);
                    s.dst_type = jitnorm_s8;
                    s.dynamic_scales = scales_of(s.dims, per_row);
                    s.pre_quantization = layout;
                    if (adds) s.residual = {.added = "dense", .sum = "dense", .in_place = true};
                    expect_equal_to_reference(GetParam(), s);
                    if (HasFailure()) return;
                }
}

TEST_P(pre_quantization, threads_and_late_sizes) {
    for (const char *layout : {"dense", "@ba"})
        for (const auto &[rows, C] : {std::pair<dim_t, dim_t>{70, 500}, {3, 9000}, {2, 100003}}) {
            setup s = setup_of(rows, C, jitnorm_bf16, jitnorm_f32);
            s.pre_quantization = layout;
            expect_equal_for_threads(GetParam(), s, {1, 2, 3, 7});
            const outputs expected = outputs_by(reference_entry, s);
            for (const implementation &entry : {reference_entry, jit_for(GetParam())}) {
                run late(s);
                late.execute_on(entry, sizes_come::at_execution);
                expect_same(outputs_of(late), expected, s, "sizes at execution");
            }
        }
}

TEST_P(pre_quantization, a_scratchpad_for_any_size) {
    for (const char *layout : {"dense", "@ba"})
        for (const dim_t C : {1, 100, 4096, 4097, 20000}) {
            setup s = setup_of(70, C, jitnorm_f64, jitnorm_f64);
            s.pre_quantization = layout;
            s.src = layout;
            const problem p = make_problem(s);
            plan how = plan_of(jit_for(GetParam()), p);
            how.give_up_chunks();
            EXPECT_LE(how.scratchpad.bytes(), scratchpad_bytes(jit_for(GetParam()), with_runtime_sizes(p))) << s;
        }
}

// Neither output knows of the other.
TEST_P(pre_quantization, is_dst_of_a_normalization_without_attributes) {
    for (const implementation &entry : {reference_entry, jit_for(GetParam())})
        for (const auto type : {jitnorm_f32, jitnorm_bf16, jitnorm_f16})
            for (const dim_t C : {20, 300, 5000}) {
                setup s = setup_of(6, C, jitnorm_bf16, type), plain = s, alone = s;
                s.dst_type = alone.dst_type = jitnorm_s8;
                s.attr = alone.attr = all_attributes(C);
                s.attr.src_scale = alone.attr.src_scale = false;
                alone.pre_quantization = plain.pre_quantization = "";
                plain.dst_type = type;
                const outputs both = outputs_by(entry, s);
                EXPECT_TRUE(same_bits(both[PRE_QUANTIZATION], outputs_by(entry, plain).result())) << s;
                EXPECT_TRUE(same_bits(both.result(), outputs_by(entry, alone).result())) << s;
            }
}

TEST_P(pre_quantization, special_values) {
    for (const dim_t C : {20, 300, 5000})
        expect_equal_to_reference(GetParam(), setup_of(4, C, jitnorm_f32, jitnorm_bf16), [&](run &r) {
            std::vector<double> src = r[SRC].values();
            const auto at = [&](dim_t row, dim_t column) { return size_t(row * C + column); };
            src[at(0, C - 1)] = NAN;
            src[at(1, 3)] = INFINITY;
            for (dim_t c = 0; c < C; ++c) src[at(2, c)] = 0;
            for (dim_t c = 0; c < C; ++c) src[at(3, c)] = 1e-40;
            r[SRC].fill(src);
        });
}

INSTANTIATE_TEST_SUITE_P(native, pre_quantization, testing::Values(isa::avx2, isa::avx512), on_isa::name);
INSTANTIATE_TEST_SUITE_P(emulated, emulated_pre_quantization, testing::Values(isa::avx512), on_isa::name);

} // namespace
} // namespace jitnorm::tests
