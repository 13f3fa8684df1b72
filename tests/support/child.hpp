// SPDX-License-Identifier: Apache-2.0
// child: runs a part of a test in a child of its process.
#pragma once

#include <gtest/gtest.h>

#include <csignal>
#include <cstdio>
#include <functional>

#include <sys/wait.h>
#include <unistd.h>

namespace jitnorm::tests {

inline constexpr unsigned HANGS_AFTER = 60; // seconds

inline constexpr int CANNOT_BE_TRIED = 77;

// Runs body in a child, which exits with an error, hangs or ends well. If it exits with CANNOT_BE_TRIED, the test is
// skipped.
inline void expect_child_succeeds(const std::function<void()> &body) {
    std::fflush(stdout);
    const pid_t child = fork();
    if (child == 0) {
        alarm(HANGS_AFTER);
        [&]() noexcept { body(); }(); // an exception ends the child
        _exit(0);
    }
    EXPECT_GT(child, 0);
    int status = 0;
    EXPECT_EQ(waitpid(child, &status, 0), child);
    EXPECT_FALSE(WIFSIGNALED(status)) << "signal " << WTERMSIG(status) << " (" << SIGALRM << ": it hung)";
    if (WEXITSTATUS(status) == CANNOT_BE_TRIED) GTEST_SKIP() << "the system lets nobody try this here";
    EXPECT_EQ(WEXITSTATUS(status), 0);
}

} // namespace jitnorm::tests
