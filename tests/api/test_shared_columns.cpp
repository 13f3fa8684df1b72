// SPDX-License-Identifier: Apache-2.0
// Statistics without dst, and forward on columns that several processes share: the bits of forward on whole rows.
#include <cmath>
#include <limits>

#include "row_tensors.hpp"

using namespace jitnorm::tests;

namespace {

using cuts = dims; // numbers of columns
constexpr jitnorm_data_type_t TYPES[] = {jitnorm_f32, jitnorm_bf16, jitnorm_f16, jitnorm_f64};

struct shape {
    jitnorm_dim_t rows, columns;
    jitnorm_data_type_t type = jitnorm_f32;
    unsigned flags = CH;
};

// These columns of rows of elements.
bytes columns_of(const bytes &rows, size_t row_bytes, size_t first, size_t count) {
    bytes result;
    for (size_t at = first; at < rows.size(); at += row_bytes)
        result.insert(result.end(), rows.begin() + std::ptrdiff_t(at), rows.begin() + std::ptrdiff_t(at + count));
    return result;
}

struct results {
    bytes dst, mean, variance;
};

results results_of(execution &e) {
    const auto get = [&](int arg) { return e.tensors().count(arg) != 0 ? e.get<std::byte>(arg) : bytes(); };
    return {get(JITNORM_ARG_DST), get(JITNORM_ARG_MEAN), get(JITNORM_ARG_VARIANCE)};
}

class rows_to_cut {
public:
    rows_to_cut(const shape &of, const std::vector<double> &values)
        : size_(of), element_(jitnorm_data_type_size(of.type)), src_(as(of.type, values)),
          scale_(as(jitnorm_f32, normal(of.columns, 1, 0.5, 2))), shift_(as(jitnorm_f32, normal(of.columns, 0, 1, 3))),
          expected_(whole()) {}

    results whole() const {
        const owned_md md = make_md({size_.rows, size_.columns}, size_.type);
        execution e(forward_request{.src = md, .dst = md, .flags = size_.flags}.make());
        fill(e, 0, size_.columns);
        EXPECT_OK(e.run());
        return results_of(e);
    }

    results from(const cuts &ranges) const {
        std::vector<bytes> sums;
        jitnorm_dim_t first = 0;
        for (const jitnorm_dim_t count : ranges) {
            sums.push_back(count == 0 ? bytes() : moments(first, count));
            first += count;
        }
        std::vector<const double *> pointers;
        for (const bytes &each : sums) pointers.push_back(reinterpret_cast<const double *>(each.data()));
        std::vector<double> merged(size_t(4 * size_.rows));
        EXPECT_OK(jitnorm_layer_normalization_merge_row_sums(merged.data(), size_.type, size_.rows, size_.columns,
                                                             int(ranges.size()), ranges.data(), pointers.data()));
        results all;
        all.dst.resize(src_.size());
        first = 0;
        for (const jitnorm_dim_t count : ranges) {
            if (count != 0) normalize(first, count, merged, all);
            first += count;
        }
        return all;
    }

    void expect_whole(const cuts &ranges) const {
        const results found = from(ranges);
        EXPECT_TRUE(equal(found.dst, expected_.dst, size_.type)) << size_.rows << 'x' << size_.columns;
        EXPECT_TRUE(equal(found.mean, expected_.mean, jitnorm_f32)) << size_.rows << 'x' << size_.columns;
        EXPECT_TRUE(equal(found.variance, expected_.variance, jitnorm_f32)) << size_.rows << 'x' << size_.columns;
    }

private:
    // Any NaN equals any other.
    static bool equal(const bytes &a, const bytes &b, jitnorm_data_type_t type) {
        if (a == b) return true;
        if (a.size() != b.size()) return false;
        for (size_t i = 0; i < a.size() / jitnorm_data_type_size(type); ++i) {
            const double x = benchdnn_lite::load(type, a.data(), jitnorm_dim_t(i)),
                         y = benchdnn_lite::load(type, b.data(), jitnorm_dim_t(i));
            if (!(x == y && std::signbit(x) == std::signbit(y)) && !(std::isnan(x) && std::isnan(y))) return false;
        }
        return true;
    }

    bytes src(jitnorm_dim_t first, jitnorm_dim_t count) const {
        return columns_of(src_, size_t(size_.columns) * element_, size_t(first) * element_, size_t(count) * element_);
    }
    void fill(execution &e, jitnorm_dim_t first, jitnorm_dim_t count) const {
        e.set(JITNORM_ARG_SRC, src(first, count));
        const auto part = [&](const bytes &of) {
            return columns_of(of, of.size(), size_t(first) * 4, size_t(count) * 4);
        };
        if ((size_.flags & jitnorm_use_scale) != 0) e.set(JITNORM_ARG_SCALE, part(scale_));
        if ((size_.flags & jitnorm_use_shift) != 0) e.set(JITNORM_ARG_SHIFT, part(shift_));
    }

    bytes moments(jitnorm_dim_t first, jitnorm_dim_t count) const {
        const owned_md md = make_md({size_.rows, count}, size_.type);
        owned_pd pd;
        must(jitnorm_layer_normalization_partial_statistics_primitive_desc_create(
                 &pd, cpu(), md, size_.flags & jitnorm_rms_norm, first, size_.columns, nullptr),
             "a descriptor of moments");
        execution e(pd);
        e.set(JITNORM_ARG_SRC, src(first, count));
        EXPECT_OK(e.run());
        return e.get<std::byte>(JITNORM_ARG_ROW_SUMS);
    }

