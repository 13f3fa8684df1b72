// SPDX-License-Identifier: Apache-2.0
// What prepare() plans for, and says of it.
#include <gtest/gtest.h>

#include <cstdio>
#include <cstdlib>

#include <unistd.h>

#include "dispatch/prepare.hpp"
#include "rig/problems.hpp"

using namespace jitnorm::impl;
using namespace jitnorm::impl::layer_norm;
using namespace jitnorm::tests;

namespace {

// In a process of its own, where the environment is read. Exits with 0 if both plans are those for the given machine;
// prints the log where death tests look.
[[noreturn]] void prepare_twice(const char *caches, const machine &on) {
    setenv("JITNORM_CACHES", caches, 1);
    setenv("JITNORM_VERBOSE", "2", 1);
    std::fflush(stdout);
    dup2(STDERR_FILENO, STDOUT_FILENO);
    const auto is_planned = [&](const problem &p) {
        solution made;
        return prepare(p, made).code == jitnorm_success && made.plan == made.by->make_plan(p, on);
    };
    std::exit(is_planned(forward_problem()) && is_planned(backward_problem()) ? 0 : 1);
}

TEST(prepare, plans_for_the_caches_of_the_environment_and_says_so_before_the_first_plan) {
    GTEST_FLAG_SET(death_test_style, "threadsafe");
    const machine small = {.l1 = 1000, .l2 = 1500, .last_level = 1600},
                  large = {.l1 = 1000, .l2 = 1 << 20, .last_level = 1 << 30};
    for (const machine &m : {small, large})
        EXPECT_EXIT(prepare_twice(describe(m).c_str(), m), testing::ExitedWithCode(0),
                    "^(jitnorm_verbose,v1,refuse,[^\n]*\n)*jitnorm_verbose,v1,machine,[a-z]+.JITNORM_CACHES," +
                        describe(m) +
                        "\njitnorm_verbose,v1,plan,[^\n]*\n(jitnorm_verbose,v1,refuse,[^\n]*\n)*"
                        "jitnorm_verbose,v1,plan,[^\n]*\n$");
}

} // namespace
