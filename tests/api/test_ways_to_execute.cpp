// SPDX-License-Identifier: Apache-2.0
// The same bits however they are computed: by one memory, with the user's scratchpad. In several threads at once:
// tests/thread.
#include "runtime_requests.hpp"

using namespace jitnorm::tests;

namespace {

const dims SIZES = {6, 24};

// A stride in the last dimension, so that rows must be packed somewhere.
request columns(const_jitnorm_primitive_attr_t attr = nullptr) {
    return {jitnorm_forward_inference, 0, SIZES, tag(jitnorm_ba), tag(jitnorm_ba), jitnorm_f32, attr};
}

TEST(in_place, one_memory_for_both) {
    const owned_pd pd = request{jitnorm_forward_inference, 0, SIZES, {}, {}}.create();
    execution run(pd), apart(pd);
    fill_tensors(run);
    fill_tensors(apart);
    const jitnorm_memory_t both = run.tensors().at(JITNORM_ARG_SRC).memory;
    ASSERT_OK(run.run({{JITNORM_ARG_SRC, both}, {JITNORM_ARG_DST, both}}));
    ASSERT_OK(apart.run());
    EXPECT_EQ(run.get(JITNORM_ARG_SRC), apart.get(JITNORM_ARG_DST));
}

TEST(scratchpad, the_users_gives_the_same_bits) {
    const owned_attr attr = with_user_scratchpad();
    for (request r : {request{jitnorm_forward_training, C | H, SIZES, {}, {}},
                      {jitnorm_backward, C | H, SIZES, {}, {}},
                      columns()}) {
        execution library(r.create());
        r.attr = attr;
        execution user(r.create());
        expect_same(user, library);
    }
}

// Any address will do, and nothing is written beside it.
TEST(scratchpad, the_users_needs_no_alignment) {
    const owned_attr attr = with_user_scratchpad();
    execution library(columns().create()), run(columns(attr).create());
    if (run.tensors().count(JITNORM_ARG_SCRATCHPAD) == 0) GTEST_SKIP() << "this implementation needs no scratchpad";
    fill_tensors(library);
    fill_tensors(run);
    ASSERT_OK(library.run());
    bound_tensor &scratchpad = run.tensors().at(JITNORM_ARG_SCRATCHPAD);
    const auto size = std::ptrdiff_t(scratchpad.bytes.size());
    const auto is_filler = [](std::byte b) { return b == std::byte(0xa5); };
    std::vector<std::byte> bytes(scratchpad.bytes.size() + 64);
    for (std::ptrdiff_t shift = 0; shift < 64; shift += 7) {
        std::fill(bytes.begin(), bytes.end(), std::byte(0xa5));
        const auto begin = bytes.begin() + shift, end = begin + size;
        EXPECT_OK(jitnorm_memory_set_data_handle(scratchpad.memory, bytes.data() + shift));
        ASSERT_OK(run.run());
        EXPECT_EQ(run.get(JITNORM_ARG_DST), library.get(JITNORM_ARG_DST));
        EXPECT_FALSE(std::all_of(begin, end, is_filler)) << "the scratchpad is not used";
        EXPECT_TRUE(std::all_of(bytes.begin(), begin, is_filler));
        EXPECT_TRUE(std::all_of(end, bytes.end(), is_filler));
    }
}

// The descriptor, the attributes and the memories' descriptors are copied: all may go before the first execution.
TEST(lifetimes, what_an_object_was_made_from_may_go) {
    const request r{jitnorm_forward_inference, 0, SIZES, {}, {}};
    execution expected(r.create());
    fill_tensors(expected);
    ASSERT_OK(expected.run());
    std::vector<float> values = expected.get(JITNORM_ARG_SRC), result(values.size());
    owned_primitive primitive;
    owned_memory src, dst;
    {
        const owned_md data = make_md(SIZES, jitnorm_f32);
        ASSERT_OK(jitnorm_primitive_create(&primitive, r.create()));
        src = make_memory(data, values.data());
        dst = make_memory(data, result.data());
    }
    const jitnorm_exec_arg_t args[] = {{JITNORM_ARG_SRC, src}, {JITNORM_ARG_DST, dst}};
    ASSERT_OK(jitnorm_primitive_execute(primitive, make_stream(), 2, args));
    EXPECT_EQ(result, expected.get(JITNORM_ARG_DST));
    const_jitnorm_primitive_desc_t pd = nullptr;
    EXPECT_OK(jitnorm_primitive_get_primitive_desc(primitive, &pd));
    EXPECT_EQ(jitnorm_primitive_desc_query_s32(pd, jitnorm_query_num_of_inputs_s32, 0), 1);
}

} // namespace
