// SPDX-License-Identifier: Apache-2.0
// Runs the graphs of a command line, and adds them to the reports.
#include <cstdio>

#include "../text.hpp"
#include "run_jobs.hpp"

namespace benchdnn_lite {

namespace {

test_title title_of(const graph_job &job) {
    const std::string line = job.line();
    return {line,
            line,
            concat("benchdnn-lite ", line),
            job.file,
            job.options.seed,
            job.options.verbosity,
            job.options.mode.list};
}

std::string performance_line(const graph_job &job, const graph_times &t) {
    char numbers[128];
    std::snprintf(numbers, sizeof numbers, "min(ms):%.6g,avg(ms):%.6g,GB/s:%.4g", t.ms.least, t.ms.average,
                  t.gigabytes_per_second());
    return concat("perf,cpu,graph,", t.kind, ",", t.op, ",", job.line(), ",", numbers);
}

timed_lines performance_of(const graph_job &job, const graph_result &r) {
    timed_lines timed;
    for (const graph_times &t : r.times) {
        timed.lines.push_back(performance_line(job, t));
        timed.spreads.push_back(t.ms);
        timed.least_ms += t.ms.least;
        timed.average_ms += t.ms.average;
    }
    return timed;
}

} // namespace

void run_graphs(const std::vector<graph_job> &graphs, report &out, json_report &machines) {
    for (const graph_job &job : graphs) {
        const test_title title = title_of(job);
        out.announce(title);
        graph_result result;
        result.what.status = state::listed;
        if (!job.options.mode.list) result = run_graph(job);
        out.add(title, {result.what, "", result.milliseconds}, performance_of(job, result));
        machines.add(title, result);
    }
}

} // namespace benchdnn_lite
