// SPDX-License-Identifier: Apache-2.0
// Layouts: any strides, blocks, padding, statistics of their own layout; dense rows directly, all others packed.
#include "rig/equality.hpp"

namespace jitnorm::tests {
namespace {

class forward_layouts : public on_isa {};

TEST_P(forward_layouts, gaps_between_rows_stay_untouched) {
    expect_equal_to_reference(GetParam(), {.dims = {7, 33}, .src = "40,1", .dst = "37,1", .statistics = "3"});
}

TEST_P(forward_layouts, permuted_outer_dimensions) {
    expect_equal_to_reference(
        GetParam(), {.dims = {3, 4, 5, 17}, .src = "17,255,51,1", .dst = "340,85,17,1", .statistics = "1,15,3"});
}

TEST_P(forward_layouts, rows_that_overlap_in_src) {
    expect_equal_to_reference(GetParam(), {.dims = {6, 20}, .src = "0,1", .dst = "20,1", .statistics = "1"});
}

TEST_P(forward_layouts, five_dimensions_with_ones) {
    expect_equal_to_reference(
        GetParam(), {.dims = {2, 1, 3, 1, 50}, .src = "150,7,50,9,1", .dst = "200,1,60,1,1", .statistics = "3,3,1,1"});
}

TEST_P(forward_layouts, no_rows_or_no_columns) {
    for (const std::vector<dim_t> &dims : {std::vector<dim_t>{0, 64}, {5, 0}, {0, 0}})
        expect_equal_to_reference(GetParam(), {.flags = 0, .dims = dims});
}

TEST_P(forward_layouts, blocked_and_permuted) {
    for (const std::vector<dim_t> &dims : {std::vector<dim_t>{1, 1}, {3, 5}, {16, 16}, {50, 33}, {7, 300}, {97, 130}})
        for (const char *src : {"ab", "ba", "AB16b16a", "AB48a16b", "aB8b", "Ab16a"})
            for (const char *dst : {"ab", "ba", "AB16b16a", "aB8b"})
                for (const char *statistics : {"1", "2"})
                    expect_equal_to_reference(GetParam(),
                                              {.dims = dims, .src = src, .dst = dst, .statistics = statistics});
}

TEST_P(forward_layouts, blocked_in_more_dimensions) {
    for (const char *layout : {"aBcd8b", "ABcd16b16a", "acdb", "dcba", "cdba"})
        expect_equal_to_reference(GetParam(),
                                  {.dims = {3, 10, 4, 21}, .src = layout, .dst = layout, .statistics = "aBc8b"});
}

TEST_P(forward_layouts, packed_rows_of_several_chunks) {
    for (unsigned flags : {6U, unsigned(jitnorm_rms_norm), unsigned(jitnorm_use_global_stats | jitnorm_use_scale)})
        for (const char *layout : {"ba", "AB16b16a"})
            expect_equal_to_reference(GetParam(), {.flags = flags, .dims = {37, 9001}, .src = layout, .dst = layout});
}

TEST_P(forward_layouts, packed_in_place_on_threads) {
    expect_equal_for_threads(GetParam(), {.dims = {300, 500}, .src = "ba", .dst = "ba", .in_place = true},
                             {1, 2, 3, 4, 7});
}

INSTANTIATE_TEST_SUITE_P(native, forward_layouts, testing::Values(isa::avx2, isa::avx512), on_isa::name);

} // namespace
} // namespace jitnorm::tests
