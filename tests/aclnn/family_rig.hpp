// SPDX-License-Identifier: Apache-2.0
// family_rig: filled tensors, calls that run, calls that are refused.
#pragma once

#include <gtest/gtest.h>

#include <functional>

#include "acl_tensor.hpp"
#include "rig/guarded_buffer.hpp"

namespace jitnorm::tests {

using values = std::vector<double>;

inline acl_tensor filled(const dims_t &dims, aclDataType type, double mean, double deviation, unsigned seed,
                         layout how = layout::dense) {
    acl_tensor result(dims, type, how);
    result.fill_normal(mean, deviation, seed);
    return result;
}

// Runs a second call with exactly the workspace asked for.
template <typename Second>
aclnnStatus run_exactly(Second &&second, uint64_t bytes, aclOpExecutor *executor) {
    const guarded_buffer workspace(bytes);
    const aclnnStatus status = second(bytes == 0 ? nullptr : workspace.data(), bytes, executor, nullptr);
    EXPECT_TRUE(workspace.slack_untouched());
    return status;
}

// Both calls with these arguments.
template <typename First, typename Second, typename... Arguments>
void expect_runs(First &&first, Second &&second, Arguments... arguments) {
    uint64_t bytes = 0;
    aclOpExecutor *executor = nullptr;
    ASSERT_EQ(first(arguments..., &bytes, &executor), ACLNN_SUCCESS) << aclGetRecentErrMsg();
    EXPECT_EQ(run_exactly(second, bytes, executor), ACLNN_SUCCESS) << aclGetRecentErrMsg();
}

// The first call answers the status, says why, and gives nothing.
inline void expect_refused(aclnnStatus expected, const char *what,
                           const std::function<aclnnStatus(uint64_t *, aclOpExecutor **)> &first) {
    uint64_t bytes = 12345;
    aclOpExecutor *executor = nullptr;
    (void)aclGetRecentErrMsg();
    EXPECT_EQ(first(&bytes, &executor), expected) << what;
    const char *reason = aclGetRecentErrMsg();
    ASSERT_NE(reason, nullptr) << what;
    EXPECT_NE(std::string(reason).find(std::to_string(expected)), std::string::npos) << reason;
    EXPECT_EQ(aclGetRecentErrMsg(), nullptr) << "the message is given once";
    EXPECT_EQ(executor, nullptr) << what;
    EXPECT_EQ(bytes, 12345u) << what;
}

} // namespace jitnorm::tests
