// SPDX-License-Identifier: Apache-2.0
// Problems in parts: what is refused, and what fuzz_partial and tests/thread do not draw: gradients of scale and shift
// from ranges of rows by each implementation, however rows are cut, and strange values in columns that several
// processes share.
#include <array>
#include <limits>

#include "parts_with_numbers.hpp"

using namespace jitnorm::tests;

namespace {

void expect_whole(const split_shape &size, const dims &parts) {
    SCOPED_TRACE(testing::Message() << size.rows << 'x' << size.columns << " as " << testing::PrintToString(parts));
    parts_with_numbers memory(tensors_by_rows(size));
    EXPECT_NO_THROW(rows_must_match(size, parts, memory));
}

TEST(partial_gradients, have_the_bits_of_the_whole) {
    for (const char *implementation : {"", "jit:avx2", "ref:any"}) {
        if (jitnorm_set_implementation(implementation) != jitnorm_success) continue;
        SCOPED_TRACE(implementation);
        for (const split_shape &size : {split_shape{1, 8}, {100, 16}, {128, 768}, {4097, 8}, {24, 5000}}) {
            jitnorm_dim_t block = 0;
            EXPECT_OK(jitnorm_layer_normalization_row_block(&block, size.rows, size.columns));
            for (const int ranges : {1, 2, 3, 40}) expect_whole(size, cut_evenly(size.rows, block, ranges));
        }
        for (const dims &parts : {dims{32, 64, 4001}, {4064, 0, 32, 0, 1, 0}, {0, 4096, 1}})
            expect_whole({4097, 24, jitnorm_f64, jitnorm_f64}, parts); // not rounded to f32
        for (const auto affine : {jitnorm_bf16, jitnorm_f16})
            expect_whole({600, 40, jitnorm_f32, affine}, {96, 480, 24});
        expect_whole({0, 8}, {0, 0});
    }
    ASSERT_OK(jitnorm_set_implementation(""));
}

jitnorm_status_t create(const owned_md &diff_src, const owned_md &others, jitnorm_dim_t first, jitnorm_dim_t all) {
    owned_pd pd;
    return jitnorm_layer_normalization_partial_backward_primitive_desc_create(
        &pd, cpu(), diff_src, others, others, nullptr, jitnorm_f32, 1e-5F, CH, first, all, nullptr);
}
jitnorm_status_t create(jitnorm_dim_t rows, jitnorm_dim_t first, jitnorm_dim_t all) {
    const owned_md md = make_md({rows, 16}, jitnorm_f32);
    return create(md, md, first, all);
}

TEST(partial_gradients, rows_that_are_refused) {
    EXPECT_OK(create(64, 32, 4096));
    EXPECT_OK(create(65, 4032, 4097));
    EXPECT_OK(create(0, 4097, 4097));
    for (const auto &[rows, first, all] : {std::array<jitnorm_dim_t, 3>{64, 16, 4096},
                                           {48, 16, 4096}, // its end is that of a block
                                           {65, 32, 4096},
                                           {0, 16, 4096},
                                           {64, 4064, 4097},
                                           {64, -32, 4096},
                                           {64, 0, 63},
                                           {64, 0, -1},
                                           {64, 1LL << 62, INT64_MAX}})
        EXPECT_EQ(create(rows, first, all), INVALID) << rows << ' ' << first << ' ' << all;
    const owned_md any = make_md({JITNORM_RUNTIME_DIM_VAL, 16}, jitnorm_f32, dims{16, 1});
    EXPECT_EQ(create(any, any, 0, 4096), jitnorm_unimplemented);
    EXPECT_EQ(create(nullptr, any, 0, 4096), INVALID);
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
        EXPECT_EQ(status, INVALID);
    EXPECT_EQ(jitnorm_layer_normalization_merge_gradients(nullptr, jitnorm_f32, 0, 16, 0, nullptr, nullptr), INVALID);
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
          add(4096, INT64_MAX, 0, 64), add(4096, 16, 5, 0), // no rows, within a block
          jitnorm_layer_normalization_add_partial_gradients(nullptr, 4096, 16, 0, 64, sums.data()),
          jitnorm_layer_normalization_add_partial_gradients_of_columns(running.data(), 4096, 16, 0, 64, 17,
                                                                       sums.data()),
          jitnorm_layer_normalization_add_partial_gradients_of_columns(running.data(), 4096, 16, 0, 64, -1,
                                                                       sums.data()),
          jitnorm_layer_normalization_add_partial_gradients(running.data(), 4096, 16, 0, 64, nullptr)})
        EXPECT_EQ(status, INVALID);
    EXPECT_EQ(running, std::vector<double>(2 * 16, 7));
    EXPECT_OK(jitnorm_layer_normalization_add_partial_gradients(nullptr, 4096, 0, 0, 64, nullptr));
    EXPECT_OK(jitnorm_layer_normalization_add_partial_gradients(running.data(), 4096, 16, 64, 0, nullptr));
    EXPECT_OK(add(4097, 16, 4097, 0)); // no rows, after the last block
    EXPECT_EQ(running[16], 0);
    std::ranges::fill(running, 7);
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
    EXPECT_EQ(jitnorm_layer_normalization_row_block(&block, -1, 768), INVALID);
    EXPECT_EQ(jitnorm_layer_normalization_row_block(&block, 1, INT64_MAX), INVALID);
    EXPECT_EQ(block, 32);
}

