// SPDX-License-Identifier: Apache-2.0
// Memories: whose data they hold, and each way to misuse them.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <vector>

#include "api/memory/memory.hpp"
#include "support/execution.hpp"

using namespace jitnorm::tests;

// Under a sanitizer too, memory that is not there is answered with null, not with the end of the program.
extern "C" const char *__asan_default_options() { return "allocator_may_return_null=1"; }
extern "C" const char *__tsan_default_options() { return "allocator_may_return_null=1"; }

namespace {

void *data_of(const owned_memory &memory) { return queried(jitnorm_memory_get_data_handle, memory); }

// There is one buffer, number 0; test_onednn_names.cpp asks for it.
TEST(memory, has_no_buffer_of_another_index) {
    float data[6];
    const owned_md md = make_md({2, 3}, jitnorm_bf16);
    owned_memory memory;
    void *handles[] = {data}, *handle = nullptr;
    jitnorm_data_type_t type = jitnorm_f32;
    EXPECT_EQ(jitnorm_memory_create_v2(&memory, md, cpu(), 1, nullptr), INVALID);
    ASSERT_OK(jitnorm_memory_create_v2(&memory, md, cpu(), 1, handles));
    for (const int index : {-1, 1}) {
        EXPECT_EQ(jitnorm_memory_get_data_handle_v2(memory, &handle, index), INVALID);
        EXPECT_EQ(jitnorm_memory_set_data_handle_v2(memory, nullptr, index), INVALID);
        EXPECT_EQ(jitnorm_memory_map_data_v2(memory, &handle, index), INVALID);
        EXPECT_EQ(jitnorm_memory_unmap_data_v2(memory, handle, index), INVALID);
        EXPECT_EQ(jitnorm_memory_desc_query_v2(md, jitnorm_query_data_type, index, &type), INVALID);
    }
    EXPECT_EQ(data_of(memory), data) << "a wrong index changes nothing";
    EXPECT_EQ(type, jitnorm_f32);
}

TEST(memory, maps_nothing_where_there_is_nothing) {
    float data[1];
    const owned_memory memory = make_memory(make_md({0, 3}, jitnorm_f32), data);
    void *mapped = data;
    EXPECT_OK(jitnorm_memory_map_data(memory, &mapped));
    EXPECT_EQ(mapped, nullptr);
}

TEST(host_scalar, is_nothing_else) {
    const owned_md other = make_md({1}, jitnorm_f32);
    owned_md md;
    ASSERT_OK(jitnorm_memory_desc_create_host_scalar(&md, jitnorm_f32));
    EXPECT_FALSE(jitnorm_memory_desc_equal(md, other));
    float value = 1;
    owned_memory memory;
    EXPECT_EQ(jitnorm_memory_create_host_scalar(&memory, other, &value), INVALID);
    EXPECT_EQ(jitnorm_memory_create(&memory, md, cpu(), JITNORM_MEMORY_ALLOCATE), INVALID);
    const owned_memory usual = make_memory(other, &value);
    EXPECT_EQ(jitnorm_memory_get_host_scalar_value(usual, &value), INVALID);
    EXPECT_EQ(jitnorm_memory_set_host_scalar_value(usual, &value), INVALID);
    owned_md never;
    EXPECT_EQ(jitnorm_memory_desc_create_host_scalar(&never, jitnorm_data_type_undef), INVALID);
    EXPECT_EQ(status_of(forward_request{jitnorm_forward_inference, md, md}), INVALID);
}

TEST(memory, allocates_aligned) {
    for (const jitnorm_dim_t count : {1, 63, 64, 65, 100000}) {
        const owned_md md = make_md({count}, jitnorm_u8);
        const owned_memory memory = make_memory(md, JITNORM_MEMORY_ALLOCATE);
        void *handle = data_of(memory);
        ASSERT_NE(handle, nullptr);
        EXPECT_EQ(reinterpret_cast<uintptr_t>(handle) % 64, 0u);
        std::memset(handle, 1, size_t(count));
    }
}

TEST(memory, allocates_nothing_for_nothing) {
    EXPECT_EQ(data_of(make_memory(nullptr, JITNORM_MEMORY_ALLOCATE)), nullptr);
    EXPECT_EQ(data_of(make_memory(make_md({0, 5}, jitnorm_f32), JITNORM_MEMORY_ALLOCATE)), nullptr);
}

TEST(memory, own_handle_survives_being_set_again) {
    const owned_memory memory = make_memory(make_md({2, 3}, jitnorm_f32), JITNORM_MEMORY_ALLOCATE);
    void *own = data_of(memory), *mapped = nullptr;
    EXPECT_OK(jitnorm_memory_map_data(memory, &mapped));
    EXPECT_EQ(mapped, own);
    EXPECT_OK(jitnorm_memory_set_data_handle(memory, own));
    std::memset(own, 0, 24); // an address sanitizer would object had it been freed
    float data[6];
    EXPECT_OK(jitnorm_memory_set_data_handle(memory, data)); // and would report a leak had it not been now
}

TEST(memory, needs_a_layout_and_sizes_that_there_are) {
    owned_memory memory;
    const auto create = [&](const owned_md &md, void *data) { return jitnorm_memory_create(&memory, md, cpu(), data); };
    EXPECT_EQ(create(make_md({2, 3}, jitnorm_f32, jitnorm_format_tag_any), nullptr), INVALID);
    EXPECT_EQ(create(make_md({2, JITNORM_RUNTIME_DIM_VAL}, jitnorm_f32), nullptr), INVALID);
    EXPECT_EQ(create(make_md({jitnorm_dim_t(1) << 60}, jitnorm_u8), JITNORM_MEMORY_ALLOCATE), jitnorm_out_of_memory);
    EXPECT_TRUE(memory.is_empty());
}

// Descriptors whose sizes and strides just fit into a word, or just do not, with types, ranks and offsets.
std::vector<jitnorm_memory_desc> descriptors_around_words() {
    std::vector<jitnorm_memory_desc> all;
    constexpr jitnorm::impl::dim_t sizes[] = {0, 1, 3, (1 << 18) - 1, 1 << 18};
    for (const auto type : {jitnorm_u8, jitnorm_f32})
        for (const auto a : sizes)
            for (const auto b : sizes)
                for (const auto c : sizes)
                    for (const int ndims : {1, 2, 3, 4}) {
                        const jitnorm_dim_t dims[] = {a, b, c, 2};
                        const owned_md md = make_md({dims, dims + ndims}, type);
                        all.push_back(*md);
                        all.back().offset0 = 1;
                        all.push_back(*md);
                        all.back().strides[0] += 1;
                        all.push_back(*md);
                    }
    return all;
}

// Every execution compares the words of descriptors.
TEST(memory, has_a_word_that_distinguishes_tensors) {
    const auto all = descriptors_around_words();
    std::vector<uint64_t> words;
    for (const auto &md : all) words.push_back(jitnorm::impl::api::layout_key(md));
    size_t same = 0;
    for (size_t i = 0; i < all.size(); ++i)
        for (size_t j = 0; j < i; ++j) {
            if ((words[i] | words[j]) == 0) continue; // such descriptors are compared whole
            const bool is_same = jitnorm::impl::same_tensor(all[i], all[j]);
            ASSERT_EQ(words[i] == words[j], is_same) << i << " " << j;
            same += is_same;
        }
    EXPECT_GT(same, 0u);
    EXPECT_GT(std::ranges::count(words, 0u), 0);
}

} // namespace
