// SPDX-License-Identifier: Apache-2.0
// Engines, streams and memory descriptors: their queries, and each misuse.
#include <gtest/gtest.h>

#include "support/execution.hpp"
#include "support/jitnorm_handle.hpp"
#include "support/small_pool.hpp"
#include "support/undefined.hpp"

using namespace jitnorm::tests;

namespace {

TEST(engine, there_is_one_and_no_other) {
    const auto gpu = undefined<jitnorm_engine_kind_t>(2);
    EXPECT_EQ(jitnorm_engine_get_count(jitnorm_cpu), 1u);
    EXPECT_EQ(jitnorm_engine_get_count(jitnorm_any_engine), 1u);
    EXPECT_EQ(jitnorm_engine_get_count(gpu), 0u);
    jitnorm_engine_t any = nullptr, none = nullptr;
    EXPECT_OK(jitnorm_engine_create(&any, jitnorm_any_engine, 0));
    EXPECT_EQ(any, cpu());
    EXPECT_EQ(queried(jitnorm_engine_get_kind, any), jitnorm_cpu);
    EXPECT_EQ(jitnorm_engine_create(&none, jitnorm_cpu, 1), INVALID);
    EXPECT_EQ(jitnorm_engine_create(&none, gpu, 0), INVALID);
    EXPECT_EQ(none, nullptr);
    EXPECT_OK(jitnorm_engine_destroy(any)); // which it outlives
    EXPECT_EQ(queried(jitnorm_stream_get_engine, make_stream()), any);
}

TEST(stream, has_one_order) {
    owned_stream none;
    for (const unsigned flags : {0u, 3u, 4u}) EXPECT_EQ(jitnorm_stream_create(&none, cpu(), flags), INVALID) << flags;
    EXPECT_TRUE(none.is_empty());
    for (const unsigned flags : {unsigned(jitnorm_stream_in_order), unsigned(jitnorm_stream_out_of_order)}) {
        owned_stream stream;
        ASSERT_OK(jitnorm_stream_create(&stream, cpu(), flags));
        EXPECT_OK(jitnorm_stream_wait(stream));
    }
}

TEST(stream, with_a_thread_pool) {
    using pool = jitnorm_thread_pool_t;
    const auto status = [](const pool &p, unsigned flags = jitnorm_stream_in_order) {
        owned_stream stream;
        const jitnorm_status_t made = jitnorm_stream_create_with_thread_pool(&stream, cpu(), flags, &p);
        EXPECT_EQ(stream.is_empty(), made != jitnorm_success);
        EXPECT_EQ(jitnorm_stream_wait(stream), made == jitnorm_success ? made : INVALID);
        return made;
    };
    for (const pool &good : {pool{run_in_place, nullptr, 4}, pool{nullptr, nullptr, 1}}) EXPECT_OK(status(good));
    for (const pool &bad : {pool{run_in_place, nullptr, 0}, pool{run_in_place, nullptr, -1}, pool{nullptr, nullptr, 2}})
        EXPECT_EQ(status(bad), INVALID) << bad.concurrency;
    EXPECT_EQ(status({run_in_place, nullptr, 2}, 3), INVALID) << "two orders";
}

// A pool as a program sees it that was compiled with a later version's headers.
struct larger_pool {
    jitnorm_thread_pool_t pool = {run_in_place, nullptr, 2};
    char later[4096] = {};

