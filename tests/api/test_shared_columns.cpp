// SPDX-License-Identifier: Apache-2.0
// Statistics without dst, and forward on columns that several processes share: the bits of forward on whole rows.
#include <limits>

#include "parts_with_numbers.hpp"

using namespace jitnorm::tests;

namespace {

constexpr jitnorm_data_type_t TYPES[] = {jitnorm_f32, jitnorm_bf16, jitnorm_f16, jitnorm_f64};
constexpr jitnorm_dim_t CHUNK = 4096;

split_shape shape(jitnorm_dim_t rows, jitnorm_dim_t columns, jitnorm_data_type_t type = jitnorm_f32,
                  unsigned flags = CH) {
    return {.rows = rows, .columns = columns, .type = type, .flags = flags};
}

void expect_whole(const split_shape &s, const std::vector<double> &src, const std::vector<dims> &cuts) {
    for (const dims &parts : cuts) {
        parts_with_numbers memory(tensors_by_columns(s), src);
        columns_must_match(s, parts, memory);
    }
}

std::vector<dims> cut_into(jitnorm_dim_t columns, const std::vector<int> &numbers) {
    std::vector<dims> cuts;
    for (const int parts : numbers) cuts.push_back(cut_evenly(columns, CHUNK, parts));
    return cuts;
}

TEST(shared_columns, give_the_bits_of_whole_rows) {
    for (const auto type : TYPES)
        for (const unsigned flags : {CH, CH | jitnorm_rms_norm, 0U, unsigned(jitnorm_inverse_deviation)})
            for (const jitnorm_dim_t rows : {1, 5})
                for (const jitnorm_dim_t columns : {4096 * 3, 4096 * 6 + 100})
                    expect_whole(shape(rows, columns, type, flags), normal(rows * columns, 3, 2),
                                 cut_into(columns, {1, 2, 3, 5}));
}

TEST(shared_columns, may_be_of_many_rows) {
    const split_shape size = shape(1100, 4096 + 7, jitnorm_bf16);
    expect_whole(size, normal(size.rows * size.columns, 1, 1), cut_into(size.columns, {2}));
}

TEST(shared_columns, may_be_none) {
    expect_whole(shape(5, 4096 * 2 + 1), normal(5 * (4096 * 2 + 1), 1, 1),
                 {{0, 4096, 0, 4097, 0}, {0, 0, 8193}, {8192, 1}, {8193, 0}});
    expect_whole(shape(3, 70), normal(210, 1, 1), {{0, 70}});
}

// Values that the sums of a chunk have to be computed again for, or that make a row NaN, in some of the chunks.
TEST(shared_columns, may_have_any_values) {
    constexpr double INF = std::numeric_limits<double>::infinity(), NONE = std::numeric_limits<double>::quiet_NaN();
    for (const auto type : {jitnorm_f32, jitnorm_f64})
        for (const unsigned flags : {CH, CH | jitnorm_rms_norm}) {
            const split_shape size = shape(7, 4096 * 2 + 50, type, flags);
            std::vector<double> values = normal(size.rows * size.columns, 0, 1);
            const auto row = [&](int r) { return values.begin() + r * size.columns; };
            row(0)[5000] = NONE;
            row(1)[4095] = INF;
            row(2)[8200] = 3e38;
            for (int c = 0; c < 4096; ++c) row(3)[c] *= 1e-30;
            for (int c = 0; c < size.columns; ++c) row(4)[c] = row(4)[c] * 1e-3 + 1e6;
            row(5)[4096] = 1e5; // a poor pivot
            for (int c = 0; c < size.columns; ++c) row(6)[c] = 0.1;
            expect_whole(size, values, cut_into(size.columns, {2, 3}));
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
    EXPECT_EQ(moments(chunk, 4000, 8192), jitnorm_invalid_arguments);
    EXPECT_EQ(moments(rest, 0, 8200), jitnorm_invalid_arguments);
    EXPECT_EQ(moments(chunk, 8192, 8200), jitnorm_invalid_arguments);
    EXPECT_EQ(moments(chunk, -4096, 8200), jitnorm_invalid_arguments);
    EXPECT_EQ(moments(none, 4096, 8200), jitnorm_invalid_arguments);
    EXPECT_EQ(moments(make_md({2, JITNORM_RUNTIME_DIM_VAL}, jitnorm_f32), 0, 8200), jitnorm_unimplemented);
    EXPECT_OK(forward(chunk));
    EXPECT_EQ(forward(rest), jitnorm_invalid_arguments);
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
    EXPECT_EQ(merge(4100, {4, 4096}), jitnorm_invalid_arguments);
    EXPECT_EQ(merge(4101, {4096, 4}), jitnorm_invalid_arguments);
    EXPECT_EQ(merge(4096, {4096, 4}), jitnorm_invalid_arguments);
    EXPECT_EQ(merge(4100, {-1, 4101}), jitnorm_invalid_arguments);
    EXPECT_EQ(merge(8200, {4096, 4096, 8}), jitnorm_invalid_arguments) << "null";
    EXPECT_EQ(merge(4100, {4096, 4}, jitnorm_data_type_undef), jitnorm_invalid_arguments);
}

TEST(only_statistics, have_the_bits_of_those_beside_dst) {
    for (const auto type : TYPES)
        for (const unsigned flags : {0U, unsigned(jitnorm_rms_norm), unsigned(jitnorm_inverse_deviation)})
            for (const jitnorm_dim_t rows : {1, 33})
                for (const jitnorm_dim_t columns : {1, 100, 4096 * 2 + 9}) {
                    const split_shape size = shape(rows, columns, type, flags);
                    parts_with_numbers memory(tensors_by_columns(size), normal(rows * columns, 3, 2));
                    only_statistics_must_match(size, memory);
                }
}

} // namespace
