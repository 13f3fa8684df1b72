// SPDX-License-Identifier: Apache-2.0
// Several threads, with executors of their own and in turn with one; streams, one with a thread pool.
#include <gtest/gtest.h>

#include <atomic>
#include <mutex>
#include <thread>

#include "operands.hpp"
#include "support/jitnorm_handle.hpp"
#include "support/small_pool.hpp"

namespace jitnorm::tests {
namespace {

const operation &BACKWARD = operation_named("backward");

template <typename Body>
void run_in_four_threads(Body &&body) {
    std::vector<std::thread> threads;
    for (int i = 0; i < 4; ++i) threads.emplace_back(body);
    for (std::thread &thread : threads) thread.join();
}

TEST(aclnn_threads, several_threads_with_executors_of_their_own) {
    const call_shape shape = {{32, 200}, 1};
    for (const char *name : {"layer norm", "backward"}) {
        operands expected(operation_named(name), ACL_FLOAT, shape);
        expected.run();
        run_in_four_threads([&] {
            aclrtStream stream = nullptr;
            ASSERT_EQ(aclrtCreateStream(&stream), ACL_SUCCESS);
            for (int round = 0; round < 10; ++round) {
                operands call(expected.op, ACL_FLOAT, shape);
                call.run();
                EXPECT_EQ(call.bits(), expected.bits());
            }
            EXPECT_EQ(aclrtDestroyStream(stream), ACL_SUCCESS);
        });
    }
}

TEST(aclnn_threads, a_repeatable_executor_goes_from_thread_to_thread) {
    operands call(BACKWARD, ACL_BF16, {{64, 1000}, 1}, spread(BACKWARD));
    ASSERT_EQ(call.first(), ACLNN_SUCCESS);
    ASSERT_EQ(aclSetAclOpExecutorRepeatable(call.executor), ACLNN_SUCCESS);
    ASSERT_EQ(call.second(), ACLNN_SUCCESS);
    const auto expected = call.bits();
    std::mutex turn;
    run_in_four_threads([&] {
        for (int round = 0; round < 5; ++round) {
            const std::lock_guard lock(turn);
            EXPECT_EQ(call.second(), ACLNN_SUCCESS);
            EXPECT_EQ(call.bits(), expected);
        }
    });
    EXPECT_EQ(aclDestroyAclOpExecutor(call.executor), ACLNN_SUCCESS);
}

// Of many threads that run an executor that runs once, one does.
TEST(aclnn_threads, one_of_several_threads_runs_it) {
    for (int round = 0; round < 20; ++round) {
        operands call(BACKWARD);
        ASSERT_EQ(call.first(), ACLNN_SUCCESS);
        std::atomic<int> successes = 0, refusals = 0;
        run_in_four_threads([&] { ++(call.second() == ACLNN_SUCCESS ? successes : refusals); });
        EXPECT_EQ(successes, 1);
        EXPECT_EQ(refusals, 3);
    }
}

// A stream of jitnorm.h is a stream here: the work runs on the caller's threads.
TEST(aclnn_threads, a_stream_with_a_thread_pool) {
    small_pool pool(3);
    const owned_stream stream = make_stream(pool.as_seen_by_the_library());
    operands call(operation_named("layer norm"), ACL_FLOAT, {{512, 512}, 1});
    ASSERT_EQ(call.first(), ACLNN_SUCCESS);
    std::vector<char> workspace(call.bytes);
    ASSERT_EQ(aclnnLayerNorm(workspace.data(), call.bytes, call.executor, stream.get()), ACLNN_SUCCESS);
    EXPECT_GT(pool.calls(), 0);
}

} // namespace
} // namespace jitnorm::tests
