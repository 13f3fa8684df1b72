// SPDX-License-Identifier: Apache-2.0
// graph_job: a serialized graph, how it is rewritten, and how it is run.
#pragma once

#include <string_view>

#include "../problem/mode.hpp"
#include "graph_case.hpp"

namespace benchdnn_lite {

// The values of the knobs of the driver --graph. --reset restores these defaults. A graph runs with every combination
// of the values in the lists.
struct graph_settings {
    std::vector<std::string> in_shapes{""}, op_attrs{""}, types{""}, fpmaths{""};
    int64_t expected_partitions = -1; // -1 or 0: any number
    std::string match;                // a POSIX basic regular expression; empty: every graph
};

struct graph_job {
    std::string file, in_shapes, op_attrs, types, fpmath; // all but `file` as the knobs have them
    int64_t expected_partitions;
    run_options options;
    graph_case graph;

    // The program's arguments that run this graph once more.
    std::string line() const;
};

// Appends a job for each combination of the settings. `content` is the serialized graph, and `file` the name to show
// for it. Throws input_error, which names the knob that is at fault.
void append_graphs(const graph_settings &s, const std::string &file, const std::string &content,
                   const run_options &options, std::vector<graph_job> &jobs);

// ID:VALUE[+ID:VALUE...]. A VALUE is SHAPE, SHAPE*LAYOUT, *LAYOUT or a tag alone. A SHAPE is like 2x3x4; scalar and -
// both mean no dimensions. A LAYOUT is a tag (acb) or strides (12x1x3). Shapes of tensors that operations write are
// inferred, unless they are named.
void rewrite_shapes(graph_case &graph, std::string_view text);

// OP:NAME:VALUE[*NAME:VALUE...][+OP:...]. The value undef removes the attribute. Outputs that attributes switch off are
// removed, too, and shapes of tensors that operations write are inferred.
void rewrite_attributes(graph_case &graph, std::string_view text);

} // namespace benchdnn_lite
