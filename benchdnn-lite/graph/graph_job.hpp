// SPDX-License-Identifier: Apache-2.0
// graph_job: one serialized graph with one choice of rewritings, and what is done with it.
#pragma once

#include "../problem/mode.hpp"
#include "graph_case.hpp"

namespace benchdnn_lite {

// What the knobs of the driver --graph hold; --reset goes back to these defaults. The lists run in every combination.
struct graph_settings {
    std::vector<std::string> in_shapes{""}, op_attrs{""}, types{""}, fpmaths{""};
    int64_t expected_partitions = -1; // that or 0: any number
    std::string match;                // a POSIX basic regular expression; empty: every graph
};

struct graph_job {
    std::string file, in_shapes, op_attrs, types, fpmath; // all but the first as the knobs have them
    int64_t expected_partitions;
    run_options options;
    graph_case graph;

    // What follows the program's name to run this graph once more.
    std::string line() const;
};

// Appends the graph in `content` with each combination of the settings. `file` is its name for people. Throws
// input_error, which names the knob that is to blame.
void append_graphs(const graph_settings &s, const std::string &file, const std::string &content,
                   const run_options &options, std::vector<graph_job> &jobs);

} // namespace benchdnn_lite
