// SPDX-License-Identifier: Apache-2.0
// The output of each mode.
#include "cli.hpp"

#include <nlohmann/json.hpp>

namespace benchdnn_lite_cli {
namespace {

TEST_F(cli, performance_names_the_implementation) {
    expect(0, "--lnorm --mode=P --perf-template=table --fix-times-per-prb=3 15x3", {"\nEXECUTED ref:any "}, PROGRAM,
           "JITNORM_IMPL=ref:any");
    EXPECT_EQ(count_of(out_, "x memcpy"), 2u) << out_;
}

TEST_F(cli, both_modes_check_before_timing) {
    expect(0, "--lnorm --mode=CP --perf-template=table --fix-times-per-prb=3 15x3 30x300");
    EXPECT_EQ(count_of(out_, "\nPASSED "), 2u) << out_;
    EXPECT_EQ(count_of(out_, "status "), 1u) << "one header\n" << out_;
}

TEST_F(cli, bitwise_mode_runs_in_all_circumstances) {
    expect(0, "--lnorm --mode=B -v99 --inplace=true --tag=axb 2x3x33", {}, PROGRAM, "JITNORM_MAX_CPU_ISA=AVX2");
    for (const char *circumstance : {"once more", "with 1 thread", "with 2 threads", "with 3 threads", "by ref:any",
                                     "in row-major layouts", "not in place", "as the only row", "in a larger batch"})
        EXPECT_GT(count_of(out_, std::string(" 0 with other bits ") + circumstance), 0U) << circumstance;
    expect(0, "--lnorm --mode=B --dir=BWD_DW --flags=CH --inplace=true 15x3 2x3x33");
}

TEST_F(cli, bitwise_mode_takes_each_number_of_threads_once) {
    expect(0, "--lnorm --mode=B -v99 --dir=FWD_I 3x40", {}, PROGRAM, "OMP_NUM_THREADS=2");
    EXPECT_EQ(count_of(out_, " with other bits with 2 threads"), 2u) << "random and adversarial data\n" << out_;
}

TEST_F(cli, each_template_has_its_heading) {
    expect(0, "--lnorm --mode=P --fix-times-per-prb=1 --perf-template=table 2x3 4x5 --perf-template=%prb% 2x3",
           {" 4x5\nOutput template: %prb%\n--mode=P --lnorm 2x3\n"});
    EXPECT_EQ(count_of(out_, "status "), 1u) << out_;
}

TEST_F(cli, an_implementation_is_chosen) {
    expect(0, "--lnorm --impl=ref -v5 15x3", {"[IMPL] ref:any", "__REPRO: --lnorm --impl=ref 15x3"});
}

TEST_F(cli, initialization_and_execution_modes) {
    // Creation needs no memory for tensors.
    expect(0, "--lnorm --mode=I 15x3 100000x100000", {"1:INITIALIZED", "passed:2"});
    expect(0, "--lnorm --mode=R --mode-modifier=M 15x3", {"0:EXECUTED"});
}

TEST_F(cli, a_performance_line_is_the_template_filled_in) {
    expect(
        0,
        "--lnorm --mode=P --fix-times-per-prb=3 --perf-template='%name%;%prb%;%impl%;%dir%;%dt%;%tag%;%flags%;%engine%;"
        "%DESC%;%idx%;%ibytes%;%Kobytes%' --flags=C '15x3_n\"a*2\"'",
        {"\n\"a*2\";--mode=P --lnorm --flags=C 15x3_n\"a*2\";ref:any;FWD_D;f32:f32;ab:any;C;cpu;"
         "15x3_n\"a*2\";0;192;0.3\n",
         "total perf: min(ms):"},
        PROGRAM, "JITNORM_IMPL=ref:any");
}

TEST_F(cli, a_template_names_every_attribute) {
    expect(0,
           "--lnorm --mode=P --fix-times-per-prb=3 --perf-template='%attr%;' --attr-deterministic=true "
           "--attr-fpmath=bf16 --attr-scratchpad=user --attr-residual=src1+dst1 15x3",
           {"\n--attr-residual=src1+dst1 --attr-scratchpad=user --attr-fpmath=bf16 --attr-deterministic=true;\n"});
}

TEST_F(cli, the_default_template_is_benchdnn_s) {
    expect(0, "--lnorm --mode=F 15x3", {",,--mode=F --lnorm 15x3,0,"});
    EXPECT_EQ(out_.find("Output template: perf,%engine%,%impl%,%name%,%prb%,%Gops%,%+ctime%,%-time%,%-Gflops%,%0time%,"
                        "%0Gflops%\nperf,cpu,jit:"),
              0u)
        << out_;
    EXPECT_EQ(count_of(out_, "__REPRO"), 0u) << "the performance line says it all\n" << out_;
}

TEST_F(cli, cold_caches_change_no_result) {
    for (const std::string mode : {"wei", "all", "all+tlb:1M"})
        for (const char *knobs : {" --flags=CH 15x3", " --inplace=true --dir=BWD_DW --flags=C 15x3"})
            expect(0, "--lnorm --mode=CP --fix-times-per-prb=2 --cold-cache=" + mode + knobs, {"0:PASSED"});
}

TEST_F(cli, primitives_are_created_in_parallel_and_run_in_order) {
    expect(0, "--lnorm --mode-modifier=P 1x1 2x2 3x3 4x4 5x5", {"passed:5"}, PROGRAM, "OMP_NUM_THREADS=3");
    size_t last = 0;
    for (const char *line : {"0:PASSED", "1:PASSED", "2:PASSED", "3:PASSED", "4:PASSED"}) {
        EXPECT_GE(out_.find(line), last) << out_;
        last = out_.find(line);
    }
}

TEST_F(cli, results_for_machines) {
    expect(0, "--lnorm --mode=CP --fix-times-per-prb=2 --json=results.json 15x3 '2x3_n\"a\"'");
    const auto json = nlohmann::json::parse(content_of((folder_ / "results.json").string()));
    EXPECT_EQ(json["summary"]["passed"], 2);
    ASSERT_EQ(json["tests"].size(), 2u);
    EXPECT_EQ(json["tests"][1]["name"], "a");
    EXPECT_EQ(json["tests"][1]["status"], "PASSED");
    EXPECT_GT(json["tests"][0]["timing"]["execution_us"]["min"].get<double>(), 0);
}

TEST_F(cli, ties_are_checked_where_they_can_be_made) {
    expect(0, "--lnorm -v99 --dt=f32:s8,bf16,f16 --flags=CH,GC 3x64");
    EXPECT_EQ(count_of(out_, "ties data"), 10u)
        << "three tensors for each CH, dst alone for G, which bf16 and f16 are too narrow for\n"
        << out_;
}

} // namespace
} // namespace benchdnn_lite_cli
