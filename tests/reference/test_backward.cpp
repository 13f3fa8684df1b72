// SPDX-License-Identifier: Apache-2.0
// The reference backward against the oracle: types, flags, layouts, in place, many rows; and after the forward.
#include "rig/accuracy.hpp"
#include "rig/run.hpp"

namespace jitnorm::tests {
namespace {

constexpr jitnorm_data_type_t DATA_TYPES[] = {jitnorm_f32, jitnorm_bf16, jitnorm_f16, jitnorm_f64};

void check(const setup &s) {
    std::ostringstream name;
    name << s;
    SCOPED_TRACE(name.str());
    run r(s);
    const exact_results expected = exact_results_of(r.question());
    r.execute();
    expect_close(r.result().values(), expected.diff_src, size_t(r.p.row_length()),
                 is_double(s) ? 1e-14 : 1e-6 + rounding_of(s.diff_src_type));
    const double bound = is_double(s) ? 1e-7 : 1e-6; // gradients are at most f32
    if (r.p.writes(DIFF_SCALE)) expect_near(r[DIFF_SCALE], expected.diff_scale, bound);
    if (r.p.writes(DIFF_SHIFT)) expect_near(r[DIFF_SHIFT], expected.diff_shift, bound);
}

TEST(reference_backward, every_flag_and_kind) {
    for (const auto kind : {jitnorm_backward, jitnorm_backward_data})
        for (unsigned flags = 0; flags < 8; ++flags)
            for (const unsigned rms : {0u, unsigned(jitnorm_rms_norm)}) {
                check({.kind = kind, .flags = flags | rms});
                if (flags & jitnorm_use_scale) check({.kind = kind, .flags = flags | rms | jitnorm_scale_plus_one});
            }
}

TEST(reference_backward, every_combination_of_types) {
    for (const auto src : DATA_TYPES)
        for (const auto diff_dst : DATA_TYPES)
            for (const auto diff_src : DATA_TYPES)
                for (const auto affine : {jitnorm_f32, jitnorm_bf16, jitnorm_f16})
                    check({.kind = jitnorm_backward,
                           .src_type = src,
                           .dst_type = diff_dst,
                           .diff_src_type = diff_src,
                           .affine_type = affine});
}

TEST(reference_backward, row_lengths_around_lanes_tiles_and_chunks) {
    for (const auto type : {jitnorm_f32, jitnorm_f64})
        for (const dim_t columns : {1, 2, 15, 16, 17, 255, 256, 257, 1000, 4095, 4096, 4097, 8193, 10007})
            check({.kind = jitnorm_backward,
                   .dims = {3, columns},
                   .src_type = type,
                   .dst_type = type,
                   .diff_src_type = type});
}

TEST(reference_backward, row_counts_around_blocks_and_parts) {
    for (const dim_t rows : {1, 2, 15, 16, 17, 31, 33, 511, 512, 513, 2047, 2048, 2049, 5000})
        check({.kind = jitnorm_backward, .dims = {rows, 20}});
}

struct layout_case {
    std::vector<dim_t> dims;
    const char *src, *diff_dst, *diff_src, *statistics;
};

const layout_case LAYOUTS[] = {
    {{5, 70}, "ba", "ab", "gap", "a"},
    {{5, 70}, "ab", "gap", "ba", "gap"},
    {{5, 70}, "gap", "ba", "spread", "spread"},
    {{5, 70}, "gap+7", "gap+7", "gap+7", "gap+7"},
    {{5, 70}, "AB16b16a", "AB16a16b", "aB8b", "a"},
    {{3, 5, 70}, "abc", "bac", "cba", "ba"},
    {{3, 5, 70}, "aBc8b", "aBc16b", "aBC8b8c", "aB8b"},
    {{3, 5, 20}, "aBC8b8c+7", "aBC16b16c+7", "aBC8b8c+7", "AB16b16a+7"},
    {{2, 3, 5, 20}, "acdb", "aBcd8b", "dcba", "aBc8b"},
    {{2, 3, 2, 5, 20}, "aBcde8b", "ABcde16a16b", "acdeb", "abdc"},
};

TEST(reference_backward, layouts) {
    for (const layout_case &layout : LAYOUTS)
        for (const auto type : {jitnorm_f32, jitnorm_f16, jitnorm_f64})
            for (const auto side : {guard_side::after, guard_side::before})
                check({.kind = jitnorm_backward,
                       .dims = layout.dims,
                       .src = layout.src,
                       .dst = layout.diff_dst,
                       .statistics = layout.statistics,
                       .diff_src = layout.diff_src,
                       .src_type = type,
                       .dst_type = type,
                       .diff_src_type = type,
                       .side = side});
}

TEST(reference_backward, in_place) {
    for (const layout_case &layout : LAYOUTS)
        for (const auto type : DATA_TYPES)
            check({.kind = jitnorm_backward,
                   .dims = layout.dims,
                   .src = layout.src,
                   .dst = layout.diff_dst,
                   .statistics = layout.statistics,
                   .diff_src = layout.diff_dst,
                   .dst_type = type,
                   .diff_src_type = type,
                   .in_place = true});
    check({.kind = jitnorm_backward, .dims = {40, 10007}, .in_place = true});
}

TEST(reference_backward, no_rows_give_zero_gradients) {
    run r({.kind = jitnorm_backward, .dims = {0, 40}, .affine_type = jitnorm_bf16});
    r.execute();
    EXPECT_EQ(r[DIFF_SCALE].values(), std::vector<double>(40, 0));
    EXPECT_EQ(r[DIFF_SHIFT].values(), std::vector<double>(40, 0));
}

TEST(reference_backward, no_columns) {
    run r({.kind = jitnorm_backward, .dims = {40, 0}});
    r.execute();
}

// The error of the gradients must not grow with the number of rows.
TEST(reference_backward, a_million_rows) {
    setup s = {.kind = jitnorm_backward, .dims = {1000000, 2}};
    run r(s);
    const exact_results expected = exact_results_of(r.question());
    r.execute();
    expect_near(r[DIFF_SHIFT], expected.diff_shift, 1e-6);
    expect_near(r[DIFF_SCALE], expected.diff_scale, 1e-5);
}

// ---------------------------------------------------------------- after forward

// Forward's statistics feed backward; the whole is compared with the gradient from exact statistics.
void check_after_forward(setup s, double bound) {
    std::ostringstream name;
    name << s << " mean " << s.mean << " deviation " << s.deviation;
    SCOPED_TRACE(name.str());
    s.kind = jitnorm_forward_training;
    run forward(s);
    s.kind = jitnorm_backward;
    run backward(s);
    backward[SRC].fill(forward[SRC].values());
    oracle_problem question = backward.question();
    const exact_results exact = exact_results_of(forward.question());
    question.mean = exact.mean;
    question.variance = exact.variance;
    const exact_results expected = exact_results_of(question);
    forward.execute();
    if (backward[MEAN].exists()) backward[MEAN].fill(forward[MEAN].values());
    backward[VARIANCE].fill(forward[VARIANCE].values());
    backward.execute();
    expect_near(backward.result(), expected.diff_src, bound);
    expect_near(backward[DIFF_SCALE], expected.diff_scale, bound);
    expect_near(backward[DIFF_SHIFT], expected.diff_shift, bound);
}

// What rounding the mean and the variance to f32 costs is part of the bound: half an ulp of the mean, in deviations.
double bound_after_forward(double mean, double deviation) { return 1e-6 + 0x1p-24 * std::fabs(mean) / deviation; }

TEST(reference_after_forward, means_and_deviations) {
    for (const double mean : {0., 1., -30., 1e3, 1e4, 1e6})
        for (const double deviation : {1e-2, 1., 1e3})
            for (const dim_t C : {16, 100, 768, 5000})
                check_after_forward({.dims = {33, C}, .mean = mean, .deviation = deviation},
                                    bound_after_forward(mean, deviation));
}

TEST(reference_after_forward, types) {
    for (const auto type : DATA_TYPES)
        for (const auto affine : {jitnorm_f32, jitnorm_bf16, jitnorm_f16})
            for (const unsigned rms : {0U, unsigned(jitnorm_rms_norm)})
                for (const dim_t C : {64, 333})
                    check_after_forward({.flags = rms | jitnorm_use_scale | jitnorm_use_shift,
                                         .dims = {70, C},
                                         .src_type = type,
                                         .dst_type = type,
                                         .diff_src_type = type,
                                         .affine_type = affine},
                                        bound_after_forward(1, 2));
}

} // namespace
} // namespace jitnorm::tests
