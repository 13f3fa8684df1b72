// SPDX-License-Identifier: Apache-2.0
// When memory is out: each allocation of each first call and of each object fails once, the second calls allocate
// nothing, and without pages for code the reference takes over.
#include <gtest/gtest.h>

#include "jitnorm/jitnorm.h"
#include "operands.hpp"
#include "rig/scarce_memory.hpp"

namespace jitnorm::tests {
namespace {

TEST(aclnn_hard_times, objects_say_so) {
    expect_each_failure_told("stream", ACL_ERROR_BAD_ALLOC, [] {
        aclrtStream stream = nullptr;
        const aclError status = aclrtCreateStream(&stream);
        if (status == ACL_SUCCESS) aclrtDestroyStream(stream);
        return status;
    });
    expect_each_failure_told("context", ACL_ERROR_BAD_ALLOC, [] {
        aclrtContext context = nullptr;
        const aclError status = aclrtCreateContext(&context, 0);
        if (status == ACL_SUCCESS) aclrtDestroyContext(context);
        return status;
    });
    expect_each_failure_told("memory", ACL_ERROR_BAD_ALLOC, [] {
        void *memory = nullptr;
        const aclError status = aclrtMalloc(&memory, 64, ACL_MEM_MALLOC_HUGE_FIRST);
        if (status == ACL_SUCCESS) aclrtFree(memory);
        return status;
    });
}

// Their functions return null.
TEST(aclnn_hard_times, tensors_and_arrays_say_so) {
    const int64_t dims[] = {2, 3};
    const bool values[] = {true, false};
    const auto null_is_a_failure = [](const void *object) {
        return object == nullptr ? aclnnStatus(-1) : ACLNN_SUCCESS;
    };
    expect_each_failure_told("tensor", -1, [&] {
        return null_is_a_failure(
            acl_owned<aclTensor>(aclCreateTensor(dims, 2, ACL_FLOAT, dims, 0, ACL_FORMAT_ND, dims, 2, nullptr)).get());
    });
    expect_each_failure_told(
        "int array", -1, [&] { return null_is_a_failure(acl_owned<aclIntArray>(aclCreateIntArray(dims, 2)).get()); });
    expect_each_failure_told("bool array", -1, [&] {
        return null_is_a_failure(acl_owned<aclBoolArray>(aclCreateBoolArray(values, 2)).get());
    });
}

TEST(aclnn_hard_times, first_calls_say_so) {
    for (const operation &op : OPERATIONS) {
        operands call(op);
        expect_each_failure_told(op.name, ACLNN_ERR_INNER_CREATE_EXECUTOR, [&] {
            const aclnnStatus status = call.first();
            EXPECT_EQ(call.executor == nullptr, status != ACLNN_SUCCESS);
            return status;
        });
        EXPECT_EQ(aclDestroyAclOpExecutor(call.executor), ACLNN_SUCCESS);
    }
}

// The first ones of a process start the OpenMP runtime: clang's allocates by new when it starts.
TEST(aclnn_hard_times, second_calls_allocate_nothing) {
    for (const operation &op : OPERATIONS) {
        long count = -1;
        for (int round = 0; round < 2; ++round) {
            operands call(op);
            ASSERT_EQ(call.first(), ACLNN_SUCCESS);
            std::vector<char> workspace(call.bytes + 1);
            const long before = allocations;
            EXPECT_EQ(op.second(workspace.data(), call.bytes, call.executor, nullptr), ACLNN_SUCCESS);
            count = allocations - before;
        }
        EXPECT_EQ(count, 0) << op.name;
    }
}

// Its text needs memory when the work is done.
TEST(aclnn_hard_times, no_second_call_fails_for_the_log) {
    operands call(operation_named("backward"));
    ASSERT_EQ(call.first(), ACLNN_SUCCESS);
    std::vector<char> workspace(call.bytes + 1);
    testing::internal::CaptureStdout();
    EXPECT_EQ(jitnorm_set_verbose(1), jitnorm_success);
    no_memory = true;
    const auto status = call.op.second(workspace.data(), call.bytes, call.executor, nullptr);
    no_memory = false;
    EXPECT_EQ(jitnorm_set_verbose(0), jitnorm_success);
    testing::internal::GetCapturedStdout();
    EXPECT_EQ(status, ACLNN_SUCCESS);
}

TEST(aclnn_hard_times, without_pages_for_code_the_reference_takes_over) {
    if (jitnorm_get_effective_cpu_isa() == jitnorm_cpu_isa_sse41) GTEST_SKIP() << "this machine generates no code";
    operands usual(operation_named("backward")), refused(usual.op);
    usual.run();

    testing::internal::CaptureStdout();
    EXPECT_EQ(jitnorm_set_verbose(1), jitnorm_success);
    {
        const without_code_pages scope;
        EXPECT_EQ(refused.first(), ACLNN_SUCCESS);
    }
    EXPECT_EQ(refused.second(), ACLNN_SUCCESS);
    EXPECT_EQ(jitnorm_set_verbose(0), jitnorm_success);
    const std::string log = testing::internal::GetCapturedStdout();
    EXPECT_NE(log.find("fallback"), std::string::npos) << log;
    EXPECT_NE(log.find("aclnn,exec,cpu,layer_normalization,ref:any,"), std::string::npos) << log;
    EXPECT_EQ(refused.bits(), usual.bits());
}

// The executor and its place among those that live; nothing of what was made before.
TEST(aclnn_hard_times, a_first_call_that_was_made_before_allocates_little) {
    for (const operation &op : OPERATIONS) {
        operands call(op);
        const auto allocations_of_first = [&] {
            const long before = allocations;
            EXPECT_EQ(call.first(), ACLNN_SUCCESS);
            const long made = allocations - before;
            EXPECT_EQ(aclDestroyAclOpExecutor(call.executor), ACLNN_SUCCESS);
            return made;
        };
        allocations_of_first();
        EXPECT_LE(allocations_of_first(), 3) << op.name; // the table of those that live may grow
        if (!op.has_epsilon) continue;
        call.with.epsilon = 1e-3;
        EXPECT_GT(allocations_of_first(), 3) << op.name;
        EXPECT_LE(allocations_of_first(), 3) << op.name;
    }
}

} // namespace
} // namespace jitnorm::tests
