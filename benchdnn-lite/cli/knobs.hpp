// SPDX-License-Identifier: Apache-2.0
// knobs: the table of all drivers' knobs (options), which the parser and the help use. Those that are a part of a
// problem come first, from problem_knobs().
#pragma once

#include <string_view>
#include <vector>

#include "../graph/graph_job.hpp"
#include "settings.hpp"

namespace benchdnn_lite {

enum class driver { lnorm, graph };

// What knobs set.
struct knob_state {
    driver which = driver::lnorm;
    settings lnorm;
    graph_settings graph;
    run_options options;
    std::string json;       // file to write the results to; empty: none
    summary_parts summary;  // what is printed after all tests
    std::string batch;      // batch file to read next; the parser clears it when it reads the file
    std::string graph_file; // file of the graph to run next; cleared likewise
    std::string warning;    // of a value that is not used as it is; empty: none
    bool help = false, version = false;
};

enum class drivers { both, lnorm, graph };

// NOLINTNEXTLINE(clang-analyzer-optin.performance.Padding): the order is that of the tables' columns
struct knob {
    std::string_view name;    // without the dashes
    std::string_view example; // an example of a value; empty: the knob takes no value
    std::string_view help;    // lines of at most 53 columns; empty: the knob has no effect
    drivers taken_by;
    std::function<void(knob_state &state, std::string_view value)> set; // empty: the default; throws input_error
    // It holds for the problems after it. The others are for the whole run, act at once or have no effect.
    bool holds = true;
};

std::string_view name_of(driver d); // --lnorm
const std::vector<knob> &knobs_of(driver d);
const knob *find_knob(std::string_view name, driver d); // null if the driver has no such knob

} // namespace benchdnn_lite