    void normalize(jitnorm_dim_t first, jitnorm_dim_t count, const std::vector<double> &merged, results &all) const {
        const owned_md md = make_md({size_.rows, count}, size_.type);
        owned_pd pd;
        must(jitnorm_layer_normalization_partial_forward_primitive_desc_create(
                 &pd, cpu(), jitnorm_forward_training, md, md, nullptr, jitnorm_f32, 1e-5F, size_.flags, first,
                 size_.columns, nullptr),
             "a descriptor of some columns");
        execution e(pd);
        fill(e, first, count);
        e.set(JITNORM_ARG_ROW_SUMS, merged);
        EXPECT_OK(e.run());
        const results found = results_of(e);
        all.mean = found.mean;
        all.variance = found.variance;
        const size_t row = size_t(count) * element_;
        for (size_t r = 0; r < size_t(size_.rows); ++r)
            std::copy_n(found.dst.begin() + std::ptrdiff_t(r * row), row,
                        all.dst.begin() + std::ptrdiff_t((r * size_t(size_.columns) + size_t(first)) * element_));
    }

    shape size_;
    size_t element_;
    bytes src_, scale_, shift_;
    results expected_;
};

constexpr jitnorm_dim_t CHUNK = 4096;

TEST(shared_columns, give_the_bits_of_whole_rows) {
    for (const auto type : TYPES)
        for (const unsigned flags : {CH, CH | jitnorm_rms_norm, 0U, unsigned(jitnorm_inverse_deviation)})
            for (const jitnorm_dim_t rows : {1, 5})
                for (const jitnorm_dim_t columns : {4096 * 3, 4096 * 6 + 100}) {
                    const rows_to_cut all({rows, columns, type, flags}, normal(rows * columns, 3, 2));
                    for (const int ranges : {1, 2, 3, 5}) all.expect_whole(cut_evenly(columns, CHUNK, ranges));
                }
}

TEST(shared_columns, may_be_of_many_rows) {
    const shape size = {1100, 4096 + 7, jitnorm_bf16};
    rows_to_cut(size, normal(size.rows * size.columns, 1, 1)).expect_whole(cut_evenly(size.columns, CHUNK, 2));
}

TEST(shared_columns, may_be_none) {
    const shape size = {5, 4096 * 2 + 1};
    const rows_to_cut all(size, normal(size.rows * size.columns, 1, 1));
    for (const cuts &ranges : {cuts{0, 4096, 0, 4097, 0}, cuts{0, 0, 8193}, cuts{8192, 1}, cuts{8193, 0}})
        all.expect_whole(ranges);
    const rows_to_cut short_rows({3, 70}, normal(210, 1, 1));
    short_rows.expect_whole({0, 70});
}

// Values that the sums of a chunk have to be computed again for, or that make a row NaN, in some of the chunks.
TEST(shared_columns, may_have_any_values) {
    constexpr double INF = std::numeric_limits<double>::infinity(), NONE = std::numeric_limits<double>::quiet_NaN();
    const shape sizes[] = {{7, 4096 * 2 + 50}, {7, 4096 * 2 + 50, jitnorm_f64}};
    for (shape size : sizes)
        for (const unsigned flags : {CH, CH | jitnorm_rms_norm}) {
            size.flags = flags;
            std::vector<double> values = normal(size.rows * size.columns, 0, 1);
            const auto row = [&](int r) { return values.begin() + r * size.columns; };
            row(0)[5000] = NONE;
            row(1)[4095] = INF;
            row(2)[8200] = 3e38;
            for (int c = 0; c < 4096; ++c) row(3)[c] *= 1e-30;
            for (int c = 0; c < size.columns; ++c) row(4)[c] = row(4)[c] * 1e-3 + 1e6;
            row(5)[4096] = 1e5; // a poor pivot
            for (int c = 0; c < size.columns; ++c) row(6)[c] = 0.1;
            const rows_to_cut all(size, values);
            for (const int ranges : {2, 3}) all.expect_whole(cut_evenly(size.columns, CHUNK, ranges));
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
    const auto merge = [&](jitnorm_dim_t all, const cuts &columns, jitnorm_data_type_t type = jitnorm_f32) {
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

owned_md no_tensor() {
    owned_md md;
    must(jitnorm_memory_desc_create_with_strides(&md, 0, nullptr, jitnorm_f32, nullptr), "a descriptor of nothing");
    return md;
}

TEST(statistics_alone, have_the_bits_of_those_beside_dst) {
    for (const auto type : TYPES)
        for (const unsigned flags : {0U, unsigned(jitnorm_rms_norm), unsigned(jitnorm_inverse_deviation)})
            for (const jitnorm_dim_t rows : {1, 33})
                for (const jitnorm_dim_t columns : {1, 100, 4096 * 2 + 9}) {
                    const owned_md md = make_md({rows, columns}, type);
                    const bytes src = as(type, normal(rows * columns, 3, 2));
                    const auto statistics = [&](const_jitnorm_memory_desc_t dst) {
                        execution e(forward_request{.src = md, .dst = dst, .flags = flags}.make());
                        EXPECT_EQ(e.tensors().count(JITNORM_ARG_DST), size_t(dst == md));
                        e.set(JITNORM_ARG_SRC, src);
                        EXPECT_OK(e.run());
                        return results_of(e);
                    };
                    const results alone = statistics(no_tensor()), beside = statistics(md);
                    EXPECT_TRUE(alone.mean == beside.mean && alone.variance == beside.variance)
                        << rows << 'x' << columns;
                }
}

} // namespace
