// SPDX-License-Identifier: Apache-2.0
// chain: aclnnLayerNorm, and its statistics into aclnnLayerNormBackward: one case, run, and judged.
#pragma once

#include <gtest/gtest.h>

#include <array>
#include <optional>
#include <string>

#include "acl_tensor.hpp"

namespace jitnorm::tests {

struct chain_case {
    dims_t dims;
    size_t normalized = 1; // how many dimensions, the last ones
    aclDataType data = ACL_FLOAT, affine = ACL_FLOAT, statistics = ACL_FLOAT;
    bool weight = true, bias = true;
    std::array<bool, 3> mask = {true, true, true};
    double eps = 1e-5;
    double mean = 0.25, deviation = 1.5; // of the input

    // How each tensor lies in memory.
    layout x = layout::dense, w = layout::dense, b = layout::dense, y = layout::dense, mu = layout::dense,
           rs = layout::dense, dy = layout::dense, dx = layout::dense, dw = layout::dense, db = layout::dense;

    bool statistics_without_ones = false; // [A1..Ai] in place of [A1..Ai, 1..1]
    bool masked_are_null = true;          // outputs that the mask leaves out; otherwise they must stay untouched

    dims_t normalized_shape() const { return dims_t(dims.end() - int64_t(normalized), dims.end()); }
    dims_t statistics_shape() const;
    std::string name() const;
};

// The tensors of a case, filled but for the outputs.
class chain {
public:
    explicit chain(const chain_case &what);

    // Both calls, each with a workspace between guard pages, misaligned by one byte.
    void run_forward();
    void run_backward();
    // All outputs have the reference's bits.
    void judge() const;

    // For equality with another run of the same case.
    std::vector<std::vector<unsigned char>> bits() const;

    acl_tensor x, w, b, y, mu, rs, dy, dx, dw, db;

private:
    chain_case what_;
};

// Both, in order.
void run_and_judge(const chain_case &what);

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

} // namespace jitnorm::tests
