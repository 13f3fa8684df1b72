// SPDX-License-Identifier: Apache-2.0
// The race's own knobs.
#include "benchdnn-lite/command_lines.hpp"
#include "race/run_race.hpp"

namespace benchdnn_lite {
namespace {

TEST(race_options, knobs_of_the_race_and_of_benchdnn_lite) {
    const race_options o = parse_race_options(
        {"--threads=3", "--peer=x.so", "--dir=BWD_DW", "--rounds=20", "--json=a", "--then-read", "2x8", "4x8"});
    EXPECT_EQ(o.conditions.threads, 3);
    EXPECT_EQ(o.peer, "x.so");
    EXPECT_EQ(o.conditions.rounds, 20);
    EXPECT_TRUE(o.conditions.then_read);
    EXPECT_FALSE(parse_race_options({"2x8"}).conditions.then_read);
    EXPECT_FALSE(o.plain);
    EXPECT_TRUE(parse_race_options({"--plain", "2x8"}).plain);
    EXPECT_EQ(o.json, "a");
    EXPECT_EQ(o.plan, "");
    EXPECT_EQ(parse_race_options({"--plan=l2:1,last_level:33554432", "2x8"}).plan, "l2:1,last_level:33554432");
    ASSERT_EQ(o.jobs.size(), 2);
    EXPECT_EQ(o.jobs[1].prb.line(), "--dir=BWD_DW 4x8");
}

TEST(race_options, without_a_problem_the_whole_table_both_ways) {
    const race_options o = parse_race_options({"--threads=2"});
    ASSERT_EQ(o.jobs.size(), 24);
    EXPECT_EQ(o.jobs[0].prb.line(), "--flags=CH --eps=1e-05 1x768");
    EXPECT_EQ(o.jobs[23].prb.line(), "--dir=BWD_DW --flags=CH --eps=1e-05 200000x128");
}

TEST(race_options, problems_for_the_plain_loop) {
    const job_list jobs = parse_race_options({"--plain", "--batch=race_plain"}).jobs;
    ASSERT_EQ(jobs.size(), 3 * 2 * 9);
    EXPECT_EQ(jobs[53].prb.line(), "--dir=FWD_I --dt=bf16 --flags=CM --eps=1e-05 --inplace=true "
                                   "--attr-residual=src1+dst1 4096x4096");
}

TEST(race_options, mistakes) {
    for (const char *argument :
         {"--threads=0", "--threads", "--threads=x", "--rounds=0", "--json=", "--peer", "--peer=", "--plan",
          "--plan=", "--plan=l2", "--plan=l3:1", "--plan=l2:0", "--plan=l2:1,", "--plan=prefetch:0",
          "--plan=prefetch:3", "--plan=overlaps_batches:0", "--then-read=1", "--plain=1", "--speed=1"})
        EXPECT_THROW(parse_race_options({argument, "2x8"}), input_error) << argument;
    for (const char *other : {"--peer=x.so", "--plan=l2:1"})
        EXPECT_THROW(parse_race_options({"--plain", other, "2x8"}), input_error) << other;
}

TEST(race_options, a_knob_after_the_last_problem_is_named) {
    EXPECT_EQ(
        parse_race_options({"2x8", "--dt=bf16"}).warning,
        "warning: no problem follows --dt=bf16, which applies to nothing: a knob holds for the problems after it");
    EXPECT_EQ(parse_race_options({"2x8", "--rounds=20"}).warning, "") << "the race's own hold for all";
    EXPECT_EQ(parse_race_options({"--dt=bf16"}).warning, "") << "the race's problems follow";
}

TEST(race_options, a_mistake_names_its_knob) {
    const auto mistake_in = [](const words &arguments) { return mistake_of([&] { parse_race_options(arguments); }); };
    EXPECT_EQ(mistake_in({"--threads=none"}), "--threads: 'none' is not an integer");
    EXPECT_EQ(mistake_in({"--peer="}), "--peer needs a value after an equals sign: --peer=FILE");
    EXPECT_EQ(mistake_in({"--rounds"}), "--rounds needs a value after an equals sign: --rounds=N");
    EXPECT_EQ(mistake_in({"--then-read=1"}), "--then-read takes no value");
}

TEST(race_options, a_knob_that_prints_races_nothing) {
    EXPECT_EQ(parse_race_options({"--help", "--threads=2"}).text, race_help());
    EXPECT_EQ(parse_race_options({"2x8"}).text, "");
    EXPECT_EQ(parse_race_options({"--version"}).text, parse_command_line({"--version"}).text);
}

} // namespace
} // namespace benchdnn_lite
