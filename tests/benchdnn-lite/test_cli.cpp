// SPDX-License-Identifier: Apache-2.0
// The program as a user meets it: exit statuses, what goes to which stream, batch files, the report of a failure.
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>
#include <sys/wait.h>
#include <unistd.h>

namespace {

namespace fs = std::filesystem;

size_t count_of(const std::string &text, const std::string &part) {
    size_t count = 0;
    for (size_t at = text.find(part); at != text.npos; at = text.find(part, at + 1)) ++count;
    return count;
}

class cli : public testing::Test {
protected:
    void SetUp() override {
        std::string name = (fs::temp_directory_path() / "benchdnn_lite_XXXXXX").string();
        ASSERT_NE(mkdtemp(name.data()), nullptr);
        folder_ = name;
    }
    void TearDown() override { fs::remove_all(folder_); }

    // `environment`: assignments before the program's name
    void run(const std::string &arguments, const std::string &program = PROGRAM, const std::string &environment = "") {
        const std::string out = (folder_ / "out").string(), err = (folder_ / "err").string();
        const std::string command = "cd " + folder_.string() + " && " + environment + " " + program + " " + arguments +
                                    " >" + out + " 2>" + err + " </dev/null";
        const int answer = std::system(command.c_str());
        status_ = WIFEXITED(answer) ? WEXITSTATUS(answer) : -1;
        out_ = content_of(out);
        err_ = content_of(err);
    }

    void write(const fs::path &name, const std::string &content) {
        fs::create_directories((folder_ / name).parent_path());
        std::ofstream(folder_ / name) << content;
    }

    static std::string content_of(const std::string &file) {
        std::ostringstream content;
        content << std::ifstream(file).rdbuf();
        return content.str();
    }

