// SPDX-License-Identifier: Apache-2.0
// Descriptors made from strides: refusals, and the strides, sizes and offsets that follow.
#include <gtest/gtest.h>

#include <algorithm>
#include <limits>
#include <random>
#include <set>
#include <vector>

#include "support/undefined.hpp"
#include "tensor/memory_desc.hpp"

using namespace jitnorm::impl;
using jitnorm::tests::undefined;

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
#define DATA_TYPE(name, number, size, ...) EXPECT_EQ(size_of(jitnorm_##name), size_t(size));
#include "../../tables/data_types.inc"
    EXPECT_EQ(size_of(jitnorm_data_type_undef), 0u);
    EXPECT_EQ(size_of(undefined<jitnorm_data_type_t>(7777)), 0u);
}

TEST(memory_desc, row_major_by_default) {
    const memory_desc md = made({2, 3, 5}, {});
    EXPECT_EQ(strides_of(md), (values{15, 5, 1}));
    EXPECT_EQ(md.format_kind, jitnorm_blocked);
    EXPECT_EQ(nelems(md), 30);
    EXPECT_EQ(product_of({md.padded_dims, 3}), 30);
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
    EXPECT_EQ(status_of({2, 3}, {}, undefined<jitnorm_data_type_t>(42)), jitnorm_invalid_arguments);
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
    EXPECT_EQ(status_of({2, 3}, {-3, 1}), jitnorm_invalid_arguments);
    EXPECT_EQ(bytes(made({5, 3}, {0, 1})), 12u);
}

TEST(memory_desc, strides_of_single_and_empty_dimensions_are_free) {
    EXPECT_EQ(status_of({4, 1, 8}, {8, 3, 1}), jitnorm_success);
    EXPECT_EQ(bytes(made({1, 8}, {1, 1})), 32u);
    EXPECT_EQ(status_of({4, 0}, {1, 1}), jitnorm_success);
    EXPECT_EQ(status_of({4, 0}, {-1, 1}), jitnorm_invalid_arguments);
}

bool are_disjoint(const values &dims, const values &strides) {
    std::set<dim_t> offsets = {0};
    size_t elements = 1;
    for (size_t d = 0; d < dims.size(); ++d) {
        std::set<dim_t> more;
        for (const dim_t offset : offsets)
            for (dim_t i = 0; i < dims[d]; ++i) more.insert(offset + i * strides[d]);
        offsets.swap(more);
        elements *= size_t(dims[d]);
    }
    return offsets.size() == elements;
}

void expect_accepted_if_disjoint(const values &dims, const values &strides, int (&found)[2]) {
    const bool apart = are_disjoint(dims, strides);
    ++found[apart ? 1 : 0];
    EXPECT_EQ(status_of(dims, strides) == jitnorm_success, apart)
        << testing::PrintToString(dims) << " with the strides " << testing::PrintToString(strides);
}

// Every set of small strides, compared with the set of the elements' offsets.
TEST(memory_desc, strides_are_accepted_exactly_if_elements_are_disjoint) {
    int found[2] = {};
    for (dim_t code = 0; code < 8 * 8 * 8; ++code)
        expect_accepted_if_disjoint({2, 3, 2}, {1 + code / 64, 1 + code / 8 % 8, 1 + code % 8}, found);
    EXPECT_GT(found[0], 200);
    EXPECT_GT(found[1], 50);
}

// The strides of row-major tensors with gaps, some multiplied or moved a little, in any order, so that many layouts
// interleave and about as many overlap by a few elements.
TEST(memory_desc, strides_at_random_are_accepted_exactly_if_elements_are_disjoint) {
    std::mt19937_64 numbers(48);
    const auto below = [&](dim_t limit) { return dim_t(numbers() % uint64_t(limit)); };
    int found[2] = {};
    for (int turn = 0; turn < 20000; ++turn) {
        values dims(size_t(2 + below(4))), strides;
        dim_t stride = 1 + below(3);
        for (dim_t &dim : dims) {
            dim = 1 + below(dims.size() < 4 ? 9 : 5);
            strides.push_back(std::max<dim_t>(1, stride + below(7) - 3));
            stride = stride * dim + below(4) * below(3);
            if (below(6) == 0) stride *= 1 + below(4);
        }
        std::shuffle(strides.begin(), strides.end(), numbers);
        if (below(2) == 0) std::shuffle(dims.begin(), dims.end(), numbers);
        expect_accepted_if_disjoint(dims, strides, found);
    }
    EXPECT_GT(found[0], 2000);
    EXPECT_GT(found[1], 2000);
}

TEST(memory_desc, large_strides_within_the_reach_of_others) {
    EXPECT_EQ(status_of({17, 2, 8}, {600, 400, 25}), jitnorm_success);
    EXPECT_EQ(status_of({1000, 2001, 2}, {2001, 1000, 2001000}), jitnorm_success);
    EXPECT_EQ(status_of({1001, 2001, 2}, {2001, 1000, 1}), jitnorm_invalid_arguments) << "2001000 twice";
    EXPECT_EQ(status_of({1000, 2001, 3}, {2001, 1000, 1000500}), jitnorm_invalid_arguments) << "1000500 is 500 * 2001";
}

TEST(memory_desc, strides_of_long_dimensions_are_decided_or_refused) {
    const dim_t far = dim_t(1) << 40, largest = std::numeric_limits<dim_t>::max();
    EXPECT_EQ(status_of({1 << 20, 1 << 20}, {far + 1, far}), jitnorm_success);
    EXPECT_EQ(status_of({2, 2}, {largest / 2, largest / 2 - 1}, jitnorm_s8), jitnorm_success);
    EXPECT_EQ(status_of({3, 3}, {largest / 2, largest / 2 - 1}, jitnorm_s8), jitnorm_invalid_arguments);
    memory_desc md;
    const values dims(3, 1 << 17), strides = {far + 12345677, far + 7654321, far};
    EXPECT_STREQ(make_with_strides(md, 3, dims.data(), jitnorm_f32, strides.data()).reason,
                 "strides[0] is 1099523973453; whether it makes elements overlap takes too long to check");
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

TEST(memory_desc, zero_dimensions_are_legal) {
    const values dims = {3, 0, 4};
    const memory_desc md = made(dims, {});
    EXPECT_EQ(nelems(md), 0);
    EXPECT_EQ(bytes(md), 0u);
    EXPECT_EQ(strides_of(md), (values{4, 4, 1}));
    memory_desc tagged;
    ASSERT_EQ(make_with_tag(tagged, 3, dims.data(), jitnorm_f32, jitnorm_abc), jitnorm_success);
    EXPECT_EQ(tagged, md);
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

} // namespace
