// SPDX-License-Identifier: Apache-2.0
// graph_run: a graph compiled, executed, judged and timed, partition by partition.
#pragma once

#include "../cli/report.hpp"
#include "graph_case.hpp"

namespace benchdnn_lite {

struct graph_times {
    std::string op, kind;
    spread ms;
    double bytes = 0; // read and written

    double gigabytes_per_second() const { return ms.median > 0 ? bytes / ms.median / 1e6 : 0; }
};

struct graph_result {
    outcome what;
    double milliseconds = 0;
    std::vector<graph_times> times; // of each partition, if timed
};

// expected_partitions: their number, or -1 for one of each operation. What goes wrong is in the result; throws only
// input_error.
graph_result run_graph(const graph_case &graph, const run_options &options, int64_t expected_partitions);

} // namespace benchdnn_lite
