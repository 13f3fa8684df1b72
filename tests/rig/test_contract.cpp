// SPDX-License-Identifier: Apache-2.0
// The contract of every front end (contract.hpp), which the adapter makes that is linked with this file.
#include <cmath>
#include <thread>

#include "allocation_failures.hpp"
#include "contract.hpp"

namespace jitnorm::tests {
namespace {

constexpr jitnorm_cpu_isa_t WITH_AND_WITHOUT_CODE[] = {jitnorm_cpu_isa_sse41, jitnorm_cpu_isa_default};

const front_end &door() {
    static const front_end all = adapter();
    return all;
}

template <typename Body>
std::string logged_by(Body &&body) {
    testing::internal::CaptureStdout();
    EXPECT_EQ(jitnorm_set_verbose(1), jitnorm_success);
    body();
    EXPECT_EQ(jitnorm_set_verbose(0), jitnorm_success);
    return testing::internal::GetCapturedStdout();
}

// ---------------------------------------------------------------- when memory is out

TEST(allocation_failures, of_creations_are_told) {
    for (const creation &c : door().creations) {
        SCOPED_TRACE(c.what);
        const long before = allocations;
        fail_each_allocation(c.make, [&](int status, bool) {
            EXPECT_TRUE(status == 0 || status == c.out_of_memory) << status;
            return status != 0;
        });
        EXPECT_GT(allocations, before + 1); // one failed, and one did not
    }
}

// In a new thread, whose scratchpad is empty. The execution before it starts the OpenMP runtime: clang's allocates by
// new when it starts.
TEST(allocations, executions_make_none) {
    for (const run_case &c : door().runs) {
        SCOPED_TRACE(c.name);
        EXPECT_EQ(c.make().execute(), 0);
        std::thread([&] {
            const ready_run run = c.make();
            for (const bool may_allocate : {!c.has_scratchpad, false}) {
                const long before = allocations;
                EXPECT_EQ(run.execute(), 0);
                EXPECT_TRUE(may_allocate || allocations == before) << allocations - before;
            }
        }).join();
    }
}

// The text of a line needs memory when the work is done. Without it the line is lost, and a later line says so.
TEST(allocation_failures, executions_do_not_fail_for_the_log) {
    for (const run_case &c : door().runs) {
        SCOPED_TRACE(c.name);
        const ready_run run = c.make();
        EXPECT_EQ(run.execute(), 0); // the thread's scratchpad
        const auto expected = run.outputs();
        const std::string log = logged_by([&] {
            fail_each_allocation(run.execute, [&](int status, bool) {
                EXPECT_EQ(status, 0);
                EXPECT_TRUE(run.outputs() == expected);
                return true;
            });
        });
        EXPECT_NE(log.find("jitnorm_verbose,v1,lost,"), log.npos) << log;
    }
}

TEST(code_pages, without_them_the_reference_takes_over) {
    if (jitnorm_get_effective_cpu_isa() == jitnorm_cpu_isa_sse41) GTEST_SKIP() << "this machine generates no code";
    for (const run_case &c : door().runs) {
        SCOPED_TRACE(c.name);
        const ready_run usual = c.make();
        EXPECT_EQ(usual.execute(), 0);
        ready_run refused;
        const std::string log = logged_by([&] {
            {
                const without_code_pages now;
                refused = c.make();
            }
            EXPECT_EQ(refused.execute(), 0);
        });
        EXPECT_NE(log.find("jitnorm_verbose,v1,fallback,jit:"), log.npos) << log;
        const size_t line = log.find("jitnorm_verbose,v1," + door().logged);
        EXPECT_TRUE(line != log.npos && log.find(",ref:any,", line) != log.npos) << log;
        EXPECT_TRUE(refused.outputs() == usual.outputs());
    }
}

// ---------------------------------------------------------------- tensors that share memory

TEST(aliases, of_every_two_and_three_tensors) {
    for (const jitnorm_cpu_isa_t isa : WITH_AND_WITHOUT_CODE) {
        ASSERT_EQ(jitnorm_set_max_cpu_isa(isa), jitnorm_success);
        for (const alias_case &c : door().aliases()) c.groups.try_all(c.run, c.check_reason);
    }
}

// ---------------------------------------------------------------- sizes and strides at the edge

// A refusal, never an overflow (which the undefined-behaviour sanitizer sees).
TEST(sizes, that_memory_cannot_have_are_refused) {
    for (const refusal &r : door().refusals) {
        EXPECT_EQ(r.make(), r.status) << r.what;
        EXPECT_NE(door().last_reason().find(r.reason), std::string::npos) << r.what << ": " << door().last_reason();
    }
}

TEST(strides, along_which_nobody_steps_mean_nothing) {
    for (const empty_case &c : door().empty) {
        SCOPED_TRACE(c.what);
        const written found = c.execute();
        for (const double zero : found.zeros) EXPECT_EQ(zero, 0);
        for (const double variance : found.nans) EXPECT_TRUE(std::isnan(variance)) << variance;
    }
}

} // namespace
} // namespace jitnorm::tests
