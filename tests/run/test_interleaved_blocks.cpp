// SPDX-License-Identifier: Apache-2.0
// Units of strands: each row once, blocks whole and in their order, rows where their places say.
#include <gtest/gtest.h>

#include <vector>

#include "run/row_order.hpp"
#include "tensor/names.hpp"

using namespace jitnorm::impl;
using namespace jitnorm::impl::layer_norm;

namespace {

using values = std::vector<dim_t>;

memory_desc tagged(const values &dims, jitnorm_format_tag_t tag, jitnorm_data_type_t type = jitnorm_f32) {
    memory_desc md;
    EXPECT_EQ(make_with_tag(md, int(dims.size()), dims.data(), type, tag), jitnorm_success);
    return md;
}

// Where the row's first element is.
dim_t offset_of_row(const memory_desc &md, int row_ndims, dim_t row) {
    dim_t position[MAX_NDIMS] = {};
    for (int d = row_ndims - 1; d >= 0; row /= md.dims[d--]) position[d] = row % md.dims[d];
    return offset(md, position);
}

void check_units(const memory_desc &md, int row_ndims, dim_t block_rows) {
    const interleaved_blocks strands(md, row_ndims, block_rows);
    ASSERT_TRUE(strands.exist());
    const memory_desc ordered = with_row_order(md, row_ndims, strands.order());
    dim_t rows = 1;
    for (int d = 0; d < row_ndims; ++d) rows *= md.dims[d];
    std::vector<bool> seen(size_t(rows), false);
    for (dim_t number = 0; number < strands.units(); ++number) {
        const auto unit = strands.at(number);
        ASSERT_GE(unit.strands, 1);
        ASSERT_LE(unit.strands, strands.strands_of_unit());
        for (dim_t strand = 0; strand < unit.strands; ++strand) {
            const dim_t first = strands.first_row(unit, strand);
            ASSERT_EQ(first % block_rows, 0);
            for (dim_t i = 0; i < block_rows; ++i) {
                ASSERT_LT(first + i, rows);
                ASSERT_FALSE(seen[size_t(first + i)]);
                seen[size_t(first + i)] = true;
                ASSERT_EQ(offset_of_row(md, row_ndims, first + i),
                          offset_of_row(ordered, row_ndims, unit.place + i * unit.from_row + strand))
                    << "unit " << number << " strand " << strand << " row " << i;
            }
        }
    }
    for (const bool row : seen) EXPECT_TRUE(row);
}

TEST(interleaved_blocks, every_row_once_and_where_its_place_says) {
    check_units(tagged({3, 64, 9}, jitnorm_cba), 2, 32);
    check_units(tagged({3, 64, 9}, jitnorm_cba), 2, 4);
    check_units(tagged({2, 37, 32, 3}, jitnorm_acdb), 3, 32);     // some of the strands in a unit
    check_units(tagged({2, 37, 32, 3}, jitnorm_acdb), 3, 8);      // strands of several blocks
    check_units(tagged({5, 6, 4, 3}, jitnorm_dcba), 3, 24);       // rows of two dimensions in each strand
    check_units(tagged({2, 3, 8, 7}, jitnorm_dcba), 3, 4);        // strands of two dimensions
    check_units(tagged({3, 2, 5, 16, 2}, jitnorm_edcba), 4, 16);  // strands of three
    check_units(tagged({24, 5, 8, 3}, jitnorm_ABcd16b16a), 3, 8); // blocks of a layout
    check_units(tagged({3, 64, 9}, jitnorm_cba, jitnorm_f64), 2, 32);
}

TEST(interleaved_blocks, lines_are_used_whole) {
    EXPECT_EQ(interleaved_blocks(tagged({2, 37, 32, 3}, jitnorm_acdb), 3, 32).strands_of_unit(), 16);
    EXPECT_EQ(interleaved_blocks(tagged({2, 37, 32, 3}, jitnorm_acdb, jitnorm_bf16), 3, 32).strands_of_unit(), 32);
    EXPECT_EQ(interleaved_blocks(tagged({3, 64, 9}, jitnorm_cba), 2, 32).strands_of_unit(), 3);
    EXPECT_EQ(interleaved_blocks(tagged({2, 3, 8, 7}, jitnorm_dcba), 3, 4).strands_of_unit(), 6);
}

TEST(interleaved_blocks, none_where_they_do_not_help_or_blocks_do_not_fit) {
    EXPECT_FALSE(interleaved_blocks(tagged({3, 64, 9}, jitnorm_abc), 2, 32).exist()); // rows of their own
    EXPECT_FALSE(
        interleaved_blocks(tagged({3, 64, 9}, jitnorm_acb), 2, 32).exist()); // neighbours in memory and in number
    EXPECT_FALSE(interleaved_blocks(tagged({3, 63, 9}, jitnorm_cba), 2, 32).exist()); // blocks across strands
    EXPECT_FALSE(interleaved_blocks(tagged({1, 64, 9}, jitnorm_cba), 2, 32).exist()); // a single strand
    EXPECT_EQ(interleaved_blocks(tagged({3, 63, 9}, jitnorm_cba), 2, 32).units(), 0);
}

} // namespace
