// SPDX-License-Identifier: Apache-2.0
// How many threads an execution by a plan has, and how they share its work.
#include <gtest/gtest.h>

#include <algorithm>

#include "math/row_blocks.hpp"
#include "plans_on_machines.hpp"

namespace jitnorm::tests {
namespace {

class threads_of_plans : public plans_on_machines {};

// A region of several threads costs as much as a few microseconds of work, or ten times as many if threads sleep.
// The threads of a region may each have little, at least a part of the sums for gradients.
TEST_P(threads_of_plans, are_for_work_of_more_than_a_few_microseconds) {
    constexpr dim_t COLUMNS = 256, LEAST_BYTES = 256 * 1024;
    machine sleepy = ROOMY;
    sleepy.threads_sleep = true;
    for (const auto kind : {jitnorm_forward_training, jitnorm_backward, jitnorm_backward_data})
        for (const machine &on : {ROOMY, sleepy}) {
            const int times = on.threads_sleep ? 8 : 1;
            const dim_t row_bytes = (kind == jitnorm_forward_training ? 8 : 12) * COLUMNS;
            const dim_t rows = LEAST_BYTES * times / row_bytes;
            const dim_t shares = kind == jitnorm_backward ? row_blocks(rows + 1, COLUMNS).parts() : rows + 1;
            const auto threads = [&](dim_t n) {
                return plan_of(in_place_of(kind, jitnorm_f32, n, COLUMNS), on).row_threads;
            };
            EXPECT_EQ(threads(rows - 1), 1) << kind << " " << times;
            EXPECT_EQ(threads(rows + 1), std::min<dim_t>(16, shares)) << kind << " " << times;
        }
}

TEST(plan, goes_by_what_the_threads_and_the_result_allow) {
    plan how;
    how.row_threads = 3;
    how.chunk_threads = 8;
    how.non_temporal_threads = 6;
    how.share_chunks(1);
    const schedule by_rows = how.on(3, true), by_chunks = how.on(5, true), beyond = how.on(100, true);
    EXPECT_EQ(std::pair(by_rows.threads, by_rows.through_rows), std::pair(3, way::steps));
    EXPECT_EQ(std::pair(by_chunks.threads, by_chunks.through_rows), std::pair(5, way::chunks));
    EXPECT_EQ(std::pair(beyond.threads, beyond.through_rows), std::pair(8, way::chunks));
    EXPECT_TRUE(by_rows.non_temporal);
    EXPECT_TRUE(by_chunks.non_temporal);
    EXPECT_FALSE(beyond.non_temporal) << "more threads than stores past the caches are for";
    EXPECT_FALSE(how.on(3, false).non_temporal);
}

TEST(plan, shares_chunks_where_that_is_worth_their_price) {
    plan how;
    how.row_threads = 3;
    how.chunk_threads = 5;
    how.share_chunks(1);
    EXPECT_TRUE(how.may_go_by_chunks(4));
    EXPECT_FALSE(how.may_go_by_chunks(3)) << "no more threads than by rows";
    how.share_chunks(2);
    EXPECT_FALSE(how.may_go_by_chunks(5));
    how.chunk_threads = 6;
    how.share_chunks(2);
    EXPECT_TRUE(how.may_go_by_chunks(6));
    EXPECT_FALSE(how.may_go_by_chunks(5));
    how.give_up_chunks();
    EXPECT_EQ(how.on(INT_MAX, false).threads, 3) << "a pool may say that it has no limit";
}

INSTANTIATE_TEST_SUITE_P(native, threads_of_plans, testing::Values(isa::avx2, isa::avx512), on_isa::name);

} // namespace
} // namespace jitnorm::tests
