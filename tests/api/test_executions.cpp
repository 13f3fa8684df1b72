// SPDX-License-Identifier: Apache-2.0
// From C calls to numbers: scales and epsilon, and tensors without elements. The rest is for benchdnn-lite and the fuzz
// targets, whose oracle judges every kind, flag and attribute through this interface.
#include <cmath>

#include "correctness/compare.hpp"
#include "jitnorm/jitnorm.hpp"
#include "rig/execution.hpp"
#include "rig/oracle.hpp"

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

// Whether each number is as near to the exact one as doubles and the arithmetic allow.
bool are_near(const std::vector<double> &got, const expectations &expected) {
    return std::equal(got.begin(), got.end(), expected.begin(), expected.end(),
                      [&](double value, const auto &e) { return benchdnn_lite::is_acceptable(jitnorm_f64, e, value); });
}

constexpr double DECIMAL = 1e-5; // 2.5e-8 of its value away from the float

owned_attr with_epsilon(double epsilon) {
    owned_attr attr = make_attr();
    EXPECT_OK(jitnorm_primitive_attr_set_epsilon(attr, epsilon));
    return attr;
}

// Three rows of doubles around 0 whose deviation is 0.01, so that epsilon is a tenth of the variance.
struct small_doubles {
    oracle_problem problem;
    std::vector<double> src, diff_dst;
    std::vector<float> mean = {0.001f, 0, -0.002f}, variance = {1e-4f, 2e-4f, 0.5e-4f};
    owned_md data = make_md({3, 768}, jitnorm_f64);

    small_doubles() {
        problem.rows = 3;
        problem.columns = 768;
        problem.epsilon = DECIMAL;
        for (int i = 0; i < 3 * 768; ++i) {
            src.push_back((i * 37 % 97 - 48) / 97.0 * 0.0346);
            diff_dst.push_back((i * 53 % 101 - 50) / 101.0);
        }
        problem.in_double = true;
        problem.src = src;
        problem.mean.assign(mean.begin(), mean.end());
        problem.variance.assign(variance.begin(), variance.end());
    }

    std::vector<double> forward(unsigned flags, const_jitnorm_primitive_attr_t attr) const {
        execution run(forward_request{.src = data, .dst = data, .flags = flags, .attr = attr}.make());
        run.set(JITNORM_ARG_SRC, src);
        EXPECT_OK(run.run());
        return run.get<double>(JITNORM_ARG_DST);
    }

    std::vector<double> backward(unsigned flags, const_jitnorm_primitive_attr_t attr) const {
        execution run(
            made(backward_request{.diff_src = data, .diff_dst = data, .src = data, .flags = flags, .attr = attr}));
        run.set(JITNORM_ARG_SRC, src);
        run.set(JITNORM_ARG_DIFF_DST, diff_dst);
        if (run.tensors().contains(JITNORM_ARG_MEAN)) run.set(JITNORM_ARG_MEAN, mean);
        run.set(JITNORM_ARG_VARIANCE, variance);
        EXPECT_OK(run.run());
        return run.get<double>(JITNORM_ARG_DIFF_SRC);
    }
};

TEST(epsilon, in_double_is_as_exact_as_doubles_are) {
    const owned_attr attr = with_epsilon(DECIMAL);
    small_doubles given;
    for (const char *implementation : {"", "ref:any"}) {
        ASSERT_OK(jitnorm_set_implementation(implementation));
        for (const unsigned flags : {0u, unsigned(jitnorm_rms_norm)}) {
            oracle_problem question = given.problem;
            question.flags = flags;
            const expectations dst = solve(question).dst;
            EXPECT_TRUE(are_near(given.forward(flags, attr), dst));
            EXPECT_FALSE(are_near(given.forward(flags, nullptr), dst)) << "epsilon as a float";
            question.diff_dst = given.diff_dst;
            EXPECT_TRUE(are_near(given.backward(flags, attr), solve(question).diff_src));
        }
    }
    ASSERT_OK(jitnorm_set_implementation(""));
}

TEST(epsilon, of_the_attribute_replaces_the_argument) {
    const small_doubles given;
    EXPECT_EQ(given.forward(0, with_epsilon(double(1e-5f))), given.forward(0, nullptr));
    const owned_attr attr = with_epsilon(0.25);
    const owned_pd pd = forward_request{.src = given.data, .dst = given.data, .epsilon = -1, .attr = attr}.make();
    float told = 0;
    EXPECT_OK(jitnorm_primitive_desc_query(pd, jitnorm_query_epsilon_f32, 0, &told));
    EXPECT_EQ(told, 0.25f);
}

TEST(epsilon, what_is_put_in_comes_out) {
    const owned_attr attr = make_attr();
    owned_attr copy;
    double told = 0;
    EXPECT_OK(jitnorm_primitive_attr_get_epsilon(attr, &told));
    EXPECT_EQ(told, -1);
    for (const double wrong : {-1e-300, -1.0, double(NAN), double(INFINITY)})
        EXPECT_EQ(jitnorm_primitive_attr_set_epsilon(attr, wrong), jitnorm_invalid_arguments);
    for (const double right : {1e-300, 0.0, 1e300, DECIMAL}) EXPECT_OK(jitnorm_primitive_attr_set_epsilon(attr, right));
    EXPECT_OK(jitnorm_primitive_attr_clone(&copy, attr));
    EXPECT_OK(jitnorm_primitive_attr_get_epsilon(copy, &told));
    EXPECT_EQ(told, DECIMAL);
    jitnorm::primitive_attr in_cpp;
    in_cpp.set_epsilon(DECIMAL);
    EXPECT_EQ(in_cpp.get_epsilon(), DECIMAL);
}

} // namespace
