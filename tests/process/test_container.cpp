// SPDX-License-Identifier: Apache-2.0
// In a container whose control group grants fewer processors than the machine has, no more threads are started, unless
// somebody says how many.
#include <gtest/gtest.h>

#include <fstream>
#include <set>
#include <thread>

#include <omp.h>
#include <sched.h>
#include <sys/mount.h>

#include "base/parallel.hpp"
#include "support/child.hpp"
#include "work.hpp"

namespace jitnorm::tests {
namespace {

constexpr int PARTS = 64;

// From now on this process sees one control group, the root, with this quota.
bool grant(const char *cpu_max) {
    const int with_users = geteuid() == 0 ? 0 : CLONE_NEWUSER;
    if (unshare(CLONE_NEWNS | with_users) != 0) return false;
    if (mount(nullptr, "/", nullptr, MS_REC | MS_PRIVATE, nullptr) != 0) return false;
    if (mount("none", "/sys/fs/cgroup", "tmpfs", 0, nullptr) != 0) return false;
    return bool(std::ofstream("/sys/fs/cgroup/cpu.max") << cpu_max << std::flush);
}

size_t threads_that_work() {
    std::thread::id ids[PARTS];
    impl::parallel_parts(PARTS, [&](int part) { ids[part] = std::this_thread::get_id(); });
    return std::set(std::begin(ids), std::end(ids)).size();
}

void try_with(const char *cpu_max, const std::function<void()> &body) {
    if (omp_get_num_procs() < 2 || omp_get_max_threads() != omp_get_num_procs())
        GTEST_SKIP() << "OpenMP has not all of several processors";
    expect_child_succeeds([&] { grant(cpu_max) ? body() : _exit(CANNOT_BE_TRIED); });
}

TEST(container, has_no_more_threads_than_it_grants) {
    try_with("100000 100000\n", [] {
        need(impl::max_threads() == 1, "one thread is planned for");
        need(threads_that_work() == 1, "one thread works");
    });
}

TEST(container, has_as_many_as_the_program_says) {
    try_with("100000 100000\n", [] {
        omp_set_num_threads(omp_get_num_procs() + 1);
        need(impl::max_threads() == omp_get_num_procs() + 1, "the program's number is planned for");
        need(threads_that_work() > 1, "several threads work");
    });
}

TEST(container, without_a_quota_has_all) {
    try_with("max 100000\n", [] { need(impl::max_threads() == omp_get_num_procs(), "all are planned for"); });
}

} // namespace
} // namespace jitnorm::tests
