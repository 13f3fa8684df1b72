// SPDX-License-Identifier: Apache-2.0
// run_jobs: runs the jobs of each driver one after another, and adds their results to the reports.
#pragma once

#include "../correctness/check.hpp"
#include "command_line.hpp"
#include "json_report.hpp"

namespace benchdnn_lite {

// tamper: called after executions (correctness/check.hpp). phases: the tests' times are added to it.
void run_jobs(const job_list &jobs, const after_run &tamper, report &out, json_report &machines, phase_times &phases);
void run_graphs(const std::vector<graph_job> &graphs, report &out, json_report &machines);

} // namespace benchdnn_lite
