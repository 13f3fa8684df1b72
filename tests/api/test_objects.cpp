// SPDX-License-Identifier: Apache-2.0
// Engines, streams and memory descriptors: their queries, and each misuse.
#include <gtest/gtest.h>

#include "support/execution.hpp"
#include "support/jitnorm_handle.hpp"
#include "support/undefined.hpp"

using namespace jitnorm::tests;

namespace {

// ---------------------------------------------------------------- engine and stream

TEST(engine, there_is_one) {
    EXPECT_EQ(jitnorm_engine_get_count(jitnorm_cpu), 1u);
    EXPECT_EQ(jitnorm_engine_get_count(jitnorm_any_engine), 1u);
    EXPECT_EQ(jitnorm_engine_get_count(undefined<jitnorm_engine_kind_t>(2)), 0u);
    jitnorm_engine_t any = nullptr;
    EXPECT_OK(jitnorm_engine_create(&any, jitnorm_any_engine, 0));
    EXPECT_EQ(any, cpu());
    EXPECT_EQ(queried(jitnorm_engine_get_kind, any), jitnorm_cpu);
}

TEST(engine, outlives_its_destruction) {
    jitnorm_engine_t engine = cpu();
    EXPECT_OK(jitnorm_engine_destroy(engine));
    owned_stream stream;
    EXPECT_OK(jitnorm_stream_create(&stream, engine, jitnorm_stream_in_order));
}

TEST(engine, others_there_are_none) {
    jitnorm_engine_t engine = nullptr;
    EXPECT_EQ(jitnorm_engine_create(&engine, jitnorm_cpu, 1), INVALID);
    EXPECT_EQ(jitnorm_engine_create(&engine, undefined<jitnorm_engine_kind_t>(2), 0), INVALID);
    EXPECT_EQ(engine, nullptr);
}

TEST(stream, knows_its_engine) {
    for (const unsigned flags : {unsigned(jitnorm_stream_in_order), unsigned(jitnorm_stream_out_of_order)}) {
        owned_stream stream;
        ASSERT_OK(jitnorm_stream_create(&stream, cpu(), flags));
        EXPECT_EQ(queried(jitnorm_stream_get_engine, stream), cpu());
        EXPECT_OK(jitnorm_stream_wait(stream));
    }
}

TEST(stream, has_one_order) {
    owned_stream stream;
    for (const unsigned flags : {0u, 3u, 4u}) EXPECT_EQ(jitnorm_stream_create(&stream, cpu(), flags), INVALID) << flags;
    EXPECT_TRUE(stream.is_empty());
}

void run_in_place(void *, int count, void (*body)(void *, int), void *argument) {
    for (int i = 0; i < count; ++i) body(argument, i);
}

TEST(stream, with_a_thread_pool) {
    for (const jitnorm_thread_pool_t &pool :
         {jitnorm_thread_pool_t{run_in_place, nullptr, 4}, jitnorm_thread_pool_t{nullptr, nullptr, 1}}) {
        owned_stream stream;
        ASSERT_OK(jitnorm_stream_create_with_thread_pool(&stream, cpu(), jitnorm_stream_in_order, &pool));
        EXPECT_EQ(queried(jitnorm_stream_get_engine, stream), cpu());
        EXPECT_OK(jitnorm_stream_wait(stream));
    }
}

TEST(stream, misuse_of_thread_pools) {
    constexpr auto FLAGS = unsigned(jitnorm_stream_in_order);
    const jitnorm_thread_pool_t pool = {run_in_place, nullptr, 2};
    owned_stream stream;
    EXPECT_EQ(jitnorm_stream_create_with_thread_pool(&stream, cpu(), 3, &pool), INVALID);
    for (const jitnorm_thread_pool_t &bad :
         {jitnorm_thread_pool_t{run_in_place, nullptr, 0}, jitnorm_thread_pool_t{run_in_place, nullptr, -1},
          jitnorm_thread_pool_t{nullptr, nullptr, 2}})
        EXPECT_EQ(jitnorm_stream_create_with_thread_pool(&stream, cpu(), FLAGS, &bad), INVALID) << bad.concurrency;
    EXPECT_TRUE(stream.is_empty());
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

// ---------------------------------------------------------------- memory descriptor

TEST(memory_desc, strides_are_taken_as_given) {
    const owned_md md = make_md({4, 6}, jitnorm_f32, dims{8, 1});
    EXPECT_EQ(dims_of(md, jitnorm_query_strides), (dims{8, 1}));
    EXPECT_EQ(jitnorm_memory_desc_get_size(md), size_t(3 * 8 + 6) * 4);
    EXPECT_EQ(dims_of(make_md({4, 6}, jitnorm_f32), jitnorm_query_strides), (dims{6, 1}));
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
}

// A dimension of size 1 is never stepped along.
TEST(memory_desc, the_stride_of_one_element_does_not_matter) {
    EXPECT_TRUE(
        jitnorm_memory_desc_equal(make_md({1, 6}, jitnorm_f32, dims{6, 1}), make_md({1, 6}, jitnorm_f32, dims{64, 1})));
}

TEST(memory_desc, clone_is_equal_and_separate) {
    owned_md copy;
    {
        const owned_md md = make_md({4, 20}, jitnorm_s8, jitnorm_aB16b);
        ASSERT_OK(jitnorm_memory_desc_clone(&copy, md));
        EXPECT_TRUE(jitnorm_memory_desc_equal(md, copy));
    }
    EXPECT_EQ(dims_of(copy, jitnorm_query_dims), (dims{4, 20}));
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

TEST(memory_desc, sizes) {
    EXPECT_EQ(jitnorm_memory_desc_get_size(nullptr), 0u);
    EXPECT_EQ(jitnorm_memory_desc_get_size(make_md({0, 6}, jitnorm_f32)), 0u);
    EXPECT_EQ(jitnorm_memory_desc_get_size(make_md({JITNORM_RUNTIME_DIM_VAL, 6}, jitnorm_f32)),
              JITNORM_RUNTIME_SIZE_VAL);
    const size_t sizes[] = {0, 2, 2, 4, 4, 1, 1, 8};
    for (int type = jitnorm_data_type_undef; type <= jitnorm_f64; ++type)
        EXPECT_EQ(jitnorm_data_type_size(jitnorm_data_type_t(type)), sizes[type]) << type;
    EXPECT_EQ(jitnorm_data_type_size(jitnorm_f8_e5m2), 1u);
    EXPECT_EQ(jitnorm_data_type_size(jitnorm_f8_e4m3), 1u);
    EXPECT_EQ(jitnorm_data_type_size(undefined<jitnorm_data_type_t>(8)), 0u);
}

TEST(memory_desc, query_misuse) {
    const owned_md md = make_md({4, 6}, jitnorm_f32);
    int result = -1;
    EXPECT_EQ(jitnorm_memory_desc_query(md, jitnorm_query_src_md, &result), jitnorm_unimplemented);
    EXPECT_EQ(jitnorm_memory_desc_query(md, jitnorm_query_undef, &result), jitnorm_unimplemented);
    EXPECT_EQ(result, -1);
}

TEST(memory_desc, none_where_there_cannot_be_one) {
    const dims sizes = {2, 3}, overlapping = {2, 1};
    owned_md md;
    EXPECT_EQ(jitnorm_memory_desc_create_with_tag(&md, 2, sizes.data(), jitnorm_f32, jitnorm_abc), INVALID);
    EXPECT_EQ(jitnorm_memory_desc_create_with_tag(&md, 13, dims(13, 1).data(), jitnorm_f32, jitnorm_ab), INVALID);
    EXPECT_EQ(jitnorm_memory_desc_create_with_strides(&md, 2, sizes.data(), jitnorm_f32, overlapping.data()), INVALID);
    EXPECT_EQ(jitnorm_memory_desc_create_with_strides(&md, -1, sizes.data(), jitnorm_f32, nullptr), INVALID);
    EXPECT_TRUE(md.is_empty());
}

TEST(memory_desc, no_dimensions_make_an_empty_one) {
    const owned_md md = make_md({}, jitnorm_data_type_undef, jitnorm_format_tag_undef);
    EXPECT_EQ(ndims_of(md), 0);
    EXPECT_EQ(jitnorm_memory_desc_get_size(md), 0u);
}

} // namespace
