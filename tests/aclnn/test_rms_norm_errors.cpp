// SPDX-License-Identifier: Apache-2.0
// Every error that the contract of aclnnRmsNorm and aclnnRmsNormGrad names, provoked one at a time.
#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <limits>

#include "rms_problem.hpp"

namespace jitnorm::tests {
namespace {

constexpr aclnnStatus NULLPTR = 161001, INVALID = 161002, TILING = 561002;

struct forward_call {
    const aclTensor *x, *gamma, *y, *rstd;
    double epsilon = 1e-6;
    uint64_t *bytes;
    aclOpExecutor **executor;

    explicit forward_call(rms_problem &p)
        : x(p.x.get()), gamma(p.gamma.get()), y(p.y.get()), rstd(p.rstd.get()), bytes(&p.bytes), executor(&p.executor) {
    }
    aclnnStatus make() const { return aclnnRmsNormGetWorkspaceSize(x, gamma, epsilon, y, rstd, bytes, executor); }
};

struct backward_call {
    const aclTensor *dy, *x, *rstd, *gamma, *dx, *dgamma;
    uint64_t *bytes;
    aclOpExecutor **executor;

    explicit backward_call(rms_problem &p)
        : dy(p.dy.get()), x(p.x.get()), rstd(p.rstd_of_rows.get()), gamma(p.gamma.get()), dx(p.dx.get()),
          dgamma(p.dgamma.get()), bytes(&p.bytes), executor(&p.executor) {}
    aclnnStatus make() const {
        return aclnnRmsNormGradGetWorkspaceSize(dy, x, rstd, gamma, dx, dgamma, bytes, executor);
    }
};

template <typename Call>
void refuse(aclnnStatus status, const char *what, const std::function<void(Call &)> &spoil) {
    rms_problem problem;
    Call call(problem);
    spoil(call);
    (void)aclGetRecentErrMsg();
    EXPECT_EQ(call.make(), status) << what;
    const char *reason = aclGetRecentErrMsg();
    ASSERT_NE(reason, nullptr) << what;
    EXPECT_NE(std::string(reason).find(std::to_string(status)), std::string::npos) << reason;
    EXPECT_EQ(problem.executor, nullptr) << what;
    EXPECT_EQ(problem.bytes, 12345u) << what;
}
const auto refuse_forward = refuse<forward_call>;
const auto refuse_backward = refuse<backward_call>;

using forward_tensor = const aclTensor *forward_call::*;
using backward_tensor = const aclTensor *backward_call::*;
const std::pair<const char *, forward_tensor> FORWARD[] = {
    {"x", &forward_call::x}, {"gamma", &forward_call::gamma}, {"y", &forward_call::y}, {"rstd", &forward_call::rstd}};
const std::pair<const char *, backward_tensor> BACKWARD[] = {
    {"dy", &backward_call::dy},       {"x", &backward_call::x},   {"rstd", &backward_call::rstd},
    {"gamma", &backward_call::gamma}, {"dx", &backward_call::dx}, {"dgamma", &backward_call::dgamma}};

acl_owned<aclTensor> wrong(const dims_t &dims, aclDataType type, const dims_t &strides, int64_t offset = 0,
                           aclFormat format = ACL_FORMAT_ND) {
    static float memory[4096];
    return acl_owned<aclTensor>(aclCreateTensor(dims.data(), dims.size(), type, strides.data(), offset, format,
                                                dims.data(), dims.size(), memory));
}
acl_owned<aclTensor> wrong(const dims_t &dims, aclDataType type = ACL_FLOAT) {
    return wrong(dims, type, strides_of(dims, layout::dense));
}

// In place of each tensor in turn.
void refuse_everywhere(aclnnStatus status, const aclTensor *t) {
    for (const auto &[name, member] : FORWARD)
        refuse_forward(status, name, [&, m = member](forward_call &c) { c.*m = t; });
    for (const auto &[name, member] : BACKWARD)
        refuse_backward(status, name, [&, m = member](backward_call &c) { c.*m = t; });
}

TEST(aclnn_rms_norm_errors, the_right_arguments_are_right) {
    rms_problem p;
    EXPECT_EQ(forward_call(p).make(), ACLNN_SUCCESS);
    EXPECT_EQ(aclDestroyAclOpExecutor(p.executor), ACLNN_SUCCESS);
    EXPECT_EQ(backward_call(p).make(), ACLNN_SUCCESS);
    EXPECT_EQ(aclDestroyAclOpExecutor(p.executor), ACLNN_SUCCESS);
}

TEST(aclnn_rms_norm_errors, null_pointers) {
    refuse_everywhere(NULLPTR, nullptr);
    refuse_forward(NULLPTR, "workspaceSize", [](auto &c) { c.bytes = nullptr; });
    refuse_forward(NULLPTR, "executor", [](auto &c) { c.executor = nullptr; });
    refuse_backward(NULLPTR, "workspaceSize", [](auto &c) { c.bytes = nullptr; });
    refuse_backward(NULLPTR, "executor", [](auto &c) { c.executor = nullptr; });
}

TEST(aclnn_rms_norm_errors, types) {
    for (const aclDataType type : {ACL_DOUBLE, ACL_INT32, ACL_INT8, ACL_DT_UNDEFINED, ACL_FLOAT16, ACL_BF16})
        refuse_everywhere(INVALID, wrong({4, 6}, type).get()); // the other tensors are FLOAT
    for (const aclDataType data : {ACL_FLOAT16, ACL_BF16}) {
        const aclDataType other = data == ACL_BF16 ? ACL_FLOAT16 : ACL_BF16;
        rms_problem p({{4, 6}, 1, data, data});
        EXPECT_EQ(forward_call(p).make(), ACLNN_SUCCESS);
        EXPECT_EQ(aclDestroyAclOpExecutor(p.executor), ACLNN_SUCCESS);
        const acl_tensor gamma({6}, other), rows({4, 1}, data), y({4, 6}, ACL_FLOAT);
        forward_call call(p);
        call.gamma = gamma.get();
        EXPECT_EQ(call.make(), INVALID);
        call = forward_call(p);
        call.rstd = rows.get();
        EXPECT_EQ(call.make(), INVALID);
        call = forward_call(p);
        call.y = y.get();
        EXPECT_EQ(call.make(), INVALID);
    }
}

TEST(aclnn_rms_norm_errors, numbers_of_dimensions) {
    refuse_everywhere(TILING, wrong({}).get());
    refuse_everywhere(TILING, wrong({1, 1, 1, 1, 1, 1, 1, 4, 6}).get());
}

TEST(aclnn_rms_norm_errors, shapes) {
    for (const dims_t &dims : {dims_t{4, 5}, {5, 6}, {7}, {6, 4}, {4, 6, 1}})
        refuse_everywhere(TILING, wrong(dims).get());
    const auto flat = wrong({4}), empty = wrong({0}), no_columns = wrong({4, 0}), three = wrong({3, 1});
    refuse_forward(TILING, "rstdOut without a one", [&](auto &c) { c.rstd = flat.get(); });
    refuse_backward(TILING, "rstd of three rows", [&](auto &c) { c.rstd = three.get(); });
    refuse_forward(TILING, "an empty gamma", [&](auto &c) { c.gamma = empty.get(); });
    refuse_forward(TILING, "rows without elements", [&](auto &c) {
        c.x = c.y = no_columns.get();
        c.gamma = empty.get();
    });
    refuse_backward(TILING, "an empty gamma", [&](auto &c) { c.gamma = c.dgamma = empty.get(); });
}

TEST(aclnn_rms_norm_errors, views) {
    constexpr int64_t huge = std::numeric_limits<int64_t>::max();
    refuse_everywhere(TILING, wrong({-4, 6}).get());
    refuse_everywhere(TILING, wrong({4, 6}, ACL_FLOAT, {-6, 1}).get());
    refuse_everywhere(TILING, wrong({4, 6}, ACL_FLOAT, {6, 1}, -1).get());
    refuse_everywhere(TILING, wrong({4, 6}, ACL_FLOAT, {6, 1}, huge).get());
    refuse_everywhere(TILING, wrong({huge / 2, 6}, ACL_FLOAT, {0, 0}).get());
    refuse_everywhere(TILING, wrong({4, 6}, ACL_FLOAT, {6, 1}, 0, ACL_FORMAT_FRACTAL_NZ).get());
}

TEST(aclnn_rms_norm_errors, outputs_whose_elements_share_memory) {
    const auto data = wrong({4, 6}, ACL_FLOAT, {0, 1}), rows = wrong({4, 1}, ACL_FLOAT, {0, 1}),
               columns = wrong({6}, ACL_FLOAT, {0});
    refuse_forward(TILING, "yOut", [&](auto &c) { c.y = data.get(); });
    refuse_forward(TILING, "rstdOut", [&](auto &c) { c.rstd = rows.get(); });
    refuse_backward(TILING, "dxOut", [&](auto &c) { c.dx = data.get(); });
    refuse_backward(TILING, "dgammaOut", [&](auto &c) { c.dgamma = columns.get(); });
}

TEST(aclnn_rms_norm_errors, epsilon) {
    for (const double epsilon : {-1e-6, double(INFINITY), double(NAN), 1e300})
        refuse_forward(TILING, "epsilon", [&](auto &c) { c.epsilon = epsilon; });
    rms_problem p;
    forward_call call(p);
    call.epsilon = 0;
    EXPECT_EQ(call.make(), ACLNN_SUCCESS);
    EXPECT_EQ(aclDestroyAclOpExecutor(p.executor), ACLNN_SUCCESS);
}

TEST(aclnn_rms_norm_errors, of_the_second_call) {
    rms_problem p({{5, 4, 19}, 2, ACL_BF16, ACL_FLOAT, layout::reversed, layout::dense, layout::gaps});
    ASSERT_EQ(forward_call(p).make(), ACLNN_SUCCESS);
    ASSERT_GT(p.bytes, 0u);
    EXPECT_EQ(aclnnRmsNorm(nullptr, 0, nullptr, nullptr), NULLPTR);
    EXPECT_EQ(aclnnRmsNormGrad(nullptr, 0, nullptr, nullptr), NULLPTR);
    EXPECT_EQ(run_exactly(aclnnRmsNorm, p.bytes - 1, p.executor), INVALID);
    EXPECT_EQ(aclnnRmsNorm(nullptr, p.bytes, p.executor, nullptr), NULLPTR);
    EXPECT_EQ(run_exactly(aclnnRmsNormGrad, p.bytes, p.executor), INVALID) << "another operation's";
    EXPECT_TRUE(p.y.is_untouched());
    EXPECT_EQ(run_exactly(aclnnRmsNorm, p.bytes, p.executor), ACLNN_SUCCESS);
    EXPECT_EQ(run_exactly(aclnnRmsNorm, p.bytes, p.executor), INVALID) << "it has ended";
}

} // namespace
} // namespace jitnorm::tests
