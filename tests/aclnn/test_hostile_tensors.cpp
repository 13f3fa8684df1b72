// SPDX-License-Identifier: Apache-2.0
// Strides and offsets of tensors without elements, statistics of empty rows, and tensors that begin in the memory of
// others: test_aliases.cpp has those that have one address.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <string>

#include "small_problem.hpp"

namespace jitnorm::tests {
namespace {

constexpr int64_t LARGEST = std::numeric_limits<int64_t>::max();

acl_owned<aclTensor> view(const dims_t &dims, const dims_t &strides, int64_t offset, void *data) {
    return acl_owned<aclTensor>(aclCreateTensor(dims.data(), dims.size(), ACL_FLOAT, strides.data(), offset,
                                                ACL_FORMAT_ND, dims.data(), dims.size(), data));
}

template <typename SecondCall>
aclnnStatus run(SecondCall &&call, const small_problem &s) {
    std::vector<char> workspace(s.bytes);
    return call(workspace.data(), s.bytes, s.executor, nullptr);
}

// ---------------------------------------------------------------- strides that lead nowhere

struct empty_case {
    dims_t dims, rows, columns, strides;
    int64_t offset;
};

const empty_case EMPTY_CASES[] = {
    {{3, 0}, {3, 1}, {0}, {0, 1}, 0},
    {{3, 0}, {3, 1}, {0}, {LARGEST, LARGEST}, LARGEST},
    {{3, 0, 2}, {3, 1, 1}, {0, 2}, {LARGEST, 0, LARGEST / 2}, LARGEST / 4},
    {{0, 4}, {0, 1}, {4}, {LARGEST, LARGEST - 1}, LARGEST},
    {{3, 0}, {1, 1}, {3, 0}, {LARGEST, 1}, 5},
};

TEST(aclnn_strides_without_elements, are_taken_and_statistics_written) {
    for (const empty_case &c : EMPTY_CASES) {
        SCOPED_TRACE(testing::PrintToString(c.strides) + " of " + testing::PrintToString(c.dims));
        small_problem s;
        float nowhere = 0;
        const auto x = view(c.dims, c.strides, c.offset, &nowhere), y = view(c.dims, c.strides, c.offset, &nowhere);
        const acl_tensor mu(c.rows, ACL_FLOAT), rs(c.rows, ACL_FLOAT), w(c.columns, ACL_FLOAT),
            dw(c.columns, ACL_FLOAT);
        const auto shape = int_array(c.columns);
        forward_arguments forward(s);
        forward.input = x.get();
        forward.out = y.get();
        forward.weight = w.get();
        forward.bias = nullptr;
        forward.shape = shape.get();
        forward.mean = mu.get();
        forward.rstd = rs.get();
        ASSERT_EQ(forward.first_call(), ACLNN_SUCCESS) << aclGetRecentErrMsg();
        ASSERT_EQ(run(aclnnLayerNorm, s), ACLNN_SUCCESS);
        for (const double mean : mu.values()) EXPECT_EQ(mean, 0);
        for (const double rstd : rs.values()) EXPECT_TRUE(std::isnan(rstd));
        backward_arguments backward(s);
        backward.grad_out = backward.input = x.get();
        backward.grad_input = y.get();
        backward.weight = w.get();
        backward.bias = nullptr;
        backward.shape = shape.get();
        backward.mean = mu.get();
        backward.rstd = rs.get();
        backward.grad_weight = dw.get();
        const auto mask = mask_of(true, true, false);
        backward.mask = mask.get();
        ASSERT_EQ(backward.first_call(), ACLNN_SUCCESS) << aclGetRecentErrMsg();
        ASSERT_EQ(run(aclnnLayerNormBackward, s), ACLNN_SUCCESS);
        EXPECT_EQ(dw.values(), std::vector<double>(dw.count(), 0));
    }
}

TEST(aclnn_strides_without_elements, of_statistics_in_other_types_and_layouts) {
    small_problem s;
    const acl_tensor x({4, 3, 0}, ACL_FLOAT), mu({4, 3, 1}, ACL_BF16, layout::reversed),
        rs({4, 3, 1}, ACL_BF16, layout::gaps);
    const auto shape = int_array({0});
    forward_arguments forward(s);
    forward.input = x.get();
    forward.out = x.get();
    forward.weight = forward.bias = nullptr;
    forward.shape = shape.get();
    forward.mean = mu.get();
    forward.rstd = rs.get();
    ASSERT_EQ(forward.first_call(), ACLNN_SUCCESS) << aclGetRecentErrMsg();
    ASSERT_EQ(run(aclnnLayerNorm, s), ACLNN_SUCCESS);
    EXPECT_EQ(mu.values(), std::vector<double>(12, 0));
    for (const double rstd : rs.values()) EXPECT_TRUE(std::isnan(rstd));
    EXPECT_TRUE(mu.gaps_are_untouched() && rs.gaps_are_untouched());
}

TEST(aclnn_strides_without_elements, must_still_count) {
    small_problem s;
    float nowhere = 0;
    const auto wide = view({0, LARGEST / 2}, {1, 1}, 0, &nowhere);
    forward_arguments forward(s);
    forward.input = forward.out = wide.get();
    EXPECT_EQ(forward.first_call(), 161002);
    forward.out = nullptr;
    const auto large = view({0, int64_t(1) << 60}, {1, 1}, 0, &nowhere), shape_of = view({0}, {1}, 0, &nowhere);
    const auto shape = int_array({int64_t(1) << 60});
    forward_arguments other(s);
    other.input = large.get();
    other.out = large.get();
    other.weight = other.bias = nullptr;
    other.mean = other.rstd = shape_of.get();
    other.shape = shape.get();
    EXPECT_EQ(other.first_call(), 161002);
}

// ---------------------------------------------------------------- tensors that share memory

// Views of one storage that begin at different elements are different tensors.
TEST(aclnn_aliases, views_of_one_storage_are_fine) {
    small_problem s;
    float both[12];
    const auto dw = view({6}, {2}, 0, both), db = view({6}, {2}, 1, both);
    backward_arguments arguments(s);
    arguments.grad_weight = dw.get();
    arguments.grad_bias = db.get();
    ASSERT_EQ(arguments.first_call(), ACLNN_SUCCESS);
    EXPECT_EQ(run(aclnnLayerNormBackward, s), ACLNN_SUCCESS);
}

// The second call writes to the workspace.
TEST(aclnn_aliases, tensors_in_the_workspace_are_refused) {
    small_problem s;
    backward_arguments arguments(s);
    const acl_tensor mean({4, 1}, ACL_FLOAT, layout::gaps), rstd({4, 1}, ACL_FLOAT);
    mean.fill_normal(0, 1, 1);
    rstd.fill_normal(1, 0.1, 2);
    arguments.mean = mean.get();
    arguments.rstd = rstd.get();
    ASSERT_EQ(arguments.first_call(), ACLNN_SUCCESS);
    ASSERT_GT(s.bytes, 0u);
    std::vector<char> workspace(s.bytes + 96);
    ASSERT_EQ(aclSetInputTensorAddr(s.executor, 0, s.dy.get(), workspace.data() + s.bytes - 1), ACLNN_SUCCESS);
    EXPECT_EQ(aclnnLayerNormBackward(workspace.data(), s.bytes, s.executor, nullptr), 161002);
    EXPECT_NE(std::string(aclGetRecentErrMsg()).find("gradOut begins in the workspace"), std::string::npos);
    ASSERT_EQ(aclSetInputTensorAddr(s.executor, 0, s.dy.get(), workspace.data() + s.bytes), ACLNN_SUCCESS);
    EXPECT_EQ(aclnnLayerNormBackward(workspace.data(), s.bytes, s.executor, nullptr), ACLNN_SUCCESS);
}

TEST(aclnn_aliases, in_place_needs_one_layout) {
    small_problem s;
    const auto columns = view({4, 6}, {1, 4}, 0, s.x.data());
    forward_arguments arguments(s);
    arguments.out = columns.get();
    ASSERT_EQ(arguments.first_call(), ACLNN_SUCCESS);
    EXPECT_EQ(run(aclnnLayerNorm, s), 161002);
    EXPECT_EQ(aclDestroyAclOpExecutor(s.executor), ACLNN_SUCCESS);
}

} // namespace
} // namespace jitnorm::tests
