// SPDX-License-Identifier: Apache-2.0
// family_rig: what the tests of normalizations of sums and to 8 bits have in common: filled tensors, plain formulas,
// refusals.
#pragma once

#include <gtest/gtest.h>

#include <cmath>
#include <functional>

#include "acl_tensor.hpp"
#include "chain.hpp"

namespace jitnorm::tests {

using values = std::vector<double>;

inline acl_tensor filled(const dims_t &dims, aclDataType type, double mean, double deviation, unsigned seed,
                         layout how = layout::dense) {
    acl_tensor result(dims, type, how);
    result.fill_normal(mean, deviation, seed);
    return result;
}

// Values as the type has them.
inline values as_type(const values &given, aclDataType type) {
    const acl_tensor rounded({int64_t(given.size())}, type);
    rounded.fill(given);
    return rounded.values();
}

// (x1 + x2) + bias as f32 computes it; the bias repeats itself.
inline values float_sums(const values &x1, const values &x2, const values &bias = {}) {
    values result(x1.size());
    for (size_t i = 0; i < x1.size(); ++i) {
        float sum = float(x1[i]) + float(x2[i]);
        if (!bias.empty()) sum += float(bias[i % bias.size()]);
        result[i] = double(sum);
    }
    return result;
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