// Values that the sums of a chunk have to be computed again for, or that make a row NaN, in some of the chunks.
TEST(shared_columns, may_have_any_values) {
    constexpr double INF = std::numeric_limits<double>::infinity(), NONE = std::numeric_limits<double>::quiet_NaN();
    for (const auto type : {jitnorm_f32, jitnorm_f64})
        for (const unsigned flags : {CH, CH | jitnorm_rms_norm}) {
            const split_shape size = {.rows = 7, .columns = 4096 * 2 + 50, .type = type, .flags = flags};
            std::vector<double> values = normal(size.rows * size.columns, 0, 1);
            const auto row = [&](int r) { return values.begin() + r * size.columns; };
            row(0)[5000] = NONE;
            row(1)[4095] = INF;
            row(2)[8200] = 3e38;
            for (int c = 0; c < 4096; ++c) row(3)[c] *= 1e-30;
            for (int c = 0; c < size.columns; ++c) row(4)[c] = row(4)[c] * 1e-3 + 1e6;
            row(5)[4096] = 1e5; // a poor pivot
            for (int c = 0; c < size.columns; ++c) row(6)[c] = 0.1;
            for (const int ranges : {2, 3}) {
                SCOPED_TRACE(testing::Message() << "type " << type << ", flags " << flags << ", ranges " << ranges);
                parts_with_numbers memory(tensors_by_columns(size), values);
                EXPECT_NO_THROW(columns_must_match(size, cut_evenly(size.columns, 4096, ranges), memory));
            }
        }
}

// Of which columns there may be sums; tests/norm has the other rules.
TEST(shared_columns, are_refused_where_they_have_no_sums) {
    const auto moments = [](const owned_md &src, jitnorm_dim_t first, jitnorm_dim_t all) {
        owned_pd pd;
        return jitnorm_layer_normalization_partial_statistics_primitive_desc_create(&pd, cpu(), src, 0, first, all,
                                                                                    nullptr);
    };
    const auto forward = [](const owned_md &md) {
        owned_pd pd;
        return jitnorm_layer_normalization_partial_forward_primitive_desc_create(
            &pd, cpu(), jitnorm_forward_inference, md, md, nullptr, jitnorm_f32, 1e-5F, 0, 4096, 8200, nullptr);
    };
    const owned_md chunk = make_md({2, 4096}, jitnorm_f32), rest = make_md({2, 8}, jitnorm_f32),
                   none = make_md({2, 0}, jitnorm_f32);
    EXPECT_OK(moments(chunk, 4096, 8192));
    EXPECT_OK(moments(rest, 8192, 8200));
    EXPECT_EQ(moments(chunk, 4000, 8192), INVALID);
    EXPECT_EQ(moments(rest, 0, 8200), INVALID);
    EXPECT_EQ(moments(chunk, 8192, 8200), INVALID);
    EXPECT_EQ(moments(chunk, -4096, 8200), INVALID);
    EXPECT_EQ(moments(none, 4096, 8200), INVALID);
    EXPECT_EQ(moments(make_md({2, JITNORM_RUNTIME_DIM_VAL}, jitnorm_f32), 0, 8200), jitnorm_unimplemented);
    EXPECT_OK(forward(chunk));
    EXPECT_EQ(forward(rest), INVALID);
}

TEST(shared_columns, are_merged_only_if_they_are_whole_rows) {
    double merged[4], sums[8] = {};
    const double *const pointers[] = {sums, sums, nullptr};
    const auto merge = [&](jitnorm_dim_t all, const dims &columns, jitnorm_data_type_t type = jitnorm_f32) {
        return jitnorm_layer_normalization_merge_row_sums(merged, type, 1, all, int(columns.size()), columns.data(),
                                                          pointers);
    };
    EXPECT_OK(merge(4100, {4096, 4}));
    EXPECT_OK(merge(4100, {4096, 4, 0}));
    EXPECT_OK(merge(0, {}));
    EXPECT_EQ(merged[0], 0);
    EXPECT_EQ(merge(4100, {4, 4096}), INVALID);
    EXPECT_EQ(merge(4101, {4096, 4}), INVALID);
    EXPECT_EQ(merge(4096, {4096, 4}), INVALID);
    EXPECT_EQ(merge(4100, {-1, 4101}), INVALID);
    EXPECT_EQ(merge(8200, {4096, 4096, 8}), INVALID) << "null";
    EXPECT_EQ(merge(4100, {4096, 4}, jitnorm_data_type_undef), INVALID);
}

} // namespace
