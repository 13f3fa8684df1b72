// SPDX-License-Identifier: Apache-2.0
// The joint walk of rows against each descriptor's own offsets.
#include <gtest/gtest.h>

#include <vector>

#include "descriptors.hpp"
#include "tensor/row_space.hpp"

using namespace jitnorm::impl;
using namespace jitnorm::tests;

namespace {

row_space space_of(const std::vector<memory_desc> &tensors, int row_ndims) {
    std::vector<const memory_desc *> pointers;
    for (const memory_desc &md : tensors) pointers.push_back(&md);
    return row_space(pointers, row_ndims);
}

// Walks begin..end and compares every row of every tensor; returns the number of runs.
int check_walk(const std::vector<memory_desc> &tensors, int row_ndims, dim_t begin, dim_t end) {
    const row_space space = space_of(tensors, row_ndims);
    dim_t row = begin;
    int runs = 0;
    space.for_each_run(begin, end, [&](const row_space::run &run) {
        ++runs;
        EXPECT_GE(run.count, 1);
        EXPECT_LE(run.count, space.run_length());
        for (dim_t i = 0; i < run.count; ++i, ++row)
            for (size_t t = 0; t < tensors.size(); ++t)
                EXPECT_EQ(run.offset[t] + i * space.stride(int(t)), row_offset(tensors[t], row_ndims, row))
                    << "tensor " << t << " row " << row;
    });
    EXPECT_EQ(row, std::max(begin, end));
    return runs;
}

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

TEST(row_space, joint_runs_of_tensors) {
    const values dims = {2, 3, 4, 5};
    const memory_desc dense = tagged(dims, jitnorm_abcd), permuted = tagged(dims, jitnorm_bacd),
                      statistics = tagged({2, 3, 4}, jitnorm_abc), even_gaps = strided({3, 4, 5}, {40, 10, 1});
    memory_desc moved = tagged({3, 4, 5}, jitnorm_abc);
    moved.offset0 = 17;
    const struct {
        std::string what;
        std::vector<memory_desc> tensors;
        int row_ndims;
        dim_t rows, run_length;
    } cases[] = {
        {"dense tensors are one run", {dense, dense, statistics}, 3, 24, 24},
        {"one that does not merge splits it", {dense, permuted, statistics}, 3, 24, 4},
        {"statistics in another order", {tagged({3, 4, 7}, jitnorm_abc), tagged({3, 4}, jitnorm_ba)}, 2, 12, 4},
        {"single dimensions vanish", {strided({4, 1, 3, 8}, {24, 5, 8, 1}), strided({4, 1, 3}, {3, 2, 1})}, 3, 12, 12},
        {"one row", {strided({1, 1, 8}, {9, 3, 1})}, 2, 1, 1},
        {"gaps between rows merge while even", {even_gaps}, 2, 12, 12},
        {"gaps that are not even", {even_gaps, strided({3, 4, 5}, {41, 10, 1})}, 2, 12, 4},
        {"broadcast rows and offsets", {moved, strided({3, 4, 5}, {0, 0, 1})}, 2, 12, 12},
        {"a blocked last dimension", {tagged({3, 19}, jitnorm_aB8b), tagged({3, 19}, jitnorm_ab)}, 1, 3, 3},
        {"no rows", {tagged({3, 0, 4}, jitnorm_abc)}, 2, 0, 0}};
    for (const auto &c : cases) {
        SCOPED_TRACE(c.what);
        const row_space space = space_of(c.tensors, c.row_ndims);
        EXPECT_EQ(space.rows(), c.rows);
        EXPECT_EQ(c.rows == 0 ? 0 : space.run_length(), c.run_length);
        EXPECT_EQ(check_walk(c.tensors, c.row_ndims, 0, c.rows), c.rows == 0 ? 0 : c.rows / c.run_length);
        for (dim_t begin = 0; begin <= c.rows; ++begin)
            for (dim_t end = begin; end <= c.rows; ++end) check_walk(c.tensors, c.row_ndims, begin, end);
    }
}

} // namespace