    jitnorm_status_t make_stream(size_t bytes) const {
        owned_stream stream;
        return jitnorm_stream_create_with_thread_pool_of_size(&stream, cpu(), jitnorm_stream_in_order, &pool, bytes);
    }
};

TEST(stream, thread_pools_of_any_version) {
    larger_pool larger;
    constexpr size_t KNOWN = sizeof(jitnorm_thread_pool_t);
    for (const size_t bytes : {KNOWN, KNOWN + 1, KNOWN + 8, size_t(4096)})
        EXPECT_OK(larger.make_stream(bytes)) << bytes;
    for (const size_t bytes : {size_t(0), size_t(1), size_t(23), size_t(4097), SIZE_MAX})
        EXPECT_EQ(larger.make_stream(bytes), INVALID) << bytes;

    larger.later[7] = 1;
    EXPECT_OK(larger.make_stream(KNOWN + 7));
    EXPECT_EQ(larger.make_stream(KNOWN + 8), jitnorm_unimplemented);
}

// The function that the macro hides, which programs of version 0.2 call, reads nothing after the three members.
TEST(stream, thread_pools_of_the_first_version) {
    larger_pool larger;
    larger.later[0] = 1;
    owned_stream stream;
    EXPECT_OK((jitnorm_stream_create_with_thread_pool)(&stream, cpu(), jitnorm_stream_in_order, &larger.pool));
    EXPECT_FALSE(stream.is_empty());
}

TEST(memory_desc, equality_is_of_what_is_described) {
    const owned_md md = make_md({4, 6}, jitnorm_f32, jitnorm_ab);
    EXPECT_TRUE(jitnorm_memory_desc_equal(md, make_md({4, 6}, jitnorm_f32, dims{6, 1})));
    EXPECT_FALSE(jitnorm_memory_desc_equal(md, make_md({4, 6}, jitnorm_f32, jitnorm_ba)));
    EXPECT_FALSE(jitnorm_memory_desc_equal(md, make_md({4, 6}, jitnorm_f16, jitnorm_ab)));
    EXPECT_FALSE(jitnorm_memory_desc_equal(md, make_md({4, 7}, jitnorm_f32, jitnorm_ab)));
    EXPECT_FALSE(jitnorm_memory_desc_equal(md, make_md({4, 6, 1}, jitnorm_f32, jitnorm_abc)));
    EXPECT_FALSE(jitnorm_memory_desc_equal(md, nullptr));
    EXPECT_TRUE(jitnorm_memory_desc_equal(nullptr, nullptr));
    EXPECT_TRUE(jitnorm_memory_desc_equal(nullptr, make_md({}, jitnorm_data_type_undef)));
    // A dimension of size 1 is never stepped along.
    EXPECT_TRUE(
        jitnorm_memory_desc_equal(make_md({1, 6}, jitnorm_f32, dims{6, 1}), make_md({1, 6}, jitnorm_f32, dims{64, 1})));
}

TEST(memory_desc, undecided_layout_has_no_strides) {
    const owned_md md = make_md({4, 6}, jitnorm_f32, jitnorm_format_tag_any);
    const jitnorm_dim_t *strides = nullptr;
    int blocks = -1;
    EXPECT_EQ(jitnorm_memory_desc_query(md, jitnorm_query_strides, &strides), jitnorm_not_required);
    EXPECT_EQ(jitnorm_memory_desc_query(md, jitnorm_query_inner_nblks_s32, &blocks), jitnorm_not_required);
    EXPECT_EQ(strides, nullptr);
    EXPECT_EQ(jitnorm_memory_desc_get_size(md), 0u);
}

// tests/tensor has the bytes of layouts.
TEST(memory_desc, sizes) {
    EXPECT_EQ(jitnorm_memory_desc_get_size(nullptr), 0u);
    EXPECT_EQ(jitnorm_memory_desc_get_size(make_md({}, jitnorm_data_type_undef, jitnorm_format_tag_undef)), 0u);
    EXPECT_EQ(jitnorm_memory_desc_get_size(make_md({JITNORM_RUNTIME_DIM_VAL, 6}, jitnorm_f32)),
              JITNORM_RUNTIME_SIZE_VAL);
#define DATA_TYPE(name, number, size, ...) EXPECT_EQ(jitnorm_data_type_size(jitnorm_##name), size_t(size)) << #name;
#include "../../tables/data_types.inc"
    EXPECT_EQ(jitnorm_data_type_size(jitnorm_data_type_undef), 0u);
    EXPECT_EQ(jitnorm_data_type_size(undefined<jitnorm_data_type_t>(8)), 0u);
}

TEST(memory_desc, query_misuse) {
    const owned_md md = make_md({4, 6}, jitnorm_f32);
    int result = -1;
    EXPECT_EQ(jitnorm_memory_desc_query(md, jitnorm_query_src_md, &result), jitnorm_unimplemented);
    EXPECT_EQ(jitnorm_memory_desc_query(md, jitnorm_query_undef, &result), jitnorm_unimplemented);
    EXPECT_EQ(result, -1);
}

} // namespace
