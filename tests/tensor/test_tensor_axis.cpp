// SPDX-License-Identifier: Apache-2.0
// The runs of rows of strided tensors against each descriptor's own offsets, and which rows are dense.
#include <gtest/gtest.h>

#include "descriptors.hpp"
#include "tensor/tensor_axis.hpp"

using namespace jitnorm::impl;
using namespace jitnorm::tests;
using layer_norm::tensor_axis;

namespace {

// By the definition, from each element's offset.
bool rows_are_dense(const memory_desc &md, int row_ndims) {
    dim_t columns = 1;
    for (int d = row_ndims; d < md.ndims; ++d) columns *= md.dims[d];
    for (dim_t i = 0; i < nelems(md); ++i)
        if (offset_of_index(md, i) != offset_of_index(md, i / columns * columns) + i % columns) return false;
    return true;
}

TEST(has_dense_rows, where_the_last_dimensions_follow_each_other) {
    for (const memory_desc &md :
         {strided({3, 4, 5}, {20, 5, 1}), strided({3, 4, 5}, {1, 15, 3}), strided({3, 4, 5}, {30, 5, 1}),
          strided({3, 4, 5}, {30, 6, 1}), strided({3, 4, 5}, {40, 10, 2}), strided({4, 3, 5}, {5, 20, 1}),
          strided({3, 4, 5}, {1, 3, 12}), strided({3, 1, 5}, {5, 77, 1}), strided({3, 5, 1}, {5, 1, 77}),
          strided({3, 1, 1}, {7, 8, 9}), strided({3, 4, 5}, {5, 0, 1}), tagged({3, 16, 5}, jitnorm_acb)})
        for (int row_ndims = 0; row_ndims <= 3; ++row_ndims)
            EXPECT_EQ(has_dense_rows(md, row_ndims), rows_are_dense(md, row_ndims))
                << md.strides[0] << ' ' << row_ndims;
    EXPECT_FALSE(has_dense_rows(tagged({3, 16, 5}, jitnorm_aBc8b), 1));
}

TEST(has_dense_rows, of_run_time_sizes_where_they_cannot_decide) {
    EXPECT_TRUE(has_dense_rows(strided({RUNTIME_DIM, RUNTIME_DIM}, {RUNTIME_DIM, 1}), 1));
    EXPECT_TRUE(has_dense_rows(strided({3, RUNTIME_DIM, 5}, {RUNTIME_DIM, 5, 1}), 1));
    EXPECT_FALSE(has_dense_rows(strided({3, 4, RUNTIME_DIM}, {RUNTIME_DIM, RUNTIME_DIM, 1}), 1));
}

// Walks begin..end and compares every row; returns the number of runs.
int check_walk(const memory_desc &md, int row_ndims, dim_t begin, dim_t end) {
    const tensor_axis rows(md, 0, row_ndims);
    dim_t row = begin;
    int runs = 0;
    rows.for_each_run(begin, end - begin, [&](dim_t offset, dim_t count) {
        ++runs;
        EXPECT_GE(count, 1);
        for (dim_t i = 0; i < count; ++i, ++row)
            EXPECT_EQ(offset + i * rows.step(), (row_offset(md, row_ndims, row) - md.offset0) * element_size(md))
                << "row " << row;
    });
    EXPECT_EQ(row, end);
    return runs;
}

TEST(tensor_axis, runs_of_evenly_spaced_rows) {
    const values dims = {2, 3, 4, 5};
    memory_desc moved = tagged({3, 4, 5}, jitnorm_abc);
    moved.offset0 = 17;
    const struct {
        std::string what;
        memory_desc md;
        int row_ndims;
        dim_t rows;
        int runs;
    } cases[] = {{"a dense tensor is one run", tagged(dims, jitnorm_abcd), 3, 24, 1},
                 {"dimensions that do not merge split it", tagged(dims, jitnorm_bacd), 3, 24, 6},
                 {"single dimensions vanish", strided({4, 1, 3, 8}, {24, 5, 8, 1}), 3, 12, 1},
                 {"one row", strided({1, 1, 8}, {9, 3, 1}), 2, 1, 1},
                 {"gaps between rows merge while even", strided({3, 4, 5}, {40, 10, 1}), 2, 12, 1},
                 {"gaps that are not even", strided({3, 4, 5}, {41, 10, 1}), 2, 12, 3},
                 {"an offset", moved, 2, 12, 1},
                 {"broadcast rows", strided({3, 4, 5}, {0, 0, 1}), 2, 12, 1},
                 {"a blocked last dimension", tagged({3, 19}, jitnorm_aB8b), 1, 3, 1},
                 {"blocked rows", tagged({19, 3}, jitnorm_Ab16a), 1, 19, 2},
                 {"no rows", tagged({3, 0, 4}, jitnorm_abc), 2, 0, 0}};
    for (const auto &c : cases) {
        SCOPED_TRACE(c.what);
        EXPECT_EQ(tensor_axis(c.md, 0, c.row_ndims).size(), c.rows);
        EXPECT_EQ(check_walk(c.md, c.row_ndims, 0, c.rows), c.runs);
        for (dim_t begin = 0; begin <= c.rows; ++begin)
            for (dim_t end = begin; end <= c.rows; ++end) check_walk(c.md, c.row_ndims, begin, end);
    }
}

} // namespace
