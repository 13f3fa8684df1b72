// SPDX-License-Identifier: Apache-2.0
// From C calls to numbers: scales, epsilon and inverse deviations, and tensors without elements; the same bits however
// they are computed. The rest is for benchdnn-lite and the fuzz targets, whose oracle checks every kind, flag and
// attribute through this interface. Executions in several threads at once: tests/thread.
#include <cmath>

#include "jitnorm/jitnorm.hpp"
#include "runtime_requests.hpp"

using namespace jitnorm::tests;

namespace {

TEST(execution, scales_of_int8) {
    const owned_md src = make_md({1, 4}, jitnorm_f32), dst = make_md({1, 4}, jitnorm_s8);
    const owned_attr attr = make_attr();
    EXPECT_OK(jitnorm_primitive_attr_set_scales_mask(attr, JITNORM_ARG_SRC, 0));
    EXPECT_OK(jitnorm_primitive_attr_set_scales_mask(attr, JITNORM_ARG_DST, 0));
    const owned_pd pd = forward_request{jitnorm_forward_inference, src, dst}.make(0, attr);
    execution run(pd);
    run.set<float>(JITNORM_ARG_SRC, {-1, 1, -1, 1}); // normalized: itself, nearly
    run.set<float>(JITNORM_ARG_ATTR_SCALES | JITNORM_ARG_SRC, {6});
    run.set<float>(JITNORM_ARG_ATTR_SCALES | JITNORM_ARG_DST, {0.5});
    ASSERT_OK(run.run());
    EXPECT_EQ(run.get<int8_t>(JITNORM_ARG_DST), (std::vector<int8_t>{-12, 12, -12, 12}));
}

TEST(execution, no_rows_still_have_gradients) {
    execution run(backward_pd(jitnorm_backward, {0, 5}, CH));
    for (const int arg : {JITNORM_ARG_SRC, JITNORM_ARG_DIFF_SRC, JITNORM_ARG_MEAN}) // without elements, without data
        EXPECT_OK(jitnorm_memory_set_data_handle(run.tensors().at(arg).memory, nullptr));
    ASSERT_OK(run.run());
    EXPECT_EQ(run.get(JITNORM_ARG_DIFF_SCALE), std::vector<float>(5, 0.f));
    EXPECT_EQ(run.get(JITNORM_ARG_DIFF_SHIFT), std::vector<float>(5, 0.f));
}

TEST(execution, without_any_elements) {
    for (const dims &sizes : {dims{0, 5}, dims{3, 0}, dims{0, 0}}) {
        execution run(forward_pd(jitnorm_forward_inference, sizes));
        EXPECT_OK(run.run());
        EXPECT_TRUE(run.is_untouched());
    }
}

// ---------------------------------------------------------------- epsilon

constexpr double DECIMAL = 1e-5; // 2.5e-8 of its value away from the float

// How exact it is in double: benchdnn-lite's test_lnorm_ci.
TEST(epsilon, of_the_attribute_replaces_the_argument) {
    const owned_md row = make_md({1, 4}, jitnorm_f64);
    const auto make = [&](float argument, const_jitnorm_primitive_attr_t attr) {
        return forward_request{.src = row, .dst = row, .epsilon = argument, .attr = attr}.make();
    };
    const auto dst = [](const owned_pd &pd) {
        execution run(pd);
        run.set<double>(JITNORM_ARG_SRC, {1, 2, 3, 5});
        EXPECT_OK(run.run());
        return run.get<double>(JITNORM_ARG_DST);
    };
    for (const float epsilon : {1e-5F, 0.25F}) {
        const owned_attr attr = make_attr();
        EXPECT_OK(jitnorm_primitive_attr_set_epsilon(attr, double(epsilon)));
        const owned_pd pd = make(-1, attr);
        float told = 0;
        EXPECT_OK(jitnorm_primitive_desc_query(pd, jitnorm_query_epsilon_f32, 0, &told));
        EXPECT_EQ(told, epsilon);
        EXPECT_EQ(dst(pd), dst(make(epsilon, nullptr)));
    }
}

TEST(epsilon, what_is_put_in_comes_out) {
    const owned_attr attr = make_attr();
    owned_attr copy;
    EXPECT_EQ(queried(jitnorm_primitive_attr_get_epsilon, attr), -1);
    for (const double wrong : {-1e-300, -1.0, double(NAN), double(INFINITY)})
        EXPECT_EQ(jitnorm_primitive_attr_set_epsilon(attr, wrong), jitnorm_invalid_arguments);
    for (const double right : {1e-300, 0.0, 1e300, DECIMAL}) EXPECT_OK(jitnorm_primitive_attr_set_epsilon(attr, right));
    EXPECT_OK(jitnorm_primitive_attr_clone(&copy, attr));
    EXPECT_EQ(queried(jitnorm_primitive_attr_get_epsilon, copy), DECIMAL);
    jitnorm::primitive_attr in_cpp;
    in_cpp.set_epsilon(DECIMAL);
    EXPECT_EQ(in_cpp.get_epsilon(), DECIMAL);
}

// ---------------------------------------------------------------- inverse deviations

// The variance tensor holds 1 / sqrt(variance + epsilon), written by forward, read by backward and with global
// statistics, and no bit of the data differs.

const std::vector<float> ROWS = {1, 2, 3, 5, -8, 13, 21, 34, 55, 89, 144, -233, 2, 2, 2};

execution forward_with(unsigned flags) {
    execution forward(forward_pd(jitnorm_forward_training, {3, 5}, flags));
    forward.set(JITNORM_ARG_SRC, ROWS);
    return forward;
}

execution backward_with(unsigned flags, const std::vector<float> &mean, const std::vector<float> &deviations) {
    execution backward(backward_pd(jitnorm_backward, {3, 5}, flags));
    backward.set(JITNORM_ARG_SRC, ROWS);
    backward.set(JITNORM_ARG_MEAN, mean);
    backward.set(JITNORM_ARG_VARIANCE, deviations);
    EXPECT_EQ(backward.run(), jitnorm_success);
    return backward;
}

TEST(inverse_deviation, is_what_forward_writes) {
    execution plain = forward_with(CH), inverse = forward_with(CH | jitnorm_inverse_deviation);
    ASSERT_EQ(plain.run(), jitnorm_success);
    ASSERT_EQ(inverse.run(), jitnorm_success);
    EXPECT_EQ(plain.get(JITNORM_ARG_DST), inverse.get(JITNORM_ARG_DST));
    EXPECT_EQ(plain.get(JITNORM_ARG_MEAN), inverse.get(JITNORM_ARG_MEAN));
    const std::vector<float> variance = plain.get(JITNORM_ARG_VARIANCE), rstd = inverse.get(JITNORM_ARG_VARIANCE);
    for (size_t row = 0; row < 3; ++row)
        EXPECT_FLOAT_EQ(rstd[row], float(1 / std::sqrt(double(variance[row]) + double(1e-5F))));
}

TEST(inverse_deviation, is_what_backward_and_global_statistics_read) {
    const std::vector<float> mean = {2, 23, 2}, rstd = {0.5F, 0.25F, 8}, variance = {4 - 1e-5F, 16 - 1e-5F, 0};
    execution given = backward_with(CH | jitnorm_inverse_deviation, mean, rstd);
    execution variances = backward_with(CH, mean, variance);
    const std::vector<float> got = given.get(JITNORM_ARG_DIFF_SRC), expected = variances.get(JITNORM_ARG_DIFF_SRC);
    for (size_t i = 0; i < 10; ++i) EXPECT_FLOAT_EQ(got[i], expected[i]); // the third row's variance has no such rstd

    execution forward = forward_with(jitnorm_use_global_stats | jitnorm_inverse_deviation);
    forward.set(JITNORM_ARG_MEAN, mean);
    forward.set(JITNORM_ARG_VARIANCE, rstd);
    ASSERT_EQ(forward.run(), jitnorm_success);
    const std::vector<float> dst = forward.get(JITNORM_ARG_DST);
    for (size_t i = 0; i < ROWS.size(); ++i) EXPECT_FLOAT_EQ(dst[i], (ROWS[i] - mean[i / 5]) * rstd[i / 5]);
}

TEST(inverse_deviation, is_among_the_flags_that_are_answered) {
    const owned_pd pd = forward_pd(jitnorm_forward_training, {3, 5}, jitnorm_inverse_deviation);
    unsigned flags = 0;
    ASSERT_EQ(jitnorm_primitive_desc_query(pd, jitnorm_query_flags, 0, &flags), jitnorm_success);
    EXPECT_EQ(flags, unsigned(jitnorm_inverse_deviation));
}

// ---------------------------------------------------------------- scratchpads and lifetimes

const dims MATRIX = {6, 24};

// A stride in the last dimension, so that rows must be packed somewhere.
request columns(const_jitnorm_primitive_attr_t attr = nullptr) {
    return {jitnorm_forward_inference, 0, MATRIX, tag(jitnorm_ba), tag(jitnorm_ba), jitnorm_f32, attr};
}

TEST(scratchpad, the_users_gives_the_same_bits) {
    const owned_attr attr = with_user_scratchpad();
    for (request r : {request{jitnorm_forward_training, C | H, MATRIX, {}, {}},
                      {jitnorm_backward, C | H, MATRIX, {}, {}},
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
    const request r{jitnorm_forward_inference, 0, MATRIX, {}, {}};
    execution expected(r.create());
    fill_tensors(expected);
    ASSERT_OK(expected.run());
    std::vector<float> values = expected.get(JITNORM_ARG_SRC), result(values.size());
    owned_primitive primitive;
    owned_memory src, dst;
    {
        const owned_md data = make_md(MATRIX, jitnorm_f32);
        ASSERT_OK(jitnorm_primitive_create(&primitive, r.create()));
        src = make_memory(data, values.data());
        dst = make_memory(data, result.data());
    }
    const jitnorm_exec_arg_t args[] = {{JITNORM_ARG_SRC, src}, {JITNORM_ARG_DST, dst}};
    ASSERT_OK(jitnorm_primitive_execute(primitive, make_stream(), 2, args));
    EXPECT_EQ(result, expected.get(JITNORM_ARG_DST));
    const auto *pd = queried(jitnorm_primitive_get_primitive_desc, primitive);
    EXPECT_EQ(jitnorm_primitive_desc_query_s32(pd, jitnorm_query_num_of_inputs_s32, 0), 1);
}

} // namespace
