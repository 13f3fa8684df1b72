// SPDX-License-Identifier: Apache-2.0
// The verbose log as a user sees it.
#include <cstdio>
#include <cstdlib>
#include <string>

#include <fcntl.h>
#include <unistd.h>

#include "oneapi/dnnl/dnnl.h"
#include "support/execution.hpp"

using namespace jitnorm::tests;

namespace {

int count(const std::string &text, const std::string &part) {
    int found = 0;
    for (size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) ++found;
    return found;
}

owned_pd make_pd() { return forward_pd(jitnorm_forward_inference, {3, 8}); }

TEST(verbose, executions_at_one_creations_at_two) {
    for (const int level : {0, 1, 2}) {
        const std::string log = log_of(level, [] {
            execution run(make_pd());
            EXPECT_OK(run.run());
        });
        EXPECT_EQ(count(log, "jitnorm_verbose,v1,primitive,exec,cpu,layer_normalization,"), level >= 1 ? 1 : 0) << log;
        EXPECT_EQ(count(log, "jitnorm_verbose,v1,primitive,create,cpu,layer_normalization,"), level >= 2 ? 1 : 0)
            << log;
    }
    for (const int level : {-1, 3}) EXPECT_EQ(jitnorm_set_verbose(level), INVALID);
}

// "...,<implementation>,<problem>,<milliseconds>". A type that the problem does not use is not part of it.
TEST(verbose, execution_tells_what_and_how_long) {
    const owned_md data = make_md({3, 8}, jitnorm_f32);
    const owned_pd pd = forward_request{jitnorm_forward_inference, data, data, nullptr, jitnorm_bf16}.make();
    execution run(pd);
    const std::string log = log_of(1, [&] { EXPECT_OK(run.run()); });
    EXPECT_EQ(count(log, std::string(",") + implementation_of(pd) + ",--dir=FWD_I "), 1) << log;
    EXPECT_EQ(count(log, " 3x8,"), 1) << log;
    EXPECT_EQ(count(log, "bf16"), 0) << log;
    char *end = nullptr;
    const double milliseconds = std::strtod(log.c_str() + log.rfind(',') + 1, &end);
    EXPECT_GE(milliseconds, 0);
    EXPECT_STREQ(end, "\n");
}

// The output without any setting, in a process of its own.
[[noreturn]] void fail_in_three_ways(const char *verbose) {
    verbose == nullptr ? unsetenv("JITNORM_VERBOSE") : setenv("JITNORM_VERBOSE", verbose, 1);
    std::fflush(stdout);
    dup2(STDERR_FILENO, STDOUT_FILENO); // where death tests look
    const int nowhere = open("/dev/null", O_WRONLY);
    dup2(nowhere, STDERR_FILENO); // this program has oneDNN's names, so errors are on standard output
    const owned_md data = make_md({3, 8}, jitnorm_f32), s32 = make_md({3, 8}, jitnorm_s32);
    execution run(make_pd());
    const bool as_expected = jitnorm_stream_wait(nullptr) == INVALID && run.run({}) == INVALID && run.run() == 0 &&
                             status_of(forward_request{jitnorm_forward_inference, s32, data}) == jitnorm_unimplemented;
    std::exit(as_expected ? 0 : 1);
}

TEST(verbose, errors_are_printed_by_default) {
    GTEST_FLAG_SET(death_test_style, "threadsafe");
    const auto good = testing::ExitedWithCode(0);
    const std::string two = "^jitnorm_verbose,v1,error,jitnorm_stream_wait,invalid_arguments,stream is null\n"
                            "jitnorm_verbose,v1,error,jitnorm_primitive_execute,invalid_arguments,argument SRC is "
                            "missing\n";
    for (const char *usual : {static_cast<const char *>(nullptr), "error"})
        EXPECT_EXIT(fail_in_three_ways(usual), good, two + "$");
    EXPECT_EXIT(fail_in_three_ways("nonsense"), good,
                "^jitnorm_verbose,v1,error,JITNORM_VERBOSE: unknown word 'nonsense' has no effect; known: none, 0, "
                "error, warn, check, profile_exec, 1, profile_create, profile, dispatch, all\n" +
                    two.substr(1) + "$");
    for (const char *none : {"0", "none"}) EXPECT_EXIT(fail_in_three_ways(none), good, "^$");
    EXPECT_EXIT(fail_in_three_ways("profile_exec"), good,
                two + "jitnorm_verbose,v1,primitive,exec,.*\n.*unimplemented,src");
}

} // namespace
