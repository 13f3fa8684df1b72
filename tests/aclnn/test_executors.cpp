// SPDX-License-Identifier: Apache-2.0
// What the first call hands to the second: workspaces to the byte, and how long executors live.
#include <gtest/gtest.h>

#include "large_problem.hpp"
#include "operations.hpp"
#include "small_problem.hpp"

namespace jitnorm::tests {
namespace {

aclnnStatus run(uint64_t bytes, aclOpExecutor *executor) {
    return run_exactly(aclnnLayerNormBackward, bytes, executor);
}

// In each call, with tensors that lie so that they want a workspace.
std::vector<layout> spread(const operation &op) {
    std::vector<layout> layouts;
    for (const parameter &p : parameters_of(op, ACL_BF16))
        layouts.push_back(op.contiguous.contains(p.name) ? layout::dense : layout::gaps);
    return layouts;
}

TEST(aclnn_executors, run_once_in_their_own_operation_and_workspace) {
    for (const operation &op : OPERATIONS) {
        SCOPED_TRACE(op.name);
        operands call(op, ACL_BF16, {}, spread(op));
        ASSERT_EQ(call.first(), ACLNN_SUCCESS) << aclGetRecentErrMsg();
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
        EXPECT_EQ(aclDestroyAclOpExecutor(call.executor), INVALID);
        EXPECT_EQ(aclSetAclOpExecutorRepeatable(call.executor), INVALID);

        operands never(op);
        ASSERT_EQ(never.first(), ACLNN_SUCCESS);
        EXPECT_EQ(aclDestroyAclOpExecutor(never.executor), ACLNN_SUCCESS);
        EXPECT_EQ(never.second(), INVALID);
        EXPECT_TRUE(never.outputs_are_untouched());
    }
}

// Of those that live, and of those that have ended.
TEST(aclnn_executors, have_numbers_of_their_own) {
    small_problem one, other, later;
    ASSERT_EQ(backward_arguments(one).first_call(), ACLNN_SUCCESS);
    ASSERT_EQ(backward_arguments(other).first_call(), ACLNN_SUCCESS);
    EXPECT_NE(one.executor, other.executor);
    EXPECT_EQ(run(one.bytes, one.executor), ACLNN_SUCCESS);
    EXPECT_EQ(run(other.bytes, other.executor), ACLNN_SUCCESS);
    ASSERT_EQ(backward_arguments(later).first_call(), ACLNN_SUCCESS);
    EXPECT_EQ(aclDestroyAclOpExecutor(other.executor), INVALID);
    EXPECT_EQ(aclDestroyAclOpExecutor(later.executor), ACLNN_SUCCESS);
}

TEST(aclnn_executors, a_repeatable_executor_runs_until_it_is_destroyed) {
    small_problem s;
    ASSERT_EQ(backward_arguments(s).first_call(), ACLNN_SUCCESS);
    ASSERT_EQ(aclSetAclOpExecutorRepeatable(s.executor), ACLNN_SUCCESS);
    ASSERT_EQ(run(s.bytes, s.executor), ACLNN_SUCCESS);
    const auto first = s.dx.bits();
    for (int i = 0; i < 3; ++i) {
        s.dx.fill_normal(0, 1, 9);
        ASSERT_EQ(run(s.bytes, s.executor), ACLNN_SUCCESS);
        EXPECT_EQ(s.dx.bits(), first);
    }
    EXPECT_EQ(aclDestroyAclOpExecutor(s.executor), ACLNN_SUCCESS);
    EXPECT_EQ(run(s.bytes, s.executor), ACLNN_ERR_PARAM_INVALID);
    EXPECT_EQ(aclDestroyAclOpExecutor(s.executor), ACLNN_ERR_PARAM_INVALID);
}

TEST(aclnn_executors, null_executors) {
    small_problem s;
    EXPECT_EQ(aclnnLayerNorm(nullptr, 0, nullptr, nullptr), ACLNN_ERR_PARAM_NULLPTR);
    EXPECT_EQ(aclnnLayerNormBackward(nullptr, 0, nullptr, nullptr), ACLNN_ERR_PARAM_NULLPTR);
    EXPECT_EQ(aclSetAclOpExecutorRepeatable(nullptr), ACLNN_ERR_INNER_NULLPTR);
    EXPECT_EQ(aclDestroyAclOpExecutor(nullptr), ACLNN_ERR_INNER_NULLPTR);
    EXPECT_EQ(aclSetInputTensorAddr(nullptr, 0, s.x.get(), s.x.data()), ACLNN_ERR_INNER_NULLPTR);
}

// At every alignment, with a guard page right behind it, and right before it.
TEST(aclnn_executors, a_workspace_may_lie_anywhere) {
    large_problem p;
    ASSERT_EQ(p.first_call(), ACLNN_SUCCESS);
    ASSERT_EQ(aclSetAclOpExecutorRepeatable(p.executor), ACLNN_SUCCESS);
    std::vector<unsigned char> expected;
    for (size_t shift = 0; shift < 64; ++shift)
        for (const guard_side side : {guard_side::after, guard_side::before}) {
            const guarded_buffer memory(p.bytes + shift, side);
            auto *workspace = memory.as<unsigned char>() + (side == guard_side::before ? shift : 0);
            const size_t given = p.bytes + (side == guard_side::after ? shift : 0);
            ASSERT_EQ(aclnnLayerNormBackward(workspace, given, p.executor, nullptr), ACLNN_SUCCESS);
            EXPECT_TRUE(memory.slack_untouched());
            const auto is_canary = [](unsigned char byte) { return byte == guarded_buffer::CANARY; };
            EXPECT_TRUE(std::all_of(memory.as<unsigned char>(), workspace, is_canary));
            if (expected.empty()) expected = p.dx.bits();
            EXPECT_EQ(p.dx.bits(), expected) << shift;
        }
    EXPECT_EQ(aclDestroyAclOpExecutor(p.executor), ACLNN_SUCCESS);
}

TEST(aclnn_executors, tensors_and_arrays_may_be_destroyed_before_the_second_call) {
    small_problem s, same;
    ASSERT_EQ(backward_arguments(same).first_call(), ACLNN_SUCCESS);
    ASSERT_EQ(run(same.bytes, same.executor), ACLNN_SUCCESS);
    ASSERT_EQ(backward_arguments(s).first_call(), ACLNN_SUCCESS);
    s.shape.reset();
    s.mask.reset();
    ASSERT_EQ(run(s.bytes, s.executor), ACLNN_SUCCESS);
    EXPECT_EQ(s.dx.bits(), same.dx.bits());
}

// ---------------------------------------------------------------- addresses

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
            EXPECT_EQ(aclSetTensorAddr(call.executor, call.given.size(), elsewhere.given[0], call.with.columns.data()),
                      INVALID);
            ASSERT_EQ(call.second(), ACLNN_SUCCESS);
            EXPECT_EQ(elsewhere.bits(), expected.bits());
            EXPECT_TRUE(call.outputs_are_untouched());
        }
}

