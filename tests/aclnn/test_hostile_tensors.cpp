// SPDX-License-Identifier: Apache-2.0
// Strides and offsets of tensors without elements, statistics of empty rows, and tensors that begin in the memory of
// others: test_aliases.cpp has those that have one address.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>
#include <utility>

#include "operands.hpp"

namespace jitnorm::tests {
namespace {

constexpr int64_t LARGEST = std::numeric_limits<int64_t>::max();

acl_owned<aclTensor> view(const dims_t &dims, const dims_t &strides, int64_t offset, void *data) {
    return acl_owned<aclTensor>(aclCreateTensor(dims.data(), dims.size(), ACL_FLOAT, strides.data(), offset,
                                                ACL_FORMAT_ND, dims.data(), dims.size(), data));
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
        float nowhere = 0;
        const auto x = view(c.dims, c.strides, c.offset, &nowhere), y = view(c.dims, c.strides, c.offset, &nowhere);
        const acl_tensor mu(c.rows, ACL_FLOAT), rs(c.rows, ACL_FLOAT), w(c.columns, ACL_FLOAT),
            dw(c.columns, ACL_FLOAT);
        operands forward(operation_named("layer norm")), backward(operation_named("backward"));
        forward.given = {x.get(), w.get(), nullptr, y.get(), mu.get(), rs.get()};
        forward.with.shape = int_array(c.columns);
        forward.run();
        for (const double mean : mu.values()) EXPECT_EQ(mean, 0);
        for (const double rstd : rs.values()) EXPECT_TRUE(std::isnan(rstd));
        backward.given = {x.get(), x.get(), mu.get(), rs.get(), w.get(), nullptr, y.get(), dw.get(), nullptr};
        backward.with.shape = int_array(c.columns);
        backward.with.mask = mask_of(true, true, false);
        backward.run();
        EXPECT_EQ(dw.values(), std::vector<double>(dw.count(), 0));
    }
}

TEST(aclnn_strides_without_elements, of_statistics_in_other_types_and_layouts) {
    const acl_tensor x({4, 3, 0}, ACL_FLOAT), mu({4, 3, 1}, ACL_BF16, REVERSED), rs({4, 3, 1}, ACL_BF16, SPREAD);
    operands forward(operation_named("layer norm"));
    forward.given = {x.get(), nullptr, nullptr, x.get(), mu.get(), rs.get()};
    forward.with.shape = int_array({0});
    forward.run();
    EXPECT_EQ(mu.values(), std::vector<double>(12, 0));
    for (const double rstd : rs.values()) EXPECT_TRUE(std::isnan(rstd));
    EXPECT_TRUE(mu.gaps_are_untouched() && rs.gaps_are_untouched());
}

TEST(aclnn_strides_without_elements, must_still_count) {
    float nowhere = 0;
    const auto rows = view({0}, {1}, 0, &nowhere);
    for (const int64_t columns : {LARGEST / 2, int64_t(1) << 60}) {
        const auto large = view({0, columns}, {1, 1}, 0, &nowhere);
        operands forward(operation_named("layer norm"));
        forward.given = {large.get(), nullptr, nullptr, large.get(), rows.get(), rows.get()};
        forward.with.shape = int_array({columns});
        EXPECT_EQ(forward.first(), INVALID);
    }
}

// Each tensor of each operation, by its first stride and by its offset.
TEST(aclnn_sizes, that_memory_cannot_have) {
    for (const operation &op : OPERATIONS) {
        operands call(op);
        for (size_t i = 0; i < call.given.size(); ++i) {
            if (call.given[i] == nullptr || call.parameters[i].use == '!') continue;
            const acl_tensor &right = *call.tensors[i];
            dims_t strides(right.shape().size(), 1), far = strides;
            for (size_t d = strides.size(); d-- > 1;) far[d - 1] = strides[d - 1] = strides[d] * right.shape()[d];
            const size_t longest = size_t(std::ranges::max_element(right.shape()) - right.shape().begin());
            far[longest] = int64_t(1) << 58;
            for (const auto &[steps, offset] : {std::pair(far, int64_t(0)), std::pair(strides, int64_t(1) << 56)}) {
                const acl_owned<aclTensor> wrong(aclCreateTensor(right.shape().data(), steps.size(), right.type(),
                                                                 steps.data(), offset, ACL_FORMAT_ND,
                                                                 right.shape().data(), steps.size(), right.data()));
                aclTensor *const kept = std::exchange(call.given[i], wrong.get());
                EXPECT_NE(call.first(), ACLNN_SUCCESS) << op.name << ": " << call.parameters[i].name;
                EXPECT_NE(std::string(aclGetRecentErrMsg()).find("larger than memory"), std::string::npos)
                    << aclGetRecentErrMsg();
                call.given[i] = kept;
            }
        }
    }
}

// ---------------------------------------------------------------- tensors that share memory

// Views of one storage that begin at different elements are different tensors.
TEST(aclnn_aliases, views_of_one_storage_are_fine) {
    float both[80];
    const auto dw = view({40}, {2}, 0, both), db = view({40}, {2}, 1, both);
    operands call(operation_named("backward"));
    call.given[7] = dw.get();
    call.given[8] = db.get();
    call.run();
}

// The second call writes to the workspace.
TEST(aclnn_aliases, tensors_in_the_workspace_are_refused) {
    const operation &op = operation_named("backward");
    std::vector<std::string> layouts(9, DENSE);
    layouts[2] = SPREAD; // the mean, which is copied
    operands call(op, ACL_FLOAT, {}, layouts);
    ASSERT_EQ(call.first(), ACLNN_SUCCESS);
    ASSERT_GT(call.bytes, 0u);
    std::vector<char> workspace(call.bytes + 20 * 40 * sizeof(float));
    ASSERT_EQ(aclSetInputTensorAddr(call.executor, 0, call.given[0], workspace.data() + call.bytes - 1), ACLNN_SUCCESS);
    EXPECT_EQ(op.second(workspace.data(), call.bytes, call.executor, nullptr), INVALID);
    EXPECT_NE(std::string(aclGetRecentErrMsg()).find("gradOut begins in the workspace"), std::string::npos);
    ASSERT_EQ(aclSetInputTensorAddr(call.executor, 0, call.given[0], workspace.data() + call.bytes), ACLNN_SUCCESS);
    EXPECT_EQ(op.second(workspace.data(), call.bytes, call.executor, nullptr), ACLNN_SUCCESS);
}

TEST(aclnn_aliases, in_place_needs_one_layout) {
    operands call(operation_named("layer norm"));
    const auto columns = view({20, 40}, {1, 20}, 0, call.tensors[0]->data());
    call.given[3] = columns.get();
    ASSERT_EQ(call.first(), ACLNN_SUCCESS);
    EXPECT_EQ(call.second(), INVALID);
    EXPECT_EQ(aclDestroyAclOpExecutor(call.executor), ACLNN_SUCCESS);
}

} // namespace
} // namespace jitnorm::tests
