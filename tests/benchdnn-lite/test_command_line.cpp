// SPDX-License-Identifier: Apache-2.0
// The command line: cross products in benchdnn's order, knobs that hold, --reset.
#include "command_lines.hpp"
#include "problem/threads.hpp"

#include <unistd.h>

namespace benchdnn_lite {
namespace {

// Each knob's list varies slower than all lists after it in benchdnn's nest of loops.
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

// As of <(grep 768 FILE) in a shell; a pipe has a name only in /dev/fd.
TEST(command_line, a_batch_file_may_be_a_pipe) {
    int ends[2];
    ASSERT_EQ(pipe(ends), 0);
    ASSERT_EQ(write(ends[1], "2x3", 3), 3);
    close(ends[1]);
    EXPECT_EQ(lines_of({"--lnorm", concat("--batch=/dev/fd/", std::to_string(ends[0])), "4x5"}), (words{"2x3", "4x5"}));
    close(ends[0]);
}

TEST(command_line, reset_spares_the_mode) {
    const command c = parse_command_line({"--lnorm", "--mode=P", "--seed=7", "--flags=C", "--reset", "2x3"});
    EXPECT_EQ(c.jobs[0].prb.line(), "2x3");
    EXPECT_TRUE(c.jobs[0].options.mode.time);
    EXPECT_EQ(c.jobs[0].options.seed, 7u);
}

run_options options_after(const words &knobs) {
    words arguments = knobs;
    arguments.insert(arguments.end(), {"--lnorm", "2x3"});
    return parse_command_line(arguments).jobs[0].options;
}

TEST(command_line, modes) {
    const auto mode = [](const char *text) { return options_after({concat("--mode=", text)}).mode; };
    EXPECT_TRUE(mode("C").check && !mode("C").time && !mode("C").list);
    EXPECT_TRUE(!mode("p").check && mode("p").time);
    EXPECT_TRUE(mode("CP").check && mode("PC").time);
    EXPECT_TRUE(mode("L").list && !mode("L").check);
    EXPECT_TRUE(mode("cb").check && mode("CB").bitwise && !mode("CB").time);
    EXPECT_TRUE(mode("I").init && !mode("I").check);
    EXPECT_TRUE(mode("R").run && !mode("R").check);
    EXPECT_TRUE(mode("F").time && mode("F").fast);
    EXPECT_EQ(mode(""), run_mode{});
    for (const char *text : {"L", "I", "R", "C", "B", "P", "F", "CB", "CBP"}) EXPECT_EQ(to_text(mode(text)), text);
}

TEST(command_line, fast_performance_is_performance_with_both_modifiers_and_little_time) {
    const run_options fast = options_after({"--max-ms-per-prb=700", "--mode=F"});
    EXPECT_TRUE(fast.creates_in_parallel() && !fast.fills());
    EXPECT_EQ(fast.time_limit_ms(), 10);
    const run_options later = options_after({"--mode=F", "--max-ms-per-prb=700", "--mode=P"});
    EXPECT_TRUE(!later.creates_in_parallel() && later.fills());
    EXPECT_EQ(later.time_limit_ms(), 700);
    const run_options spelled = options_after({"--mode=P", "--mode-modifier=pM"});
    EXPECT_TRUE(spelled.creates_in_parallel() && !spelled.fills());
}

TEST(command_line, without_filling_there_is_nothing_to_check) {
    EXPECT_NE(mistake_in({"--lnorm", "--mode-modifier=M", "2x3"}), "");
    EXPECT_NE(mistake_in({"--lnorm", "--mode=B", "--mode-modifier=M", "2x3"}), "");
    EXPECT_EQ(mistake_in({"--lnorm", "--mode=CF", "2x3"}),
              "--mode: F fills no tensors, so that nothing can be checked");
    EXPECT_EQ(mistake_in({"--lnorm", "--mode=I", "--mode-modifier=M", "2x3"}), "");
}

TEST(command_line, no_value_is_the_default) {
    for (const knob &k : knobs_of(driver::lnorm)) {
        if (k.example.empty() || k.name == "json" || k.name == "batch") continue;
        const words lines =
            lines_of({"--lnorm", concat("--", k.name, "=", k.example), concat("--", k.name, "="), "2x3"});
        EXPECT_EQ(lines, (words{"2x3"})) << k.name;
    }
    EXPECT_EQ(lines_of({"--lnorm", "--stat_tag=", "2x3"}), (words{"2x3"})) << "any, as in benchdnn";
}

TEST(command_line, empty_elements_of_lists) {
    EXPECT_EQ(lines_of({"--lnorm", "--flags=,CH,", "2x3"}), (words{"2x3", "--flags=CH 2x3", "2x3"}));
    EXPECT_EQ(lines_of({"--lnorm", "--attr-scales=,src:common:2", "--attr-post-ops=relu,", "2x3"}),
              (words{"--attr-post-ops=relu 2x3", "2x3", "--attr-scales=src:common:2 --attr-post-ops=relu 2x3",
                     "--attr-scales=src:common:2 2x3"}));
    EXPECT_NE(mistake_in({"--lnorm", "--dt=f32,,bf16", "2x3"}), "");
    EXPECT_NE(mistake_in({"--lnorm", "--stat_tag=,abx", "2x3"}), "");
}

TEST(command_line, a_match_keeps_the_problems_whose_line_has_it) {
    EXPECT_EQ(lines_of({"--lnorm", "--match=CH.*x768", "--flags=,CH", "2x3", "5x768"}), (words{"--flags=CH 5x768"}));
    EXPECT_EQ(lines_of({"--lnorm", "--match=nothing", "2x3", "--match=4x5", "2x3", "4x5"}), (words{"4x5"}))
        << "what one match leaves out is no mistake while there is something to do";
    EXPECT_EQ(lines_of({"--lnorm", "--match=nothing", "--reset", "2x3"}), (words{"2x3"}));
    EXPECT_EQ(lines_of({"--lnorm", "--match=^--lnorm 2x3$", "2x3", "22x3"}), (words{"2x3"}));
    EXPECT_NE(mistake_in({"--lnorm", "--match=[", "2x3"}).find("--match: '[' is not a regular expression"),
              std::string::npos);
}

TEST(command_line, attributes_are_kept_in_the_line) {
    EXPECT_EQ(lines_of({"--lnorm", "--attr-fpmath=strict,bf16,tf32:true", "--attr-deterministic=true", "2x3"}),
              (words{"--attr-deterministic=true 2x3", "--attr-fpmath=bf16 --attr-deterministic=true 2x3",
                     "--attr-fpmath=tf32:true --attr-deterministic=true 2x3"}));
    EXPECT_EQ(lines_of({"--lnorm", "--attr-acc-mode=strict,any,s32", "2x3"}),
              (words{"2x3", "--attr-acc-mode=any 2x3", "--attr-acc-mode=s32 2x3"}));
    EXPECT_EQ(lines_of({"--lnorm", "--attr-residual=,src1+dst1:bf16+bias+rounded,src1:f32:ba", "2x3"}),
              (words{"2x3", "--attr-residual=src1+dst1:bf16+bias:f32+rounded 2x3", "--attr-residual=src1:f32:ba 2x3"}));
    EXPECT_EQ(lines_of({"--lnorm", "--attr-pre-quantization=,dst2,dst2:bf16:ba", "2x3"}),
              (words{"2x3", "--attr-pre-quantization=dst2 2x3", "--attr-pre-quantization=dst2:bf16:ba 2x3"}));
}

TEST(command_line, parts_of_the_summary) {
    const auto parts = [](const char *value) {
        return parse_command_line({"--lnorm", concat("--summary=", value), "2x3"}).summary;
    };
    EXPECT_EQ(parts(""), (summary_parts{true, false, false}));
    EXPECT_EQ(parts("no-failures"), (summary_parts{false, false, false}));
    EXPECT_EQ(parts("impl+impl-csv"), (summary_parts{true, true, true}));
    EXPECT_EQ(parts("impl+no-failures+no-impl"), (summary_parts{false, false, false}));
}

TEST(command_line, threads_of_creation_and_execution) {
    const auto contexts = [](const char *knob) {
        const problem p = parse_command_line({"--lnorm", knob, "2x3"}).jobs[0].prb;
        return std::pair(p.creation_threads, p.execution_threads);
    };
    EXPECT_EQ(contexts("--ctx-init=3"), std::pair(3, 0));
    EXPECT_EQ(contexts("--ctx-exe=2:auto:1"), std::pair(0, 2));
    EXPECT_EQ(contexts("--ctx-exe=auto:0"), std::pair(0, 0));
    EXPECT_EQ(lines_of({"--lnorm", "--ctx-init=auto,1", "--ctx-exe=4", "2x3"}),
              (words{"--ctx-exe=4 2x3", "--ctx-init=1 --ctx-exe=4 2x3"}));
    for (const char *knob : {"--ctx-init=0", "--ctx-exe=-1", "--ctx-exe=many", "--ctx-exe=1:2:3:4", "--ctx-exe=1:x",
                             "--ctx-exe=1::1", "--ctx-exe=1:auto:0"})
        EXPECT_NE(mistake_in({"--lnorm", knob, "2x3"}), "") << knob;
}

TEST(command_line, a_context_lasts_as_long_as_it_lives) {
    const int before = thread_count();
    {
        const other_thread_count other(before + 2);
        EXPECT_EQ(thread_count(), before + 2);
        const other_thread_count same(0);
        EXPECT_EQ(thread_count(), before + 2);
    }
    EXPECT_EQ(thread_count(), before);
}

// Neither the knobs between shapes, nor repetitions, nor a match change which job has which number.
TEST(command_line, a_job_is_found_by_its_number) {
    const command c = parse_command_line({"--lnorm", "--repeats-per-prb=2", "--flags=,C,CH", "--match=C", "2x3",
                                          "--seed=7", "4x5", "--match=", "--flags=H", "6x7"});
    const words expected{"--flags=C 2x3", "--flags=C 2x3",  "--flags=CH 2x3", "--flags=CH 2x3", "--flags=C 4x5",
                         "--flags=C 4x5", "--flags=CH 4x5", "--flags=CH 4x5", "--flags=H 6x7",  "--flags=H 6x7"};
    ASSERT_EQ(c.jobs.size(), expected.size());
    for (size_t i = expected.size(); i-- > 0;) {
        EXPECT_EQ(c.jobs[i].prb.line(), expected[i]) << i;
        EXPECT_EQ(c.jobs[i].options.seed, i < 4 ? 1u : 7u) << i;
    }
}

TEST(command_line, implementations_are_chosen_by_parts_of_their_names) {
    const problem chosen = parse_command_line({"--lnorm", "--impl=\"avx2\",ref", "2x3"}).jobs[0].prb;
    EXPECT_TRUE(chosen.filter.accepts("jit:avx2") && chosen.filter.accepts("ref:any"));
    EXPECT_FALSE(chosen.filter.accepts("jit:avx512"));
    EXPECT_EQ(chosen.line(), "--impl=avx2,ref 2x3");
    EXPECT_EQ(lines_of({"--lnorm", "--impl='a b',c", "2x3"}), (words{"--impl=\"a b\",c 2x3"}));
    EXPECT_EQ(mistake_in({"--lnorm", "--skip-impl=\"jit", "2x3"}), "--skip-impl: the quotes in '\"jit' do not match");
    const problem skipping = parse_command_line({"--lnorm", "--impl=ref", "--skip-impl=avx512", "2x3"}).jobs[0].prb;
    EXPECT_TRUE(skipping.filter.accepts("jit:avx2") && !skipping.filter.accepts("jit:avx512"));
    EXPECT_EQ(lines_of({"--lnorm", "--skip-impl=ref", "--reset", "2x3"}), (words{"2x3"}));
}

TEST(command_line, canonical_lines_name_every_knob_and_reproduce) {
    const job j = parse_command_line({"--canonical=true", "--lnorm", "2x3"}).jobs[0];
    const std::string line = j.line();
    for (const char *part :
         {"--mode=C ", "--mode-modifier= ", "--lnorm ", "--engine=cpu ", "--dir=FWD_D ", "--dt=f32 ", "--tag=abx ",
          "--stat_tag=any ", "--flags= ", "--inplace=false ", "--attr-scratchpad=library "})
        EXPECT_NE(line.find(part), std::string::npos) << part << " in " << line;
    EXPECT_EQ(lines_of(split(line, ' ')), (words{"2x3"}));
}

TEST(command_line, verbosity_has_a_short_form) {
    EXPECT_EQ(options_after({"-v5"}).verbosity, 5);
    EXPECT_EQ(options_after({"--verbose=2"}).verbosity, 2);
    EXPECT_NE(mistake_in({"-vx", "--lnorm", "2x3"}), "");
}

TEST(command_line, cold_caches) {
    const auto text = [](const char *value) {
        return to_text(options_after({concat("--cold-cache=", value)}).cold_cache);
    };
    EXPECT_EQ(text(""), "none");
    EXPECT_EQ(text("wei"), "wei");
    EXPECT_EQ(text("weights"), "wei");
    EXPECT_EQ(text("all+tlb"), "all+tlb:1024M");
    EXPECT_EQ(text("all+tlb:0.5g"), "all+tlb:512M");
    for (const char *value :
         {"some", "custom", "none+tlb", "all+", "all+tlb:", "all+tlb:1", "all+tlb:-1G", "all+tlb:9e9G", "all+tlb+tlb"})
        EXPECT_NE(mistake_in({concat("--cold-cache=", value), "--lnorm", "2x3"}), "") << value;
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
    const words lines =
        lines_of({"--lnorm", "--dir=BWD_DW", "--dt=f32:bf16:f16,f64", "--tag=axb,abx:axb:xba", "--stat_tag=undef,abx",
                  "--ss_dt=f16:f32", "--flags=GCHM", "--eps=1e-5,0,1e-5:f64", "--attr-scales=dst:common:1e20",
                  "--attr-post-ops=sum:0.1+add:f32:per_oc", "--attr-residual=dst1:bf16", "--attr-scratchpad=user",
                  "--inplace=true", "2x4x16_n\"a*2\""});
    ASSERT_EQ(lines.size(), 24u);
    EXPECT_EQ(lines[0], "--dir=BWD_DW --dt=f32:bf16:f16 --tag=axb --stat_tag=undef --ss_dt=f16:f32 --flags=GCHM "
                        "--eps=1e-05 --inplace=true --attr-residual=dst1:bf16 --attr-scales=dst:common:1e20 "
                        "--attr-post-ops=sum:0.1+add:f32:per_oc --attr-scratchpad=user 2x4x16_n\"a*2\"");
    for (const std::string &line : lines) {
        words again = split(line, ' ');
        again.insert(again.begin(), "--lnorm");
        EXPECT_EQ(lines_of(again), (words{line}));
    }
}

} // namespace
} // namespace benchdnn_lite
