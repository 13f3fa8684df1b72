// SPDX-License-Identifier: Apache-2.0
// The machine that plans are for: its sizes as text, from JITNORM_CACHES, and in the log.
#include <gtest/gtest.h>

#include <cstdlib>

#include <unistd.h>

#include "base/environment.hpp"
#include "base/verbose.hpp"
#include "machine_messages.hpp"

namespace {

using namespace jitnorm::impl;

constexpr machine MADE_UP = {20'000, 300'000, 10, 20, 2};

// These are the names of the columns of the table of processors.
TEST(machine, text_is_what_is_read_again) {
    EXPECT_EQ(describe(MADE_UP), "l2:20000,last_level:300000,memory:10,shared:20,prefetch:2");
    EXPECT_EQ(with_numbers(machine(), describe(MADE_UP)), MADE_UP);
    machine largest;
    largest.l2 = largest.last_level = dim_t(1) << 40;
    largest.memory = largest.shared = 1000;
    EXPECT_EQ(with_numbers(machine(), describe(largest)), largest) << "the longest text";
}

TEST(machine, numbers_that_are_not_named_stay) {
    machine other = MADE_UP;
    other.l2 = 7;
    EXPECT_EQ(with_numbers(MADE_UP, "l2:7"), other);
    other = MADE_UP;
    other.last_level = dim_t(1) << 40;
    other.shared = 1;
    EXPECT_EQ(with_numbers(MADE_UP, "last_level:1099511627776,shared:1"), other);
    other = MADE_UP;
    other.memory = 1;
    other.prefetch = 1;
    EXPECT_EQ(with_numbers(MADE_UP, "memory:1,prefetch:1"), other);
}

TEST(machine, texts_of_nonsense) {
    for (const char *text : {"", ",", "l2", "l2:", ":1", "l3:1", "l2:0", "l2:-1", "l2:1K", "l2: 1", " l2:1", "l2:1,",
                             ",l2:1", "l1:1", "l2:1:1", "L2:1", "prefetch", "prefetch:3", "memory:0"})
        EXPECT_EQ(with_numbers(MADE_UP, text), std::nullopt) << text;
    for (const char *text : {"l2:1;memory:1", "prefetch:0", "one_loop:0", "batch:1", "overlaps_batches:0",
                             "l2:1099511627777", "l2:99999999999999999999"})
        EXPECT_EQ(with_numbers(MADE_UP, text), std::nullopt) << text;
    EXPECT_EQ(with_numbers(MADE_UP, "l2:" + std::string(1000, '0') + "1"), std::nullopt);
}

// ---------------------------------------------------------------- each in a process of its own

// Prints the log where death tests look, and exits with 0 if the machine is what was said, twice.
[[noreturn]] void find_machine(const char *caches, const char *verbose, const machine &expected,
                               const char *waiting = "") {
    setenv("JITNORM_VERBOSE", verbose, 1);
    setenv("OMP_WAIT_POLICY", waiting, 1);
    caches == nullptr ? unsetenv("JITNORM_CACHES") : setenv("JITNORM_CACHES", caches, 1);
    std::fflush(stdout);
    dup2(STDERR_FILENO, STDOUT_FILENO);
    const bool as_expected = the_machine() == expected && the_machine() == expected;
    if (verbose_level() >= 2) {
        log_machine_once();
        log_machine_once();
    }
    std::exit(as_expected ? 0 : 1);
}

class machine_in_a_process : public testing::Test {
protected:
    machine_in_a_process() { GTEST_FLAG_SET(death_test_style, "threadsafe"); }
    const testing::ExitedWithCode good{0};
    const machine here = machine_by_cpuid(execute_cpuid);
};

TEST_F(machine_in_a_process, is_found_and_logged_once) {
    const std::string line = "^jitnorm_verbose,v1,machine,(cpuid|nobody)," + describe(here) + "\n$";
    EXPECT_EXIT(find_machine(nullptr, "2", here), good, line);
    EXPECT_EXIT(find_machine("", "2", here), good, line);
    EXPECT_EXIT(find_machine(nullptr, "1", here), good, "^$");
}

TEST_F(machine_in_a_process, has_the_sizes_of_the_environment) {
    const std::string sizes = describe(MADE_UP);
    EXPECT_EXIT(find_machine(sizes.c_str(), "2", MADE_UP), good,
                "^jitnorm_verbose,v1,machine,[a-z]+.JITNORM_CACHES," + sizes + "\n$");
    machine other = here;
    other.l2 = 20'000;
    EXPECT_EXIT(find_machine("l2:20000", "0", other), good, "^$");
}

TEST_F(machine_in_a_process, has_threads_that_sleep_if_the_environment_says_so) {
    machine sleepy = here;
    sleepy.threads_sleep = true;
    const std::string line = "^jitnorm_verbose,v1,machine,[a-z]+.OMP_WAIT_POLICY," + describe(here) + "\n$";
    for (const char *passive : {"passive", "PASSIVE", "Passive"})
        EXPECT_EXIT(find_machine(nullptr, "2", sleepy, passive), good, line);
    for (const char *awake : {"active", "passiv", "passive2"})
        EXPECT_EXIT(find_machine(nullptr, "0", here, awake), good, "^$");
}

TEST_F(machine_in_a_process, takes_no_nonsense_and_says_so_once) {
    const std::string line = "^jitnorm_verbose,v1,error,JITNORM_CACHES has no effect: '",
                      rest = "' is not of the form "
                             "l2:1048576,last_level:33554432; the names are those of " +
                             describe(here) + "\n$";
    EXPECT_EXIT(find_machine("l2:20000,l3:1", "error", here), good, line + "l2:20000,l3:1" + rest);
    EXPECT_EXIT(find_machine("l2:20000,l3:1", "0", here), good, "^$");
    const std::string cut = "l2:" + std::string(1000, '0') + "1";
    EXPECT_EXIT(find_machine(cut.c_str(), "error", here), good, line + "l2:0+" + rest);
}

} // namespace
