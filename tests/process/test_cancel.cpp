// SPDX-License-Identifier: Apache-2.0
// A thread that is cancelled while it creates or executes ends after the call, not within: neither the log nor a file
// is where it ends.
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>

#include <fcntl.h>
#include <pthread.h>

#include "work.hpp"

namespace jitnorm::tests {
namespace {

class cancel : public testing::Test {
protected:
    // The log goes nowhere: what counts is that it is written.
    void SetUp() override {
        std::fflush(stdout);
        stdout_ = dup(STDOUT_FILENO);
        const int nowhere = open("/dev/null", O_WRONLY);
        dup2(nowhere, STDOUT_FILENO);
        close(nowhere);
        EXPECT_EQ(jitnorm_set_verbose(2), jitnorm_success);
    }
    void TearDown() override {
        EXPECT_EQ(jitnorm_set_verbose(0), jitnorm_success);
        dup2(stdout_, STDOUT_FILENO);
        close(stdout_);
    }

private:
    int stdout_ = -1;
};

bool call_returned = false;

// Not inlined: of frames that a cancellation ends, the address sanitizer knows nothing.
template <typename Body>
[[gnu::noinline]] void run_cancelled(void *body) {
    pthread_cancel(pthread_self());
    (*static_cast<Body *>(body))();
    call_returned = true;
}

// Runs body in a thread that has been cancelled and may end wherever the system lets it.
template <typename Body>
void expect_to_end_after(Body &&body) {
    call_returned = false;
    pthread_t thread{};
    const auto run = [](void *argument) -> void * {
        run_cancelled<std::remove_reference_t<Body>>(argument);
        pthread_testcancel();
        return nullptr;
    };
    ASSERT_EQ(pthread_create(&thread, nullptr, run, &body), 0);
    void *result = nullptr;
    ASSERT_EQ(pthread_join(thread, &result), 0);
    EXPECT_TRUE(call_returned);
    EXPECT_EQ(result, PTHREAD_CANCELED) << "the cancellation itself is not lost";
}

TEST_F(cancel, an_execution_that_logs) {
    work w(jitnorm_f32, 0, 2, 33);
    const auto expected = w.run(); // clang's OpenMP runtime reads files when it starts, where it can be cancelled
    std::vector<unsigned char> result;
    expect_to_end_after([&] { result = w.run(); });
    EXPECT_EQ(result, expected);
}

TEST_F(cancel, a_creation_that_writes_files) {
    char folder[] = "/tmp/jitnorm-cancel-XXXXXX";
    ASSERT_NE(mkdtemp(folder), nullptr);
    EXPECT_EQ(jitnorm_set_primitive_cache_capacity(0), jitnorm_success);
    EXPECT_EQ(jitnorm_set_jit_dump_folder(folder), jitnorm_success);
    EXPECT_EQ(jitnorm_set_jit_dump(1), jitnorm_success);
    bool generated = false;
    expect_to_end_after([&] { generated = std::string(work().implementation()) != "ref:any"; });
    EXPECT_EQ(jitnorm_set_jit_dump(0), jitnorm_success);
    EXPECT_EQ(jitnorm_set_primitive_cache_capacity(1024), jitnorm_success);
    EXPECT_EQ(std::filesystem::is_empty(folder), !generated);
    std::filesystem::remove_all(folder);
}

} // namespace
} // namespace jitnorm::tests
