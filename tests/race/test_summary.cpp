// SPDX-License-Identifier: Apache-2.0
// Ratios, their summaries and their text.
#include <gtest/gtest.h>

#include "race/race.hpp"

namespace benchdnn_lite {
namespace {

race_result result(dim_t rows, std::optional<double> ours, std::optional<double> theirs, std::optional<double> limit) {
    race_result r;
    r.prb.size.dims = {rows, 8};
    r.ours_us = ours;
    r.theirs_us = theirs;
    r.limit_us = limit;
    return r;
}

TEST(race_summary, geometric_mean_and_both_ends_of_what_was_raced) {
    const std::vector<race_result> results{result(1, 2, 4, 1), result(2, 1, 8, 0.5), result(3, 5, {}, 1)};
    const auto chosen = results_of(results, true);
    const ratio_summary peers = summarize(chosen, &race_result::ratio);
    EXPECT_EQ(peers.count, 2);
    EXPECT_DOUBLE_EQ(peers.mean, 4);
    EXPECT_DOUBLE_EQ(peers.least, 2);
    EXPECT_EQ(peers.at_least, &results[0]);
    const ratio_summary limits = summarize(chosen, &race_result::over_limit);
    EXPECT_EQ(limits.count, 3);
    EXPECT_DOUBLE_EQ(limits.most, 5);
    EXPECT_EQ(limits.at_most, &results[2]);
    EXPECT_EQ(summarize({}, &race_result::ratio).count, 0);
    EXPECT_EQ(race_summary({}), "");
}

TEST(race_summary, directions_are_apart) {
    std::vector<race_result> results{result(1, 1, 2, 1), result(1, 1, 3, 1)};
    results[1].prb.dir = direction::BWD_DW;
    EXPECT_EQ(race_summary(results), "forward: 1 of 1 raced; peer/ours: geometric mean 2.00, minimum 2.00 (1x8); "
                                     "ours/limit: geometric mean 1.00, maximum 1.00 (1x8)\n"
                                     "backward: 1 of 1 raced; peer/ours: geometric mean 3.00, minimum 3.00 "
                                     "(--dir=BWD_DW 1x8); ours/limit: geometric mean 1.00, maximum 1.00 "
                                     "(--dir=BWD_DW 1x8)\n");
}

TEST(race_summary, a_busy_machine_is_reported) {
    std::vector<race_result> results{result(1, 1, 2, 1), result(1, 1, 3, 1)};
    EXPECT_EQ(race_unrest(results), "");
    results[1].restless = true;
    EXPECT_NE(race_unrest(results).find("too busy to measure on: in 1 of 2 problems"), std::string::npos);
}

TEST(race_table, a_line_has_the_ratios_or_dashes_and_the_reason) {
    EXPECT_EQ(race_line(result(4, 2, 3, 1.6)), "      2.000       3.000      1.50       1.600       1.25  4x8\n");
    race_result refused = result(4, 2, {}, 1);
    refused.note = "refused: no";
    EXPECT_EQ(race_line(refused), "      2.000           -         -       1.000       2.00  4x8  (refused: no)\n");
}

} // namespace
} // namespace benchdnn_lite
