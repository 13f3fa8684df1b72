// SPDX-License-Identifier: Apache-2.0
// What the first call hands to the second: workspaces to the byte, and how long executors live.
#include <gtest/gtest.h>

#include "chain.hpp"
#include "large_problem.hpp"
#include "small_problem.hpp"

namespace jitnorm::tests {
namespace {

aclnnStatus run(uint64_t bytes, aclOpExecutor *executor) {
    return run_exactly(aclnnLayerNormBackward, bytes, executor);
}

void expect_untouched(const small_problem &s) {
    for (const acl_tensor *t : {&s.dx, &s.dw, &s.db}) EXPECT_TRUE(t->is_untouched());
}

TEST(aclnn_executors, an_executor_runs_once) {
    small_problem s;
    ASSERT_EQ(backward_arguments(s).first_call(), ACLNN_SUCCESS);
    EXPECT_EQ(run(s.bytes, s.executor), ACLNN_SUCCESS);
    EXPECT_EQ(run(s.bytes, s.executor), ACLNN_ERR_PARAM_INVALID);
    EXPECT_EQ(aclDestroyAclOpExecutor(s.executor), ACLNN_ERR_PARAM_INVALID);
    EXPECT_EQ(aclSetAclOpExecutorRepeatable(s.executor), ACLNN_ERR_PARAM_INVALID);
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

TEST(aclnn_executors, an_executor_that_never_ran_can_be_destroyed) {
    small_problem s;
    ASSERT_EQ(backward_arguments(s).first_call(), ACLNN_SUCCESS);
    EXPECT_EQ(aclDestroyAclOpExecutor(s.executor), ACLNN_SUCCESS);
    EXPECT_EQ(run(s.bytes, s.executor), ACLNN_ERR_PARAM_INVALID);
    expect_untouched(s);
}

TEST(aclnn_executors, null_executors) {
    small_problem s;
    EXPECT_EQ(aclnnLayerNorm(nullptr, 0, nullptr, nullptr), ACLNN_ERR_PARAM_NULLPTR);
    EXPECT_EQ(aclnnLayerNormBackward(nullptr, 0, nullptr, nullptr), ACLNN_ERR_PARAM_NULLPTR);
    EXPECT_EQ(aclSetAclOpExecutorRepeatable(nullptr), ACLNN_ERR_INNER_NULLPTR);
    EXPECT_EQ(aclDestroyAclOpExecutor(nullptr), ACLNN_ERR_INNER_NULLPTR);
    EXPECT_EQ(aclSetInputTensorAddr(nullptr, 0, s.x.get(), s.x.data()), ACLNN_ERR_INNER_NULLPTR);
}

TEST(aclnn_executors, the_other_operation_refuses_it) {
    small_problem s;
    ASSERT_EQ(backward_arguments(s).first_call(), ACLNN_SUCCESS);
    EXPECT_EQ(run_exactly(aclnnLayerNorm, s.bytes, s.executor), ACLNN_ERR_PARAM_INVALID);
    expect_untouched(s);
    EXPECT_EQ(run(s.bytes, s.executor), ACLNN_SUCCESS) << "a refusal does not end it";
}

TEST(aclnn_executors, a_workspace_one_byte_short_is_refused) {
    large_problem p;
    ASSERT_EQ(p.first_call(), ACLNN_SUCCESS);
    ASSERT_GT(p.bytes, 0u);
    EXPECT_EQ(run(p.bytes - 1, p.executor), ACLNN_ERR_PARAM_INVALID);
    EXPECT_EQ(aclnnLayerNormBackward(nullptr, p.bytes, p.executor, nullptr), ACLNN_ERR_PARAM_NULLPTR);
    for (const acl_tensor *t : {&p.dx, &p.dw, &p.db}) EXPECT_TRUE(t->is_untouched());
    EXPECT_EQ(run(p.bytes, p.executor), ACLNN_SUCCESS) << "a refusal does not end it";
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

// ---------------------------------------------------------------- in place

// out is input's memory, and then gradInputOut is gradOut's.
TEST(aclnn_executors, in_place) {
    for (const layout how : {layout::dense, layout::gaps, layout::reversed})
        for (const size_t normalized : {1, 2}) {
            chain_case c;
            c.dims = {6, 5, 40};
            c.normalized = normalized;
            c.x = c.y = c.dy = c.dx = how;
            chain apart(c), together(c);
            apart.run_forward();
            apart.run_backward();
            const auto shape = int_array(c.normalized_shape());
            chain &t = together;
            expect_runs(aclnnLayerNormGetWorkspaceSize, aclnnLayerNorm, t.x.get(), shape.get(), t.w.get(), t.b.get(),
                        c.eps, t.x.get(), t.mu.get(), t.rs.get());
            EXPECT_EQ(t.x.bits(), apart.y.bits());
            expect_runs(aclnnLayerNormBackwardGetWorkspaceSize, aclnnLayerNormBackward, t.dy.get(), apart.x.get(),
                        shape.get(), t.mu.get(), t.rs.get(), t.w.get(), t.b.get(), mask_of(true, true, true).get(),
                        t.dy.get(), t.dw.get(), t.db.get());
            EXPECT_EQ(t.dy.bits(), apart.dx.bits());
            EXPECT_EQ(t.dw.bits(), apart.dw.bits());
            EXPECT_EQ(t.db.bits(), apart.db.bits());
        }
}

// ---------------------------------------------------------------- addresses

TEST(aclnn_executors, new_addresses) {
    small_problem first, second;
    second.x.fill_normal(2, 3, 77);
    ASSERT_EQ(backward_arguments(second).first_call(), ACLNN_SUCCESS);
    ASSERT_EQ(run(second.bytes, second.executor), ACLNN_SUCCESS);
    const auto expected = second.dx.bits();

    ASSERT_EQ(backward_arguments(first).first_call(), ACLNN_SUCCESS);
    ASSERT_EQ(aclSetAclOpExecutorRepeatable(first.executor), ACLNN_SUCCESS);
    ASSERT_EQ(aclSetInputTensorAddr(first.executor, 1, first.x.get(), second.x.data()), ACLNN_SUCCESS);
    ASSERT_EQ(run(first.bytes, first.executor), ACLNN_SUCCESS);
    EXPECT_EQ(first.dx.bits(), expected);

    const guarded_buffer elsewhere(24 * sizeof(float));
    ASSERT_EQ(aclSetOutputTensorAddr(first.executor, 0, first.dx.get(), elsewhere.data()), ACLNN_SUCCESS);
    ASSERT_EQ(run(first.bytes, first.executor), ACLNN_SUCCESS);
    EXPECT_EQ(0, std::memcmp(elsewhere.data(), expected.data(), expected.size()));

    // Among all tensors the outputs follow the six inputs.
    const guarded_buffer third(24 * sizeof(float));
    ASSERT_EQ(aclSetTensorAddr(first.executor, 6, first.dx.get(), third.data()), ACLNN_SUCCESS);
    ASSERT_EQ(run(first.bytes, first.executor), ACLNN_SUCCESS);
    EXPECT_EQ(0, std::memcmp(third.data(), expected.data(), expected.size()));
    EXPECT_EQ(aclDestroyAclOpExecutor(first.executor), ACLNN_SUCCESS);
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
