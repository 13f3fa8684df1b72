// SPDX-License-Identifier: Apache-2.0
// The program as a user meets it: exit statuses, both output streams, batch files.
#include "cli.hpp"

namespace benchdnn_lite_cli {
namespace {

TEST_F(cli, a_passing_problem) {
    expect(0, "--lnorm 15x3",
           {"__REPRO: --lnorm 15x3\n",
            "tests:1 passed:1 skipped:0 mistrusted:0 unimplemented:0 invalid_arguments:0 failed:0 listed:0\n"});
    EXPECT_EQ(out_.find("0:PASSED"), 0u) << out_;
    EXPECT_EQ(err_, "");
}

TEST_F(cli, help) {
    expect(0, "--help", {"\n  --batch="});
    EXPECT_EQ(err_, "");
}

// Somebody who keeps the output in a file has to hear that it is not all there.
TEST_F(cli, output_that_is_lost_is_told_and_is_status_1) {
    for (const char *arguments : {"--lnorm 15x3", "--graph --case=op/f32/lnorm.json", "--help", "--version"})
        for (const char *output : {"/dev/full", "&-"}) {
            expect(1, std::string(arguments) + " 1>" + output + "; }", {}, PROGRAM, "{");
            EXPECT_EQ(err_, "benchdnn-lite: cannot write to standard output\n") << arguments << " >" << output;
        }
}

TEST_F(cli, a_file_of_results_that_cannot_be_written_is_reported) {
    for (const char *file : {"missing/results.json", "."}) {
        expect(2, std::string("--lnorm --json=") + file + " 15x3");
        EXPECT_EQ(out_, "") << "known before anything runs";
        EXPECT_EQ(err_, std::string("benchdnn-lite: --json: cannot write '") + file + "'\n");
    }
    expect(1, "--lnorm --json=/dev/full 15x3");
    EXPECT_EQ(err_, "benchdnn-lite: cannot write /dev/full\n");
}

TEST_F(cli, a_knob_that_applies_to_nothing_is_named_on_stderr) {
    expect(0, "--lnorm 15x3 --dt=bf16", {"0:PASSED (", "__REPRO: --lnorm 15x3\n"});
    EXPECT_EQ(err_, "benchdnn-lite: warning: no problem follows --dt=bf16, which applies to nothing: a knob holds for "
                    "the problems after it\n");
}

TEST_F(cli, a_mistake_in_a_variable_of_the_library_is_reported) {
    for (const char *variable :
         {"JITNORM_CACHES=l2=1M", "JITNORM_JIT_PROFILE=abc", "JITNORM_JIT_DUMP=/no/such", "JITNORM_VERBOSE=true"}) {
        run("--lnorm --mode=C 2x8", PROGRAM, variable);
        EXPECT_EQ(status_, 0) << variable;
        EXPECT_EQ(count_of(out_ + err_, "jitnorm_verbose,v1,error,"), 1u) << variable << "\n" << out_ << err_;
    }
}

TEST_F(cli, tests_before_the_start_are_skipped) {
    expect(0, "--lnorm --start=2 --flags=,C,CH 15x3", {"tests:3 passed:1 skipped:2 "});
    for (const char *skipped : {"0:SKIPPED (--start=2) ", "1:SKIPPED (--start=2) ", "2:PASSED ("})
        EXPECT_EQ(count_of(out_, skipped), 1u) << skipped << "\n" << out_;
    expect(0, "--lnorm --mode=P --mode-modifier=P --fix-times-per-prb=1 --start=1 15x3 2x3",
           {"0:SKIPPED (--start=1) ", "tests:2 passed:1 skipped:1 "});
    expect(0, "--graph --start=1 --case=op/f32/lnorm.json --case=op/f32/lnorm.json",
           {"0:SKIPPED (--start=1) ", "1:PASSED ("});
}

TEST_F(cli, a_summary_counts_the_implementations) {
    const std::string reference = "--lnorm --summary=impl+impl-csv --impl=ref 15x3 2x3 --skip-impl=ref,jit 4x5";
    expect(0, reference, {"\nimplementations:\n  ref:any: 2 (100%)\n", "\nbenchdnn_summary,impl_names,ref:any:2\n"});
    expect(0, "--lnorm --summary=impl --impl=ref 15x3 2x3 --summary=no-impl");
    EXPECT_EQ(count_of(out_, "ref:any: 2"), 0u) << "the last one counts\n" << out_;
}

TEST_F(cli, listing_runs_nothing) {
    expect(0, "--lnorm --mode=L --flags=,CH 15x3 1024x1024",
           {"__REPRO: --mode=L --lnorm --flags=CH 1024x1024\n", "passed:0", "listed:4"});
    EXPECT_EQ(count_of(out_, ":LISTED"), 4u) << out_;
}

TEST_F(cli, batch_files_nest_beside_each_other) {
    write("outer", "# shapes\n--flags=CH\n--batch=deeper/middle\n5x6\n");
    write("deeper/middle", "--dir=FWD_I\n--batch=inner 3x4\n");
    write("deeper/inner", "1x2\n");
    const std::string knobs = "--lnorm --dir=FWD_I --flags=CH ";
    expect(0, "--lnorm --mode=L --batch=outer 7x8",
           {knobs + "1x2\n", knobs + "3x4\n", knobs + "5x6\n", knobs + "7x8\n"});
}

// As benchdnn does: in the order in which folders were named. The working directory comes first.
TEST_F(cli, batch_files_are_found_in_folders_named_earlier) {
    write("two/other", "1x2\n");
    write("two/inner", "3x4\n");
    write("one/file", "--batch=inner\n");
    write("one/inner", "5x6\n");
    const std::string arguments = "--lnorm --mode=L --batch=two/other --batch=one/file";
    expect(0, arguments, {"--lnorm 1x2\n", "--lnorm 3x4\n", " listed:2\n"});
    write("inner", "7x8\n");
    expect(0, arguments, {"--lnorm 1x2\n", "--lnorm 7x8\n", " listed:2\n"});
}

TEST_F(cli, batch_files_that_come_with_the_program_are_found_anywhere) {
    for (const char *file : {"shapes_models", "inputs/lnorm/shapes_bert", "test_lnorm_smoke"}) {
        expect(0, std::string("--lnorm --mode=L --batch=") + file);
        EXPECT_GT(count_of(out_, ":LISTED"), 5u) << file;
    }
    expect(2, "--lnorm --batch=shape_bert");
    EXPECT_EQ(err_, "benchdnn-lite: --batch: no such file 'shape_bert' (the closest is shapes_bert)\n");
}

TEST_F(cli, a_mistake_in_a_batch_file_names_its_line_before_anything_runs) {
    write("outer", "15x3\n--batch=inner\n");
    write("inner", "\n# comment\n--dt=f31\n");
    expect(2, "--lnorm --batch=outer");
    EXPECT_EQ(out_, "");
    EXPECT_EQ(err_, "benchdnn-lite: outer:2: inner:3: --dt: unknown data type 'f31' (the closest is f32)\n");
}

TEST_F(cli, a_batch_file_that_includes_itself_is_a_mistake) {
    write("outer", "--batch=inner\n");
    write("inner", "--batch=outer\n");
    expect(2, "--lnorm --batch=outer");
    EXPECT_NE(err_.find("includes itself"), std::string::npos) << err_;
}

TEST_F(cli, a_run_in_which_no_implementation_is_left_fails) {
    expect(1, "--lnorm --impl=none_such -v2 15x3",
           {"[IMPL_FILTER] Implementation skipped: ref:any", "0:SKIPPED (Skip-impl option hit)",
            "nothing ran: --impl and --skip-impl leave no implementation"});
    expect(1, "--lnorm --impl=none_such --dt=f32,s32 15x3", {"nothing ran"});
    expect(0, "--lnorm --impl=none_such 15x3 --impl= 15x3");
}

TEST_F(cli, what_is_skipped_says_why) {
    expect(1, "--lnorm --batch=test_lnorm_skips", {"tests:11 passed:0 skipped:11 "});
    std::istringstream lines(out_);
    std::string line;
    for (const char *reason :
         {"Invalid case: in place needs one data type and one layout",
          "Invalid case: in place needs one data type and one layout",
          "Data type not supported: backward takes no integers", "Data type not supported: backward takes no integers",
          "Case not supported: backward takes neither scales nor post-operations",
          "Case not supported: backward takes neither scales nor post-operations", "Data type not supported: s32",
          "Skip-impl option hit", "Skip-impl option hit", "the library has no name for the blocked tag Ab3a",
          "Not enough RAM: needs 16.0 PB"}) {
        std::getline(lines, line);
        EXPECT_NE(line.find(std::string(":SKIPPED (") + reason), std::string::npos) << line;
    }
    expect(0, "--lnorm --mode=L --batch=test_lnorm_skips",
           {"__REPRO: --mode=L --lnorm --allow-enum-tags-only=false --tag=Ab3a 7x33\n"});
}

TEST_F(cli, the_file_of_all_syntax_is_read_as_meant) {
    expect(0, "--lnorm --mode=L --batch=test_lnorm_syntax",
           {" listed:899\n", // one problem more or less: is it one that was meant?
            "7x33_n\"first*48&second*48\"\n", "7x33_n\"two words, # no comment --dir=BWD_D\"\n",
            "7x33_n\"as in older files\"\n", "--dir=FWD_I --dt=f16:s8 7x33\n", "--flags=GCHM 7x33\n",
            "--dir=BWD_DW --ss_dt=f16:f32 --flags=CH 7x33\n", "--attr-scales=src:common:0.25 7x33\n",
            "--attr-post-ops=sum:0.25+relu+mul:f32:per_tensor+tanh 2x7x9\n", "--impl=jit,ref 7x33\n",
            "7x33_n\"chosen*2\"\n", "--dir=FWD_I --flags=CH 3x10_n\"nested*2\"\n",
            "--dir=FWD_I --flags=CH 5x8_n\"with what the nested file has set\"\n",
            "7x33_n\"without an end of line\"\n"});
}

// benchdnn's own files make that many. Each takes a few hundred bytes of output, which the program must not keep.
TEST_F(cli, many_problems_take_little_memory) {
    write("many", "--dt=f32:s8,bf16:u8,s8,u8 --flags=,C,H,CH,G,GC,GH,GCH --attr-scales=,src:common:2,dst:common:4\n"
                  "--tag=abx,axb --stat_tag=abx,axb,any --attr-scratchpad=library,user\n"
                  "--attr-post-ops=,relu,tanh,linear:2:1,add:f32:per_oc --dir=FWD_I,FWD_D --repeats-per-prb=3\n"
                  "2x3x4 3x4x5 4x5x6\n");
    expect(0, "--lnorm --mode=L --json=results.json --batch=many", {" listed:103680\n"});
#ifndef JITNORM_SANITIZED
    EXPECT_LT(peak_kilobytes_, 40'000);
#endif
}

TEST_F(cli, what_the_machine_cannot_hold_is_skipped_and_the_rest_runs) {
    expect(0, "--lnorm 1000000000x1000000 15x3", {"1:PASSED"});
    EXPECT_EQ(out_.find("0:SKIPPED (Not enough RAM: needs "), 0u) << out_;
}

TEST_F(cli, a_hopeless_graph_is_reported_and_the_rest_runs) {
    const auto first = [&](const std::string &shape) {
        run("--graph --op-attrs=0:use_affine:0 --in-shapes=0:" + shape +
            " --case=op/f32/lnorm.json --reset --case=op/f32/lnorm.json");
        EXPECT_NE(out_.find("\n1:PASSED"), out_.npos) << shape << ": " << out_ << err_;
        return out_.substr(0, out_.find(" ("));
    };
    for (const char *too_large_to_hold : {"1000000000000x2", "0x1000000000000"})
        EXPECT_EQ(first(too_large_to_hold), "0:SKIPPED") << too_large_to_hold;
    for (const char *too_large_to_describe :
         {"4611686018427387904x4", "3037000500x3037000500", "0x2305843009213693951"})
        EXPECT_EQ(first(too_large_to_describe), "0:INVALID_ARGUMENTS") << too_large_to_describe;
}

TEST_F(cli, a_mistake_that_the_library_finds_in_a_graph_is_reported_once) {
    expect(1, "--graph --op-attrs=0:begin_norm_axis:7 --case=op/f32/lnorm.json");
    EXPECT_EQ(out_.find("0:FAILED (invalid_graph_op: could not add an operation to a graph: begin_norm_axis is 7; "
                        "src has 2 dimensions) ("),
              0u)
        << out_;
}

TEST_F(cli, what_the_library_finds_invalid_is_failed) {
    expect(1, "--lnorm 2x2x2x2x2x2",
           {"0:INVALID_ARGUMENTS (jitnorm_layer_normalization_forward_primitive_desc_create_v2 answered "
            "invalid_arguments: src has 6 dimensions; 2 to 5 are supported)",
            "invalid_arguments:1 failed:1"});
}

TEST_F(cli, only_statistics_are_checked) {
    expect(0, "--lnorm --mode=C --tag=abx:undef,axb:undef --dt=f32,bf16,f64 --flags=,M 3x5x70 2x4x9000", {"passed:24"});
    expect(0, "--lnorm --dir=FWD_I --tag=abx:undef 3x5x70", {"without dst forward training writes only statistics"});
}

// The library's log describes a problem in this syntax.
TEST_F(cli, a_line_of_the_library_s_log_is_a_problem) {
    for (const char *knobs :
         {"--flags=GCHM --dt=bf16:f32", "--dir=BWD_DW --flags=CH --dt=f32:bf16:f16 --tag=axb:abx:xba --ss_dt=bf16:f32",
          "--dir=FWD_I --dt=f32:s8 --attr-scales=dst:common:0.5 --attr-post-ops=sum:0.5+add:f32:per_oc+linear:2:1",
          "--dt=bf16 --attr-residual=src1:f32:axb+dst1+bias:f16+rounded", "--dir=BWD_D --attr-residual=dst1:bf16",
#define FURTHER_OUTPUT(place, number, attribute, name, knob, ...)                                                      \
    "--dt=f32:s8 --" knob "=dst" #number ":bf16:axb --attr-post-ops=relu --attr-scales=dst:per_row",
#include "../../tables/outputs.inc"
          "--tag=aBx8b --stat_tag=undef --attr-scratchpad=user",
          "--tag=axb:undef --flags=M --attr-residual=src1+dst1"}) {
        expect(0, std::string("--lnorm ") + knobs + " 5x6x7", {}, PROGRAM, "JITNORM_VERBOSE=1");
        const size_t begin = out_.find(",--dir="), end = out_.find(" 5x6x7,");
        ASSERT_TRUE(begin != out_.npos && end > begin) << out_;
        const std::string logged = out_.substr(begin + 1, end - begin - 1);
        expect(0, "--lnorm " + logged + " 5x6x7", {"," + logged + " 5x6x7,"}, PROGRAM, "JITNORM_VERBOSE=1");
    }
}

} // namespace
} // namespace benchdnn_lite_cli