TEST(aclnn_executors, addresses_of_tensors_that_are_not_there) {
    small_problem s;
    backward_arguments arguments(s);
    arguments.weight = nullptr;
    ASSERT_EQ(arguments.first_call(), ACLNN_SUCCESS);
    EXPECT_EQ(aclSetInputTensorAddr(s.executor, 4, s.w.get(), s.w.data()), ACLNN_ERR_PARAM_INVALID) << "was null";
    EXPECT_EQ(aclSetInputTensorAddr(s.executor, 6, s.w.get(), s.w.data()), ACLNN_ERR_PARAM_INVALID);
    EXPECT_EQ(aclSetOutputTensorAddr(s.executor, 3, s.w.get(), s.w.data()), ACLNN_ERR_PARAM_INVALID);
    EXPECT_EQ(aclSetTensorAddr(s.executor, 9, s.w.get(), s.w.data()), ACLNN_ERR_PARAM_INVALID);
    EXPECT_EQ(aclSetInputTensorAddr(s.executor, 0, nullptr, s.w.data()), ACLNN_ERR_INNER_NULLPTR);
    EXPECT_EQ(aclDestroyAclOpExecutor(s.executor), ACLNN_SUCCESS);
}

// A tensor made before there is memory for it.
TEST(aclnn_executors, an_address_that_comes_later) {
    small_problem s;
    const int64_t dims[] = {4, 6};
    const acl_owned<aclTensor> out(aclCreateTensor(dims, 2, ACL_FLOAT, nullptr, 0, ACL_FORMAT_ND, dims, 2, nullptr));
    backward_arguments arguments(s);
    arguments.grad_input = out.get();
    ASSERT_EQ(arguments.first_call(), ACLNN_SUCCESS);
    EXPECT_EQ(run(s.bytes, s.executor), ACLNN_ERR_PARAM_NULLPTR);
    ASSERT_EQ(aclSetOutputTensorAddr(s.executor, 0, out.get(), s.dx.data()), ACLNN_SUCCESS);
    EXPECT_EQ(run(s.bytes, s.executor), ACLNN_SUCCESS);
    EXPECT_FALSE(s.dx.is_untouched());
}

// ---------------------------------------------------------------- nothing to do

TEST(aclnn_executors, nothing_is_asked_for) {
    small_problem s;
    backward_arguments arguments(s);
    const auto none = mask_of(false, false, false);
    arguments.mask = none.get();
    arguments.grad_input = arguments.grad_weight = arguments.grad_bias = nullptr;
    ASSERT_EQ(arguments.first_call(), ACLNN_SUCCESS);
    EXPECT_EQ(s.bytes, 0u);
    EXPECT_EQ(run(s.bytes, s.executor), ACLNN_SUCCESS);
}

TEST(aclnn_executors, tensors_without_elements) {
    for (const auto &[dims, rows, columns] : {std::tuple<dims_t, dims_t, dims_t>{{0, 6}, {0, 1}, {6}},
                                              {{4, 0}, {4, 1}, {0}},
                                              {{0, 0}, {0, 1}, {0}},
                                              {{0}, {1}, {0}},
                                              {{3, 0, 5}, {3, 0, 1}, {5}}}) {
        SCOPED_TRACE(testing::PrintToString(dims));
        const acl_tensor x(dims, ACL_FLOAT), y(dims, ACL_FLOAT), dx(dims, ACL_FLOAT), mu(rows, ACL_FLOAT),
            rs(rows, ACL_FLOAT), dw(columns, ACL_FLOAT), db(columns, ACL_FLOAT);
        const auto shape = int_array(columns);
        expect_runs(aclnnLayerNormGetWorkspaceSize, aclnnLayerNorm, x.get(), shape.get(), dw.get(), nullptr, 1e-5,
                    y.get(), mu.get(), rs.get());
        expect_runs(aclnnLayerNormBackwardGetWorkspaceSize, aclnnLayerNormBackward, x.get(), x.get(), shape.get(),
                    mu.get(), rs.get(), nullptr, nullptr, mask_of(true, true, true).get(), dx.get(), dw.get(),
                    db.get());
        for (const acl_tensor *t : {&dw, &db})
            EXPECT_EQ(t->values(), std::vector<double>(t->count(), 0)) << "the sum of no rows";
    }
}

} // namespace
} // namespace jitnorm::tests
