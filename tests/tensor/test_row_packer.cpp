// SPDX-License-Identifier: Apache-2.0
// Tiles of rows against each descriptor's own offsets, byte by byte, between inaccessible pages. Offsets beyond 32
// bits: tests/kernel/test_large_strides.cpp.
#include <gtest/gtest.h>

#include <cstring>

#include "descriptors.hpp"
#include "support/guarded_buffer.hpp"
#include "tensor/row_packer.hpp"

using namespace jitnorm::impl;
using namespace jitnorm::impl::layer_norm;
using namespace jitnorm::tests;

namespace {

// The last dimension is the row.
row_packer packer_of(const memory_desc &md) { return {md, md.ndims - 1}; }

// Some bytes of a tensor, and bytes of a tile that no other element has nearby.
unsigned char pattern(size_t byte) { return static_cast<unsigned char>(byte * 151 + (byte >> 8) * 29 + 7); }

// A rectangle of rows and columns.
struct part {
    dim_t first_row, rows, first_column, columns;
};

class tile_check {
public:
    tile_check(const memory_desc &md, guard_side side) : tile_check(md, md.ndims - 1, side) {}
    tile_check(const memory_desc &md, int row_ndims, guard_side side)
        : md_(md), packer_(md, row_ndims), size_(size_of(md.data_type)), side_(side), tensor_(bytes(md), side) {
        for (size_t i = 0; i < tensor_.bytes(); ++i) tensor_.as<unsigned char>()[i] = pattern(i);
        tensor_.make_read_only();
    }

    void check(const part &p) {
        SCOPED_TRACE(text_of(md_) + " rows " + std::to_string(p.first_row) + "+" + std::to_string(p.rows) +
                     " columns " + std::to_string(p.first_column) + "+" + std::to_string(p.columns));
        const dim_t pitch = (p.columns + 3) * dim_t(size_); // a gap after each row but the last
        const size_t tile_bytes = p.rows == 0 ? 0 : size_t((p.rows - 1) * pitch) + size_t(p.columns) * size_;
        const guarded_buffer tile(tile_bytes, side_);
        packer_.gather(tensor_.data(), p.first_row, p.rows, p.first_column, p.columns, tile.data(), pitch);
        check_gathered(p, tile, pitch);

        const guarded_buffer written(tensor_.bytes(), side_);
        tile.make_read_only();
        packer_.scatter(tile.data(), pitch, p.first_row, p.rows, p.first_column, p.columns, written.data());
        check_scattered(p, written);
    }

private:
    size_t byte_of(dim_t row, dim_t column) const {
        return size_t(offset_of_index(md_, row * packer_.row_length() + column)) * size_;
    }

    void check_gathered(const part &p, const guarded_buffer &tile, dim_t pitch) const {
        std::vector<unsigned char> expected(tile.bytes(), guarded_buffer::CANARY);
        for (dim_t r = 0; r < p.rows; ++r)
            for (dim_t c = 0; c < p.columns; ++c)
                std::memcpy(&expected[size_t(r * pitch) + size_t(c) * size_],
                            tensor_.as<char>() + byte_of(p.first_row + r, p.first_column + c), size_);
        EXPECT_TRUE(expected.empty() || std::memcmp(expected.data(), tile.data(), expected.size()) == 0);
        EXPECT_TRUE(tile.slack_untouched());
    }

    void check_scattered(const part &p, const guarded_buffer &written) const {
        std::vector<unsigned char> expected(written.bytes(), guarded_buffer::CANARY);
        for (dim_t r = 0; r < p.rows; ++r)
            for (dim_t c = 0; c < p.columns; ++c) {
                const size_t at = byte_of(p.first_row + r, p.first_column + c);
                std::memcpy(&expected[at], tensor_.as<char>() + at, size_);
            }
        EXPECT_TRUE(expected.empty() || std::memcmp(expected.data(), written.data(), expected.size()) == 0);
        EXPECT_TRUE(written.slack_untouched());
    }

