// SPDX-License-Identifier: Apache-2.0
// Workspaces, which the first call sizes to the byte for the second, and how long executors live.
#include <gtest/gtest.h>

#include "operands.hpp"

namespace jitnorm::tests {
namespace {

const operation &BACKWARD = operation_named("backward");

// Their numbers are their own: other executors that live, and later ones, have others.
TEST(aclnn_executors, run_once_in_their_own_operation_and_workspace) {
    for (const operation &op : OPERATIONS) {
        SCOPED_TRACE(op.name);
        operands call(op, ACL_BF16, {}, spread(op)), never(op);
        ASSERT_EQ(call.first(), ACLNN_SUCCESS) << aclGetRecentErrMsg();
        ASSERT_EQ(never.first(), ACLNN_SUCCESS);
        EXPECT_NE(call.executor, never.executor);
        EXPECT_EQ(aclDestroyAclOpExecutor(never.executor), ACLNN_SUCCESS);
        for (const operation &other : OPERATIONS)
            if (other.second != op.second) {
                EXPECT_EQ(run_exactly(other.second, call.bytes, call.executor), INVALID) << other.name;
            }
        if (call.bytes > 0) {
            EXPECT_EQ(run_exactly(op.second, call.bytes - 1, call.executor), INVALID) << "one byte short";
            EXPECT_EQ(op.second(nullptr, call.bytes, call.executor, nullptr), NULLPTR);
        }
        EXPECT_EQ(op.second(nullptr, 0, nullptr, nullptr), NULLPTR);
        EXPECT_TRUE(call.outputs_are_untouched());
        EXPECT_EQ(call.second(), ACLNN_SUCCESS) << "a refusal does not end it";
        EXPECT_EQ(call.second(), INVALID) << "it has ended";
        ASSERT_EQ(never.first(), ACLNN_SUCCESS);
        EXPECT_EQ(aclDestroyAclOpExecutor(call.executor), INVALID);
        EXPECT_EQ(aclSetAclOpExecutorRepeatable(call.executor), INVALID);
        EXPECT_EQ(aclDestroyAclOpExecutor(never.executor), ACLNN_SUCCESS);
        EXPECT_EQ(never.second(), INVALID);
        EXPECT_TRUE(never.outputs_are_untouched());
    }
}

// Also when the arrays of the first call are gone.
TEST(aclnn_executors, a_repeatable_executor_runs_until_it_is_destroyed) {
    operands call(BACKWARD);
    ASSERT_EQ(call.first(), ACLNN_SUCCESS);
    call.with = {};
    ASSERT_EQ(aclSetAclOpExecutorRepeatable(call.executor), ACLNN_SUCCESS);
    ASSERT_EQ(call.second(), ACLNN_SUCCESS);
    const auto first = call.bits();
    for (int i = 0; i < 3; ++i) {
        for (const size_t output : {6, 7, 8}) call.tensors[output]->fill_normal(0, 1, 9);
        ASSERT_EQ(call.second(), ACLNN_SUCCESS);
        EXPECT_EQ(call.bits(), first);
    }
    EXPECT_EQ(aclDestroyAclOpExecutor(call.executor), ACLNN_SUCCESS);
    EXPECT_EQ(call.second(), INVALID);
    EXPECT_EQ(aclDestroyAclOpExecutor(call.executor), INVALID);
}

// At every alignment, with a guard page right after it, and right before it.
TEST(aclnn_executors, a_workspace_may_lie_anywhere) {
    operands call(BACKWARD, ACL_BF16, {{64, 1000}, 1}, spread(BACKWARD));
    ASSERT_EQ(call.first(), ACLNN_SUCCESS);
    ASSERT_EQ(aclSetAclOpExecutorRepeatable(call.executor), ACLNN_SUCCESS);
    std::vector<std::vector<unsigned char>> expected;
    for (size_t shift = 0; shift < 64; ++shift)
        for (const guard_side side : {guard_side::after, guard_side::before}) {
            const guarded_buffer memory(call.bytes + shift, side);
            auto *workspace = memory.as<unsigned char>() + (side == guard_side::before ? shift : 0);
            const size_t given = call.bytes + (side == guard_side::after ? shift : 0);
            ASSERT_EQ(aclnnLayerNormBackward(workspace, given, call.executor, nullptr), ACLNN_SUCCESS);
            EXPECT_TRUE(memory.slack_untouched());
            const auto is_canary = [](unsigned char byte) { return byte == guarded_buffer::CANARY; };
            EXPECT_TRUE(std::all_of(memory.as<unsigned char>(), workspace, is_canary));
            if (expected.empty()) expected = call.bits();
            EXPECT_EQ(call.bits(), expected) << shift;
        }
    EXPECT_EQ(aclDestroyAclOpExecutor(call.executor), ACLNN_SUCCESS);
}

// Inputs and outputs are counted as parameters are; among all tensors the outputs follow the inputs.
TEST(aclnn_executors, new_addresses) {
    for (const operation &op : OPERATIONS)
        for (const bool among_all : {false, true}) {
            SCOPED_TRACE(op.name);
            operands expected(op), call(op), elsewhere(op);
            for (size_t i = 0; i < call.given.size(); ++i)
                if (call.parameters[i].use == '<') {
                    for (const operands *refilled : {&expected, &elsewhere})
                        refilled->tensors[i]->fill_normal(1, 0.25, 100 + unsigned(i));
                }
            expected.run();
            ASSERT_EQ(call.first(), ACLNN_SUCCESS);
            for (size_t i = 0; i < call.given.size(); ++i) {
                if (!call.parameters[i].is_used()) continue;
                void *const there = elsewhere.tensors[i]->data();
                const aclnnStatus set =
                    among_all       ? aclSetTensorAddr(call.executor, i, call.given[i], there)
                    : i < op.inputs ? aclSetInputTensorAddr(call.executor, i, call.given[i], there)
                                    : aclSetOutputTensorAddr(call.executor, i - op.inputs, call.given[i], there);
                EXPECT_EQ(set, ACLNN_SUCCESS) << call.parameters[i].name;
            }
            EXPECT_EQ(aclSetTensorAddr(call.executor, call.given.size(), elsewhere.given[0], call.given.data()),
                      INVALID);
            ASSERT_EQ(call.second(), ACLNN_SUCCESS);
            EXPECT_EQ(elsewhere.bits(), expected.bits());
            EXPECT_TRUE(call.outputs_are_untouched());
        }
}

TEST(aclnn_executors, what_is_not_there) {
    operands call(BACKWARD);
    const auto set = [&](auto set_address, size_t number) {
        return set_address(call.executor, number, call.given[5], call.tensors[5]->data());
    };
    EXPECT_EQ(aclSetAclOpExecutorRepeatable(nullptr), ACLNN_ERR_INNER_NULLPTR);
    EXPECT_EQ(aclDestroyAclOpExecutor(nullptr), ACLNN_ERR_INNER_NULLPTR);
    EXPECT_EQ(set(aclSetInputTensorAddr, 0), ACLNN_ERR_INNER_NULLPTR) << "no executor";
    call.given[4] = nullptr;
    ASSERT_EQ(call.first(), ACLNN_SUCCESS);
    EXPECT_EQ(set(aclSetInputTensorAddr, 4), INVALID) << "was null";
    EXPECT_EQ(set(aclSetInputTensorAddr, 6), INVALID);
    EXPECT_EQ(set(aclSetOutputTensorAddr, 3), INVALID);
    EXPECT_EQ(set(aclSetTensorAddr, 9), INVALID);
    EXPECT_EQ(aclSetInputTensorAddr(call.executor, 0, nullptr, call.tensors[0]->data()), ACLNN_ERR_INNER_NULLPTR);
    EXPECT_EQ(aclDestroyAclOpExecutor(call.executor), ACLNN_SUCCESS);
}

// A tensor made before there is memory for it.
TEST(aclnn_executors, an_address_that_comes_later) {
    operands call(BACKWARD);
    const auto out = tensor_at(nullptr, {20, 40});
    call.given[6] = out.get();
    ASSERT_EQ(call.first(), ACLNN_SUCCESS);
    EXPECT_EQ(call.second(), NULLPTR);
    ASSERT_EQ(aclSetOutputTensorAddr(call.executor, 0, out.get(), call.tensors[6]->data()), ACLNN_SUCCESS);
    EXPECT_EQ(call.second(), ACLNN_SUCCESS);
    EXPECT_FALSE(call.tensors[6]->is_untouched());
}

} // namespace
} // namespace jitnorm::tests
