// SPDX-License-Identifier: Apache-2.0
// The order in which backward adds rows: rows to blocks to parts.
#include <gtest/gtest.h>

#include <algorithm>

#include "math/row_blocks.hpp"

namespace jitnorm::impl::layer_norm {
namespace {

// Calls body(part, blocks) for each part, which begins where the one before it ends.
template <typename Body>
void for_each_part(const row_blocks &cut, Body &&body) {
    dim_t next = 0;
    for (dim_t part = 0; part < cut.parts(); ++part) {
        const range blocks = cut.part(part);
        ASSERT_EQ(blocks.begin, next);
        ASSERT_LT(blocks.begin, blocks.end);
        next = blocks.end;
        body(part, blocks);
    }
    EXPECT_EQ(next, cut.blocks());
}

void expect_all_rows_in_order(dim_t rows, dim_t columns) {
    const row_blocks cut(rows, columns);
    EXPECT_LE(cut.parts(), MAX_PARTS);
    EXPECT_LE(cut.parts() * columns, std::max(MAX_PARTS_ELEMENTS, MIN_PARTS * columns));
    dim_t next_row = 0;
    for_each_part(cut, [&](dim_t, const range &blocks) {
        ASSERT_LE(blocks.end - blocks.begin, cut.blocks_per_part());
        for (dim_t block = blocks.begin; block < blocks.end; ++block) {
            const range in_block = cut.block(block);
            ASSERT_EQ(in_block.begin, next_row);
            ASSERT_TRUE(in_block.begin < in_block.end && in_block.end - in_block.begin <= MAX_BLOCK_ROWS);
            next_row = in_block.end;
        }
    });
    EXPECT_EQ(next_row, rows);
}

TEST(row_blocks, cover_all_rows_in_order) {
    for (const dim_t rows : {0, 1, 2, 15, 16, 17, 33, 100, 511, 512, 513, 2048, 2049, 100000, 10000019})
        for (const dim_t columns : {0, 1, 500, 1024, 5000, 70000, 3000000}) expect_all_rows_in_order(rows, columns);
}

// The definition, by its numbers.
TEST(row_blocks, sizes) {
    const struct {
        dim_t rows, columns, block_rows, blocks, parts;
    } cases[] = {{0, 64, 0, 0, 0},          {1, 768, 1, 1, 1},         {33, 64, 32, 2, 2},     {16, 1024, 16, 1, 1},
                 {17, 1024, 16, 2, 2},      {128, 768, 22, 6, 6},      {128, 4096, 8, 16, 16}, {16, 8192, 4, 4, 4},
                 {512, 8192, 32, 16, 16},   {2048, 64, 32, 64, 64},    {2049, 64, 32, 65, 33}, {4097, 64, 32, 129, 43},
                 {2048, 32768, 32, 64, 32}, {2048, 1048576, 32, 64, 8}};
    for (const auto &[rows, columns, block_rows, blocks, parts] : cases) {
        SCOPED_TRACE(testing::Message() << rows << 'x' << columns);
        const row_blocks cut(rows, columns);
        EXPECT_EQ(cut.blocks(), blocks);
        EXPECT_EQ(cut.parts(), parts);
        EXPECT_EQ(cut.block(0).end, block_rows);
    }
}

// The parts of a range: the rest of one that began before it, block by block, then the parts of all rows.
void expect_parts_of_range(dim_t first, dim_t end, dim_t all, dim_t columns) {
    const row_blocks whole(all, columns), some(end - first, columns, first, all);
    ASSERT_EQ(some.block_rows(), whole.block_rows());
    const dim_t first_block = first / whole.block_rows();
    for_each_part(some, [&](dim_t part, const range &blocks) {
        const dim_t last_of_all = (first_block + blocks.end - 1) / whole.blocks_per_part();
        EXPECT_EQ((first_block + blocks.begin) / whole.blocks_per_part(), last_of_all) << "blocks of one part";
        const bool begins = (first_block + blocks.begin) % whole.blocks_per_part() == 0;
        EXPECT_EQ(some.begins_part(part), begins);
        EXPECT_TRUE(begins || blocks.end - blocks.begin == 1);
    });
    EXPECT_TRUE(some.blocks() == 0 || some.block(some.blocks() - 1).end == end - first);
}

TEST(row_blocks, of_a_range) {
    for (const dim_t all : {1, 17, 33, 512, 2049, 4097, 100003})
        for (const dim_t columns : {1, 768, 5000, 300000}) {
            const row_blocks whole(all, columns);
            const dim_t step = std::max<dim_t>(whole.blocks() / 7, 1);
            for (dim_t begin = 0; begin <= whole.blocks(); begin += step)
                for (dim_t end = begin; end <= whole.blocks() + step; end += step)
                    expect_parts_of_range(std::min(begin * whole.block_rows(), all),
                                          std::min(end * whole.block_rows(), all), all, columns);
        }
}

} // namespace
} // namespace jitnorm::impl::layer_norm
