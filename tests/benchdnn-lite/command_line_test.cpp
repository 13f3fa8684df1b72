// SPDX-License-Identifier: Apache-2.0
// The command line: cross products in benchdnn's order, knobs that hold, --reset, mistakes.
#include "command_line.hpp"

#include <gtest/gtest.h>

#include "error.hpp"
#include "knobs.hpp"
#include "text.hpp"

namespace benchdnn_lite {
namespace {

using words = std::vector<std::string>;

words lines_of(const words &arguments) {
    words lines;
    for (const job &j : parse_command_line(arguments).jobs) lines.push_back(j.prb.line());
    return lines;
}

std::string mistake_in(const words &arguments) {
    try {
        parse_command_line(arguments);
    } catch (const input_error &error) {
        return error.what();
    }
    return "";
}

TEST(command_line, one_shape_is_one_problem) { EXPECT_EQ(lines_of({"--lnorm", "128x768"}), (words{"128x768"})); }

TEST(command_line, later_lists_vary_faster) {
    EXPECT_EQ(lines_of({"--lnorm", "--inplace=false,true", "--flags=,CH", "--dir=FWD_D,FWD_I", "2x3"}),
              (words{"2x3", "--inplace=true 2x3", "--flags=CH 2x3", "--flags=CH --inplace=true 2x3", "--dir=FWD_I 2x3",
                     "--dir=FWD_I --inplace=true 2x3", "--dir=FWD_I --flags=CH 2x3",
                     "--dir=FWD_I --flags=CH --inplace=true 2x3"}));
}

// Each knob's list alone varies slower than all lists that come after it in benchdnn's nest of loops.
TEST(command_line, the_whole_order_is_benchdnn_s) {
    const words knobs_in_order = {"--dir=FWD_D,FWD_I",     "--dt=f32,bf16",
                                  "--tag=abx,axb",         "--stat_tag=any,abx",
                                  "--ss_dt=f32,bf16",      "--flags=,CH",
                                  "--eps=0.0625,0.5",      "--attr-scales=,src:common:2",
                                  "--attr-post-ops=,relu", "--attr-scratchpad=library,user",
                                  "--inplace=false,true"};
    for (size_t slow = 0; slow + 1 < knobs_in_order.size(); ++slow) {
        const words lines = lines_of({"--lnorm", knobs_in_order[slow + 1], knobs_in_order[slow], "2x3"});
        ASSERT_EQ(lines.size(), 4u);
        const std::string slow_knob = knobs_in_order[slow].substr(0, knobs_in_order[slow].find('='));
        EXPECT_EQ(lines[0].find(slow_knob + "="), std::string::npos) << lines[0];
        EXPECT_EQ(lines[1].find(slow_knob + "="), std::string::npos) << lines[1];
        EXPECT_NE(lines[2].find(slow_knob + "="), std::string::npos) << lines[2];
        EXPECT_NE(lines[3].find(slow_knob + "="), std::string::npos) << lines[3];
    }
}

TEST(command_line, knobs_hold_until_changed_and_do_not_reach_back) {
    EXPECT_EQ(lines_of({"--lnorm", "2x3", "--flags=C", "4x5", "6x7", "--flags=", "8x9"}),
              (words{"2x3", "--flags=C 4x5", "--flags=C 6x7", "8x9"}));
}

TEST(command_line, reset_spares_the_mode) {
    const command c = parse_command_line({"--lnorm", "--mode=P", "--seed=7", "--flags=C", "--reset", "2x3"});
    EXPECT_EQ(c.jobs[0].prb.line(), "2x3");
    EXPECT_TRUE(c.jobs[0].options.time);
    EXPECT_EQ(c.jobs[0].options.seed, 7u);
}

TEST(command_line, modes) {
    const auto options = [](const char *mode) {
        return parse_command_line({"--lnorm", concat("--mode=", mode), "2x3"}).jobs[0].options;
    };
    EXPECT_TRUE(options("C").check && !options("C").time && !options("C").list);
    EXPECT_TRUE(!options("p").check && options("p").time);
    EXPECT_TRUE(options("CP").check && options("CP").time);
    EXPECT_TRUE(options("L").list && !options("L").check);
}

TEST(command_line, times_are_held_within_benchdnn_s_limits) {
    const auto max_ms = [](const char *value) {
        return parse_command_line({"--lnorm", concat("--max-ms-per-prb=", value), "2x3"}).jobs[0].options.max_ms;
    };
    EXPECT_EQ(max_ms("1"), 10);
    EXPECT_EQ(max_ms("5e2"), 500);
    EXPECT_EQ(max_ms("1e9"), 60000);
}

TEST(command_line, a_line_reproduces_its_problem) {
    const words lines = lines_of({"--lnorm", "--dir=BWD_DW", "--dt=f32:bf16:f16,f64", "--tag=axb,abx:axb:xba",
                                  "--stat_tag=,abx", "--ss_dt=f16:f32", "--flags=GCHM", "--eps=1e-5,0",
                                  "--attr-scales=dst:common:0.3", "--attr-post-ops=sum:0.1+add:f32:per_oc",
                                  "--attr-scratchpad=user", "--inplace=true", "2x4x16_n\"a*2\""});
    EXPECT_EQ(lines.size(), 16u);
    for (const std::string &line : lines) {
        words again = split(line, ' ');
        again.insert(again.begin(), "--lnorm");
        EXPECT_EQ(lines_of(again), (words{line}));
    }
}

TEST(command_line, help_lists_every_knob) {
    EXPECT_TRUE(parse_command_line({"--help"}).help);
    EXPECT_TRUE(parse_command_line({"-h"}).help);
    for (const knob &k : knobs()) EXPECT_NE(help_text().find(concat("--", k.name)), std::string::npos) << k.name;
}

TEST(command_line, mistakes_name_the_knob_and_the_reason) {
    EXPECT_EQ(mistake_in({"--lnorm", "--dt=f31", "2x3"}), "--dt: unknown data type 'f31'");
    EXPECT_EQ(mistake_in({"--lnorm", "--flavour=1", "2x3"}), "unknown knob '--flavour' (--help lists them)");
    EXPECT_NE(mistake_in({"--lnorm", "--dt=f32:f32:f64", "2x3"}), "");
    EXPECT_NE(mistake_in({"--lnorm", "--tag=ab:ab:ab", "2x3"}), "");
    EXPECT_EQ(mistake_in({"--lnorm", "--dt", "2x3"}), "--dt needs a value");
    EXPECT_EQ(mistake_in({"--lnorm", "--reset=1", "2x3"}), "--reset takes no value");
    EXPECT_EQ(mistake_in({"--lnorm", "--tag=abc", "2x3"}), "tag 'abc' does not fit 2 dimensions");
    EXPECT_EQ(mistake_in({"--lnorm", "2xthree"}), "malformed problem '2xthree': 'three' is not an integer");
    EXPECT_EQ(mistake_in({"--lnorm"}), "no problem to run: give a shape such as 128x768, or --batch=FILE");
    EXPECT_EQ(mistake_in({"2x3"}), "name a driver: --lnorm is the only one (--help explains)");
    EXPECT_EQ(mistake_in({"--conv", "2x3"}), "unknown knob '--conv' (--help lists them)");
}

TEST(command_line, values_out_of_place_are_rejected) {
    for (const char *knob : {"--mode=",
                             "--mode=X",
                             "--mode=LC",
                             "--seed=-1",
                             "--seed=x",
                             "--fix-times-per-prb=1.5",
                             "--max-ms-per-prb=soon",
                             "--inplace=maybe",
                             "--ss_dt=f64",
                             "--ss_dt=s8",
                             "--eps=-1",
                             "--eps=nan",
                             "--dir=BWD_W",
                             "--stat_tag=q",
                             "--batch=no_such_file",
                             "--batch=",
                             "--attr-scratchpad=mine",
                             "-x",
                             "-",
                             "--",
                             "--=1"})
        EXPECT_NE(mistake_in({"--lnorm", knob, "2x3"}), "") << knob;
}

TEST(command_line, too_much_is_refused) {
    EXPECT_NE(mistake_in({"--lnorm", "10000000000x10000000"}).find("of memory, this machine has"), std::string::npos);
    std::string many = "0.1";
    for (int i = 0; i < 1100; ++i) many += ",0.1";
    EXPECT_EQ(mistake_in({"--lnorm", concat("--eps=", many),
                          concat("--attr-scales=",
                                 [] {
                                     std::string list;
                                     for (int i = 0; i < 1000; ++i) list += ",";
                                     return list;
                                 }()),
                          "2x3"}),
              "the knobs make more than a million problems");
}

} // namespace
} // namespace benchdnn_lite
