// SPDX-License-Identifier: Apache-2.0
// knobs: the table of all drivers' options, one row each: how it is called, an example, what it means, what it does.
// Parser, help, manual page and shell completion all live on it.
#pragma once

#include <string_view>
#include <vector>

#include "../graph/graph_job.hpp"
#include "settings.hpp"

namespace benchdnn_lite {

enum class driver { lnorm, graph };

struct knob_state {
    driver which = driver::lnorm;
    settings lnorm;
    graph_settings graph;
    run_options options;
    std::string json;       // file for machines; empty: none
    std::string completion; // shell to write a completion for; empty: none
    std::string batch;      // file to read next; the parser takes it away
    std::string graph_file; // graph to run next; likewise
    bool help = false, manual = false, version = false;
};

enum class drivers { both, lnorm, graph };

struct knob {
    std::string_view name;    // without the dashes
    std::string_view example; // of a value; empty: it takes none
    std::string_view help;    // at most 53 columns
    std::string_view choices; // values that completion offers, separated by spaces, or one of the names of files below
    drivers taken_by;
    void (*set)(knob_state &state, std::string_view value); // an empty value is the default; throws input_error
};

// What completion offers for a knob that takes a file: any file; and those of batches, or of graphs, that come with the
// program.
inline constexpr std::string_view ANY_FILE = "FILE", BATCH_FILE = "BATCH", CASE_FILE = "CASE";

std::string_view name_of(driver d); // --lnorm
std::vector<knob> knobs_of(driver d);
const knob *find_knob(std::string_view name, driver d);         // null if the driver has none of that name
std::string_view closest_knob(std::string_view name, driver d); // empty if none is near

} // namespace benchdnn_lite
