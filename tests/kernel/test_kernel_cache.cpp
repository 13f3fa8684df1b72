// SPDX-License-Identifier: Apache-2.0
// The kernel cache: one generation per key, failures handed to everyone who waits, the least recently used goes first.
#include <gtest/gtest.h>

#include <atomic>
#include <stdexcept>
#include <thread>
#include <vector>

#include "jit/kernel_cache.hpp"

namespace jitnorm::impl::jit {
namespace {

constexpr uint8_t RETURN[] = {0xc3};

code_ptr make_code() { return std::make_shared<const code>(RETURN, "test"); }

// Keys that no real kernel has.
kernel_key key(bool a, bool b, bool c = false) {
    return forward_conf{.kind = {isa::none}, .written = normalize_conf{.scale = a, .shift = b, .non_temporal = c}};
}

class kernel_cache : public testing::Test {
protected:
    void SetUp() override {
        set_kernel_cache_capacity(0);
        set_kernel_cache_capacity(1024);
    }
    void TearDown() override { SetUp(); }
};

// Several threads that ask for one kernel, of which the one that generates waits until all have come to ask.
template <typename Ask> // void(int thread, all_there), where all_there() waits
void ask_at_once(int threads, Ask &&ask) {
    std::atomic<int> missing = threads;
    const auto all_there = [&] {
        while (missing > 0) std::this_thread::yield();
    };
    std::vector<std::jthread> asking;
    for (int t = 0; t < threads; ++t)
        asking.emplace_back([&, t] {
            --missing;
            ask(t, all_there);
        });
}

TEST_F(kernel_cache, generates_once_for_many_threads) {
    std::atomic<int> generated = 0;
    std::vector<code_ptr> got(8);
    ask_at_once(int(got.size()), [&](int thread, auto &&all_there) {
        got[size_t(thread)] = find_or_generate(key(true, true), [&] {
            ++generated;
            all_there();
            return make_code();
        });
    });
    EXPECT_EQ(generated, 1);
    for (const code_ptr &one : got) EXPECT_EQ(one, got[0]);
}

TEST_F(kernel_cache, failure_reaches_all_waiters_and_is_not_kept) {
    std::atomic<int> failures = 0;
    ask_at_once(4, [&](int /* thread */, auto &&all_there) {
        try {
            find_or_generate(key(true, true), [&]() -> code_ptr {
                all_there();
                throw std::runtime_error("no");
            });
        } catch (const std::runtime_error &) {
            ++failures;
        }
    });
    EXPECT_EQ(failures, 4);
    EXPECT_NE(find_or_generate(key(true, true), make_code), nullptr);
}

// A kernel that is being generated may be dropped, and another thread may ask for it again before the first one fails.
TEST_F(kernel_cache, failure_leaves_a_kernel_that_was_made_meanwhile) {
    const code *meanwhile = nullptr;
    const auto fail = [&]() -> code_ptr {
        SetUp();
        meanwhile = find_or_generate(key(true, true), make_code).get();
        throw std::runtime_error("no");
    };
    EXPECT_THROW(find_or_generate(key(true, true), fail), std::runtime_error);
    bool generated = false;
    const code_ptr found = find_or_generate(key(true, true), [&] {
        generated = true;
        return make_code();
    });
    EXPECT_FALSE(generated);
    EXPECT_EQ(found.get(), meanwhile);
}

TEST_F(kernel_cache, least_recently_used_goes_first) {
    set_kernel_cache_capacity(2);
    EXPECT_EQ(kernel_cache_capacity(), 2);
    const code_ptr a = find_or_generate(key(false, false), make_code),
                   b = find_or_generate(key(false, true), make_code);
    EXPECT_EQ(find_or_generate(key(false, false), make_code), a); // a is now the younger
    find_or_generate(key(true, true), make_code);
    EXPECT_EQ(find_or_generate(key(false, false), make_code), a);
    EXPECT_NE(find_or_generate(key(false, true), make_code), b);
}

TEST_F(kernel_cache, a_dropped_kernel_lives_with_its_user) {
    set_kernel_cache_capacity(0);
    const code_ptr mine = find_or_generate(key(false, false), make_code);
    mine->entry<void()>()();
    EXPECT_EQ(mine.use_count(), 1);
}

} // namespace
} // namespace jitnorm::impl::jit
