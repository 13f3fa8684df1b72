// SPDX-License-Identifier: Apache-2.0
// Layouts: any strides, blocks, padding, statistics of their own layout; dense rows directly, all others packed.
#include <omp.h>

#include "forward_run.hpp"

namespace jitnorm::tests {
namespace {

impl::memory_desc strided(std::initializer_list<dim_t> dims, std::initializer_list<dim_t> strides) {
    impl::memory_desc md;
    EXPECT_EQ(impl::make_with_strides(md, int(dims.size()), dims.begin(), jitnorm_f32, strides.begin()),
              jitnorm_success);
    return md;
}

class forward_layouts : public forward_on {};

problem with_layouts(const impl::memory_desc &src, const impl::memory_desc &dst, const impl::memory_desc &statistics) {
    problem p = forward_problem(1, 1, jitnorm_use_scale | jitnorm_use_shift);
    p.src = src;
    p.dst = dst;
    p.statistics = statistics;
    return p;
}

TEST_P(forward_layouts, gaps_between_rows_stay_untouched) {
    const problem p = with_layouts(strided({7, 33}, {40, 1}), strided({7, 33}, {37, 1}), strided({7}, {3}));
    expect_equal_to_reference(GetParam(), p, random_inputs(p, 1));
}

TEST_P(forward_layouts, permuted_outer_dimensions) {
    const problem p = with_layouts(strided({3, 4, 5, 17}, {17, 51 * 5, 51, 1}),
                                   strided({3, 4, 5, 17}, {340, 85, 17, 1}), strided({3, 4, 5}, {1, 15, 3}));
    expect_equal_to_reference(GetParam(), p, random_inputs(p, 2));
}

TEST_P(forward_layouts, rows_that_overlap_in_src) {
    const problem p = with_layouts(strided({6, 20}, {0, 1}), strided({6, 20}, {20, 1}), strided({6}, {1}));
    expect_equal_to_reference(GetParam(), p, random_inputs(p, 3));
}

TEST_P(forward_layouts, five_dimensions_with_ones) {
    const problem p = with_layouts(strided({2, 1, 3, 1, 50}, {150, 7, 50, 9, 1}),
                                   strided({2, 1, 3, 1, 50}, {200, 1, 60, 1, 1}), strided({2, 1, 3, 1}, {3, 3, 1, 1}));
    expect_equal_to_reference(GetParam(), p, random_inputs(p, 4));
}

TEST_P(forward_layouts, no_rows_or_no_columns) {
    for (const auto &[rows, columns] : {std::pair<dim_t, dim_t>{0, 64}, {5, 0}, {0, 0}}) {
        const problem p = forward_problem(rows, columns, 0);
        expect_equal_to_reference(GetParam(), p, random_inputs(p, 5));
    }
}

impl::memory_desc tagged(std::initializer_list<dim_t> dims, jitnorm_format_tag_t tag) {
    impl::memory_desc md;
    EXPECT_EQ(impl::make_with_tag(md, int(dims.size()), dims.begin(), jitnorm_f32, tag), jitnorm_success);
    return md;
}

TEST_P(forward_layouts, blocked_and_permuted) {
    using tag = jitnorm_format_tag_t;
    for (const auto &[rows, columns] : {std::pair<dim_t, dim_t>{1, 1}, {3, 5}, {16, 16}, {50, 33}, {7, 300}, {97, 130}})
        for (tag src : {jitnorm_ab, jitnorm_ba, jitnorm_AB16b16a, jitnorm_AB48a16b, jitnorm_aB8b, jitnorm_Ab16a})
            for (tag dst : {jitnorm_ab, jitnorm_ba, jitnorm_AB16b16a, jitnorm_aB8b})
                for (bool blocked_statistics : {false, true}) {
                    const auto statistics = blocked_statistics ? strided({rows}, {2}) : strided({rows}, {1});
                    const problem p =
                        with_layouts(tagged({rows, columns}, src), tagged({rows, columns}, dst), statistics);
                    expect_equal_to_reference(GetParam(), p, random_inputs(p, 6));
                }
}

TEST_P(forward_layouts, blocked_in_more_dimensions) {
    for (auto tag : {jitnorm_aBcd8b, jitnorm_ABcd16b16a, jitnorm_acdb, jitnorm_dcba, jitnorm_cdba}) {
        const auto src = tagged({3, 10, 4, 21}, tag);
        const problem p = with_layouts(src, src, tagged({3, 10, 4}, jitnorm_aBc8b));
        expect_equal_to_reference(GetParam(), p, random_inputs(p, 7));
    }
}

TEST_P(forward_layouts, packed_rows_of_several_chunks) {
    for (unsigned flags : {6U, unsigned(jitnorm_rms_norm), unsigned(jitnorm_use_global_stats | jitnorm_use_scale)})
        for (auto tag : {jitnorm_ba, jitnorm_AB16b16a}) {
            problem p = forward_problem(37, 9001, flags);
            p.src = p.dst = tagged({37, 9001}, tag);
            expect_equal_to_reference(GetParam(), p, random_inputs(p, 8));
        }
}

TEST_P(forward_layouts, packed_in_place_on_threads) {
    const int before = omp_get_max_threads();
    problem p = forward_problem(300, 500, jitnorm_use_scale | jitnorm_use_shift);
    p.src = p.dst = tagged({300, 500}, jitnorm_ba);
    const forward_inputs in = random_inputs(p, 9);
    for (int threads : {1, 2, 3, 4, 7}) {
        omp_set_num_threads(threads);
        expect_equal_to_reference(GetParam(), p, in, {guard_side::after, true});
    }
    omp_set_num_threads(before);
}

TEST_P(forward_layouts, refusals_say_why) {
    const auto refusal = [](const problem &p) { return jit_forward(GetParam()).refusal(p); };
    problem p = forward_problem(4, 8, jitnorm_use_scale);
    EXPECT_EQ(refusal(p), "");
    p.prop_kind = jitnorm_backward;
    EXPECT_NE(refusal(p).find("forward"), std::string::npos);
}

INSTANTIATE_TEST_SUITE_P(native, forward_layouts, testing::Values(isa::avx2, isa::avx512), isa_name);

} // namespace
} // namespace jitnorm::tests
