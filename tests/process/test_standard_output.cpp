// SPDX-License-Identifier: Apache-2.0
// The log on a standard output that is a pipe without a reader, a pipe that is full, or a stream that the program
// prints to: nothing happens to the process.
#include <gtest/gtest.h>

#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <thread>

#include <fcntl.h>

#include "written_files.hpp"

namespace jitnorm::tests {
namespace {

const std::string LINE = "jitnorm_verbose,v1,error,jitnorm_stream_wait,invalid_arguments,stream is null\n";

// A failure that is logged. It changes nothing that the program can see.
void fail() {
    errno = 77;
    need(jitnorm_stream_wait(nullptr) == jitnorm_invalid_arguments && errno == 77, "an error that is logged");
}

bool is_pending(int signal) {
    sigset_t pending;
    return sigpending(&pending) == 0 && sigismember(&pending, signal) == 1;
}

bool is_blocked(int signal) {
    sigset_t blocked;
    return pthread_sigmask(SIG_BLOCK, nullptr, &blocked) == 0 && sigismember(&blocked, signal) == 1;
}

// A pipe whose writing end is standard output. Returns the reading end.
int pipe_from_standard_output() {
    int ends[2];
    need(pipe(ends) == 0 && dup2(ends[1], STDOUT_FILENO) == STDOUT_FILENO && close(ends[1]) == 0, "a pipe");
    return ends[0];
}

std::string read_all(int pipe) {
    std::string text(1 << 20, '\0');
    need(fcntl(pipe, F_SETFL, O_NONBLOCK) == 0, "the pipe");
    const ssize_t size = read(pipe, text.data(), text.size());
    text.resize(size_t(std::max<ssize_t>(size, 0)));
    return text;
}

void fill_standard_output() {
    const std::string much(4096, '.');
    need(fcntl(STDOUT_FILENO, F_SETFL, O_NONBLOCK) == 0, "the pipe");
    while (write(STDOUT_FILENO, much.data(), much.size()) > 0) {
    }
    need(fcntl(STDOUT_FILENO, F_SETFL, 0) == 0, "the pipe");
}

volatile std::sig_atomic_t broken_pipes = 0;

class standard_output : public testing::Test {
protected:
    void SetUp() override { EXPECT_EQ(jitnorm_set_verbose(1), jitnorm_success); }
    void TearDown() override { EXPECT_EQ(jitnorm_set_verbose(0), jitnorm_success); }
};

// A process of its own, in which nobody has asked for a log, or the environment has.
[[noreturn]] void fail_without_standard_output(const char *verbose) {
    verbose == nullptr ? unsetenv("JITNORM_VERBOSE") : setenv("JITNORM_VERBOSE", verbose, 1);
    const int nowhere = open("/dev/null", O_WRONLY);
    dup2(nowhere, STDOUT_FILENO);
    fail();
    std::exit(0);
}

TEST(standard_error, has_errors_that_nobody_asked_for) {
    GTEST_FLAG_SET(death_test_style, "threadsafe");
    EXPECT_EXIT(fail_without_standard_output(nullptr), testing::ExitedWithCode(0), "^" + LINE + "$");
    EXPECT_EXIT(fail_without_standard_output("error"), testing::ExitedWithCode(0), "^$");
    EXPECT_EXIT(fail_without_standard_output("none"), testing::ExitedWithCode(0), "^$");
}

TEST_F(standard_output, a_pipe_without_a_reader_neither_ends_the_process_nor_changes_its_signals) {
    expect_child_succeeds([] {
        close(pipe_from_standard_output());
        fail();
        need(!is_pending(SIGPIPE) && !is_blocked(SIGPIPE), "the thread's signals");
        std::signal(SIGPIPE, [](int) { broken_pipes = broken_pipes + 1; });
        fail();
        need(broken_pipes == 0, "the library's signal is not the program's");
        need(write(STDOUT_FILENO, "x", 1) < 0 && broken_pipes == 1, "the program's own signal");
        sigset_t one;
        sigemptyset(&one);
        sigaddset(&one, SIGPIPE);
        need(pthread_sigmask(SIG_BLOCK, &one, nullptr) == 0 && raise(SIGPIPE) == 0, "a signal that waits");
        fail();
        need(is_pending(SIGPIPE) && is_blocked(SIGPIPE), "the signal still waits");
    });
}

// A line that nobody reads is lost, and the next line that can be written says so.
TEST_F(standard_output, a_full_pipe_does_not_stop_the_process) {
    expect_child_succeeds([] {
        const int reader = pipe_from_standard_output();
        fill_standard_output();
        alarm(20);
        for (int i = 0; i < 100; ++i) fail();
        need(read_all(reader).find("jitnorm") == std::string::npos, "the pipe was full");
        fail();
        need(read_all(reader) == "jitnorm_verbose,v1,lost,100 lines\n" + LINE, "the lines after those that were lost");
        fail();
        need(read_all(reader) == LINE, "a line as usual");
    });
}

TEST_F(standard_output, lines_come_after_what_the_program_has_printed) {
    testing::internal::CaptureStdout();
    std::printf("before ");
    fail();
    std::printf("after");
    EXPECT_EQ(testing::internal::GetCapturedStdout(), "before " + LINE + "after");
}

TEST_F(standard_output, a_child_does_not_print_what_its_parent_has_printed) {
    testing::internal::CaptureStdout();
    std::printf("once ");
    const pid_t child = fork();
    if (child == 0) {
        fail();
        _exit(0);
    }
    int status = 0;
    EXPECT_EQ(waitpid(child, &status, 0), child);
    EXPECT_EQ(status, 0);
    EXPECT_EQ(testing::internal::GetCapturedStdout(), LINE + "once ");
}

TEST_F(standard_output, a_line_does_not_wait_for_a_thread_that_prints) {
    testing::internal::CaptureStdout();
    flockfile(stdout);
    std::thread(fail).join();
    funlockfile(stdout);
    EXPECT_EQ(testing::internal::GetCapturedStdout(), LINE);
}

// More than a pipe has room for is not written on the program's behalf. In a process that no fork has made.
TEST_F(standard_output, much_that_the_program_has_printed_does_not_stop_it) {
    GTEST_FLAG_SET(death_test_style, "threadsafe");
    const auto print_much_and_fail = [] {
        static char buffer[1 << 20];
        std::fflush(stdout);
        const int reader = pipe_from_standard_output();
        std::setvbuf(stdout, buffer, _IOFBF, sizeof buffer);
        for (int i = 0; i < 100'000; ++i) std::printf("much ");
        alarm(20);
        fail();
        const std::string got = read_all(reader);
        need(got.ends_with(LINE) && got.size() < 4096, got.c_str()); // stdio may write the first word at once
        _exit(0);
    };
    EXPECT_EXIT(print_much_and_fail(), testing::ExitedWithCode(0), "");
}

} // namespace
} // namespace jitnorm::tests
