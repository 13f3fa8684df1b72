// SPDX-License-Identifier: Apache-2.0
// The order of rows in memory: neighbours follow each other, and no element moves. Units of strands: each row once,
// blocks whole and in their order, rows where their positions say.
#include "tensor/descriptors.hpp"
#include "tensor/row_order.hpp"

using namespace jitnorm::impl;
using namespace jitnorm::impl::layer_norm;
using namespace jitnorm::tests;

namespace {

TEST(row_order, neighbours_in_memory_follow_each_other) {
    const auto steps = [](const values &dims, jitnorm_format_tag_t tag) {
        const memory_desc md = in_order(tagged(dims, tag, jitnorm_f32));
        return values(md.dims, md.dims + md.ndims);
    };
    EXPECT_EQ(steps({2, 3, 4}, jitnorm_abc), (values{2, 3, 4}));
    EXPECT_EQ(steps({2, 3, 4}, jitnorm_bac), (values{3, 2, 4}));
    EXPECT_EQ(steps({2, 3, 4}, jitnorm_cba), (values{3, 2, 4}));
    EXPECT_EQ(steps({2, 3, 4, 5}, jitnorm_aBcd8b), (values{2, 4, 3, 5}));
    EXPECT_EQ(steps({2, 3, 4, 5}, jitnorm_ABcd16b16a), (values{4, 3, 2, 5}));
    EXPECT_EQ(steps({1, 3, 4}, jitnorm_cba), (values{1, 3, 4})); // a single index has no place
}

TEST(row_order, the_same_elements_at_the_same_places) {
    for (const named_tag &named : named_tags()) {
        const int ndims = parse_layout(named.name).ndims;
        const memory_desc md = tagged(values{3, 9, 2, 5, 4}, jitnorm_abcde, jitnorm_f32);
        const values dims(md.dims, md.dims + ndims);
        const memory_desc tensor = tagged(dims, named.tag, jitnorm_f32);
        const row_order order = order_in_memory(tensor, ndims - 1);
        const memory_desc ordered = with_row_order(tensor, ndims - 1, order);
        for (dim_t i = 0; i < nelems(tensor); ++i) {
            dim_t position[MAX_NDIMS] = {}, moved[MAX_NDIMS] = {};
            dim_t rest = i;
            for (int d = ndims - 1; d >= 0; rest /= dims[size_t(d--)]) position[d] = rest % dims[size_t(d)];
            for (int d = 0; d < ndims; ++d) moved[d] = position[d == ndims - 1 ? d : order[size_t(d)]];
            ASSERT_EQ(offset(tensor, position), offset(ordered, moved)) << named.name;
        }
    }
}

interleaved_blocks strands_of(const memory_desc &md, dim_t block_rows) { return {md, md.ndims - 1, block_rows}; }

TEST(interleaved_blocks, every_row_once_and_where_its_position_says) {
    const struct {
        memory_desc md;
        dim_t block_rows;
    } cases[] = {{tagged({3, 64, 9}, jitnorm_cba), 32},
                 {tagged({3, 64, 9}, jitnorm_cba), 4},
                 {tagged({2, 37, 32, 3}, jitnorm_acdb), 32},     // some of the strands in a unit
                 {tagged({2, 37, 32, 3}, jitnorm_acdb), 8},      // strands of several blocks
                 {tagged({5, 6, 4, 3}, jitnorm_dcba), 24},       // rows of two dimensions in each strand
                 {tagged({2, 3, 8, 7}, jitnorm_dcba), 4},        // two dimensions share lines
                 {tagged({3, 2, 5, 16, 2}, jitnorm_edcba), 16},  // three
                 {tagged({24, 5, 8, 3}, jitnorm_ABcd16b16a), 8}, // blocks of a layout
                 {tagged({3, 64, 9}, jitnorm_cba, jitnorm_f64), 32}};
    for (const auto &[md, block_rows] : cases) {
        SCOPED_TRACE(text_of(md));
        const int row_ndims = md.ndims - 1;
        const interleaved_blocks strands = strands_of(md, block_rows);
        ASSERT_TRUE(strands.exist());
        const memory_desc ordered = with_row_order(md, row_ndims, strands.order());
        std::vector<int> seen(size_t(nelems(md) / md.dims[row_ndims]), 0);
        for (dim_t number = 0; number < strands.units(); ++number) {
            const auto unit = strands.at(number);
            ASSERT_GE(unit.strands, 1);
            ASSERT_LE(unit.strands, strands.strands_of_unit());
            for (dim_t strand = 0; strand < unit.strands; ++strand) {
                const dim_t first = unit.first_row + strand * strands.rows_of_strand();
                ASSERT_EQ(first % block_rows, 0);
                for (dim_t i = 0; i < block_rows; ++i) {
                    ++seen.at(size_t(first + i));
                    ASSERT_EQ(row_offset(md, row_ndims, first + i),
                              row_offset(ordered, row_ndims, unit.position + i * strands.strands() + strand))
                        << "unit " << number << " strand " << strand << " row " << i;
                }
            }
        }
        EXPECT_EQ(seen, std::vector<int>(seen.size(), 1));
    }
}

TEST(interleaved_blocks, lines_are_used_whole) {
    EXPECT_EQ(strands_of(tagged({2, 37, 32, 3}, jitnorm_acdb), 32).strands_of_unit(), 16);
    EXPECT_EQ(strands_of(tagged({2, 37, 32, 3}, jitnorm_acdb, jitnorm_bf16), 32).strands_of_unit(), 32);
    EXPECT_EQ(strands_of(tagged({3, 64, 9}, jitnorm_cba), 32).strands_of_unit(), 3);
    EXPECT_EQ(strands_of(tagged({2, 3, 8, 7}, jitnorm_dcba), 4).strands_of_unit(), 2);
}

TEST(interleaved_blocks, none_where_they_do_not_help_or_blocks_do_not_fit) {
    EXPECT_FALSE(strands_of(tagged({3, 64, 9}, jitnorm_abc), 32).exist()) << "rows of their own";
    EXPECT_FALSE(strands_of(tagged({3, 64, 9}, jitnorm_acb), 32).exist()) << "neighbours in memory and in number";
    EXPECT_FALSE(strands_of(tagged({3, 63, 9}, jitnorm_cba), 32).exist()) << "blocks across strands";
    EXPECT_FALSE(strands_of(tagged({1, 64, 9}, jitnorm_cba), 32).exist()) << "a single strand";
    EXPECT_EQ(strands_of(tagged({3, 63, 9}, jitnorm_cba), 32).units(), 0);
    const auto every = [](dim_t step) { // of so many elements
        memory_desc md = tagged({8, 64, 9}, jitnorm_cba);
        for (dim_t &stride : std::span(md.strides, 3)) stride *= step;
        return strands_of(md, 32);
    };
    EXPECT_EQ(every(4).strands_of_unit(), 4);
    EXPECT_FALSE(every(5).exist()) << "fewer strands in a line";
}

} // namespace
