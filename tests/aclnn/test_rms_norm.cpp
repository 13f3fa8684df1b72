// SPDX-License-Identifier: Apache-2.0
// aclnnRmsNorm and aclnnRmsNormGrad: results against the oracle's over types, shapes and layouts of every tensor, the
// primitive's bits, empty tensors, values that are no numbers.
#include <gtest/gtest.h>

#include <cmath>

#include "rig/accuracy.hpp"
#include "rig/jitnorm_handle.hpp"
#include "rms_problem.hpp"

namespace jitnorm::tests {
namespace {

using values = std::vector<double>;

oracle_problem<double> question(const rms_problem &p) {
    oracle_problem<double> q;
    q.rms = true;
    q.rows = p.rstd.count();
    q.columns = p.gamma.count();
    q.epsilon = double(float(p.c.epsilon));
    q.src = p.x.values();
    q.scale = p.gamma.values();
    return q;
}

void judge_forward(const rms_problem &p) {
    const oracle_forward_result<double> expected = oracle_forward(question(p));
    values rstd;
    for (const double v : expected.variance) rstd.push_back(1 / std::sqrt(v + double(float(p.c.epsilon))));
    expect_all_close(p.y.values(), expected.dst, 1e-6 + half_ulp(data_type_of(p.c.data)), largest(expected.dst), "y");
    expect_all_close(p.rstd.values(), rstd, 1e-6, largest(rstd), "rstd");
    EXPECT_TRUE(p.y.gaps_are_untouched());
    EXPECT_TRUE(p.rstd.gaps_are_untouched());
}

// rstd is given, and any.
void judge_backward(const rms_problem &p) {
    oracle_problem<double> q = question(p);
    q.epsilon = 0;
    q.diff_dst = p.dy.values();
    for (const double r : p.rstd_of_rows.values()) q.variance.push_back(1 / (r * r));
    const oracle_backward_result<double> expected = oracle_backward(q);
    const double terms = largest(q.diff_dst) * largest(q.scale) * largest(p.rstd_of_rows.values());
    const double roots = std::sqrt(double(q.columns)); // n's elements may be as large as that
    expect_all_close(p.dx.values(), expected.diff_src, 1e-6 + half_ulp(data_type_of(p.c.data)), 3 * terms * roots,
                     "dx");
    expect_all_close(p.dgamma.values(), expected.diff_scale, 1e-6, largest(q.diff_dst) * roots * double(q.rows) * 2,
                     "dgamma");
    EXPECT_TRUE(p.dx.gaps_are_untouched());
    EXPECT_TRUE(p.dgamma.gaps_are_untouched());
}

void run_and_judge(const rms_case &c) {
    SCOPED_TRACE(c.name());
    rms_problem p(c);
    p.run_forward();
    judge_forward(p);
    p.run_backward();
    judge_backward(p);
}

const std::pair<aclDataType, aclDataType> TYPES[] = {{ACL_FLOAT, ACL_FLOAT},
                                                     {ACL_FLOAT16, ACL_FLOAT16},
                                                     {ACL_FLOAT16, ACL_FLOAT},
                                                     {ACL_BF16, ACL_BF16},
                                                     {ACL_BF16, ACL_FLOAT}};
const dims_t SHAPES[] = {{37}, {5, 1}, {3, 16}, {4, 3, 19}, {2, 3, 4, 5}, {2, 1, 3, 2, 1, 2, 3, 17}, {2, 5000}};

TEST(aclnn_rms_norm, types_and_shapes) {
    for (const dims_t &dims : SHAPES)
        for (size_t normalized = 1; normalized <= dims.size(); ++normalized)
            for (const auto &[data, gamma] : TYPES) run_and_judge({dims, normalized, data, gamma});
}

// Backward takes what forward writes, and any other shape with an element for each row.
TEST(aclnn_rms_norm, rstd_of_any_shape) {
    const struct {
        dims_t dims, rstd;
        size_t normalized;
    } cases[] = {{{4, 3, 16}, {4, 3, 1}, 1},
                 {{4, 3, 16}, {4, 3}, 1},
                 {{4, 3, 16}, {12}, 1},
                 {{4, 3, 16}, {4, 1, 1}, 2},
                 {{4, 3, 16}, {4, 1, 1, 1, 1}, 2},
                 {{4, 1, 1, 16}, {4}, 1},
                 {{1, 1, 2, 8}, {1, 1, 1, 1}, 2},
                 {{16}, {1}, 1},
                 {{16}, {1, 1, 1}, 1},
                 {{0, 3, 16}, {0, 3, 1}, 1}};
    for (const auto &[dims, shape, normalized] : cases) {
        rms_problem p({dims, normalized});
        p.run_backward();
        const auto dx = p.dx.bits(), dgamma = p.dgamma.bits();
        const acl_tensor rstd(shape, ACL_FLOAT);
        rstd.fill(p.rstd_of_rows.values());
        ASSERT_EQ(aclnnRmsNormGradGetWorkspaceSize(p.dy.get(), p.x.get(), rstd.get(), p.gamma.get(), p.dx.get(),
                                                   p.dgamma.get(), &p.bytes, &p.executor),
                  ACLNN_SUCCESS)
            << aclGetRecentErrMsg();
        ASSERT_EQ(run_exactly(aclnnRmsNormGrad, p.bytes, p.executor), ACLNN_SUCCESS);
        EXPECT_EQ(p.dx.bits(), dx) << p.c.name();
        EXPECT_EQ(p.dgamma.bits(), dgamma) << p.c.name();
    }
}

TEST(aclnn_rms_norm, layouts) {
    constexpr layout ALL[] = {layout::dense, layout::reversed, layout::gaps};
    for (const layout x : ALL)
        for (const layout y : ALL)
            for (const layout g : ALL)
                for (const layout side : ALL)
                    for (const size_t normalized : {1, 2})
                        run_and_judge({{5, 4, 19}, normalized, ACL_BF16, ACL_FLOAT, x, y, g, side});
}

TEST(aclnn_rms_norm, inputs_that_repeat_themselves) {
    rms_case c;
    c.dims = {4, 3, 19};
    c.x = layout::broadcast;
    rms_problem p(c);
    const acl_tensor y({4, 3, 19}, ACL_FLOAT);
    ASSERT_EQ(
        aclnnRmsNormGetWorkspaceSize(p.x.get(), p.gamma.get(), 1e-5, y.get(), p.rstd.get(), &p.bytes, &p.executor),
        ACLNN_SUCCESS);
    ASSERT_EQ(run_exactly(aclnnRmsNorm, p.bytes, p.executor), ACLNN_SUCCESS);
    const auto first = y.values();
    for (size_t i = 0; i < first.size(); ++i) EXPECT_EQ(first[i], first[i % 57]);
}

// ---------------------------------------------------------------- the primitive's bits

struct primitive_tensor {
    owned_md md;
    owned_memory memory;

