// SPDX-License-Identifier: Apache-2.0
// The program as a user meets it: exit statuses, what goes to which stream, batch files.
#include "cli.hpp"

namespace benchdnn_lite_cli {
namespace {

TEST_F(cli, a_passing_problem) {
    run("--lnorm 15x3");
    EXPECT_EQ(status_, 0);
    EXPECT_EQ(out_.find("0:PASSED"), 0u) << out_;
    EXPECT_NE(out_.find("__REPRO: --lnorm 15x3\n"), std::string::npos) << out_;
    EXPECT_NE(
        out_.find("tests:1 passed:1 skipped:0 mistrusted:0 unimplemented:0 invalid_arguments:0 failed:0 listed:0\n"),
        std::string::npos)
        << out_;
    EXPECT_EQ(err_, "");
}

TEST_F(cli, help) {
    run("--help");
    EXPECT_EQ(status_, 0);
    EXPECT_NE(out_.find("\n  --batch="), std::string::npos);
    EXPECT_EQ(err_, "");
}

// Somebody who keeps the output in a file has to hear that it is not all there.
TEST_F(cli, output_that_is_lost_is_told_and_is_status_1) {
    for (const char *arguments : {"--lnorm 15x3", "--graph --case=op/f32/lnorm.json", "--help", "--version"})
        for (const char *output : {"/dev/full", "&-"}) {
            run(std::string(arguments) + " 1>" + output + "; }", PROGRAM, "{");
            EXPECT_EQ(status_, 1) << arguments << " >" << output;
            EXPECT_EQ(err_, "benchdnn-lite: cannot write to standard output\n") << arguments << " >" << output;
        }
}

TEST_F(cli, a_file_of_results_that_cannot_be_written_is_told) {
    for (const char *file : {"missing/results.json", "."}) {
        run(std::string("--lnorm --json=") + file + " 15x3");
        EXPECT_EQ(status_, 2) << file;
        EXPECT_EQ(out_, "") << "known before anything runs";
        EXPECT_EQ(err_, std::string("benchdnn-lite: --json: cannot write '") + file + "'\n");
    }
    run("--lnorm --json=/dev/full 15x3");
    EXPECT_EQ(status_, 1);
    EXPECT_EQ(err_, "benchdnn-lite: cannot write /dev/full\n");
}

TEST_F(cli, a_mistake_is_one_line_on_stderr_and_status_2) {
    for (const char *arguments :
         {"", "--lnorm", "15x3", "--lnorm --no-such-knob=1 15x3", "--lnorm 15xthree", "--lnorm 15",
          "--lnorm --batch=missing", "--lnorm 99999999999999999999x3", "--lnorm 99999999999x99999999999",
          "--lnorm --tag=abc 15x3", "--lnorm 15x3 --dt=f31", "--conv 15x3", "--lnorm --batch=."}) {
        run(arguments);
        EXPECT_EQ(status_, 2) << arguments;
        EXPECT_EQ(out_, "") << arguments;
        EXPECT_EQ(count_of(err_, "\n"), 1u) << arguments << ": " << err_;
        EXPECT_EQ(err_.find("benchdnn-lite: "), 0u) << arguments << ": " << err_;
    }
}

TEST_F(cli, listing_runs_nothing) {
    run("--lnorm --mode=L --flags=,CH 15x3 1024x1024");
    EXPECT_EQ(status_, 0);
    EXPECT_EQ(count_of(out_, ":LISTED"), 4u) << out_;
    EXPECT_NE(out_.find("__REPRO: --mode=L --lnorm --flags=CH 1024x1024\n"), std::string::npos) << out_;
    EXPECT_NE(out_.find("passed:0"), std::string::npos) << out_;
    EXPECT_NE(out_.find("listed:4"), std::string::npos) << out_;
}

TEST_F(cli, batch_files_nest_beside_each_other) {
    write("outer", "# shapes\n--flags=CH\n--batch=deeper/middle\n5x6\n");
    write("deeper/middle", "--dir=FWD_I\n--batch=inner 3x4\n");
    write("deeper/inner", "1x2\n");
    run("--lnorm --mode=L --batch=outer 7x8");
    EXPECT_EQ(status_, 0) << err_;
    for (const char *shape : {"1x2", "3x4", "5x6", "7x8"})
        EXPECT_NE(out_.find(std::string("--lnorm --dir=FWD_I --flags=CH ") + shape + "\n"), std::string::npos) << out_;
}

TEST_F(cli, batch_files_that_come_with_the_program_are_found_anywhere) {
    for (const char *file : {"shapes_models", "inputs/lnorm/shapes_bert", "test_lnorm_smoke"}) {
        run(std::string("--lnorm --mode=L --batch=") + file);
        EXPECT_EQ(status_, 0) << err_;
        EXPECT_GT(count_of(out_, ":LISTED"), 5u) << file;
    }
}

TEST_F(cli, a_mistake_in_a_batch_file_names_its_line_before_anything_runs) {
    write("outer", "15x3\n--batch=inner\n");
    write("inner", "\n# comment\n--dt=f31\n");
    run("--lnorm --batch=outer");
    EXPECT_EQ(status_, 2);
    EXPECT_EQ(out_, "");
    EXPECT_EQ(err_, "benchdnn-lite: outer:2: inner:3: --dt: unknown data type 'f31'\n");
}

TEST_F(cli, a_batch_file_that_includes_itself_is_a_mistake) {
    write("outer", "--batch=inner\n");
    write("inner", "--batch=outer\n");
    run("--lnorm --batch=outer");
    EXPECT_EQ(status_, 2);
    EXPECT_NE(err_.find("includes itself"), std::string::npos) << err_;
}

TEST_F(cli, in_place_with_two_types_is_skipped_with_the_reason) {
    run("--lnorm --inplace=true --dt=f32:bf16 15x3");
    EXPECT_EQ(status_, 0);
    EXPECT_NE(out_.find("0:SKIPPED (Invalid case: in place needs one data type and one layout)"), std::string::npos)
        << out_;
    EXPECT_NE(out_.find("skipped:1"), std::string::npos) << out_;
}

TEST_F(cli, what_is_not_defined_is_skipped_with_the_reason) {
    run("--lnorm --dir=BWD_D --dt=s8 15x3");
    EXPECT_EQ(status_, 0);
    EXPECT_NE(out_.find("0:SKIPPED (Data type not supported: backward takes no integers)"), std::string::npos) << out_;
    run("--lnorm --allow-enum-tags-only=0 --tag=Ab3a 15x3");
    EXPECT_NE(out_.find("0:SKIPPED (the library has no name for the blocked tag Ab3a)"), std::string::npos) << out_;
    run("--lnorm --impl=none_such -v2 15x3");
    EXPECT_NE(out_.find("[IMPL_FILTER] Implementation skipped: ref:any"), std::string::npos) << out_;
    EXPECT_NE(out_.find("0:SKIPPED (Skip-impl option hit)"), std::string::npos) << out_;
    EXPECT_EQ(status_, 1) << "nothing was left to do";
    EXPECT_NE(out_.find("nothing ran: --impl and --skip-impl leave no implementation"), std::string::npos) << out_;
    run("--lnorm --impl=none_such 15x3 --impl= 15x3");
    EXPECT_EQ(status_, 0) << err_;
}

TEST_F(cli, what_is_skipped_says_why) {
    run("--lnorm --batch=test_lnorm_skips");
    EXPECT_EQ(status_, 0) << err_;
    std::istringstream lines(out_);
    std::string line;
    for (const char *reason :
         {"Invalid case: in place needs one data type and one layout",
          "Invalid case: in place needs one data type and one layout",
          "Data type not supported: backward takes no integers", "Data type not supported: backward takes no integers",
          "Case not supported: scales and post-operations are forward's",
          "Case not supported: scales and post-operations are forward's", "Data type not supported: s32",
          "Skip-impl option hit", "Skip-impl option hit", "the library has no name for the blocked tag Ab3a",
          "Not enough RAM: needs 16.0 PB"}) {
        std::getline(lines, line);
        EXPECT_NE(line.find(std::string(":SKIPPED (") + reason), std::string::npos) << line;
    }
    EXPECT_NE(out_.find("tests:11 passed:0 skipped:11 "), std::string::npos) << out_;
    run("--lnorm --mode=L --batch=test_lnorm_skips");
    EXPECT_NE(out_.find("__REPRO: --mode=L --lnorm --allow-enum-tags-only=false --tag=Ab3a 7x33\n"), std::string::npos)
        << out_;
}

TEST_F(cli, the_file_of_all_syntax_is_read_as_meant) {
    run("--lnorm --mode=L --batch=test_lnorm_syntax");
    EXPECT_EQ(status_, 0) << err_;
    EXPECT_NE(out_.find(" listed:899\n"), std::string::npos) << "one problem more or less: is it one that was meant?";
    for (const char *problem :
         {"7x33_n\"first*48&second*48\"", "7x33_n\"two words, # no comment --dir=BWD_D\"",
          "7x33_n\"as in older files\"", "--dir=FWD_I --dt=f16:s8 7x33", "--flags=GCHM 7x33",
          "--dir=BWD_DW --ss_dt=f16:f32 --flags=CH 7x33", "--attr-scales=src:common:0.25 7x33",
          "--attr-post-ops=sum:0.25+relu+mul:f32:per_tensor+tanh 2x7x9", "--impl=jit,ref 7x33", "7x33_n\"chosen*2\"",
          "--dir=FWD_I --flags=CH 3x10_n\"nested*2\"",
          "--dir=FWD_I --flags=CH 5x8_n\"with what the nested file has set\"", "7x33_n\"without an end of line\""})
        EXPECT_NE(out_.find(std::string(problem) + "\n"), std::string::npos) << problem;
}

// benchdnn's own files make that many. Each takes a few hundred bytes of output, which the program must not keep.
TEST_F(cli, many_problems_take_little_memory) {
    write("many", "--dt=f32:s8,bf16:u8,s8,u8 --flags=,C,H,CH,G,GC,GH,GCH --attr-scales=,src:common:2,dst:common:4\n"
                  "--tag=abx,axb --stat_tag=abx,axb,any --attr-scratchpad=library,user\n"
                  "--attr-post-ops=,relu,tanh,linear:2:1,add:f32:per_oc --dir=FWD_I,FWD_D --repeats-per-prb=3\n"
                  "2x3x4 3x4x5 4x5x6\n");
    run("--lnorm --mode=L --json=results.json --batch=many");
    EXPECT_EQ(status_, 0) << err_;
    EXPECT_NE(out_.find(" listed:103680\n"), std::string::npos) << out_.substr(out_.size() - 200);
#ifndef JITNORM_SANITIZED
    EXPECT_LT(peak_kilobytes_, 40'000);
#endif
}

TEST_F(cli, what_the_machine_cannot_hold_is_skipped_and_the_rest_runs) {
    run("--lnorm 1000000000x1000000 15x3");
    EXPECT_EQ(status_, 0);
    EXPECT_EQ(out_.find("0:SKIPPED (Not enough RAM: needs "), 0u) << out_;
    EXPECT_NE(out_.find("1:PASSED"), std::string::npos) << out_;
}

TEST_F(cli, a_hopeless_graph_is_told_and_the_rest_runs) {
    const auto first = [&](const std::string &shape) {
        run("--graph --op-attrs=0:use_affine:0 --in-shapes=0:" + shape +
            " --case=op/f32/lnorm.json --reset --case=op/f32/lnorm.json");
        EXPECT_NE(out_.find("\n1:PASSED"), std::string::npos) << shape << ": " << out_ << err_;
        return out_.substr(0, out_.find(" ("));
    };
    for (const char *too_large_to_hold : {"1000000000000x2", "0x1000000000000"})
        EXPECT_EQ(first(too_large_to_hold), "0:SKIPPED") << too_large_to_hold;
    for (const char *too_large_to_describe :
         {"4611686018427387904x4", "3037000500x3037000500", "0x2305843009213693951"})
        EXPECT_EQ(first(too_large_to_describe), "0:INVALID_ARGUMENTS") << too_large_to_describe;
}

TEST_F(cli, what_the_library_finds_wrong_with_a_graph_is_told_once) {
    run("--graph --op-attrs=0:begin_norm_axis:7 --case=op/f32/lnorm.json");
    EXPECT_EQ(status_, 1);
    EXPECT_EQ(out_.find("0:FAILED (invalid_graph_op: could not add an operation to a graph: begin_norm_axis is 7 and "
                        "src has 2 dimensions) ("),
              0u)
        << out_;
}

TEST_F(cli, what_the_library_finds_invalid_is_failed) {
    run("--lnorm 2x2x2x2x2x2");
    EXPECT_EQ(status_, 1);
    EXPECT_NE(out_.find("0:INVALID_ARGUMENTS (jitnorm_layer_normalization_forward_primitive_desc_create_v2 answered "
                        "invalid_arguments: src has 6 dimensions, 2 to 5 are supported)"),
              std::string::npos)
        << out_;
    EXPECT_NE(out_.find("invalid_arguments:1 failed:1"), std::string::npos) << out_;
}

TEST_F(cli, statistics_alone_are_judged) {
    run("--lnorm --mode=C --tag=abx:undef,axb:undef --dt=f32,bf16,f64 --flags=,M 3x5x70 2x4x9000");
    EXPECT_EQ(status_, 0) << out_ << err_;
    EXPECT_NE(out_.find("passed:24"), std::string::npos) << out_;
    run("--lnorm --dir=FWD_I --tag=abx:undef 3x5x70");
    EXPECT_NE(out_.find("without dst forward training writes statistics alone"), std::string::npos) << out_;
}

// The library's log describes a problem in this syntax.
TEST_F(cli, a_line_of_the_library_s_log_is_a_problem) {
    for (const char *knobs :
         {"--flags=GCHM --dt=bf16:f32", "--dir=BWD_DW --flags=CH --dt=f32:bf16:f16 --tag=axb:abx:xba --ss_dt=bf16:f32",
          "--dir=FWD_I --dt=f32:s8 --attr-scales=dst:common:0.5 --attr-post-ops=sum:0.5+add:f32:per_oc+linear:2:1",
          "--dt=bf16 --attr-residual=src1:f32:axb+dst1+bias:f16+rounded", "--dir=BWD_D --attr-residual=dst1:bf16",
          "--dt=f32:s8 --attr-pre-quantization=dst2:bf16:axb --attr-scales=dst:per_row",
          "--tag=aBx8b --stat_tag=undef --attr-scratchpad=user",
          "--tag=axb:undef --flags=M --attr-residual=src1+dst1"}) {
        run(std::string("--lnorm ") + knobs + " 5x6x7", PROGRAM, "JITNORM_VERBOSE=1");
        ASSERT_EQ(status_, 0) << knobs << out_;
        const size_t begin = out_.find(",--dir="), end = out_.find(" 5x6x7,");
        ASSERT_TRUE(begin != out_.npos && end > begin) << out_;
        const std::string logged = out_.substr(begin + 1, end - begin - 1);
        run("--lnorm " + logged + " 5x6x7", PROGRAM, "JITNORM_VERBOSE=1");
        EXPECT_EQ(status_, 0) << logged << err_;
        EXPECT_NE(out_.find("," + logged + " 5x6x7,"), std::string::npos) << logged << "\n" << out_;
    }
}

} // namespace
} // namespace benchdnn_lite_cli
