// SPDX-License-Identifier: Apache-2.0
// Residual addition: kernels give the reference's bits for every type, layout, length and number of threads, and the
// bits of separate steps where the definition says so.
#include <cmath>

#include "residual_setup.hpp"

namespace jitnorm::tests {
namespace {

constexpr jitnorm_data_type_t DATA_TYPES[] = {jitnorm_f32, jitnorm_bf16, jitnorm_f16,
                                              jitnorm_f64, jitnorm_s8,   jitnorm_u8};
constexpr jitnorm_data_type_t BIAS_TYPES[] = {jitnorm_data_type_undef, jitnorm_f32, jitnorm_bf16, jitnorm_f16};
void sweep_lengths(isa vectors, std::span<const dim_t> lengths) {
    for (dim_t C : lengths)
        for (auto type : {jitnorm_f32, jitnorm_bf16, jitnorm_f64})
            for (auto sum_type : {jitnorm_f32, jitnorm_bf16})
                for (bool rounded : {false, true}) {
                    setup s = setup_of_sum(5, C, type, sum_type);
                    s.residual.rounded = rounded;
                    s.residual.bias_type = BIAS_TYPES[size_t(C + sum_type) % std::size(BIAS_TYPES)];
                    expect_equal_to_reference(vectors, s);
                    if (testing::Test::HasFailure()) return;
                }
}

class residual : public on_isa {};
class emulated_residual : public on_isa {};

TEST_P(residual, lengths) { sweep_lengths(GetParam(), RESIDUAL_LENGTHS); }

constexpr dim_t EMULATED_LENGTHS[] = {37, 64};
TEST_P(emulated_residual, lengths) { sweep_lengths(GetParam(), EMULATED_LENGTHS); }

TEST_P(residual, types) {
    unsigned turn = 0;
    for (auto src : DATA_TYPES)
        for (auto added : DATA_TYPES)
            for (auto sum : DATA_TYPES)
                for (auto dst : DATA_TYPES) {
                    setup s = setup_of_sum(3, turn % 2 == 0 ? 50 : 64, src, sum);
                    s.dst_type = dst;
                    s.residual.type = added;
                    s.residual.bias_type = BIAS_TYPES[turn % 4];
                    s.residual.rounded = turn % 3 == 0;
                    ++turn;
                    expect_equal_to_reference(GetParam(), s);
                    if (HasFailure()) return;
                }
}

// The sum is not an output: whatever is normalized was never stored.
TEST_P(residual, without_a_sum) {
    for (dim_t C : {5, 64, 4096, 5000})
        for (auto type : {jitnorm_f32, jitnorm_bf16, jitnorm_f64}) {
            setup s = setup_of_sum(9, C, type, jitnorm_f32);
            s.residual.sum = "";
            expect_equal_to_reference(GetParam(), s);
        }
}

// Each tensor packed, blocked, spread and broadcast by itself, and all of them at once; chunks of long rows too.
TEST_P(residual, layouts) {
    const char *const layouts[] = {"dense", "@cab", "@bac", "aBc8b", "gap", "spread", "dense+7"};
    for (const std::vector<dim_t> &dims : {std::vector<dim_t>{3, 10, 21}, {2, 5, 4100}})
        for (const char *one : layouts)
            for (int which = 0; which < 5; ++which) {
                setup s = setup_of_sum(1, 1, jitnorm_f32, which % 2 == 0 ? jitnorm_f32 : jitnorm_bf16);
                s.flags = RESIDUAL_FLAGS[which % 2];
                s.dims = dims;
                s.seed = 3;
                if (which == 0 || which == 4) s.src = one;
                if (which == 1 || which == 4) s.residual.added = one;
                if (which == 2 || which == 4) s.residual.sum = one;
                if (which == 3 || which == 4) s.dst = one;
                s.residual.rounded = which == 1;
                s.residual.bias_type = BIAS_TYPES[which % 4];
                expect_equal_to_reference(GetParam(), s);
                if (HasFailure()) return;
            }
}

TEST_P(residual, a_residual_that_is_repeated) {
    setup s = setup_of_sum(0, 0, jitnorm_f32, jitnorm_f32);
    s.dims = {3, 4, 50};
    s.residual.added = "0,50,1";
    expect_equal_to_reference(GetParam(), s);
    s.residual.added = "1,0,0";
    expect_equal_to_reference(GetParam(), s);
}

// dst over src, the sum over the residual, and both: of whole rows, of chunks of long rows, dense and packed.
TEST_P(residual, in_place) {
    for (const char *layout : {"dense", "@ba"})
        for (dim_t C : {33, 1000, 4096, 10000, 40000})
            for (auto type : {jitnorm_f32, jitnorm_bf16})
                for (int which = 0; which < 4; ++which) {
                    setup s = setup_of_sum(7, C, type, type);
                    s.src = s.dst = s.residual.added = s.residual.sum = layout;
                    const outputs expected = outputs_by(reference_entry, s);
                    s.in_place = (which & 1) != 0;
                    s.residual.in_place = (which & 2) != 0;
                    expect_same(outputs_by(reference_entry, s), expected, s, "the reference in place");
                    expect_same(outputs_by(jit_for(GetParam()), s), expected, s, "kernels in place");
                    if (HasFailure()) return;
                }
}

// Rows and chunks of long rows, shared by threads.
TEST_P(residual, threads) {
    for (const char *layout : {"dense", "@ba"})
        for (const auto &[rows, C] : {std::pair<dim_t, dim_t>{70, 500}, {3, 9000}, {2, 100003}})
            for (bool rounded : {false, true}) {
                setup s = setup_of_sum(rows, C, jitnorm_bf16, jitnorm_bf16);
                s.src = s.residual.sum = layout;
                s.residual.rounded = rounded;
                s.residual.bias_type = jitnorm_f32;
                expect_equal_for_threads(GetParam(), s, {1, 2, 3, 7});
            }
}

TEST_P(residual, sizes_of_run_time) {
    for (const char *layout : {"dense", "@ba"})
        for (const auto &[rows, C] : {std::pair<dim_t, dim_t>{70, 40}, {3, 9000}}) {
            setup s = setup_of_sum(rows, C, jitnorm_bf16, jitnorm_f32);
            s.residual.added = layout;
            s.residual.bias_type = jitnorm_bf16;
            run late(s);
            late.execute_on(jit_for(GetParam()), sizes_come::at_execution);
            expect_same(outputs_of(late), outputs_by(reference_entry, s), s, "sizes at execution");
            run later(s);
            later.execute_on(reference_entry, sizes_come::at_execution);
            expect_same(outputs_of(later), outputs_by(reference_entry, s), s, "reference, sizes at execution");
        }
}

// What is enough for all sizes is enough for each.
TEST_P(residual, a_scratchpad_for_any_size) {
    for (const char *layout : {"dense", "@ba"})
        for (auto type : {jitnorm_f32, jitnorm_f64})
            for (dim_t C : {1, 2, 100, 1000, 4096, 4097, 20000}) {
                setup s = setup_of_sum(70, C, type, type);
                s.src = s.dst = s.residual.added = s.residual.sum = layout;
                const problem p = make_problem(s);
                plan how = plan_of(jit_for(GetParam()), p);
                how.give_up_chunks();
                EXPECT_LE(how.scratchpad.bytes(), scratchpad_bytes(jit_for(GetParam()), with_runtime_sizes(p))) << s;
            }
}

TEST_P(residual, attributes) {
    for (dim_t C : {20, 300, 5000}) {
        setup s = setup_of_sum(6, C, jitnorm_bf16, jitnorm_bf16);
        s.dst_type = jitnorm_s8;
        s.attr.src_scale = s.attr.dst_scale = true;
        s.attr.post_ops.entries = {impl::eltwise_post_op{jitnorm_eltwise_gelu_erf, 0, 0}, impl::sum_post_op{0.5F},
                                   impl::binary_post_op{jitnorm_binary_add, make_layout("@ba", {6, C}, jitnorm_f32)}};
        expect_equal_to_reference(GetParam(), s);
        s.src = "@ba";
        expect_equal_to_reference(GetParam(), s);
    }
}

// Dynamic scales go through columns in pieces of their own, and twice.
TEST_P(residual, scales_that_are_found) {
    for (dim_t C : {64, 1000, 4096, 16384, 40000})
        for (auto type : {jitnorm_f32, jitnorm_bf16})
            for (dim_t per_row : {1, 8})
                for (bool in_place : {false, true})
                    for (const char *layout : {"dense", "@ba"}) {
                        setup s = setup_of_sum(5, C, type, type);
                        s.dst_type = jitnorm_s8;
                        s.dynamic_scales = scales_of(s.dims, per_row);
                        s.residual.added = s.residual.sum = layout;
                        s.residual.in_place = in_place;
                        expect_equal_to_reference(GetParam(), s);
                        s.flags |= jitnorm_use_global_stats;
                        expect_equal_to_reference(GetParam(), s);
                        if (HasFailure()) return;
                    }
}

TEST_P(residual, special_values) {
    for (dim_t C : {20, 300, 5000}) {
        const setup s = setup_of_sum(6, C, jitnorm_f32, jitnorm_bf16);
        expect_equal_to_reference(GetParam(), s, [&](run &r) {
            std::vector<double> src = r[SRC].values(), added = r[RESIDUAL].values();
            const auto at = [&](dim_t row, dim_t column) { return size_t(row * C + column); };
            src[at(0, C - 1)] = NAN;
            added[at(1, 0)] = INFINITY;
            src[at(2, 3)] = INFINITY;
            added[at(2, 3)] = -INFINITY;
            for (dim_t c = 0; c < C; ++c) added[at(3, c)] = -src[at(3, c)];       // a row of zeros
            for (dim_t c = 0; c < C; ++c) added[at(4, c)] = 1 - src[at(4, c)];    // nearly constant
            for (dim_t c = 0; c < C; ++c) src[at(5, c)] = added[at(5, c)] = 3e38; // beyond the largest float
            r[SRC].fill(src);
            r[RESIDUAL].fill(added);
        });
    }
}

// ---------------------------------------------------------------- separate steps

// The sum as the definition has it: two additions in the compute type, one rounding.
std::vector<double> sums_of(const run &r) {
    std::vector<double> sums = r[SRC].values();
    const std::vector<double> added = r[RESIDUAL].values(), bias = r[BIAS].values();
    for (size_t i = 0; i < sums.size(); ++i) {
        float x = float(sums[i]) + float(added[i]);
        if (!bias.empty()) x += float(bias[i % bias.size()]);
        sums[i] = double(x);
    }
    return sums;
}

// An addition that stores its result in `type`, then a normalization of what it stored.
outputs in_steps(const implementation &entry, const setup &s, jitnorm_data_type_t type) {
    const run asked(s);
    setup plain = s;
    plain.residual = {};
    plain.src_type = type;
    run normalization(plain);
    normalization[SRC].fill(sums_of(asked));
    const std::vector<double> stored = normalization[SRC].values();
    normalization.execute_on(entry);
    outputs all = outputs_of(normalization);
    all[SUM] = stored;
    return all;
}

TEST_P(residual, is_an_addition_and_a_normalization) {
    for (const implementation &entry : {reference_entry, jit_for(GetParam())})
        for (dim_t C : {31, 768, 4096, 8192})
            for (auto bias : {jitnorm_data_type_undef, jitnorm_bf16})
                for (bool rounded : {false, true}) {
                    setup s = setup_of_sum(4, C, jitnorm_bf16, jitnorm_bf16);
                    s.flags = jitnorm_rms_norm | jitnorm_use_scale;
                    s.dst_type = jitnorm_f32;
                    s.residual.bias_type = bias;
                    s.residual.rounded = rounded;
                    outputs expected = in_steps(entry, s, rounded ? jitnorm_bf16 : jitnorm_f32);
                    if (!rounded) expected[SUM] = in_steps(entry, s, jitnorm_bf16)[SUM];
                    expect_same(outputs_by(entry, s), expected, s, entry.name);
                }
}

INSTANTIATE_TEST_SUITE_P(native, residual, testing::Values(isa::avx2, isa::avx512), on_isa::name);
INSTANTIATE_TEST_SUITE_P(emulated, emulated_residual, testing::Values(isa::avx512), on_isa::name);

} // namespace
} // namespace jitnorm::tests
