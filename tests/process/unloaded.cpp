// SPDX-License-Identifier: Apache-2.0
// unloaded LIBRARY: a thread that used the library ends after dlclose(), and the process forks: both run the library's
// code.
#include <atomic>
#include <thread>

#include <dlfcn.h>
#include <sys/wait.h>

#include "jitnorm/jitnorm_aclnn.h"
#include "work.hpp"

using jitnorm::tests::need;

int main(int, char **arguments) {
    void *library = dlopen(arguments[1], RTLD_NOW | RTLD_LOCAL);
    need(library != nullptr, "dlopen");
    const auto fail = reinterpret_cast<decltype(&jitnorm_acl_fail)>(dlsym(library, "jitnorm_acl_fail"));
    std::atomic<bool> used = false, closed = false;
    std::thread user([&] {
        fail(1, "a function", "whose failure is kept for the thread");
        used = true;
        while (!closed) std::this_thread::yield();
    });
    while (!used) std::this_thread::yield();
    need(dlclose(library) == 0, "dlclose");
    closed = true;
    user.join();
    const pid_t child = fork();
    if (child == 0) _exit(0);
    int status = 1;
    need(waitpid(child, &status, 0) == child && status == 0, "a fork");
    return 0;
}
