// SPDX-License-Identifier: Apache-2.0
// Descriptors made from strides: what is refused, what strides, sizes and offsets follow.
#include <gtest/gtest.h>

#include <algorithm>
#include <limits>
#include <vector>

#include "rig/unknown.hpp"
#include "tensor/memory_desc.hpp"

using namespace jitnorm::impl;
using jitnorm::tests::unknown;

namespace {

using values = std::vector<dim_t>;

jitnorm_status_t make(memory_desc &md, const values &dims, const values &strides,
                      jitnorm_data_type_t type = jitnorm_f32) {
    return make_with_strides(md, int(dims.size()), dims.data(), type, strides.empty() ? nullptr : strides.data()).code;
}

memory_desc made(const values &dims, const values &strides, jitnorm_data_type_t type = jitnorm_f32) {
    memory_desc md;
    EXPECT_EQ(make(md, dims, strides, type), jitnorm_success);
    return md;
}

jitnorm_status_t status_of(const values &dims, const values &strides, jitnorm_data_type_t type = jitnorm_f32) {
    memory_desc md;
    md.ndims = 7;
    const jitnorm_status_t status = make(md, dims, strides, type);
    EXPECT_TRUE(status == jitnorm_success || md.ndims == 0) << "a refused descriptor is not empty";
    return status;
}

values strides_of(const memory_desc &md) { return {md.strides, md.strides + md.ndims}; }

TEST(memory_desc, sizes_of_types) {
    EXPECT_EQ(size_of(jitnorm_s8), 1u);
    EXPECT_EQ(size_of(jitnorm_u8), 1u);
    EXPECT_EQ(size_of(jitnorm_f16), 2u);
    EXPECT_EQ(size_of(jitnorm_bf16), 2u);
    EXPECT_EQ(size_of(jitnorm_f32), 4u);
    EXPECT_EQ(size_of(jitnorm_s32), 4u);
    EXPECT_EQ(size_of(jitnorm_f64), 8u);
    EXPECT_EQ(size_of(jitnorm_data_type_undef), 0u);
    EXPECT_EQ(size_of(unknown<jitnorm_data_type_t>(7777)), 0u);
}

TEST(memory_desc, row_major_by_default) {
    const memory_desc md = made({2, 3, 5}, {});
    EXPECT_EQ(strides_of(md), (values{15, 5, 1}));
    EXPECT_EQ(md.format_kind, jitnorm_blocked);
    EXPECT_EQ(nelems(md), 30);
    EXPECT_EQ(padded_nelems(md), 30);
    EXPECT_EQ(bytes(md), 120u);
    EXPECT_EQ(md, make_dense(values{2, 3, 5}, jitnorm_f32));
}

TEST(memory_desc, no_dimensions_make_an_empty_descriptor) {
    memory_desc md = made({4}, {});
    EXPECT_EQ(make_with_strides(md, 0, nullptr, jitnorm_data_type_undef, nullptr), jitnorm_success);
    EXPECT_EQ(md, memory_desc());
    EXPECT_EQ(nelems(md), 0);
    EXPECT_EQ(bytes(md), 0u);
    EXPECT_FALSE(has_runtime_dims(md));
}

TEST(memory_desc, refuses_bad_rank_dimension_and_type) {
    memory_desc md;
    const values ones(MAX_NDIMS + 1, 1);
    EXPECT_EQ(make_with_strides(md, MAX_NDIMS, ones.data(), jitnorm_f32, nullptr), jitnorm_success);
    EXPECT_EQ(make_with_strides(md, MAX_NDIMS + 1, ones.data(), jitnorm_f32, nullptr), jitnorm_invalid_arguments);
    EXPECT_EQ(make_with_strides(md, -1, ones.data(), jitnorm_f32, nullptr), jitnorm_invalid_arguments);
    EXPECT_EQ(make_with_strides(md, 2, nullptr, jitnorm_f32, nullptr), jitnorm_invalid_arguments);
    EXPECT_EQ(status_of({2, -1}, {}), jitnorm_invalid_arguments);
    EXPECT_EQ(status_of({2, 3}, {}, jitnorm_data_type_undef), jitnorm_invalid_arguments);
    EXPECT_EQ(status_of({2, 3}, {}, unknown<jitnorm_data_type_t>(42)), jitnorm_invalid_arguments);
}

TEST(memory_desc, strides_may_have_gaps_and_any_order) {
    const memory_desc gaps = made({2, 3}, {10, 2});
    EXPECT_EQ(bytes(gaps), 4u * (10 + 2 * 2 + 1));
    EXPECT_EQ(offset(gaps, values{1, 2}.data()), 14);
    const memory_desc columns = made({2, 3}, {1, 2}, jitnorm_s8);
    EXPECT_EQ(bytes(columns), 6u);
    EXPECT_EQ(offset_of_index(columns, 5), 5);
    EXPECT_EQ(offset_of_index(columns, 1), 2);
}

TEST(memory_desc, elements_may_share_memory_by_stride_zero_only) {
    EXPECT_EQ(status_of({2, 3}, {0, 1}), jitnorm_success);
    EXPECT_EQ(status_of({2, 3}, {0, 0}), jitnorm_success);
    EXPECT_EQ(status_of({2, 3}, {3, 1}), jitnorm_success);
    EXPECT_EQ(status_of({2, 3}, {2, 1}), jitnorm_invalid_arguments);
    EXPECT_EQ(status_of({2, 3}, {1, 1}), jitnorm_invalid_arguments);
    EXPECT_EQ(status_of({2, 3}, {-3, 1}), jitnorm_invalid_arguments);
    EXPECT_EQ(status_of({2, 3, 4}, {1, 4, 2}), jitnorm_invalid_arguments);
    EXPECT_EQ(status_of({2, 3, 4}, {1, 8, 2}), jitnorm_success);
    EXPECT_EQ(bytes(made({5, 3}, {0, 1})), 12u);
}

TEST(memory_desc, strides_of_single_and_empty_dimensions_are_free) {
    EXPECT_EQ(status_of({4, 1, 8}, {8, 3, 1}), jitnorm_success);
    EXPECT_EQ(bytes(made({1, 8}, {1, 1})), 32u);
    EXPECT_EQ(status_of({4, 0}, {1, 1}), jitnorm_success);
    EXPECT_EQ(status_of({4, 0}, {-1, 1}), jitnorm_invalid_arguments);
}

// Every set of small strides: accepted exactly when no two elements share an offset.
TEST(memory_desc, accepted_strides_keep_elements_apart) {
    const values dims = {2, 3, 2};
    int accepted = 0;
    for (dim_t code = 0; code < 8 * 8 * 8; ++code) {
        const values strides = {1 + code / 64, 1 + code / 8 % 8, 1 + code % 8};
        memory_desc md;
        if (make(md, dims, strides) != jitnorm_success) continue;
        ++accepted;
        values offsets;
        for (dim_t i = 0; i < nelems(md); ++i) offsets.push_back(offset_of_index(md, i));
        std::sort(offsets.begin(), offsets.end());
        EXPECT_EQ(std::adjacent_find(offsets.begin(), offsets.end()), offsets.end());
        EXPECT_EQ(bytes(md), size_t(offsets.back() + 1) * 4);
    }
    EXPECT_GT(accepted, 20);
}

TEST(memory_desc, sizes_that_do_not_fit_are_refused) {
    const dim_t big = dim_t(1) << 32, largest = std::numeric_limits<dim_t>::max();
    EXPECT_EQ(status_of({big, big}, {}), jitnorm_invalid_arguments);
    EXPECT_EQ(status_of({largest}, {}, jitnorm_s8), jitnorm_success);
    EXPECT_EQ(status_of({largest}, {}, jitnorm_f16), jitnorm_invalid_arguments);
    EXPECT_EQ(status_of({big, big / 4}, {}, jitnorm_s8), jitnorm_success);
    EXPECT_EQ(status_of({big, big / 4}, {}, jitnorm_f32), jitnorm_invalid_arguments);
    EXPECT_EQ(status_of({3, 2}, {largest / 2, 1}, jitnorm_s8), jitnorm_invalid_arguments);
    EXPECT_EQ(status_of({2, 2}, {largest / 2, 1}, jitnorm_s8), jitnorm_success);
    EXPECT_EQ(status_of({big, big, big}, {0, 0, 1}), jitnorm_invalid_arguments) << "the count itself must fit";
    EXPECT_EQ(status_of({big, big, 0}, {1, 1, 1}), jitnorm_invalid_arguments) << "the rows are still counted";
    EXPECT_EQ(status_of({big, 0}, {}), jitnorm_success);
    EXPECT_EQ(status_of({3, 0}, {largest, 1}), jitnorm_success) << "without elements no offset is ever used";
}

TEST(memory_desc, offsets_beyond_thirty_two_bits) {
    const memory_desc md = made({70000, 70000}, {});
    EXPECT_EQ(offset(md, values{69999, 69999}.data()), dim_t(70000) * 70000 - 1);
    EXPECT_EQ(bytes(md), size_t(70000) * 70000 * 4);
}

TEST(memory_desc, zero_dimensions_are_legal) {
    const memory_desc md = made({3, 0, 4}, {});
    EXPECT_EQ(nelems(md), 0);
    EXPECT_EQ(bytes(md), 0u);
    EXPECT_EQ(strides_of(md), (values{4, 4, 1}));
}

TEST(memory_desc, offset_zero_counts_in_size_and_offsets) {
    memory_desc md = made({2, 3}, {});
    md.offset0 = 5;
    EXPECT_EQ(bytes(md), 44u);
    EXPECT_EQ(offset_of_index(md, 4), 9);
}

TEST(memory_desc, runtime_dimensions_and_strides) {
    const memory_desc rows = made({RUNTIME_DIM, 8}, {});
    EXPECT_TRUE(has_runtime_dims(rows));
    EXPECT_EQ(strides_of(rows), (values{8, 1}));
    EXPECT_EQ(nelems(rows), RUNTIME_DIM);
    EXPECT_EQ(bytes(rows), size_t(RUNTIME_DIM));
    EXPECT_EQ(strides_of(made({4, 2, RUNTIME_DIM}, {})), (values{RUNTIME_DIM, RUNTIME_DIM, 1}));
    EXPECT_TRUE(has_runtime_dims(made({2, 3}, {RUNTIME_DIM, 1})));
    EXPECT_FALSE(has_runtime_dims(made({2, 3}, {})));
    EXPECT_EQ(status_of({RUNTIME_DIM, -2}, {}), jitnorm_invalid_arguments);
    const dim_t big = dim_t(1) << 32;
    EXPECT_EQ(status_of({RUNTIME_DIM, big, big}, {1, 1, 1}), jitnorm_invalid_arguments) << "a row that cannot be";
}

TEST(memory_desc, comparisons) {
    const memory_desc a = made({2, 3}, {}), b = made({2, 3}, {}, jitnorm_bf16), c = made({2, 3}, {1, 2});
    EXPECT_FALSE(a == b);
    EXPECT_TRUE(same_dims(a, c));
    EXPECT_FALSE(same_dims(a, made({3, 2}, {})));
    EXPECT_FALSE(same_dims(a, made({2, 3, 1}, {})));
}

} // namespace
