// SPDX-License-Identifier: Apache-2.0
// The same numbers however they are computed: in place, with the user's scratchpad, in many threads at once.
#include <atomic>
#include <thread>

#include "random_model.hpp"

using namespace jitnorm::tests;

namespace {

constexpr unsigned C = jitnorm_use_scale, H = jitnorm_use_shift, M = jitnorm_rms_norm;

// ---------------------------------------------------------------- in place

TEST(in_place, one_memory_for_both) {
    const inputs given;
    execution run(make_forward(jitnorm_forward_inference, 0));
    given.give_to(run, false);
    const jitnorm_memory_t both = run.tensors().at(JITNORM_ARG_SRC).memory;
    ASSERT_OK(run.run({{JITNORM_ARG_SRC, both}, {JITNORM_ARG_DST, both}}));
    expect_near(run.get(JITNORM_ARG_SRC), given.forward(0).dst, "dst");
}

// ---------------------------------------------------------------- scratchpad

owned_attr user_scratchpad() {
    owned_attr attr = make_attr();
    EXPECT_OK(jitnorm_primitive_attr_set_scratchpad_mode(attr, jitnorm_scratchpad_mode_user));
    return attr;
}

// A stride in the last dimension, so that rows must be packed somewhere.
owned_pd make_strided_forward(const_jitnorm_primitive_attr_t attr) {
    const owned_md data = make_md({6, 24}, jitnorm_f32, jitnorm_ba);
    return forward_request{jitnorm_forward_inference, data, data}.make(0, attr);
}

TEST(scratchpad, the_users_gives_the_same_bits) {
    const inputs given;
    std::vector<owned_pd (*)(const_jitnorm_primitive_attr_t)> makers = {
        [](const_jitnorm_primitive_attr_t attr) { return make_forward(jitnorm_forward_training, C | H, attr); },
        [](const_jitnorm_primitive_attr_t attr) { return make_backward(jitnorm_backward, C | H, attr); },
        make_strided_forward,
    };
    for (const auto make : makers) {
        execution library(make(nullptr)), user(make(user_scratchpad()));
        for (execution *run : {&library, &user}) {
            given.give_to(*run, true);
            ASSERT_OK(run->run());
        }
        for (const auto &[arg, tensor] : library.tensors())
            EXPECT_EQ(user.tensors().at(arg).bytes, tensor.bytes) << "argument " << arg;
    }
}

// Any address will do, and nothing is written beside it.
TEST(scratchpad, the_users_needs_no_alignment) {
    const inputs given;
    execution library(make_strided_forward(nullptr)), run(make_strided_forward(user_scratchpad()));
    if (run.tensors().count(JITNORM_ARG_SCRATCHPAD) == 0) GTEST_SKIP() << "this implementation needs no scratchpad";
    given.give_to(library, false);
    given.give_to(run, false);
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

// ---------------------------------------------------------------- threads

TEST(threads, execute_one_primitive_at_once) {
    const inputs given;
    for (const bool forward : {true, false}) {
        const owned_pd pd =
            forward ? make_forward(jitnorm_forward_training, C | H) : make_backward(jitnorm_backward, C | H);
        execution alone(pd);
        given.give_to(alone, !forward);
        ASSERT_OK(alone.run());
        std::atomic<int> wrong = 0;
        std::vector<std::thread> threads;
        for (int t = 0; t < 8; ++t)
            threads.emplace_back([&] {
                execution mine(pd);
                given.give_to(mine, !forward);
                const auto args = mine.args();
                const owned_stream stream = make_stream();
                for (int i = 0; i < 50; ++i)
                    wrong += jitnorm_primitive_execute(alone.primitive(), stream, int(args.size()), args.data()) !=
                             jitnorm_success;
                for (const auto &[arg, tensor] : alone.tensors()) wrong += mine.tensors().at(arg).bytes != tensor.bytes;
            });
        for (std::thread &thread : threads) thread.join();
        EXPECT_EQ(wrong, 0);
    }
}

// The descriptor, the attributes and the memories' descriptors are copied: all may go before the first execution.
TEST(lifetimes, what_an_object_was_made_from_may_go) {
    const inputs given;
    owned_primitive primitive;
    owned_memory src, dst;
    std::vector<float> result(given.src.size());
    {
        const owned_md data = data_md();
        owned_pd pd;
        forward_request request{jitnorm_forward_inference, data, data};
        request.epsilon = EPSILON;
        ASSERT_OK(request.create(&pd));
        ASSERT_OK(jitnorm_primitive_create(&primitive, pd));
        src = make_memory(data, const_cast<float *>(given.src.data()));
        dst = make_memory(data, result.data());
    }
    const jitnorm_exec_arg_t args[] = {{JITNORM_ARG_SRC, src}, {JITNORM_ARG_DST, dst}};
    ASSERT_OK(jitnorm_primitive_execute(primitive, make_stream(), 2, args));
    expect_near(result, given.forward(0).dst, "dst");
    const_jitnorm_primitive_desc_t pd = nullptr;
    EXPECT_OK(jitnorm_primitive_get_primitive_desc(primitive, &pd));
    EXPECT_EQ(jitnorm_primitive_desc_query_s32(pd, jitnorm_query_num_of_inputs_s32, 0), 1);
}

} // namespace
