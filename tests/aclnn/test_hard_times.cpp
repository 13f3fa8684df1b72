// SPDX-License-Identifier: Apache-2.0
// When memory is out: each allocation of each first call and of each object fails once, the second calls allocate
// nothing, and without pages for code the reference takes over.
#include <gtest/gtest.h>

#include "jitnorm/jitnorm.h"
#include "rig/scarce_memory.hpp"
#include "small_problem.hpp"

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

template <typename Arguments>
void expect_first_call_tells(const char *what) {
    small_problem s;
    const Arguments arguments(s);
    expect_each_failure_told(what, ACLNN_ERR_INNER_CREATE_EXECUTOR, [&] {
        const aclnnStatus status = arguments.first_call();
        EXPECT_EQ(s.executor == nullptr, status != ACLNN_SUCCESS);
        return status;
    });
    EXPECT_EQ(aclDestroyAclOpExecutor(s.executor), ACLNN_SUCCESS);
}

TEST(aclnn_hard_times, first_calls_say_so) {
    expect_first_call_tells<forward_arguments>("forward");
    expect_first_call_tells<backward_arguments>("backward");
}

void count_allocations_of_second_calls(long &count) {
    small_problem s;
    uint64_t bytes = 0;
    ASSERT_EQ(forward_arguments(s).first_call(), ACLNN_SUCCESS);
    bytes = s.bytes;
    aclOpExecutor *const forward = s.executor;
    ASSERT_EQ(backward_arguments(s).first_call(), ACLNN_SUCCESS);
    std::vector<char> workspace(std::max(bytes, s.bytes) + 1);
    const long before = allocations;
    EXPECT_EQ(aclnnLayerNorm(workspace.data(), bytes, forward, nullptr), ACLNN_SUCCESS);
    EXPECT_EQ(aclnnLayerNormBackward(workspace.data(), s.bytes, s.executor, nullptr), ACLNN_SUCCESS);
    count = allocations - before;
}

// The first ones of a process start the OpenMP runtime: clang's allocates by new when it starts.
TEST(aclnn_hard_times, second_calls_allocate_nothing) {
    long count = -1;
    count_allocations_of_second_calls(count);
    count_allocations_of_second_calls(count);
    EXPECT_EQ(count, 0);
}

TEST(aclnn_hard_times, without_pages_for_code_the_reference_takes_over) {
    if (jitnorm_get_effective_cpu_isa() == jitnorm_cpu_isa_sse41) GTEST_SKIP() << "this machine generates no code";
    const auto run = [](const small_problem &s) {
        std::vector<char> workspace(s.bytes + 1);
        EXPECT_EQ(aclnnLayerNormBackward(workspace.data(), s.bytes, s.executor, nullptr), ACLNN_SUCCESS);
    };
    small_problem usual, refused;
    ASSERT_EQ(backward_arguments(usual).first_call(), ACLNN_SUCCESS);
    run(usual);

    testing::internal::CaptureStdout();
    EXPECT_EQ(jitnorm_set_verbose(1), jitnorm_success);
    {
        const without_code_pages scope;
        EXPECT_EQ(backward_arguments(refused).first_call(), ACLNN_SUCCESS);
    }
    run(refused);
    EXPECT_EQ(jitnorm_set_verbose(0), jitnorm_success);
    const std::string log = testing::internal::GetCapturedStdout();
    EXPECT_NE(log.find("fallback"), std::string::npos) << log;
    EXPECT_NE(log.find("aclnn,exec,cpu,layer_normalization,ref:any,"), std::string::npos) << log;
    EXPECT_EQ(refused.dx.bits(), usual.dx.bits());
    EXPECT_EQ(refused.dw.bits(), usual.dw.bits());
    EXPECT_EQ(refused.db.bits(), usual.db.bits());
}

// The executor and its place among those that live; nothing of what was made before.
TEST(aclnn_hard_times, a_first_call_that_was_made_before_allocates_little) {
    small_problem s;
    const forward_arguments forward(s);
    const backward_arguments backward(s);
    const auto allocations_of = [&](const auto &arguments) {
        const long before = allocations;
        EXPECT_EQ(arguments.first_call(), ACLNN_SUCCESS);
        const long made = allocations - before;
        EXPECT_EQ(aclDestroyAclOpExecutor(s.executor), ACLNN_SUCCESS);
        return made;
    };
    allocations_of(forward);
    allocations_of(backward);
    EXPECT_LE(allocations_of(forward), 3); // the table of those that live may grow
    EXPECT_LE(allocations_of(backward), 3);
    forward_arguments other = forward;
    other.eps = 1e-3;
    EXPECT_GT(allocations_of(other), 3);
    EXPECT_LE(allocations_of(other), 3);
}

} // namespace
} // namespace jitnorm::tests
