// SPDX-License-Identifier: Apache-2.0
// aclnnRmsNorm and aclnnRmsNormGrad: the bits of the reference over types and shapes, empty tensors, values that are no
// numbers.
#include <gtest/gtest.h>

#include <cmath>

#include "reference_rows.hpp"
#include "rms_problem.hpp"

namespace jitnorm::tests {
namespace {

using values = std::vector<double>;

setup setup_of(const rms_problem &p) {
    setup s = {.flags = jitnorm_rms_norm | jitnorm_use_scale, .dims = {dim_t(p.rstd.count()), dim_t(p.gamma.count())}};
    s.src_type = s.dst_type = s.diff_src_type = data_type_of(p.c.data);
    s.affine_type = data_type_of(p.c.gamma);
    s.gradient_type = jitnorm_f32;
    s.form = statistics_form::inverse_deviation;
    return s;
}

void run_and_judge(const rms_case &c) {
    SCOPED_TRACE(c.name());
    rms_problem p(c);
    setup s = setup_of(p);
    p.run_forward();
    expect_reference(s, c.epsilon, {{SRC, &p.x}, {SCALE, &p.gamma}}, {{DST, &p.y}, {VARIANCE, &p.rstd}});
    p.run_backward();
    s.kind = jitnorm_backward;
    expect_reference(s, c.epsilon, {{SRC, &p.x}, {DIFF_DST, &p.dy}, {VARIANCE, &p.rstd_of_rows}, {SCALE, &p.gamma}},
                     {{DIFF_SRC, &p.dx}, {DIFF_SCALE, &p.dgamma}});
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
        expect_runs(aclnnRmsNormGradGetWorkspaceSize, aclnnRmsNormGrad, p.dy.get(), p.x.get(), rstd.get(),
                    p.gamma.get(), p.dx.get(), p.dgamma.get());
        EXPECT_EQ(p.dx.bits(), dx) << p.c.name();
        EXPECT_EQ(p.dgamma.bits(), dgamma) << p.c.name();
    }
}

TEST(aclnn_rms_norm, inputs_that_repeat_themselves) {
    rms_case c;
    c.dims = {4, 3, 19};
    c.x = layout::broadcast;
    rms_problem p(c);
    const acl_tensor y({4, 3, 19}, ACL_FLOAT);
    expect_runs(aclnnRmsNormGetWorkspaceSize, aclnnRmsNorm, p.x.get(), p.gamma.get(), 1e-5, y.get(), p.rstd.get());
    const auto first = y.values();
    for (size_t i = 0; i < first.size(); ++i) EXPECT_EQ(first[i], first[i % 57]);
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

} // namespace
} // namespace jitnorm::tests
