// SPDX-License-Identifier: Apache-2.0
// Any layout of any tensor: the bits of dense rows, zeros in the padding, nothing in the gaps.
#include "rig/equality.hpp"

namespace jitnorm::tests {
namespace {

struct layout_case {
    std::vector<dim_t> dims;
    const char *src, *diff_dst, *diff_src, *statistics;
};

const layout_case LAYOUTS[] = {
    {{5, 70}, "gap", "gap", "gap", "gap"},
    {{5, 70}, "gap+7", "dense", "gap", "a"},
    {{5, 70}, "ba", "ab", "gap", "a"},
    {{5, 70}, "ab", "gap", "ba", "gap"},
    {{5, 70}, "gap", "ba", "spread", "spread"},
    {{5, 70}, "AB16b16a", "AB16a16b", "aB8b", "a"},
    {{37, 70}, "ba", "ba", "ba", "a"},
    {{3, 5, 70}, "abc", "bac", "abc", "ba"},
    {{3, 5, 70}, "abc", "bac", "cba", "ba"},
    {{3, 5, 70}, "aBc8b", "aBc16b", "aBC8b8c", "aB8b"},
    {{3, 5, 20}, "aBC8b8c+7", "aBC16b16c+7", "aBC8b8c+7", "AB16b16a+7"},
    {{2, 3, 5, 20}, "acdb", "aBcd8b", "dcba", "aBc8b"},
    {{2, 3, 2, 5, 20}, "aBcde8b", "ABcde16a16b", "acdeb", "abdc"},
    {{3, 64, 9}, "cba", "cba", "cba", "ba"}, // blocks of rows that lie side by side in memory
    {{2, 37, 32, 3}, "acdb", "dcba", "acdb", "acb"},
    {{3, 32, 9}, "abc", "abc", "cba", "ab"},
    {{3, 5000}, "ba", "ab", "ba", "a"},
    {{2, 3, 4100}, "abc", "aBc8b", "cba", "ba"},
};

setup setup_of(const layout_case &layout, jitnorm_data_type_t type) {
    return {.kind = jitnorm_backward,
            .dims = layout.dims,
            .src = layout.src,
            .dst = layout.diff_dst,
            .statistics = layout.statistics,
            .diff_src = layout.diff_src,
            .src_type = type,
            .dst_type = type,
            .diff_src_type = type};
}

class backward_layouts : public on_isa {};

TEST_P(backward_layouts, equal_the_reference) {
    for (const layout_case &layout : LAYOUTS)
        for (const auto type : {jitnorm_f32, jitnorm_bf16, jitnorm_f64})
            for (const auto kind : {jitnorm_backward, jitnorm_backward_data})
                for (const auto side : {guard_side::after, guard_side::before}) {
                    setup s = setup_of(layout, type);
                    s.kind = kind;
                    s.side = side;
                    expect_equal_to_reference(GetParam(), s);
                }
}

TEST_P(backward_layouts, flags) {
    for (const layout_case &layout : LAYOUTS)
        for (const unsigned flags : {0U, 1U, 3U, 4U, unsigned(jitnorm_rms_norm), jitnorm_rms_norm | 6U}) {
            setup s = setup_of(layout, jitnorm_f32);
            s.flags = flags;
            expect_equal_to_reference(GetParam(), s);
        }
}

TEST_P(backward_layouts, in_place) {
    for (const layout_case &layout : LAYOUTS)
        for (const auto type : {jitnorm_f32, jitnorm_f16}) {
            setup s = setup_of(layout, type);
            s.diff_src = s.dst;
            s.in_place = true;
            expect_equal_to_reference(GetParam(), s);
        }
}

// The same gradients from any layout, with any number of threads, by rows and by chunks.
TEST_P(backward_layouts, threads) {
    for (const layout_case &layout : {layout_case{{1100, 100}, "ba", "ab", "gap", "a"},
                                      {{20, 50, 100}, "bac", "abc", "cba", "ba"},
                                      {{20, 50, 100}, "aBc8b", "aBc16b", "abc", "aB8b"},
                                      {{3, 64, 300}, "cba", "abc", "cba", "ba"},
                                      {{2, 60000}, "ba", "ab", "ba", "a"},
                                      {{2, 140000}, "spread", "ba", "ab", "a"}})
        for (const auto kind : {jitnorm_backward, jitnorm_backward_data}) {
            setup s = setup_of(layout, jitnorm_f32);
            s.kind = kind;
            setup dense = s;
            dense.src = dense.dst = dense.diff_src = dense.statistics = "dense";
            expect_for_threads(GetParam(), s, {1, 2, 3, 7}, outputs_by(reference_entry, dense));
        }
}

INSTANTIATE_TEST_SUITE_P(native, backward_layouts, testing::Values(isa::avx2, isa::avx512), on_isa::name);

} // namespace
} // namespace jitnorm::tests
