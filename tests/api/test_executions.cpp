// SPDX-License-Identifier: Apache-2.0
// From C calls to numbers: forward, backward and attributes against the oracle, in place, scratchpads, many threads.
#include <atomic>
#include <random>
#include <thread>

#include "executions.hpp"
#include "oracle.hpp"

using namespace jitnorm::tests;

namespace {

constexpr size_t ROWS = 6, COLUMNS = 24;
constexpr float EPSILON = 1e-3f;
constexpr unsigned SEED = 20;

std::vector<float> random_values(size_t count, unsigned salt, float low = -4.f, float high = 4.f) {
    std::mt19937 generator(SEED + salt);
    std::uniform_real_distribution<float> distribution(low, high);
    std::vector<float> values(count);
    for (float &value : values) value = distribution(generator);
    return values;
}

std::vector<double> widen(const std::vector<float> &values) { return {values.begin(), values.end()}; }

void expect_near(const std::vector<float> &got, const std::vector<double> &expected, const char *what) {
    ASSERT_EQ(got.size(), expected.size()) << what;
    EXPECT_LE(normalized_error(got.data(), expected.data(), got.size()), 2e-6) << what << ", seed " << SEED;
}

struct inputs {
    std::vector<float> src = random_values(ROWS * COLUMNS, 1), scale = random_values(COLUMNS, 2);
    std::vector<float> shift = random_values(COLUMNS, 3), mean = random_values(ROWS, 4);
    std::vector<float> variance = random_values(ROWS, 5, 0.5f, 2.f), diff_dst = random_values(ROWS * COLUMNS, 6);

    oracle_problem<double> problem(unsigned flags) const {
        oracle_problem<double> p;
        p.rows = ROWS;
        p.columns = COLUMNS;
        p.epsilon = double(EPSILON);
        p.rms = (flags & jitnorm_rms_norm) != 0;
        p.global_statistics = (flags & jitnorm_use_global_stats) != 0;
        p.src = widen(src);
        if (flags & jitnorm_use_scale) p.scale = widen(scale);
        if (flags & jitnorm_use_shift) p.shift = widen(shift);
        p.mean = widen(mean);
        p.variance = widen(variance);
        p.diff_dst = widen(diff_dst);
        return p;
    }

