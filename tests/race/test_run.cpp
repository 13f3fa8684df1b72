// SPDX-License-Identifier: Apache-2.0
// The whole program against peers made up here.
#include <chrono>
#include <thread>

#include "raced.hpp"

namespace benchdnn_lite {
namespace {

// Ours once more, perhaps with one element of dst changed.
peer mirror(const execution &e, double error) {
    const auto run = [&e, error] {
        e.run();
        const buffer &dst = e.data(JITNORM_ARG_DST);
        const dim_t last = dst.elements() - 1;
        if (error != 0) dst.set(last, dst.at(last) + error);
    };
    return {run, &e, "mirror"};
}

peer_library mirrors(double error) {
    return {"Mirror 1", [error](const execution &e) { return std::vector{mirror(e, error)}; }};
}

// Ours once more after a rest.
peer sleeper(const execution &e) {
    const auto run = [&e] {
        std::this_thread::sleep_for(std::chrono::milliseconds(5));
        e.run();
    };
    return {run, &e, "sleeper"};
}

TEST(race_run, a_peer_that_agrees_is_raced) {
    expect(0, {"against Mirror 1, 1 thread.", "forward: 2 of 2 raced"}, mirrors(0), {"--rounds=1", "3x40", "5x7"});
}

TEST(race_run, with_a_pass_that_reads_the_result) {
    const auto json = raced({"each with a pass that reads the result"}, mirrors(0), {"--then-read", "3x40"});
    EXPECT_EQ(json["then_read"], true);
}

TEST(race_run, a_peer_that_errs_is_no_opponent) {
    for (const double error : {0.5, std::numeric_limits<double>::quiet_NaN()})
        expect(1, {"results differ in argument 17", "forward: 0 of 1 raced"}, mirrors(error), {"--rounds=1", "3x40"});
}

TEST(race_run, a_peer_that_comes_close_and_promised_our_bits_is_raced_and_reported) {
    peer_library other = mirrors(1e-5);
    expect(0, {}, other, {"--rounds=1", "3x40"});
    other.promises_our_bits = true;
    expect(1, {"(bits differ in argument 17)", "forward: 1 of 1 raced"}, other, {"--rounds=1", "3x40"});
}

TEST(race_run, of_several_peers_the_fastest_counts) {
    for (const bool sleeper_first : {false, true}) {
        const peer_library other{"Two 1", [=](const execution &e) {
                                     const peer slow = sleeper(e), fast = mirror(e, 0);
                                     return sleeper_first ? std::vector{slow, fast} : std::vector{fast, slow};
                                 }};
        const auto race =
            raced({"(the faster one: mirror)", "forward: 1 of 1 raced"}, other, {"--rounds=3", "3x40"})["races"][0];
        EXPECT_EQ(race["peer"], "mirror");
        EXPECT_LT(double(race["peer_us"]), 5000) << "the sleeper's time";
    }
}

TEST(race_run, results_of_all_peers_are_compared) {
    for (const bool first_errs : {false, true}) {
        const peer_library other{
            "Two 1", [=](const execution &e) {
                return std::vector{mirror(e, first_errs ? 0.5 : 0), mirror(e, first_errs ? 0 : 0.5)};
            }};
        expect(1, {"results differ in argument 17", "forward: 0 of 1 raced"}, other, {"--rounds=1", "3x40"});
    }
}

TEST(race_run, a_peer_that_refuses_leaves_ours_and_the_limit) {
    expect(0, {"(refused: not today)", "forward: 0 of 1 raced; ours/limit"}, nobody(), {"--rounds=1", "3x40"});
}

TEST(race_run, json_has_what_the_table_has) {
    const auto json = raced({}, mirrors(0), {"--threads=2", "3x40_n\"a name\""});
    EXPECT_EQ(json["peer"], "Mirror 1");
    EXPECT_EQ(json["threads"], 2);
    EXPECT_EQ(json["forward"]["raced"], 1);
    EXPECT_TRUE(json["backward"]["peer_over_ours_mean"].is_null());
    const auto &race = json["races"][0];
    EXPECT_EQ(race["problem"], "3x40_n\"a name\"");
    EXPECT_EQ(race["bytes"], 2 * 3 * 40 * 4);
    EXPECT_NEAR(double(race["peer_over_ours"]), double(race["peer_us"]) / double(race["ours_us"]), 0.01);
    EXPECT_NEAR(double(race["ours_over_limit"]), double(race["ours_us"]) / double(race["limit_us"]),
                0.01 * double(race["ours_over_limit"]));
}

TEST(race_run, mistakes_and_files_that_cannot_be_written) {
    expect(2, {}, mirrors(0), {"--threads=none"});
    const answer a = run(mirrors(0), {"--rounds=1", "--json=/no/such/folder/x", "3x40"});
    EXPECT_EQ(a.status, 2);
    EXPECT_EQ(a.text, "") << "known before anything is raced";
    expect(1, {}, mirrors(0), {"--rounds=1", "--json=/dev/full", "3x40"});
    expect(0, {}, mirrors(0), {"--help"});
    EXPECT_EQ(run(mirrors(0), {"--version"}).text.rfind("benchdnn-lite ", 0), 0);
}

TEST(race_run, problems_that_cannot_be_raced_are_skipped) {
    expect(0, {"(skipped: Skip-impl option hit)", "(skipped: nothing to move)", "forward: 1 of 3 raced"}, mirrors(0),
           {"--rounds=1", "--impl=no_such_name", "3x40", "--impl=", "3x40", "0x40"});
}

TEST(race_run, the_limit_moves_what_is_added_and_kept_too) {
    const auto bytes_of = [](std::vector<std::string> knobs) {
        knobs.emplace_back("3x40");
        return int(raced({}, nobody(), knobs)["races"][0]["bytes"]) / (3 * 40);
    };
    EXPECT_EQ(bytes_of({"--dt=f32:bf16"}), 4 + 2);
    EXPECT_EQ(bytes_of({"--attr-residual=src1+dst1:bf16"}), 4 + 4 + 4 + 2);
    EXPECT_EQ(bytes_of({"--attr-residual=src1", "--inplace=true"}), 4 + 4 + 4);
    EXPECT_EQ(bytes_of({"--dt=f32:s8", "--attr-pre-quantization=dst2:f16", "--attr-scales=dst:per_row"}), 4 + 1 + 2);
    EXPECT_EQ(bytes_of({"--dir=BWD_D", "--dt=f32:f32:bf16"}), 4 + 4 + 2);
    EXPECT_EQ(bytes_of({"--dir=BWD_D", "--attr-residual=dst1:f16"}), 4 + 4 + 4 + 2);
}

} // namespace
} // namespace benchdnn_lite
