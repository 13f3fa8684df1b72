// SPDX-License-Identifier: Apache-2.0
// graph_run: compiles, executes, checks and times a graph, partition by partition.
#pragma once

#include "../correctness/outcome.hpp"
#include "../timing/sampler.hpp"
#include "graph_job.hpp"

namespace benchdnn_lite {

struct graph_times {
    std::string op, kind;
    spread us;
    double bytes = 0; // read and written

    double gigabytes_per_second() const { return us.median > 0 ? bytes / us.median / 1e3 : 0; }
};

struct graph_result : test_result {
    std::vector<graph_times> times; // of each partition, if timed
};

// Throws nothing for what goes wrong: the result says it.
graph_result run_graph(const graph_job &job);

} // namespace benchdnn_lite
