// SPDX-License-Identifier: Apache-2.0
// The order of backward's sums: rows to blocks to parts, elements to lanes to chunks.
#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

#include "math/row_blocks.hpp"
#include "math/row_sums.hpp"

namespace jitnorm::impl::layer_norm {
namespace {

void expect_all_rows_in_order(dim_t rows, dim_t columns) {
    const row_blocks cut(rows, columns);
    EXPECT_LE(cut.parts(), MAX_PARTS);
    EXPECT_LE(cut.parts() * columns, std::max(MAX_PARTS_ELEMENTS, MIN_PARTS * columns));
    dim_t next_row = 0, next_block = 0;
    for (dim_t part = 0; part < cut.parts(); ++part) {
        const range blocks = cut.part(part);
        ASSERT_EQ(blocks.begin, next_block);
        ASSERT_LT(blocks.begin, blocks.end);
        ASSERT_LE(blocks.end - blocks.begin, cut.blocks_per_part());
        next_block = blocks.end;
        for (dim_t block = blocks.begin; block < blocks.end; ++block) {
            const range in_block = cut.block(block);
            ASSERT_EQ(in_block.begin, next_row);
            ASSERT_TRUE(in_block.begin < in_block.end && in_block.end - in_block.begin <= MAX_BLOCK_ROWS);
            next_row = in_block.end;
        }
    }
    EXPECT_EQ(next_row, rows);
    EXPECT_EQ(next_block, cut.blocks());
}

TEST(row_blocks, cover_all_rows_in_order) {
    for (const dim_t rows : {0, 1, 2, 15, 16, 17, 33, 100, 511, 512, 513, 2048, 2049, 100000, 10000019})
        for (const dim_t columns : {0, 1, 500, 1024, 5000, 70000, 3000000}) expect_all_rows_in_order(rows, columns);
}

// The definition, by its numbers.
TEST(row_blocks, sizes) {
    struct expected {
        dim_t rows, columns, block_rows, blocks, parts;
    };
    for (const expected &e : {expected{0, 64, 0, 0, 0},
                              {1, 768, 1, 1, 1},
                              {33, 64, 32, 2, 2},
                              {16, 1024, 16, 1, 1},
                              {17, 1024, 16, 2, 2},
                              {128, 768, 22, 6, 6},
                              {128, 4096, 8, 16, 16},
                              {16, 8192, 4, 4, 4},
                              {512, 8192, 32, 16, 16},
                              {2048, 64, 32, 64, 64},
                              {2049, 64, 32, 65, 33},
                              {4097, 64, 32, 129, 43},
                              {2048, 32768, 32, 64, 32},
                              {2048, 1048576, 32, 64, 8}}) {
        const row_blocks cut(e.rows, e.columns);
        EXPECT_EQ(cut.blocks(), e.blocks) << e.rows << 'x' << e.columns;
        EXPECT_EQ(cut.parts(), e.parts) << e.rows << 'x' << e.columns;
        EXPECT_EQ(cut.block(0).end, e.block_rows) << e.rows << 'x' << e.columns;
    }
}

// The parts of a range: the rest of one that began before it, block by block, then the parts of all rows.
void expect_parts_of_range(dim_t first, dim_t end, dim_t all, dim_t columns) {
    const row_blocks whole(all, columns), some(end - first, columns, first, all);
    ASSERT_EQ(some.block_rows(), whole.block_rows());
    const dim_t first_block = first / whole.block_rows();
    dim_t next = 0;
    for (dim_t part = 0; part < some.parts(); ++part) {
        const range blocks = some.part(part);
        ASSERT_EQ(blocks.begin, next);
        ASSERT_LT(blocks.begin, blocks.end);
        next = blocks.end;
        const dim_t last_of_all = (first_block + blocks.end - 1) / whole.blocks_per_part();
        EXPECT_EQ((first_block + blocks.begin) / whole.blocks_per_part(), last_of_all) << "blocks of one part";
        const bool begins = (first_block + blocks.begin) % whole.blocks_per_part() == 0;
        EXPECT_EQ(some.begins_part(part), begins);
        EXPECT_TRUE(begins || blocks.end - blocks.begin == 1);
    }
    EXPECT_EQ(next, some.blocks());
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

// The next chunk of a row.
template <typename T>
void add_chunk(row_sums &sums, const T *g, const T *xhat, dim_t count) {
    sums.add_chunk<T>({0, count}, [&](dim_t begin, dim_t number, T *to_g, T *to_xhat) {
        std::copy(g + begin, g + begin + number, to_g);
        std::copy(xhat + begin, xhat + begin + number, to_xhat);
    });
}

TEST(row_sums, fold_adds_halves) {
    // (a + b) + c and a + (b + c) differ here: 1 survives only if the two large lanes, i and i + 8, are added first
    float lanes[BACKWARD_LANES<float>] = {};
    lanes[3] = 0x1p30f;
    lanes[11] = -0x1p30f;
    lanes[7] = 1;
    EXPECT_EQ(horizontal_sum(lanes), 1);
    float apart[BACKWARD_LANES<float>] = {};
    apart[3] = 0x1p30f;
    apart[7] = 1; // meets lane 3 before lane 1 does
    apart[1] = -0x1p30f;
    EXPECT_EQ(horizontal_sum(apart), 0);
}

TEST(row_sums, element_c_goes_into_lane_c_mod_16) {
    // Within its lane the large value is there first and swallows the small one; other lanes keep theirs.
    std::vector<float> g(48, 0), ones(48, 1);
    g[2] = 0x1p30f;
    g[18] = 1;  // the same lane: lost
    g[20] = 64; // another lane: kept until the fold, where 2^30 + 64 is exact
    g[34] = -0x1p30f;
    row_sums sums;
    add_chunk(sums, g.data(), ones.data(), 48);
    EXPECT_EQ(sums.s1, 64);
    EXPECT_EQ(sums.s2, 64);
}

TEST(row_sums, a_lane_starts_anew_with_each_block) {
    std::vector<float> g(size_t(BLOCK) + 17, 0), ones(g.size(), 1);
    g[0] = 0x1p30f;
    g[size_t(BLOCK)] = 40; // the same lane of the next block: both terms add up before they meet the large one
    g[size_t(BLOCK) + 16] = 40;
    row_sums sums;
    add_chunk(sums, g.data(), ones.data(), dim_t(g.size()));
    EXPECT_EQ(sums.s1, 0x1p30 + 128); // in one go 40 would be lost twice: half an ulp is 64
}

TEST(row_sums, chunks_are_added_in_double) {
    const float g = 0x1p30f, small = 1, xhat = 1;
    row_sums sums;
    add_chunk(sums, &g, &xhat, 1);
    add_chunk(sums, &small, &xhat, 1);
    EXPECT_EQ(sums.s1, 0x1p30 + 1);
    EXPECT_EQ(sums.s2, 0x1p30 + 1);
}

TEST(row_sums, products_are_fused) {
    constexpr double tiny = 0x1p-30;
    std::vector<double> g(17, 0), xhat(17, 0); // two terms of lane 0: -1 and (1 + tiny) (1 - tiny)
    g[0] = 1;
    xhat[0] = -1;
    g[16] = 1 + tiny;
    xhat[16] = 1 - tiny;
    row_sums sums;
    add_chunk(sums, g.data(), xhat.data(), 17);
    EXPECT_EQ(sums.s2, -tiny * tiny); // 0 if the product were rounded
}

TEST(row_sums, slopes_are_rounded_once) {
    // In double 3 * (1/3) is 1; in float the third rounds up, and twice the product would carry it along.
    const row_sums sums{.s1 = 3 + 0x1p-26, .s2 = 1.5 + 0x1p-26};
    const row_slopes<float> slopes = slopes_of(sums, 1.0 / 3, 3.0f);
    EXPECT_EQ(slopes.m1, 1.0f);
    EXPECT_EQ(slopes.k, 1.5f);
    EXPECT_EQ(slopes_of(sums, 0.5, 2.0).k, 1.5 + 0x1p-26);
}

TEST(row_sums, no_elements) {
    row_sums sums;
    add_chunk<float>(sums, nullptr, nullptr, 0);
    EXPECT_EQ(sums.s1, 0);
    EXPECT_EQ(sums.s2, 0);
}

} // namespace
} // namespace jitnorm::impl::layer_norm
