// SPDX-License-Identifier: Apache-2.0
// Open sizes, many sessions and many threads.
#include <array>
#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <thread>

#include "norms.hpp"

using namespace support;

namespace {

void in_threads(int count, const std::function<void(int)> &body) {
    std::vector<std::thread> threads;
    for (int i = 0; i < count; ++i) threads.emplace_back(body, i);
    for (std::thread &one : threads) one.join();
}

// How many primitives a process makes in which the disabled test below has so many runs. It is a process of its own
// because the library reads its environment once.
int primitives_of_runs(int runs) {
    const std::string command = "JITNORM_VERBOSE=2 JITNORM_TEST_RUNS=" + std::to_string(runs) + " '" +
                                testing::internal::GetArgvs()[0] +
                                "' --gtest_also_run_disabled_tests --gtest_filter='*.DISABLED_run_as_often_as_asked'";
    const std::unique_ptr<FILE, int (*)(FILE *)> output(popen(command.c_str(), "r"), pclose);
    int found = 0;
    std::array<char, 4096> line;
    while (std::fgets(line.data(), int(line.size()), output.get()) != nullptr)
        found += std::string_view(line.data()).starts_with("jitnorm_verbose,v1,primitive,create,");
    return found;
}

} // namespace

TEST(sessions, DISABLED_run_as_often_as_asked) {
    const char *const runs = std::getenv("JITNORM_TEST_RUNS");
    const norm_case c{.op = "SkipLayerNormalization", .sum = true};
    const session ours(model_of(c, {-1, -1, 40}), {});
    for (int i = 0; runs != nullptr && i < std::atoi(runs); ++i) ours.run(inputs_of(c));
}

TEST(sessions, make_no_primitive_to_run_again) {
    const int once = primitives_of_runs(1);
    EXPECT_GT(once, primitives_of_runs(0)); // sizes that the model leaves open are known with the first run
    EXPECT_EQ(primitives_of_runs(20), once);
}

TEST(sessions, take_any_number_of_rows) {
    for (const char *op : {"LayerNormalization", "SkipSimplifiedLayerNormalization"}) {
        norm_case c{.op = op, .shift = false};
        const model m = model_of(c, {-1, -1, 40});
        auto ours = open(m);
        // More shapes than a node keeps, and the first ones again.
        for (int64_t i = 0; i < 100; ++i) {
            c.x = {1 + i % 2, 1 + i % 45, 40};
            expect_as(ours->run(inputs_of(c)), expectation_of(c, m, inputs_of(c)));
        }
        EXPECT_EQ(statistics_line(std::move(ours)), std::string("statistics: ") + op + ": 1 nodes, 100 runs;");
    }
}

// Enough rows for several threads of the session; the bits do not depend on their number.
TEST(sessions, have_the_same_bits_with_any_number_of_threads) {
    const norm_case c{.op = "SkipLayerNormalization", .x = {4, 512, 768}, .sum = true};
    const model m = model_of(c);
    const tensors inputs = inputs_of(c), wanted = session(m, {.given = {{"threads", "1"}}}).run(inputs);
    for (const int threads : {1, 2, 4})
        for (const char *hint : {"2", "7"}) {
            const tensors got = session(m, {.given = {{"threads", hint}}, .threads = threads}).run(inputs);
            EXPECT_EQ(got.at("y").values(), wanted.at("y").values());
            EXPECT_EQ(got.at("sum").values(), wanted.at("sum").values());
        }
}

TEST(sessions, may_be_run_by_many_threads) {
    const norm_case c{.op = "SkipLayerNormalization", .x = {2, 33, 40}, .bias = true, .rstd = true, .sum = true};
    const model m = model_of(c, {-1, -1, 40});
    auto ours = open(m, {.threads = 2});
    in_threads(4, [&](int thread) {
        for (int i = 0; i < 50; ++i) {
            norm_case mine = c;
            mine.x[1] = 1 + (thread + i) % 7;
            const tensors inputs = inputs_of(mine, unsigned(thread));
            expect_as(ours->run(inputs), expectation_of(mine, m, inputs));
        }
    });
    EXPECT_EQ(statistics_line(std::move(ours)), "statistics: SkipLayerNormalization: 1 nodes, 200 runs;");
}

TEST(sessions, come_and_go_while_others_run) {
    const norm_case c{.x = {8, 64, 96}};
    const model m = model_of(c);
    const tensors inputs = inputs_of(c);
    const expected wanted = expectation_of(c, m, inputs);
    std::atomic<int> runs = 0;
    in_threads(3, [&](int) {
        for (int i = 0; i < 20; ++i) {
            const session mine(m, {.threads = 2});
            expect_as(mine.run(inputs), wanted);
            ++runs;
        }
    });
    EXPECT_EQ(runs, 60);
}