    // Puts each of them where the primitive wants it.
    void give_to(execution &run, bool with_statistics) const {
        const auto give = [&](int arg, const std::vector<float> &values) {
            if (run.tensors().count(arg) != 0) run.set(arg, values);
        };
        give(JITNORM_ARG_SRC, src);
        give(JITNORM_ARG_SCALE, scale);
        give(JITNORM_ARG_SHIFT, shift);
        give(JITNORM_ARG_DIFF_DST, diff_dst);
        if (with_statistics) give(JITNORM_ARG_MEAN, mean);
        if (with_statistics) give(JITNORM_ARG_VARIANCE, variance);
    }
};

owned_md data_md() { return make_md({2, 3, 24}, jitnorm_f32, jitnorm_abc); }

owned_pd make_forward(jitnorm_prop_kind_t kind, unsigned flags, const_jitnorm_primitive_attr_t attr = nullptr) {
    const owned_md data = data_md();
    forward_request request{kind, data, data};
    request.flags = flags;
    request.epsilon = EPSILON;
    request.attr = attr;
    owned_pd pd;
    EXPECT_OK(request.create(&pd));
    return pd;
}

owned_pd make_backward(jitnorm_prop_kind_t kind, unsigned flags, const_jitnorm_primitive_attr_t attr = nullptr) {
    const owned_md data = data_md();
    backward_request request{kind, data, data, data};
    request.flags = flags;
    request.epsilon = EPSILON;
    request.attr = attr;
    owned_pd pd;
    EXPECT_OK(request.create(&pd));
    return pd;
}

// ---------------------------------------------------------------- against the oracle

class EveryFlag : public testing::TestWithParam<unsigned> {};

TEST_P(EveryFlag, Forward) {
    const unsigned flags = GetParam();
    const inputs given;
    const auto expected = oracle_forward(given.problem(flags));
    for (const auto kind : {jitnorm_forward_training, jitnorm_forward_inference}) {
        execution run(make_forward(kind, flags));
        given.give_to(run, (flags & jitnorm_use_global_stats) != 0);
        ASSERT_OK(run.run());
        expect_near(run.get(JITNORM_ARG_DST), expected.dst, "dst");
        if (kind == jitnorm_forward_inference || (flags & jitnorm_use_global_stats)) continue;
        expect_near(run.get(JITNORM_ARG_VARIANCE), expected.variance, "variance");
        if (flags & jitnorm_rms_norm) continue;
        expect_near(run.get(JITNORM_ARG_MEAN), expected.mean, "mean");
    }
}

TEST_P(EveryFlag, Backward) {
    const unsigned flags = GetParam();
    const inputs given;
    const auto expected = oracle_backward(given.problem(flags));
    for (const auto kind : {jitnorm_backward, jitnorm_backward_data}) {
        execution run(make_backward(kind, flags));
        given.give_to(run, true);
        ASSERT_OK(run.run());
        expect_near(run.get(JITNORM_ARG_DIFF_SRC), expected.diff_src, "diff_src");
        if (kind == jitnorm_backward_data) continue;
        if (flags & jitnorm_use_scale) expect_near(run.get(JITNORM_ARG_DIFF_SCALE), expected.diff_scale, "diff_scale");
        if (flags & jitnorm_use_shift) expect_near(run.get(JITNORM_ARG_DIFF_SHIFT), expected.diff_shift, "diff_shift");
    }
}

constexpr unsigned G = jitnorm_use_global_stats, C = jitnorm_use_scale, H = jitnorm_use_shift, M = jitnorm_rms_norm;
INSTANTIATE_TEST_SUITE_P(All, EveryFlag,
                         testing::Values(0u, G, C, H, C | H, G | C, G | H, G | C | H, M, M | G, M | C, M | H, M | C | H,
                                         M | G | C, M | G | H, M | G | C | H));

// y = relu(normalized) * src1, plus the old dst.
TEST(Execution, PostOpsInTheirOrder) {
    owned_post_ops post_ops;
    owned_attr attr;
    const owned_md src1 = make_md({1, 1, 24}, jitnorm_f32, jitnorm_abc);
    ASSERT_OK(jitnorm_post_ops_create(&post_ops));
    ASSERT_OK(jitnorm_primitive_attr_create(&attr));
    EXPECT_OK(jitnorm_post_ops_append_eltwise(post_ops, jitnorm_eltwise_relu, 0.f, 0.f));
    EXPECT_OK(jitnorm_post_ops_append_binary(post_ops, jitnorm_binary_mul, src1));
    EXPECT_OK(jitnorm_post_ops_append_sum(post_ops, 1.f, 0, jitnorm_data_type_undef));
    EXPECT_OK(jitnorm_primitive_attr_set_post_ops(attr, post_ops));

    const inputs given;
    execution run(make_forward(jitnorm_forward_inference, C, attr));
    given.give_to(run, false);
    run.set(JITNORM_ARG_ATTR_MULTIPLE_POST_OP(1) | JITNORM_ARG_SRC_1, given.shift);
    run.set(JITNORM_ARG_DST, given.diff_dst);
    ASSERT_OK(run.run());
    auto expected = oracle_forward(given.problem(C)).dst;
    for (size_t i = 0; i < expected.size(); ++i)
        expected[i] = std::max(expected[i], 0.0) * double(given.shift[i % COLUMNS]) + double(given.diff_dst[i]);
    expect_near(run.get(JITNORM_ARG_DST), expected, "dst");
}

TEST(Execution, ScalesOfInt8) {
    const owned_md src = make_md({1, 4}, jitnorm_f32), dst = make_md({1, 4}, jitnorm_s8);
    owned_attr attr;
    ASSERT_OK(jitnorm_primitive_attr_create(&attr));
    EXPECT_OK(jitnorm_primitive_attr_set_scales_mask(attr, JITNORM_ARG_SRC, 0));
    EXPECT_OK(jitnorm_primitive_attr_set_scales_mask(attr, JITNORM_ARG_DST, 0));
    forward_request request{jitnorm_forward_inference, src, dst};
    request.attr = attr;
    owned_pd pd;
    ASSERT_OK(request.create(&pd));
    execution run(pd);
    run.set<float>(JITNORM_ARG_SRC, {-1, 1, -1, 1}); // normalized: itself, nearly
    run.set<float>(JITNORM_ARG_ATTR_SCALES | JITNORM_ARG_SRC, {6});
    run.set<float>(JITNORM_ARG_ATTR_SCALES | JITNORM_ARG_DST, {0.5});
    ASSERT_OK(run.run());
    EXPECT_EQ(run.get<int8_t>(JITNORM_ARG_DST), (std::vector<int8_t>{-12, 12, -12, 12}));
}

TEST(Execution, NoRowsStillHaveGradients) {
    const owned_md data = make_md({0, 5}, jitnorm_f32);
    backward_request request{jitnorm_backward, data, data, data};
    request.flags = C | H;
    owned_pd pd;
    ASSERT_OK(request.create(&pd));
    execution run(pd);
    for (const int arg : {JITNORM_ARG_SRC, JITNORM_ARG_DIFF_SRC, JITNORM_ARG_MEAN}) // without elements, without data
        EXPECT_OK(jitnorm_memory_set_data_handle(run.tensors().at(arg).memory, nullptr));
    ASSERT_OK(run.run());
    EXPECT_EQ(run.get(JITNORM_ARG_DIFF_SCALE), std::vector<float>(5, 0.f));
    EXPECT_EQ(run.get(JITNORM_ARG_DIFF_SHIFT), std::vector<float>(5, 0.f));
}

TEST(Execution, WithoutAnyElements) {
    for (const dims &sizes : {dims{0, 5}, dims{3, 0}, dims{0, 0}}) {
        const owned_md data = make_md(sizes, jitnorm_f32);
        owned_pd pd;
        ASSERT_OK((forward_request{jitnorm_forward_inference, data, data}.create(&pd)));
        execution run(pd);
        EXPECT_OK(run.run());
        EXPECT_TRUE(run.is_untouched());
    }
}

// ---------------------------------------------------------------- in place

TEST(InPlace, ForwardGivesTheSameBits) {
    const inputs given;
    for (const unsigned flags : {0u, C | H, M | C}) {
        execution apart(make_forward(jitnorm_forward_training, flags));
        execution in_place(make_forward(jitnorm_forward_training, flags));
        given.give_to(apart, false);
        given.give_to(in_place, false);
        EXPECT_OK(jitnorm_memory_set_data_handle(in_place.tensors().at(JITNORM_ARG_DST).memory,
                                                 in_place.data<void>(JITNORM_ARG_SRC)));
        ASSERT_OK(apart.run());
        ASSERT_OK(in_place.run());
        EXPECT_EQ(in_place.get(JITNORM_ARG_SRC), apart.get(JITNORM_ARG_DST));
    }
}

TEST(InPlace, BackwardGivesTheSameBits) {
    const inputs given;
    for (const auto kind : {jitnorm_backward, jitnorm_backward_data}) {
        execution apart(make_backward(kind, C | H)), in_place(make_backward(kind, C | H));
        given.give_to(apart, true);
        given.give_to(in_place, true);
        EXPECT_OK(jitnorm_memory_set_data_handle(in_place.tensors().at(JITNORM_ARG_DIFF_SRC).memory,
                                                 in_place.data<void>(JITNORM_ARG_DIFF_DST)));
        ASSERT_OK(apart.run());
        ASSERT_OK(in_place.run());
        EXPECT_EQ(in_place.get(JITNORM_ARG_DIFF_DST), apart.get(JITNORM_ARG_DIFF_SRC));
    }
}

TEST(InPlace, OneMemoryForBoth) {
    const inputs given;
    execution run(make_forward(jitnorm_forward_inference, 0));
    given.give_to(run, false);
    const jitnorm_memory_t both = run.tensors().at(JITNORM_ARG_SRC).memory;
    ASSERT_OK(run.run({{JITNORM_ARG_SRC, both}, {JITNORM_ARG_DST, both}}));
    expect_near(run.get(JITNORM_ARG_SRC), oracle_forward(given.problem(0)).dst, "dst");
}

// ---------------------------------------------------------------- scratchpad

owned_attr user_scratchpad() {
    owned_attr attr;
    EXPECT_OK(jitnorm_primitive_attr_create(&attr));
    EXPECT_OK(jitnorm_primitive_attr_set_scratchpad_mode(attr, jitnorm_scratchpad_mode_user));
    return attr;
}

// A stride in the last dimension, so that rows must be packed somewhere.
owned_pd make_strided_forward(const_jitnorm_primitive_attr_t attr) {
    const owned_md data = make_md({6, 24}, jitnorm_f32, jitnorm_ba);
    forward_request request{jitnorm_forward_inference, data, data};
    request.attr = attr;
    owned_pd pd;
    EXPECT_OK(request.create(&pd));
    return pd;
}

TEST(Scratchpad, TheUsersGivesTheSameBits) {
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

// Its size may be told without its alignment: any address does.
TEST(Scratchpad, TheUsersNeedsNoAlignment) {
    const inputs given;
    execution run(make_backward(jitnorm_backward, C | H, user_scratchpad()));
    if (run.tensors().count(JITNORM_ARG_SCRATCHPAD) == 0) GTEST_SKIP() << "this implementation needs no scratchpad";
    given.give_to(run, true);
    bound_tensor &scratchpad = run.tensors().at(JITNORM_ARG_SCRATCHPAD);
    std::vector<std::byte> bytes(scratchpad.bytes.size() + 64);
    for (size_t shift = 0; shift < 64; shift += 7) {
        std::fill(bytes.begin(), bytes.end(), std::byte(0xa5));
        EXPECT_OK(jitnorm_memory_set_data_handle(scratchpad.memory, bytes.data() + shift));
        ASSERT_OK(run.run());
        expect_near(run.get(JITNORM_ARG_DIFF_SCALE), oracle_backward(given.problem(C | H)).diff_scale, "diff_scale");
        const auto outside = [](std::byte b) { return b == std::byte(0xa5); };
        EXPECT_TRUE(std::all_of(bytes.begin(), bytes.begin() + std::ptrdiff_t(shift), outside));
        EXPECT_TRUE(std::all_of(bytes.begin() + std::ptrdiff_t(shift + scratchpad.bytes.size()), bytes.end(), outside));
    }
}

// ---------------------------------------------------------------- threads

TEST(Threads, ExecuteOnePrimitiveAtOnce) {
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
TEST(Lifetimes, WhatAnObjectWasMadeFromMayGo) {
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
    expect_near(result, oracle_forward(given.problem(0)).dst, "dst");
    const_jitnorm_primitive_desc_t pd = nullptr;
    EXPECT_OK(jitnorm_primitive_get_primitive_desc(primitive, &pd));
    EXPECT_EQ(jitnorm_primitive_desc_query_s32(pd, jitnorm_query_num_of_inputs_s32, 0), 1);
}

} // namespace
