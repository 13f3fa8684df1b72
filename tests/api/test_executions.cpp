// SPDX-License-Identifier: Apache-2.0
// From C calls to numbers: epsilon and inverse deviations, and tensors without elements; the same bits however they are
// computed. The rest is for benchdnn-lite and the fuzz targets, whose oracle checks every kind, flag and
// attribute through this interface. Executions in several threads at once: tests/thread.
#include <cmath>

#include "jitnorm/jitnorm.hpp"
#include "runtime_requests.hpp"
#include "support/guarded_buffer.hpp"

using namespace jitnorm::tests;

namespace {

TEST(execution, without_any_elements) {
    for (const dims &sizes : {dims{0, 5}, dims{3, 0}, dims{0, 0}}) {
        execution forward(forward_pd(jitnorm_forward_inference, sizes)),
            backward(backward_pd(jitnorm_backward, sizes, CH));
        EXPECT_OK(forward.run());
        EXPECT_TRUE(forward.is_untouched());
        for (const int arg : {JITNORM_ARG_SRC, JITNORM_ARG_DIFF_SRC}) // without elements, without data
            EXPECT_OK(jitnorm_memory_set_data_handle(backward.tensors().at(arg).memory, nullptr));
        EXPECT_OK(backward.run());
        if (sizes[1] == 0) continue;
        EXPECT_EQ(backward.get(JITNORM_ARG_DIFF_SCALE), std::vector<float>(5, 0.f)) << "no rows still have gradients";
        EXPECT_EQ(backward.get(JITNORM_ARG_DIFF_SHIFT), std::vector<float>(5, 0.f));
    }
}

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

// The variance tensor then holds 1 / sqrt(variance + epsilon), and no other bit differs. That backward reads it:
// fuzz_aclnn, whose interface has no variances.
TEST(inverse_deviation, is_what_forward_writes) {
    const auto forward = [](unsigned flags) {
        execution run(forward_pd(jitnorm_forward_training, {3, 5}, flags));
        run.set<float>(JITNORM_ARG_SRC, {1, 2, 3, 5, -8, 13, 21, 34, 55, 89, 144, -233, 2, 2, 2});
        EXPECT_OK(run.run());
        return run;
    };
    execution plain = forward(CH), inverse = forward(CH | jitnorm_inverse_deviation);
    EXPECT_EQ(plain.get(JITNORM_ARG_DST), inverse.get(JITNORM_ARG_DST));
    EXPECT_EQ(plain.get(JITNORM_ARG_MEAN), inverse.get(JITNORM_ARG_MEAN));
    const std::vector<float> variance = plain.get(JITNORM_ARG_VARIANCE), rstd = inverse.get(JITNORM_ARG_VARIANCE);
    for (size_t row = 0; row < 3; ++row)
        EXPECT_FLOAT_EQ(rstd[row], float(1 / std::sqrt(double(variance[row]) + double(1e-5F))));
}

const dims MATRIX = {6, 24};

// A stride in the last dimension, so that rows must be packed somewhere.
request columns(const_jitnorm_primitive_attr_t attr = nullptr) {
    return {jitnorm_forward_inference, 0, MATRIX, tag(jitnorm_ba), tag(jitnorm_ba), jitnorm_f32, attr};
}

// Any address will do, and nothing is written after its end.
TEST(scratchpad, the_users_gives_the_same_bits) {
    const owned_attr attr = with_user_scratchpad();
    for (request r : {request{jitnorm_forward_training, C | H, MATRIX, {}, {}},
                      {jitnorm_backward, C | H, MATRIX, {}, {}},
                      columns()}) {
        execution library(r.create());
        r.attr = attr;
        execution user(r.create());
        expect_same(user, library);
        const auto found = user.tensors().find(JITNORM_ARG_SCRATCHPAD);
        if (found == user.tensors().end()) continue;
        const size_t size = found->second.bytes.size();
        for (const size_t off : {1, 7, 60}) {
            const guarded_buffer larger(size + off, guard_side::after);
            EXPECT_OK(jitnorm_memory_set_data_handle(found->second.memory, larger.as<char>() + off));
            fill_tensors(user);
            ASSERT_OK(user.run());
            EXPECT_TRUE(larger.slack_untouched());
            expect_equal_tensors(user, library);
        }
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
