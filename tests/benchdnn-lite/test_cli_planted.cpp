// SPDX-License-Identifier: Apache-2.0
// Errors planted in the program are found, and their report is complete.
#include "cli.hpp"

namespace benchdnn_lite_cli {
namespace {

TEST_F(cli, a_planted_error_is_found_in_every_direction) {
    for (const char *knobs : {"", "--dt=bf16", "--dt=f32:s8", "--dt=f32:s8 --attr-scales=dst:per_row", "--inplace=true",
                              "--tag=axb", "--dir=FWD_I", "--flags=GCHM", "--dir=BWD_D", "--dir=BWD_DW --flags=CH",
                              "--dt=f64", "--dir=BWD_D --inplace=true"}) {
        expect(1, std::string("--lnorm ") + knobs + " 15x3", {"[14,2]: expected ", "failed:1"}, PLANTED);
        EXPECT_EQ(out_.find("0:FAILED (errors:2 total:"), 0u) << knobs << "\n" << out_;
    }
}

TEST_F(cli, bitwise_mode_names_the_planted_element_and_the_circumstances) {
    for (const char *knobs : {"", "--dt=f32:s8", "--dt=f32:s8 --attr-scales=dst:per_row", "--inplace=true --tag=axb",
                              "--dir=BWD_DW --flags=CH"}) {
        expect(1, std::string("--lnorm --mode=B ") + knobs + " 15x3",
               {"[14,2]: expected ", "other bits once more", "other bits with 3 threads", "other bits as the only row",
                "other bits in a larger batch", "reproduce: benchdnn-lite --seed=1 --mode=B --lnorm "},
               PLANTED);
        expect(0, std::string("--lnorm --mode=B ") + knobs + " 15x3");
    }
    expect(1, "--lnorm --mode=B 15x3", {"other bits by ref:any"}, PLANTED);
}

TEST_F(cli, an_error_of_a_few_units_in_the_last_place_is_found) {
    for (const char *knobs : {"", "--dir=BWD_D", "--flags=CH", "--dir=FWD_I --flags=M", "--dt=f64"})
        expect(1, std::string("--lnorm ") + knobs + " 30x300", {}, PLANTED, "PLANT=small");
}

TEST_F(cli, a_failure_can_be_reproduced_from_its_report) {
    expect(1, "--seed=5 --lnorm --flags=CH --tag=axb 2x4x16",
           {"random data, seed 5", "adversarial data, seed 5",
            "    reproduce: benchdnn-lite --seed=5 --lnorm --tag=axb --flags=CH 2x4x16\n"},
           PLANTED);
}

TEST_F(cli, writes_into_padding_and_beyond_a_tensor_are_found) {
    expect(1, "--lnorm --tag=AB16b16a 15x3", {"dst: the padding of its blocks is not zero"}, PLANTED, "PLANT=padding");
    expect(1, "--lnorm 15x3", {"dst: written outside of the tensor's memory"}, PLANTED, "PLANT=outside");
    expect(1, "--lnorm 15x3", {"src: written outside of the tensor's memory"}, PLANTED, "PLANT=input");
    expect(1, "--lnorm --mode=B --dir=BWD_DW --flags=CH --attr-scratchpad=user 16x64",
           {"scratchpad: written outside of the tensor's memory"}, PLANTED, "PLANT=scratchpad");
}

TEST_F(cli, a_failure_does_not_stop_the_rest) {
    expect(1, "--lnorm 15x3 30x300", {"\nfailed:\n  0:FAILED ", "tests:2 passed:0 skipped:0"}, PLANTED);
    expect(1, "--lnorm --summary=no-failures 15x3", {"tests:1 passed:0 skipped:0"}, PLANTED);
    EXPECT_EQ(count_of(out_, "\nfailed:\n"), 0u) << out_;
}

TEST_F(cli, performance_mode_without_checks_does_not_see_the_planted_error) {
    expect(0, "--lnorm --mode=P --fix-times-per-prb=1 15x3", {}, PLANTED);
}

} // namespace
} // namespace benchdnn_lite_cli
