// SPDX-License-Identifier: Apache-2.0
// From C calls to numbers: scales and epsilon, and tensors without elements. The rest is for benchdnn-lite and the fuzz
// targets, whose oracle checks every kind, flag and attribute through this interface.
#include <cmath>

#include "jitnorm/jitnorm.hpp"
#include "support/execution.hpp"

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
    const owned_md data = make_md({0, 5}, jitnorm_f32);
    const owned_pd pd =
        backward_request{jitnorm_backward, data, data, data}.make(jitnorm_use_scale | jitnorm_use_shift);
    execution run(pd);
    for (const int arg : {JITNORM_ARG_SRC, JITNORM_ARG_DIFF_SRC, JITNORM_ARG_MEAN}) // without elements, without data
        EXPECT_OK(jitnorm_memory_set_data_handle(run.tensors().at(arg).memory, nullptr));
    ASSERT_OK(run.run());
    EXPECT_EQ(run.get(JITNORM_ARG_DIFF_SCALE), std::vector<float>(5, 0.f));
    EXPECT_EQ(run.get(JITNORM_ARG_DIFF_SHIFT), std::vector<float>(5, 0.f));
}

TEST(execution, without_any_elements) {
    for (const dims &sizes : {dims{0, 5}, dims{3, 0}, dims{0, 0}}) {
        const owned_md data = make_md(sizes, jitnorm_f32);
        const owned_pd pd = forward_request{jitnorm_forward_inference, data, data}.make();
        execution run(pd);
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

} // namespace