    fs::path folder_;
    int status_ = -1;
    std::string out_, err_;
};

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

TEST_F(cli, performance_names_the_implementation) {
    run("--lnorm --mode=P --perf-template=table --fix-times-per-prb=3 15x3", PROGRAM, "JITNORM_IMPL=ref:any");
    EXPECT_EQ(status_, 0);
    EXPECT_EQ(count_of(out_, "x memcpy"), 2u) << out_;
    EXPECT_NE(out_.find("\nEXECUTED ref:any "), std::string::npos) << out_;
}

TEST_F(cli, both_modes_check_before_timing) {
    run("--lnorm --mode=CP --perf-template=table --fix-times-per-prb=3 15x3 30x300");
    EXPECT_EQ(status_, 0);
    EXPECT_EQ(count_of(out_, "\nPASSED "), 2u) << out_;
    EXPECT_EQ(count_of(out_, "status "), 1u) << "one header\n" << out_;
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
    EXPECT_NE(out_.find(" listed:891\n"), std::string::npos) << "one problem more or less: is it one that was meant?";
    for (const char *problem :
         {"7x33_n\"first*48&second*48\"", "7x33_n\"two words, # no comment --dir=BWD_D\"",
          "7x33_n\"as in older files\"", "--dir=FWD_I --dt=f16:s8 7x33", "--flags=GCHM 7x33",
          "--dir=BWD_DW --ss_dt=f16:f32 --flags=CH 7x33", "--attr-scales=src:common:0.25 7x33",
          "--attr-post-ops=sum:0.25+relu+mul:f32:per_tensor+tanh 2x7x9", "--impl=jit,ref 7x33", "7x33_n\"chosen*2\"",
          "--dir=FWD_I --flags=CH 3x10_n\"nested*2\"",
          "--dir=FWD_I --flags=CH 5x8_n\"with what the nested file has set\"", "7x33_n\"without an end of line\""})
        EXPECT_NE(out_.find(std::string(problem) + "\n"), std::string::npos) << problem;
}

TEST_F(cli, bitwise_mode_runs_in_all_circumstances) {
    run("--lnorm --mode=B -v99 --inplace=true --tag=axb 2x3x33", PROGRAM, "JITNORM_MAX_CPU_ISA=AVX2");
    EXPECT_EQ(status_, 0) << out_;
    for (const char *circumstance : {"once more", "with 1 thread", "with 2 threads", "with 3 threads", "by ref:any",
                                     "in row-major layouts", "not in place", "for the row alone", "in a larger batch"})
        EXPECT_NE(out_.find(std::string(" 0 with other bits ") + circumstance), std::string::npos) << circumstance;
    run("--lnorm --mode=B --dir=BWD_DW --flags=CH --inplace=true 15x3 2x3x33");
    EXPECT_EQ(status_, 0) << out_;
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

TEST_F(cli, what_the_library_finds_invalid_is_failed) {
    run("--lnorm 2x2x2x2x2x2");
    EXPECT_EQ(status_, 1);
    EXPECT_NE(out_.find("0:INVALID_ARGUMENTS (jitnorm_layer_normalization_forward_primitive_desc_create_v2 answered "
                        "invalid_arguments)"),
              std::string::npos)
        << out_;
    EXPECT_NE(out_.find("invalid_arguments:1 failed:1"), std::string::npos) << out_;
}

TEST_F(cli, an_implementation_is_chosen) {
    run("--lnorm --impl=ref -v5 15x3");
    EXPECT_EQ(status_, 0);
    EXPECT_NE(out_.find("[IMPL] ref:any"), std::string::npos) << out_;
    EXPECT_NE(out_.find("__REPRO: --lnorm --impl=ref 15x3"), std::string::npos) << out_;
}

TEST_F(cli, initialization_and_execution_modes) {
    run("--lnorm --mode=I 15x3 100000x100000");
    EXPECT_EQ(status_, 0);
    EXPECT_NE(out_.find("1:INITIALIZED"), std::string::npos) << out_ << "creation needs no memory for tensors";
    EXPECT_NE(out_.find("passed:2"), std::string::npos) << out_;
    run("--lnorm --mode=R --mode-modifier=M 15x3");
    EXPECT_NE(out_.find("0:EXECUTED"), std::string::npos) << out_;
}

TEST_F(cli, a_performance_line_is_the_template_filled_in) {
    run("--lnorm --mode=P --fix-times-per-prb=3 --perf-template='%name%;%prb%;%impl%;%dir%;%dt%;%tag%;%flags%;%engine%;"
        "%DESC%;%idx%;%ibytes%;%Kobytes%' --flags=C '15x3_n\"a*2\"'",
        PROGRAM, "JITNORM_IMPL=ref:any");
    EXPECT_EQ(status_, 0) << err_;
    EXPECT_NE(out_.find("\n\"a*2\";--mode=P --lnorm --flags=C 15x3_n\"a*2\";ref:any;FWD_D;f32:f32;ab:any;C;cpu;"
                        "15x3_n\"a*2\";0;192;0.3\n"),
              std::string::npos)
        << out_;
    EXPECT_NE(out_.find("total perf: min(ms):"), std::string::npos) << out_;
}

TEST_F(cli, the_default_template_is_benchdnn_s) {
    run("--lnorm --mode=F 15x3");
    EXPECT_EQ(out_.find("Output template: perf,%engine%,%impl%,%name%,%prb%,%Gops%,%+ctime%,%-time%,%-Gflops%,%0time%,"
                        "%0Gflops%\nperf,cpu,jit:"),
              0u)
        << out_;
    EXPECT_NE(out_.find(",,--mode=F --lnorm 15x3,0,"), std::string::npos) << out_;
    EXPECT_EQ(count_of(out_, "__REPRO"), 0u) << "the performance line says it all\n" << out_;
}

TEST_F(cli, cold_caches_change_no_result) {
    for (const char *mode : {"wei", "all", "all+tlb:1M"})
        for (const char *knobs : {"--flags=CH", "--inplace=true --dir=BWD_DW --flags=C"}) {
            run(std::string("--lnorm --mode=CP --fix-times-per-prb=2 --cold-cache=") + mode + " " + knobs + " 15x3");
            EXPECT_EQ(status_, 0) << mode << knobs << out_;
            EXPECT_NE(out_.find("0:PASSED"), std::string::npos) << out_;
        }
}

TEST_F(cli, primitives_are_created_in_parallel_and_run_in_order) {
    run("--lnorm --mode-modifier=P 1x1 2x2 3x3 4x4 5x5", PROGRAM, "OMP_NUM_THREADS=3");
    EXPECT_EQ(status_, 0);
    size_t last = 0;
    for (const char *line : {"0:PASSED", "1:PASSED", "2:PASSED", "3:PASSED", "4:PASSED"}) {
        EXPECT_GE(out_.find(line), last) << out_;
        last = out_.find(line);
    }
    EXPECT_NE(out_.find("passed:5"), std::string::npos) << out_;
}

TEST_F(cli, results_for_machines) {
    run("--lnorm --mode=CP --fix-times-per-prb=2 --json=results.json 15x3 '2x3_n\"a\"'");
    EXPECT_EQ(status_, 0);
    const auto json = nlohmann::json::parse(content_of((folder_ / "results.json").string()));
    EXPECT_EQ(json["summary"]["passed"], 2);
    ASSERT_EQ(json["tests"].size(), 2u);
    EXPECT_EQ(json["tests"][1]["name"], "a");
    EXPECT_EQ(json["tests"][1]["status"], "PASSED");
    EXPECT_GT(json["tests"][0]["timing"]["execution_us"]["min"].get<double>(), 0);
    run("--lnorm --json=no/such/folder/file 15x3");
    EXPECT_EQ(status_, 2);
    EXPECT_EQ(err_, "benchdnn-lite: --json: cannot write 'no/such/folder/file'\n");
}

TEST_F(cli, benchdnn_s_data_and_thresholds) {
    run("--lnorm --check=benchdnn --dt=f32,bf16,f16:f32,f32:s8,u8 --flags=,CH,GCH,M 15x3 30x300 2x5000");
    EXPECT_EQ(status_, 0) << out_;
    EXPECT_NE(out_.find("failed:0"), std::string::npos) << out_;
    run("--lnorm --check=benchdnn --dir=BWD_D,BWD_DW --dt=f32,bf16 --flags=,CH,G 15x3 30x300 2x5000");
    EXPECT_EQ(status_, 0) << out_;
}

TEST_F(cli, ties_are_checked_where_they_can_be_made) {
    run("--lnorm -v99 --dt=f32:s8,bf16,f16 --flags=CH,GC 3x64");
    EXPECT_EQ(status_, 0) << out_;
    EXPECT_EQ(count_of(out_, "ties data"), 10u)
        << "three tensors for each CH, dst alone for G, which bf16 and f16 are too narrow for\n"
        << out_;
}

// The library's log describes a problem in this syntax.
TEST_F(cli, a_line_of_the_library_s_log_is_a_problem) {
    for (const char *knobs :
         {"--flags=GCHM --dt=bf16:f32", "--dir=BWD_DW --flags=CH --dt=f32:bf16:f16 --tag=axb:abx:xba --ss_dt=bf16:f32",
          "--dir=FWD_I --dt=f32:s8 --attr-scales=dst:common:0.5 --attr-post-ops=sum:0.5+add:f32:per_oc+linear:2:1",
          "--tag=aBx8b --stat_tag=undef --attr-scratchpad=user"}) {
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

TEST_F(cli, a_planted_error_is_found_in_every_direction) {
    for (const char *knobs :
         {"", "--dt=bf16", "--dt=f32:s8", "--inplace=true", "--tag=axb", "--dir=FWD_I", "--flags=GCHM", "--dir=BWD_D",
          "--dir=BWD_DW --flags=CH", "--dt=f64", "--dir=BWD_D --inplace=true"}) {
        run(std::string("--lnorm ") + knobs + " 15x3", PLANTED);
        EXPECT_EQ(status_, 1) << knobs;
        EXPECT_EQ(out_.find("0:FAILED (errors:2 total:"), 0u) << knobs << "\n" << out_;
        EXPECT_NE(out_.find("[14,2]: expected "), std::string::npos) << knobs << "\n" << out_;
        EXPECT_NE(out_.find("failed:1"), std::string::npos) << out_;
    }
}

TEST_F(cli, bitwise_mode_names_the_planted_element_and_the_circumstances) {
    for (const char *knobs : {"", "--dt=f32:s8", "--inplace=true --tag=axb", "--dir=BWD_DW --flags=CH"}) {
        run(std::string("--lnorm --mode=B ") + knobs + " 15x3", PLANTED);
        EXPECT_EQ(status_, 1) << knobs;
        for (const char *part :
             {"[14,2]: expected ", "other bits once more", "other bits with 3 threads", "other bits for the row alone",
              "other bits in a larger batch", "reproduce: benchdnn-lite --seed=1 --mode=B --lnorm "})
            EXPECT_NE(out_.find(part), std::string::npos) << part << "\n" << out_;
        run(std::string("--lnorm --mode=B ") + knobs + " 15x3");
        EXPECT_EQ(status_, 0) << out_;
    }
    run("--lnorm --mode=B 15x3", PLANTED);
    EXPECT_NE(out_.find("other bits by ref:any"), std::string::npos) << out_;
}

TEST_F(cli, an_error_of_a_few_units_in_the_last_place_is_found) {
    for (const char *knobs : {"", "--dir=BWD_D", "--flags=CH", "--dir=FWD_I --flags=M", "--dt=f64"}) {
        run(std::string("--lnorm ") + knobs + " 30x300", PLANTED, "PLANT=small");
        EXPECT_EQ(status_, 1) << knobs << "\n" << out_;
    }
}

TEST_F(cli, a_failure_can_be_reproduced_from_its_report) {
    run("--seed=5 --lnorm --flags=CH --tag=axb 2x4x16", PLANTED);
    EXPECT_EQ(status_, 1);
    EXPECT_NE(out_.find("random data, seed 5"), std::string::npos) << out_;
    EXPECT_NE(out_.find("adversarial data, seed 5"), std::string::npos) << out_;
    EXPECT_NE(out_.find("    reproduce: benchdnn-lite --seed=5 --lnorm --tag=axb --flags=CH 2x4x16\n"),
              std::string::npos)
        << out_;
}

// The library's kernels divide by a row's length that is wrong by 1e-5; the reference does not.
TEST_F(cli, a_wrong_constant_in_the_library_is_found_by_both_modes) {
    for (const char *knobs : {"", "--dt=bf16:f32 --flags=CH", "--dir=FWD_I --flags=M", "--tag=axb", "--inplace=true"}) {
        run(std::string("--lnorm ") + knobs + " 30x300", WRONG_CONSTANT);
        EXPECT_EQ(status_, 1) << knobs << "\n" << out_;
        EXPECT_NE(out_.find("\n    dst["), std::string::npos) << out_;
        run(std::string("--mode=B --lnorm ") + knobs + " 30x300", WRONG_CONSTANT);
        EXPECT_EQ(status_, 1) << knobs << "\n" << out_;
        EXPECT_NE(out_.find("\n    dst["), std::string::npos) << out_;
        EXPECT_NE(out_.find("other bits by ref:any, at byte "), std::string::npos) << out_;
    }
    run("--lnorm 30x300", WRONG_CONSTANT);
    EXPECT_NE(out_.find("\n    variance["), std::string::npos) << "what is wrong is the variance\n" << out_;
    EXPECT_NE(out_.find("\n    reproduce: benchdnn-lite --seed=1 --lnorm 30x300\n"), std::string::npos) << out_;
    run("--lnorm --mode=CB --impl=ref 30x300", WRONG_CONSTANT, "JITNORM_IMPL=ref:any");
    EXPECT_EQ(status_, 0) << out_;
}

TEST_F(cli, writes_into_padding_and_beyond_a_tensor_are_found) {
    run("--lnorm --tag=AB16b16a 15x3", PLANTED, "PLANT=padding");
    EXPECT_EQ(status_, 1);
    EXPECT_NE(out_.find("dst: the padding of its blocks is not zero"), std::string::npos) << out_;
    run("--lnorm 15x3", PLANTED, "PLANT=outside");
    EXPECT_EQ(status_, 1);
    EXPECT_NE(out_.find("dst: written outside of the tensor's memory"), std::string::npos) << out_;
}

TEST_F(cli, a_failure_does_not_stop_the_rest) {
    run("--lnorm 15x3 30x300", PLANTED);
    EXPECT_EQ(status_, 1);
    EXPECT_NE(out_.find("tests:2 passed:0 skipped:0"), std::string::npos) << out_;
}

TEST_F(cli, performance_mode_without_checks_does_not_see_the_planted_error) {
    run("--lnorm --mode=P --fix-times-per-prb=1 15x3", PLANTED);
    EXPECT_EQ(status_, 0);
}

} // namespace
