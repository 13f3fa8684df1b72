// SPDX-License-Identifier: Apache-2.0
// graph_run: a graph compiled, executed, judged and timed, partition by partition.
#pragma once

#include "../correctness/outcome.hpp"
#include "../timing/spread.hpp"
#include "graph_job.hpp"

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

// What goes wrong is in the result.
graph_result run_graph(const graph_job &job);

} // namespace benchdnn_lite
