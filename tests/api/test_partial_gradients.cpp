// SPDX-License-Identifier: Apache-2.0
// Gradients of scale and shift from ranges of rows: the bits of backward on all rows, however rows are cut.
#include <array>

#include "parts_with_numbers.hpp"

using namespace jitnorm::tests;

namespace {

void expect_whole(const split_shape &s, const dims &parts) {
    parts_with_numbers memory(tensors_by_rows(s));
    rows_must_match(s, parts, memory);
}

jitnorm_dim_t block_of(const split_shape &s) {
    jitnorm_dim_t block = 0;
    EXPECT_OK(jitnorm_layer_normalization_row_block(&block, s.rows, s.columns));
    return block;
}

TEST(partial_gradients, have_the_bits_of_the_whole) {
    for (const char *implementation : {"", "jit:avx2", "ref:any"}) {
        if (jitnorm_set_implementation(implementation) != jitnorm_success) continue;
        for (const split_shape &s :
             {split_shape{1, 8}, {100, 16}, {128, 768}, {2049, 24}, {4097, 8}, {6000, 5}, {24, 5000}})
            for (const int ranges : {1, 2, 3, 4, 8, 40}) expect_whole(s, cut_evenly(s.rows, block_of(s), ranges));
    }
    ASSERT_OK(jitnorm_set_implementation(""));
}

TEST(partial_gradients, of_ranges_of_very_different_sizes) {
    expect_whole({4097, 8}, {32, 64, 4001});
    expect_whole({4097, 8}, {4064, 0, 32, 0, 1, 0});
    expect_whole({4097, 8}, {0, 4096, 1});
    expect_whole({0, 8}, {0, 0});
}

TEST(partial_gradients, of_every_type) {
    for (const auto affine : {jitnorm_bf16, jitnorm_f16}) expect_whole({600, 40, jitnorm_f32, affine}, {96, 480, 24});
    // not rounded to f32, which hides most of an order's bits
    for (const auto &rows : {dims{32, 64, 4001}, dims{4064, 32, 1}, dims{96, 4001}, dims{2048, 2049}})
        expect_whole({4097, 24, jitnorm_f64, jitnorm_f64}, rows);
    for (const auto affine : {jitnorm_f32, jitnorm_f16, jitnorm_f64})
        expect_whole({600, 40, jitnorm_f64, affine}, {96, 480, 24});
}

jitnorm_status_t create(jitnorm_dim_t rows, jitnorm_dim_t first, jitnorm_dim_t all) {
    const owned_md md = make_md({rows, 16}, jitnorm_f32);
    owned_pd pd;
    return jitnorm_layer_normalization_partial_backward_primitive_desc_create(
        &pd, cpu(), md, md, md, nullptr, jitnorm_f32, 1e-5F, CH, first, all, nullptr);
}

TEST(partial_gradients, rows_that_are_refused) {
    EXPECT_OK(create(64, 32, 4096));
    EXPECT_OK(create(65, 4032, 4097));
    for (const auto &[rows, first, all] : {std::array<jitnorm_dim_t, 3>{64, 16, 4096},
                                           {48, 16, 4096}, // its end is that of a block
                                           {65, 32, 4096},
                                           {64, 4064, 4097},
                                           {64, -32, 4096},
                                           {64, 0, 63},
                                           {64, 0, -1},
                                           {64, 1LL << 62, INT64_MAX}})
        EXPECT_EQ(create(rows, first, all), jitnorm_invalid_arguments) << rows << ' ' << first << ' ' << all;
    const owned_md any = make_md({JITNORM_RUNTIME_DIM_VAL, 16}, jitnorm_f32, dims{16, 1});
    owned_pd pd;
    EXPECT_EQ(jitnorm_layer_normalization_partial_backward_primitive_desc_create(
                  &pd, cpu(), any, any, any, nullptr, jitnorm_f32, 1e-5F, CH, 0, 4096, nullptr),
              jitnorm_unimplemented);
    EXPECT_EQ(jitnorm_layer_normalization_partial_backward_primitive_desc_create(
                  &pd, cpu(), nullptr, any, any, nullptr, jitnorm_f32, 1e-5F, CH, 0, 4096, nullptr),
              jitnorm_invalid_arguments);
}

TEST(partial_gradients, sums_are_described) {
    const owned_md rows = make_md({320, 16}, jitnorm_f32); // blocks 1, 2 | 3 4 5 | 6 7 8 | 9 10
    const owned_pd pd = described(jitnorm_layer_normalization_partial_backward_primitive_desc_create, rows.get(),
                                  rows.get(), rows.get(), nullptr, jitnorm_f32, 1e-5F, CH, 32, 4097, nullptr);
    const auto *md = jitnorm_primitive_desc_query_md(pd, jitnorm_query_diff_weights_md, 0);
    EXPECT_EQ(dims_of(md, jitnorm_query_dims), (dims{5, 16}));
    EXPECT_EQ(ask<jitnorm_data_type_t>(md, jitnorm_query_data_type), jitnorm_f64);
}

TEST(partial_gradients, merges_that_are_refused) {
    const std::vector<double> sums(100 * 16);
    const double *const both[] = {sums.data(), sums.data()};
    const double *const one[] = {sums.data(), nullptr};
    std::vector<float> gradient(16, 7);
    const auto merge = [&](jitnorm_data_type_t type, jitnorm_dim_t all, jitnorm_dim_t columns, dims rows,
                           const double *const *parts) {
        return jitnorm_layer_normalization_merge_gradients(gradient.data(), type, all, columns, int(rows.size()),
                                                           rows.data(), parts);
    };
    for (const jitnorm_status_t status :
         {merge(jitnorm_s8, 4096, 16, {64, 4032}, both), merge(jitnorm_f32, 4096, 16, {64, 4000}, both),
          merge(jitnorm_f32, 4096, 16, {16, 4080}, both), merge(jitnorm_f32, 4096, 16, {-64, 4160}, both),
          merge(jitnorm_f32, 4096, 16, {64, 4032}, one), merge(jitnorm_f32, -1, 16, {}, both),
          merge(jitnorm_f32, 4096, INT64_MAX, {64, 4032}, both), merge(jitnorm_f32, 4096, 16, {64, 4032}, nullptr),
          merge(jitnorm_f32, 4096, 16, {4096, 4096}, both)})
        EXPECT_EQ(status, jitnorm_invalid_arguments);
    EXPECT_EQ(jitnorm_layer_normalization_merge_gradients(nullptr, jitnorm_f32, 0, 16, 0, nullptr, nullptr),
              jitnorm_invalid_arguments);
    EXPECT_EQ(gradient, std::vector<float>(16, 7));
    EXPECT_OK(merge(jitnorm_f32, 0, 16, {}, nullptr));
    EXPECT_EQ(gradient, std::vector<float>(16, 0));
}

TEST(partial_gradients, sums_that_are_not_added) {
    const std::vector<double> sums(100 * 16, 1);
    std::vector<double> running(2 * 16, 7);
    const auto add = [&](jitnorm_dim_t all, jitnorm_dim_t columns, jitnorm_dim_t first, jitnorm_dim_t rows) {
        return jitnorm_layer_normalization_add_partial_gradients(running.data(), all, columns, first, rows,
                                                                 sums.data());
    };
    for (const jitnorm_status_t status :
         {add(4096, 16, 16, 64), add(4096, 16, 64, 63), add(4096, 16, 64, 4064), add(4096, 16, -32, 64),
          add(4096, 16, 64, -64), add(-1, 16, 0, 0), add(4096, -1, 0, 64), add(4096, 16, INT64_MAX, 1),
          add(4096, INT64_MAX, 0, 64),
          jitnorm_layer_normalization_add_partial_gradients(nullptr, 4096, 16, 0, 64, sums.data()),
          jitnorm_layer_normalization_add_partial_gradients_of_columns(running.data(), 4096, 16, 0, 64, 17,
                                                                       sums.data()),
          jitnorm_layer_normalization_add_partial_gradients_of_columns(running.data(), 4096, 16, 0, 64, -1,
                                                                       sums.data()),
          jitnorm_layer_normalization_add_partial_gradients(running.data(), 4096, 16, 0, 64, nullptr)})
        EXPECT_EQ(status, jitnorm_invalid_arguments);
    EXPECT_EQ(running, std::vector<double>(2 * 16, 7));
    EXPECT_OK(jitnorm_layer_normalization_add_partial_gradients(nullptr, 4096, 0, 0, 64, nullptr));
    EXPECT_OK(jitnorm_layer_normalization_add_partial_gradients(running.data(), 4096, 16, 64, 0, nullptr));
    EXPECT_EQ(running, std::vector<double>(2 * 16, 7));
    EXPECT_OK(add(4096, 16, 4064, 32)); // the last rows end the part
    EXPECT_EQ(running[0], 15);
    EXPECT_EQ(running[16], 0);
}

TEST(partial_gradients, row_blocks_that_are_asked_for) {
    jitnorm_dim_t block = 0;
    EXPECT_OK(jitnorm_layer_normalization_row_block(&block, 128, 768));
    EXPECT_EQ(block, 22);
    EXPECT_OK(jitnorm_layer_normalization_row_block(&block, 1000000, 768));
    EXPECT_EQ(block, 32);
    EXPECT_EQ(jitnorm_layer_normalization_row_block(&block, -1, 768), jitnorm_invalid_arguments);
    EXPECT_EQ(jitnorm_layer_normalization_row_block(&block, 1, INT64_MAX), jitnorm_invalid_arguments);
    EXPECT_EQ(block, 32);
}

} // namespace
