// SPDX-License-Identifier: Apache-2.0
// Errors planted in the program are found, and their report is complete.
#include "cli.hpp"

namespace benchdnn_lite_cli {
namespace {

TEST_F(cli, a_planted_error_is_found_in_every_direction) {
    for (const char *knobs : {"", "--dt=bf16", "--dt=f32:s8", "--dt=f32:s8 --attr-scales=dst:per_row", "--inplace=true",
                              "--tag=axb", "--dir=FWD_I", "--flags=GCHM", "--dir=BWD_D", "--dir=BWD_DW --flags=CH",
                              "--dt=f64", "--dir=BWD_D --inplace=true"}) {
        run(std::string("--lnorm ") + knobs + " 15x3", PLANTED);
        EXPECT_EQ(status_, 1) << knobs;
        EXPECT_EQ(out_.find("0:FAILED (errors:2 total:"), 0u) << knobs << "\n" << out_;
        EXPECT_NE(out_.find("[14,2]: expected "), std::string::npos) << knobs << "\n" << out_;
        EXPECT_NE(out_.find("failed:1"), std::string::npos) << out_;
    }
}

TEST_F(cli, bitwise_mode_names_the_planted_element_and_the_circumstances) {
    for (const char *knobs : {"", "--dt=f32:s8", "--dt=f32:s8 --attr-scales=dst:per_row", "--inplace=true --tag=axb",
                              "--dir=BWD_DW --flags=CH"}) {
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
} // namespace benchdnn_lite_cli
