// SPDX-License-Identifier: Apache-2.0
// late_executions MOMENT: executes, and creates, when a thread or the process ends. MOMENT:
//   exit          in an exit handler of a program that executed before
//   creation      the same with new primitives, the handler registered before the library's first use
//   main_object   in the destructor of a thread_local object of the main thread, made before the library's first use
//   object        the same in another thread
//   keys          in the destructor of a pthread key, as often as the system calls it
// Status 0 says that the execution at that moment took place and had the bits of one before it.
#include <climits>
#include <cstdlib>
#include <functional>
#include <string_view>
#include <thread>

#include <pthread.h>

#include "work.hpp"

using namespace jitnorm::tests;

namespace {

constexpr unsigned HANGS_AFTER = 60; // seconds

work *shared = nullptr; // never destroyed: its user comes last
std::vector<unsigned char> *expected = nullptr;
int late_runs = 0;

void first_use() {
    shared = new work;
    need(shared->scratchpad_bytes() >= 256 * 1024, "a scratchpad of a size that is unmapped when it is freed");
    expected = new std::vector<unsigned char>(shared->run());
}

void run_late() {
    ++late_runs;
    need(shared->run() == *expected, "the late execution's bits");
}

// Kernels that there are and kernels that there are not.
void create_late() {
    need(work().run() == *expected, "the bits of a primitive created late");
    work(jitnorm_bf16, jitnorm_use_scale).run();
    run_late();
}

struct at_end {
    void (*run)() = nullptr;
    ~at_end() {
        if (run != nullptr) run();
    }
};
thread_local at_end object;

void run_and_leave() {
    run_late();
    _exit(0);
}

void create_and_leave() {
    create_late();
    _exit(0);
}

pthread_key_t key;

void run_in_each_round(void *) {
    run_late();
    need(late_runs == PTHREAD_DESTRUCTOR_ITERATIONS || pthread_setspecific(key, &key) == 0, "the key again");
}

void in_a_thread(const std::function<void()> &body, int runs) {
    std::thread(body).join();
    need(late_runs == runs, "the number of late executions");
    std::exit(0);
}

void register_and_use(void (*handler)()) {
    need(std::atexit(handler) == 0, "an exit handler");
    first_use();
}

} // namespace

int main(int, char **arguments) {
    alarm(HANGS_AFTER);
    const std::string_view moment = arguments[1];
    if (moment == "exit") register_and_use(run_and_leave);
    if (moment == "creation") register_and_use(create_and_leave);
    if (moment == "main_object") {
        object.run = run_and_leave;
        first_use();
    }
    if (moment == "object")
        in_a_thread(
            [] {
                object.run = run_late;
                first_use();
            },
            1);
    if (moment == "keys")
        in_a_thread(
            [] {
                need(pthread_key_create(&key, run_in_each_round) == 0 && pthread_setspecific(key, &key) == 0, "a key");
                first_use();
            },
            PTHREAD_DESTRUCTOR_ITERATIONS);
    return 1; // what comes late says otherwise
}
