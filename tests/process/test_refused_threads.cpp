// SPDX-License-Identifier: Apache-2.0
// Where the system starts no threads GCC's OpenMP ends the process at its first parallel region. A stream with a thread
// pool of the caller's starts none of its own: that is the way around.
#include <gtest/gtest.h>

#include <system_error>
#include <thread>

#include <grp.h>
#include <sys/resource.h>

#include "support/child.hpp"
#include "support/small_pool.hpp"
#include "work.hpp"

namespace jitnorm::tests {
namespace {

constexpr uid_t NOBODY = 65534;

bool threads_start() {
    try {
        std::thread([] {}).join();
        return true;
    } catch (const std::system_error &) {
        return false;
    }
}

// From now on this process has the threads that it has. Root has no limit, so it becomes nobody.
bool refuse_threads() {
    const rlimit none = {0, 0};
    if (geteuid() == 0 && (setgroups(0, nullptr) != 0 || setresgid(NOBODY, NOBODY, NOBODY) != 0 ||
                           setresuid(NOBODY, NOBODY, NOBODY) != 0))
        return false;
    return setrlimit(RLIMIT_NPROC, &none) == 0 && !threads_start();
}

// Before any parallel region: afterwards OpenMP has the threads it wants.
TEST(refused_threads, a_thread_pool_is_the_way_around) {
    expect_child_succeeds([] {
        small_pool some(2);
        if (!refuse_threads()) _exit(CANNOT_BE_TRIED);
        work w;
        const auto expected = w.run_on(make_stream(some.as_seen_by_the_library()));
        need(some.calls() > 0, "the pool's threads work");
        need(w.run_on(make_stream({nullptr, nullptr, 1})) == expected, "the executing thread alone");
    });
}

} // namespace
} // namespace jitnorm::tests
