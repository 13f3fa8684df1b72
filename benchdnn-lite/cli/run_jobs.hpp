// SPDX-License-Identifier: Apache-2.0
// run_jobs: what the command line asks for, test by test, into the reports.
#pragma once

#include "../correctness/check.hpp"
#include "command_line.hpp"
#include "json_report.hpp"

namespace benchdnn_lite {

void run_jobs(const std::vector<job> &jobs, const after_run &tamper, report &out, json_report &machines,
              phase_times &phases);
void run_graphs(const std::vector<graph_job> &graphs, report &out, json_report &machines);

} // namespace benchdnn_lite
