// SPDX-License-Identifier: Apache-2.0
// Gradients of scale and shift from ranges of rows: the bits of backward on all rows, however rows are cut.
#include <array>

#include "row_tensors.hpp"

using namespace jitnorm::tests;

namespace {

struct shape {
    jitnorm_dim_t rows, columns;
    jitnorm_data_type_t type = jitnorm_f32, affine = jitnorm_f32; // of data; of gradients of scale and shift
};

struct whole_problem {
    explicit whole_problem(const shape &of) : size(of) {
        for (double &value : variance) value = value * value + 0.25;
    }

    shape size;
    std::vector<double> src = normal(size.rows * size.columns, 0, 1, 1),
                        diff_dst = normal(size.rows * size.columns, 0, 1, 2), scale = normal(size.columns, 0, 1, 3),
                        mean = normal(size.rows, 0, 1, 4), variance = normal(size.rows, 0, 1, 5);
};

struct gradients {
    bytes diff_src, diff_scale, diff_shift;
};

// Backward by the descriptor on the rows first, first + 1, ...
gradients backward(const whole_problem &all, const owned_pd &pd, jitnorm_dim_t first, jitnorm_dim_t rows) {
    const auto [_, columns, type, affine] = all.size;
    const auto of_rows = [&](const std::vector<double> &values, jitnorm_dim_t width) {
        return std::vector<double>(values.begin() + first * width, values.begin() + (first + rows) * width);
    };
    execution e(pd);
    if (rows != 0) {
        e.set(JITNORM_ARG_SRC, as(type, of_rows(all.src, columns)));
        e.set(JITNORM_ARG_DIFF_DST, as(type, of_rows(all.diff_dst, columns)));
        e.set(JITNORM_ARG_SCALE, as(jitnorm_f32, all.scale));
        e.set(JITNORM_ARG_MEAN, as(jitnorm_f32, of_rows(all.mean, 1)));
        e.set(JITNORM_ARG_VARIANCE, as(jitnorm_f32, of_rows(all.variance, 1)));
    }
    EXPECT_EQ(e.run(), jitnorm_success);
    return {e.get<std::byte>(JITNORM_ARG_DIFF_SRC), e.get<std::byte>(JITNORM_ARG_DIFF_SCALE),
            e.get<std::byte>(JITNORM_ARG_DIFF_SHIFT)};
}

owned_pd partial_desc(const shape &s, jitnorm_dim_t first, jitnorm_dim_t rows) {
    const owned_md md = make_md({rows, s.columns}, s.type);
    owned_pd pd;
    must(jitnorm_layer_normalization_partial_backward_primitive_desc_create(
             &pd, cpu(), md, md, md, nullptr, jitnorm_f32, 1e-5F, CH, first, s.rows, nullptr),
         "a descriptor of some rows");
    return pd;
}

owned_pd whole_desc(const shape &s) {
    const owned_md md = make_md({s.rows, s.columns}, s.type);
    return made(
        backward_request{.diff_src = md, .diff_dst = md, .src = md, .diff_scale_shift_type = s.affine, .flags = CH});
}

const double *doubles(const bytes &sums) { return reinterpret_cast<const double *>(sums.data()); }

bytes merged(const shape &s, const dims &rows, const std::vector<bytes> &sums) {
    std::vector<const double *> pointers;
    for (const bytes &each : sums) pointers.push_back(doubles(each));
    bytes result(size_t(s.columns) * jitnorm_data_type_size(s.affine));
    EXPECT_OK(jitnorm_layer_normalization_merge_gradients(result.data(), s.affine, s.rows, s.columns, int(rows.size()),
                                                          rows.data(), pointers.data()));
    return result;
}

// The same by running sums, `width` columns at a time, for f32 and f64: there is but one rounding.
bytes added_up(const shape &s, const dims &rows, const std::vector<bytes> &sums, jitnorm_dim_t width) {
    std::vector<double> gradient;
    for (jitnorm_dim_t column = 0; column < s.columns; column += width) {
        const jitnorm_dim_t count = std::min(width, s.columns - column);
        std::vector<double> running(size_t(2 * count));
        jitnorm_dim_t first = 0;
        for (size_t i = 0; i < rows.size(); first += rows[i++]) {
            std::vector<double> own;
            for (size_t at = size_t(column); at < sums[i].size() / sizeof(double); at += size_t(s.columns))
                own.insert(own.end(), doubles(sums[i]) + at, doubles(sums[i]) + at + count);
            EXPECT_OK(count == s.columns ? jitnorm_layer_normalization_add_partial_gradients(
                                               running.data(), s.rows, s.columns, first, rows[i], own.data())
                                         : jitnorm_layer_normalization_add_partial_gradients_of_columns(
                                               running.data(), s.rows, s.columns, first, rows[i], count, own.data()));
        }
        gradient.insert(gradient.end(), running.begin(), running.begin() + count);
    }
    return as(s.affine, gradient);
}

void expect_whole(const shape &s, const dims &rows) {
    SCOPED_TRACE(testing::Message() << s.rows << 'x' << s.columns);
    const whole_problem all(s);
    const gradients expected = backward(all, whole_desc(s), 0, s.rows);
    std::vector<bytes> scales, shifts;
    bytes diff_src;
    jitnorm_dim_t first = 0;
    for (const jitnorm_dim_t count : rows) {
        const gradients part = backward(all, partial_desc(s, first, count), first, count);
        scales.push_back(part.diff_scale);
        shifts.push_back(part.diff_shift);
        if (count > 0) diff_src.insert(diff_src.end(), part.diff_src.begin(), part.diff_src.end());
        first += count;
    }
    EXPECT_TRUE(s.rows == 0 || diff_src == expected.diff_src);
    EXPECT_TRUE(merged(s, rows, scales) == expected.diff_scale);
    EXPECT_TRUE(merged(s, rows, shifts) == expected.diff_shift);
    if (s.affine != jitnorm_f32 && s.affine != jitnorm_f64) return;
    for (const jitnorm_dim_t width : {s.columns, s.columns / 3 + 1}) {
        EXPECT_TRUE(added_up(s, rows, scales, width) == expected.diff_scale) << width << " columns at a time";
        EXPECT_TRUE(added_up(s, rows, shifts, width) == expected.diff_shift) << width << " columns at a time";
    }
}

jitnorm_dim_t block_of(const shape &s) {
    jitnorm_dim_t block = 0;
    EXPECT_OK(jitnorm_layer_normalization_row_block(&block, s.rows, s.columns));
    return block;
}

TEST(partial_gradients, have_the_bits_of_the_whole) {
    for (const char *implementation : {"", "jit:avx2", "ref:any"}) {
        if (jitnorm_set_implementation(implementation) != jitnorm_success) continue;
        for (const shape &s : {shape{1, 8}, {100, 16}, {128, 768}, {2049, 24}, {4097, 8}, {6000, 5}, {24, 5000}})
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
    const owned_pd pd = partial_desc({4097, 16}, 32, 320); // blocks 1, 2 | 3 4 5 | 6 7 8 | 9 10
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