    primitive_tensor(const acl_tensor &t, const dims &sizes, jitnorm_data_type_t type) {
        md = make_md(sizes, type);
        memory = make_memory(md, t.data());
    }
};

void execute(const_jitnorm_primitive_desc_t pd, const std::vector<std::pair<int, const primitive_tensor *>> &tensors) {
    owned_primitive primitive;
    ASSERT_OK(jitnorm_primitive_create(&primitive, pd));
    std::vector<jitnorm_exec_arg_t> args;
    for (const auto &[number, t] : tensors) args.push_back({number, t->memory});
    ASSERT_OK(jitnorm_primitive_execute(primitive, make_stream(), int(args.size()), args.data()));
}

constexpr unsigned FLAGS = unsigned(jitnorm_use_scale) | unsigned(jitnorm_rms_norm);

TEST(aclnn_rms_norm, forward_has_the_primitives_bits) {
    for (const auto &[data, gamma] : TYPES) {
        rms_problem ours({{7, 100}, 1, data, gamma}), theirs(ours.c);
        ours.run_forward();
        const jitnorm_data_type_t type = data_type_of(data), side = data_type_of(gamma);
        const primitive_tensor x(theirs.x, {7, 100}, type), y(theirs.y, {7, 100}, type),
            variance(theirs.rstd, {7}, jitnorm_f32), scale(theirs.gamma, {100}, side);
        owned_pd pd;
        ASSERT_OK(jitnorm_layer_normalization_forward_primitive_desc_create_v2(&pd, cpu(), jitnorm_forward_training,
                                                                               x.md, y.md, variance.md, side,
                                                                               float(ours.c.epsilon), FLAGS, nullptr));
        execute(pd, {{JITNORM_ARG_SRC, &x},
                     {JITNORM_ARG_DST, &y},
                     {JITNORM_ARG_VARIANCE, &variance},
                     {JITNORM_ARG_SCALE, &scale}});
        EXPECT_EQ(ours.y.bits(), theirs.y.bits());
    }
}

// With an epsilon of 0 and variances whose roots are the given rstd exactly.
TEST(aclnn_rms_norm, backward_has_the_primitives_bits) {
    for (const auto &[data, gamma] : TYPES) {
        rms_problem ours({{70, 100}, 1, data, gamma}), theirs(ours.c);
        values rstd(70), squares(70);
        for (size_t i = 0; i < rstd.size(); ++i) {
            rstd[i] = std::ldexp(1.0, int(i % 5) - 2);
            squares[i] = 1 / (rstd[i] * rstd[i]);
        }
        ours.rstd_of_rows.fill(rstd);
        theirs.rstd_of_rows.fill(squares);
        ours.run_backward();
        const jitnorm_data_type_t type = data_type_of(data), side = data_type_of(gamma);
        const primitive_tensor x(theirs.x, {70, 100}, type), dy(theirs.dy, {70, 100}, type),
            dx(theirs.dx, {70, 100}, type), variance(theirs.rstd_of_rows, {70}, jitnorm_f32),
            scale(theirs.gamma, {100}, side), diff_scale(theirs.dgamma, {100}, jitnorm_f32);
        owned_pd pd;
        ASSERT_OK(jitnorm_layer_normalization_backward_primitive_desc_create_v2(&pd, cpu(), jitnorm_backward, dx.md,
                                                                                dy.md, x.md, variance.md, jitnorm_f32,
                                                                                side, 0, FLAGS, nullptr, nullptr));
        execute(pd, {{JITNORM_ARG_SRC, &x},
                     {JITNORM_ARG_VARIANCE, &variance},
                     {JITNORM_ARG_SCALE, &scale},
                     {JITNORM_ARG_DIFF_DST, &dy},
                     {JITNORM_ARG_DIFF_SRC, &dx},
                     {JITNORM_ARG_DIFF_SCALE, &diff_scale}});
        EXPECT_EQ(ours.dx.bits(), theirs.dx.bits());
        EXPECT_EQ(ours.dgamma.bits(), theirs.dgamma.bits());
    }
}

// ---------------------------------------------------------------- edges

TEST(aclnn_rms_norm, no_rows) {
    for (const dims_t &dims : {dims_t{0, 6}, {3, 0, 6}}) {
        rms_problem p({dims, 1});
        p.run_forward();
        p.run_backward();
        EXPECT_EQ(p.dgamma.values(), values(6, 0.0));
    }
}

TEST(aclnn_rms_norm, what_is_no_number_stays_in_its_row) {
    for (const double odd : {double(NAN), double(INFINITY)}) {
        rms_problem p({{3, 19}, 1}), clean(p.c);
        values x = p.x.values();
        x[20] = odd;
        p.x.fill(x);
        p.run_forward();
        clean.run_forward();
        const values got = p.y.values(), expected = clean.y.values();
        for (size_t i = 0; i < 19; ++i) {
            EXPECT_EQ(got[i], expected[i]);
            EXPECT_EQ(got[i + 38], expected[i + 38]);
        }
        for (size_t i = 19; i < 38; ++i) EXPECT_TRUE(std::isnan(got[i]));
        EXPECT_TRUE(std::isnan(p.rstd.values()[1]));
    }
}

TEST(aclnn_rms_norm, in_place) {
    rms_problem apart({{5, 40}, 1}), together(apart.c);
    apart.run_forward();
    apart.run_backward();
    rms_problem &t = together;
    ASSERT_EQ(
        aclnnRmsNormGetWorkspaceSize(t.x.get(), t.gamma.get(), 1e-5, t.x.get(), t.rstd.get(), &t.bytes, &t.executor),
        ACLNN_SUCCESS);
    ASSERT_EQ(run_exactly(aclnnRmsNorm, t.bytes, t.executor), ACLNN_SUCCESS);
    EXPECT_EQ(t.x.bits(), apart.y.bits());
    ASSERT_EQ(aclnnRmsNormGradGetWorkspaceSize(t.dy.get(), apart.x.get(), t.rstd_of_rows.get(), t.gamma.get(),
                                               t.dy.get(), t.dgamma.get(), &t.bytes, &t.executor),
              ACLNN_SUCCESS);
    ASSERT_EQ(run_exactly(aclnnRmsNormGrad, t.bytes, t.executor), ACLNN_SUCCESS);
    EXPECT_EQ(t.dy.bits(), apart.dx.bits());
}

TEST(aclnn_rms_norm, addresses_are_counted_as_parameters_are) {
    rms_problem p, other;
    ASSERT_EQ(
        aclnnRmsNormGetWorkspaceSize(p.x.get(), p.gamma.get(), 1e-5, p.y.get(), p.rstd.get(), &p.bytes, &p.executor),
        ACLNN_SUCCESS);
    other.x.fill_normal(0, 2, 9);
    EXPECT_EQ(aclSetInputTensorAddr(p.executor, 0, p.x.get(), other.x.data()), ACLNN_SUCCESS);
    EXPECT_EQ(aclSetOutputTensorAddr(p.executor, 0, p.y.get(), other.y.data()), ACLNN_SUCCESS);
    EXPECT_EQ(aclSetTensorAddr(p.executor, 4, p.y.get(), other.y.data()), ACLNN_ERR_PARAM_INVALID);
    ASSERT_EQ(run_exactly(aclnnRmsNorm, p.bytes, p.executor), ACLNN_SUCCESS);
    EXPECT_TRUE(p.y.is_untouched());
    rms_problem expected;
    expected.x.fill_normal(0, 2, 9);
    expected.run_forward();
    EXPECT_EQ(other.y.bits(), expected.y.bits());
}

} // namespace
} // namespace jitnorm::tests