    memory_desc md_;
    row_packer packer_;
    size_t size_;
    guard_side side_;
    guarded_buffer tensor_;
};

// The whole tensor, and parts that begin and end off every block and register.
void check_parts(const memory_desc &md, int row_ndims) {
    const row_packer packer(md, row_ndims);
    const dim_t rows = packer.rows(), columns = packer.row_length();
    EXPECT_EQ(rows * columns, nelems(md));
    for (guard_side side : {guard_side::before, guard_side::after}) {
        tile_check tensor(md, row_ndims, side);
        tensor.check({0, rows, 0, columns});
        tensor.check({rows / 3, rows - rows / 3, columns / 3, columns - columns / 3});
        tensor.check({1 % rows, rows / 2, 1 % columns, columns / 2});
        tensor.check({rows - 1, 1, 0, columns});
        tensor.check({0, rows, columns - 1, 1});
        tensor.check({0, 0, 0, columns});
        tensor.check({rows / 2, rows - rows / 2, 0, 0});
    }
}

void check_parts(const memory_desc &md) { check_parts(md, md.ndims - 1); }

// Also with rows of several dimensions, of all, and of none, and with rows in the order of memory.
TEST(row_packer, every_tag) {
    for (const named_tag &named : named_tags())
        for (const values &dims : shapes_of(parse_layout(named.name).ndims)) {
            for (const jitnorm_data_type_t type : TYPES) check_parts(tagged(dims, named.tag, type));
            for (int row_ndims = 0; row_ndims <= int(dims.size()); ++row_ndims)
                check_parts(tagged(dims, named.tag, jitnorm_f32), row_ndims);
            check_parts(in_order(tagged(dims, named.tag, jitnorm_bf16)));
            if (HasFailure()) return;
        }
}

TEST(row_packer, strides) {
    for (const jitnorm_data_type_t type : TYPES)
        for (memory_desc md : {
                 strided({23, 29}, {64, 2}, type),           // a step from column to column
                 strided({5, 101}, {202, 2}, type),          // of many columns
                 strided({23, 29}, {1, 25}, type),           // rows side by side, with gaps
                 strided({23, 29}, {1, 1100}, type),         // and columns with large strides
                 strided({23, 29}, {3, 70}, type),           // neither dense
                 strided({23, 29}, {0, 1}, type),            // one row many times
                 strided({23, 29}, {1, 0}, type),            // one column many times
                 strided({5, 7, 29}, {1000, 30, 1}, type),   // rows that do not merge
                 strided({5, 2, 29}, {58, 1, 2}, type),      // two rows interleaved
                 strided({5, 3, 29}, {100, 1, 3}, type),     // three rows interleaved
                 strided({5, 5, 29}, {1, 7, 40}, type),      // neighbours in memory whose numbers differ much
                 strided({4, 1, 9, 8}, {100, 3, 9, 1}, type) // a dimension that does not count
             }) {
            check_parts(md);
            md.offset0 = 5;
            check_parts(md);
        }
}

// Every number of rows and columns around the squares that are turned in registers.
TEST(row_packer, every_small_tile) {
    for (const jitnorm_data_type_t type : TYPES) {
        tile_check side_by_side(strided({20, 20}, {1, 20}, type), guard_side::after);
        tile_check blocked(tagged({20, 20}, jitnorm_AB8b8a, type), guard_side::after);
        for (dim_t rows = 1; rows <= 20; ++rows)
            for (dim_t columns = 1; columns <= 20; ++columns) {
                side_by_side.check({20 - rows, rows, 20 - columns, columns});
                blocked.check({20 - rows, rows, 0, columns});
            }
    }
}

// Around the rectangles that AVX2's registers transpose: a dimension, dense or in blocks or with gaps, that lies inside
// rows whose fastest dimension has a large stride, with another dimension between them.
TEST(row_packer, rows_of_several_dimensions) {
    for (const jitnorm_data_type_t type : TYPES)
        for (const dim_t edge : {1, 2, 3, 7, 8, 15, 16, 17, 31, 32, 33, 40})
            for (const memory_desc &md :
                 {tagged({2, edge, 3, 33}, jitnorm_acdb, type), tagged({edge, 2, 3, 35}, jitnorm_dcba, type),
                  tagged({2, 33, 3, edge}, jitnorm_acdb, type), tagged({2, edge, 3, 17}, jitnorm_aBcd16b, type),
                  tagged({2, 33, edge}, jitnorm_aBC8b8c, type), strided({2, edge, 5, 9}, {8000, 2, 1500, 150}, type),
                  strided({edge, 3, 17}, {1, 64, 1100}, type)})
                for (int row_ndims = 1; row_ndims < md.ndims; ++row_ndims) {
                    check_parts(md, row_ndims);
                    if (HasFailure()) return;
                }
}

TEST(row_packer, no_elements) {
    for (const values &dims : {values{0, 8}, values{8, 0}, values{4, 0, 3}, values{0, 0}}) {
        const row_packer packer = packer_of(make_dense(dims, jitnorm_f32));
        EXPECT_EQ(packer.rows() * packer.row_length(), 0);
        packer.gather(nullptr, 0, packer.rows(), 0, packer.row_length(), nullptr, 0);
        packer.scatter(nullptr, 0, 0, packer.rows(), 0, packer.row_length(), nullptr);
        EXPECT_EQ(packer.group_begin(0), 0);
    }
}

// The cache lines that the rows of [begin, end) touch, counted from the tensor's beginning.
std::vector<bool> lines_of(const memory_desc &md, dim_t begin, dim_t end) {
    const size_t size = size_of(md.data_type);
    std::vector<bool> lines(bytes(md) / 64 + 1);
    const dim_t columns = md.dims[md.ndims - 1];
    for (dim_t i = begin * columns; i < end * columns; ++i) lines[size_t(offset_of_index(md, i)) * size / 64] = true;
    return lines;
}

bool share_a_line(const memory_desc &md, dim_t cut) {
    const std::vector<bool> before = lines_of(md, 0, cut), after = lines_of(md, cut, packer_of(md).rows());
    for (size_t i = 0; i < before.size(); ++i)
        if (before[i] && after[i]) return true;
    return false;
}

TEST(row_packer, cuts_share_no_cache_line) {
    for (const jitnorm_data_type_t type : TYPES)
        for (const memory_desc &tensor :
             {tagged({128, 64}, jitnorm_ab, type), tagged({128, 64}, jitnorm_ba, type),
              tagged({128, 64}, jitnorm_AB16b16a, type), tagged({96, 64}, jitnorm_AB48a16b, type),
              tagged({128, 64}, jitnorm_AB8a8b, type), tagged({128, 64}, jitnorm_Ab4a, type),
              tagged({128, 10}, jitnorm_ab, type), tagged({2, 64, 64}, jitnorm_cba, type),
              tagged({4, 64, 16}, jitnorm_acb, type), tagged({2, 128, 3, 16}, jitnorm_aBcd16b, type),
              tagged({64, 2, 3, 16}, jitnorm_ABcd16b16a, jitnorm_f32)}) {
            const memory_desc md = in_order(tensor);
            const row_packer packer = packer_of(md);
            dim_t cuts = 0;
            for (dim_t row = 0; row <= packer.rows(); ++row) {
                const dim_t cut = packer.group_begin(row);
                ASSERT_LE(cut, row);
                if (cut != row) continue;
                ++cuts;
                EXPECT_FALSE(share_a_line(md, cut)) << text_of(tensor) << " at " << cut;
            }
            EXPECT_GT(cuts, 2) << text_of(tensor);
        }
}

TEST(row_packer, tiles_are_whole_groups_where_they_fit) {
    const row_packer packer = packer_of(tagged({100, 64}, jitnorm_ba, jitnorm_f32));
    EXPECT_EQ(packer.tile_rows(0, 100, 40), 32);
    EXPECT_EQ(packer.tile_rows(5, 100, 40), 27); // to the next group and one more
    EXPECT_EQ(packer.tile_rows(96, 100, 40), 4);
    EXPECT_EQ(packer.tile_rows(0, 100, 10), 10); // no group fits
    EXPECT_EQ(packer.tile_rows(0, 7, 40), 7);
    EXPECT_EQ(row_packer::pitch_for(4096), 4096 + 64);
    EXPECT_EQ(row_packer::pitch_for(4097), 4096 + 64);
    EXPECT_EQ(row_packer::pitch_for(1), 64);
}

} // namespace
