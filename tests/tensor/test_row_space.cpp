// SPDX-License-Identifier: Apache-2.0
// The joint walk of rows against each descriptor's own offsets.
#include <gtest/gtest.h>

#include <random>
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

// The offset of row `row`: the position counts the row dimensions, all others are 0.
dim_t row_offset(const memory_desc &md, int row_ndims, dim_t row) {
    jitnorm_dims_t position = {};
    for (int d = row_ndims - 1; d >= 0; row /= md.dims[d--]) position[d] = row % md.dims[d];
    return offset(md, position);
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

void check_all_ranges(const std::vector<memory_desc> &tensors, int row_ndims) {
    const dim_t rows = space_of(tensors, row_ndims).rows();
    for (dim_t begin = 0; begin <= rows; ++begin)
        for (dim_t end = begin; end <= rows; ++end) check_walk(tensors, row_ndims, begin, end);
}

TEST(row_space, dense_tensors_are_one_run) {
    const values dims = {2, 3, 4, 5};
    const std::vector<memory_desc> tensors = {tagged(dims, jitnorm_abcd), tagged(dims, jitnorm_abcd),
                                              tagged({2, 3, 4}, jitnorm_abc)};
    const row_space space = space_of(tensors, 3);
    EXPECT_EQ(space.rows(), 24);
    EXPECT_EQ(space.run_length(), 24);
    EXPECT_EQ(space.stride(0), 5);
    EXPECT_EQ(space.stride(2), 1);
    EXPECT_EQ(check_walk(tensors, 3, 0, 24), 1);
    check_all_ranges(tensors, 3);
}

TEST(row_space, one_tensor_that_does_not_merge_splits_the_run) {
    const values dims = {2, 3, 4, 5};
    const std::vector<memory_desc> tensors = {tagged(dims, jitnorm_abcd), tagged(dims, jitnorm_bacd),
                                              tagged({2, 3, 4}, jitnorm_abc)};
    EXPECT_EQ(space_of(tensors, 3).run_length(), 4);
    EXPECT_EQ(check_walk(tensors, 3, 0, 24), 6);
    check_all_ranges(tensors, 3);
}

TEST(row_space, statistics_in_another_order) {
    const std::vector<memory_desc> tensors = {tagged({3, 4, 7}, jitnorm_abc), tagged({3, 4}, jitnorm_ba)};
    EXPECT_EQ(space_of(tensors, 2).run_length(), 4);
    check_all_ranges(tensors, 2);
}

TEST(row_space, single_dimensions_vanish) {
    const std::vector<memory_desc> tensors = {strided({4, 1, 3, 8}, {24, 5, 8, 1}), strided({4, 1, 3}, {3, 2, 1})};
    EXPECT_EQ(space_of(tensors, 3).run_length(), 12);
    check_all_ranges(tensors, 3);
    const std::vector<memory_desc> single = {strided({1, 1, 8}, {9, 3, 1})};
    EXPECT_EQ(space_of(single, 2).rows(), 1);
    EXPECT_EQ(check_walk(single, 2, 0, 1), 1);
}

TEST(row_space, gaps_between_rows_merge_while_even) {
    const std::vector<memory_desc> tensors = {strided({3, 4, 5}, {40, 10, 1}), strided({3, 4, 5}, {41, 10, 1})};
    EXPECT_EQ(space_of({tensors[0]}, 2).run_length(), 12);
    EXPECT_EQ(space_of(tensors, 2).run_length(), 4);
    check_all_ranges(tensors, 2);
}

TEST(row_space, broadcast_rows_and_offsets) {
    memory_desc moved = tagged({3, 4, 5}, jitnorm_abc);
    moved.offset0 = 17;
    check_all_ranges({moved, strided({3, 4, 5}, {0, 0, 1})}, 2);
}

TEST(row_space, blocked_last_dimension) {
    const values dims = {3, 19};
    check_all_ranges({tagged(dims, jitnorm_aB8b), tagged(dims, jitnorm_ab)}, 1);
}

TEST(row_space, no_rows_no_runs) {
    const std::vector<memory_desc> tensors = {tagged({3, 0, 4}, jitnorm_abc)};
    EXPECT_EQ(space_of(tensors, 2).rows(), 0);
    EXPECT_EQ(check_walk(tensors, 2, 0, 0), 0);
}

TEST(row_space, random_layouts) {
    constexpr unsigned SEED = 20240611;
    std::mt19937 random(SEED);
    const jitnorm_format_tag_t tags[] = {jitnorm_abcde, jitnorm_bacde, jitnorm_edcba, jitnorm_decab, jitnorm_acbde};
    const jitnorm_format_tag_t row_tags[] = {jitnorm_abcd, jitnorm_dcba, jitnorm_acbd, jitnorm_bacd};
    for (int trial = 0; trial < 50; ++trial) {
        SCOPED_TRACE(testing::Message() << "seed " << SEED << " trial " << trial);
        values dims;
        for (int d = 0; d < 5; ++d) dims.push_back(1 + dim_t(random() % 3));
        const std::vector<memory_desc> tensors = {tagged(dims, tags[random() % 5]), tagged(dims, tags[random() % 5]),
                                                  tagged(dims, tags[random() % 5]),
                                                  tagged({dims.begin(), dims.end() - 1}, row_tags[random() % 4])};
        const dim_t rows = space_of(tensors, 4).rows();
        const dim_t begin = dim_t(random()) % rows;
        check_walk(tensors, 4, begin, begin + 1 + dim_t(random()) % (rows - begin));
        check_walk(tensors, 4, 0, rows);
    }
}

} // namespace
