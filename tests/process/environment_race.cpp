// SPDX-License-Identifier: Apache-2.0
// One thread changes the environment without end while another creates primitives. The environment is so large that the
// system takes its old place away as soon as the C library frees it: whoever looks at it meanwhile crashes.
#include <atomic>
#include <cstdlib>
#include <string>
#include <thread>

#include "work.hpp"

using namespace jitnorm::tests;

namespace {

constexpr int VARIABLES = 40'000, CHANGES = 300, CREATIONS = 1000;

// setenv() copies the whole list to add to it, clearenv() frees the copy.
void change_environment(const std::atomic<int> &created, std::atomic<bool> &done) {
    std::string variable = "A=B";
    std::vector<char *> many(VARIABLES, variable.data());
    many.push_back(nullptr);
    for (int i = 0; i < CHANGES || created < CREATIONS; ++i) {
        environ = many.data();
        need(setenv("JITNORM_NO_VARIABLE", "1", 1) == 0 && clearenv() == 0, "a change of the environment");
    }
    done = true;
}

} // namespace

int main() {
    work first(jitnorm_f32, 0, 2, 33); // the first use, before there are threads
    std::atomic<int> created = 0;
    std::atomic<bool> done = false;
    std::thread changing([&] { change_environment(created, done); });
    for (; !done; ++created) work(jitnorm_f32, 0, 2, 33);
    changing.join();
    return 0;
}
