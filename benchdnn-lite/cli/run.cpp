// SPDX-License-Identifier: Apache-2.0
// Runs a command line.
#include "run.hpp"

#include <cstdio>

#include "exit_status.hpp"
#include "output_file.hpp"
#include "run_jobs.hpp"

namespace benchdnn_lite {

namespace {

// Whether --impl or --skip-impl made all tests be skipped. The run then fails, because a user who names implementations
// expects them to run.
bool left_without_implementations(const tally &counts) {
    if (counts.filtered == 0 || counts.filtered < counts.tests) return false;
    std::printf("nothing ran: --impl and --skip-impl leave no implementation of any problem (-v2 names those left "
                "out)\n");
    return true;
}

int run(const command &c, const after_run &tamper) {
    check_writable("json", c.json);
    for (const std::string &line : c.notes) std::printf("%s\n", line.c_str());
    report out(c.jobs.size() + c.graphs.size());
    json_report machines(c.json);
    phase_times phases;
    run_jobs(c.jobs, tamper, out, machines, phases);
    run_graphs(c.graphs, out, machines);
    out.finish(phases);
    machines.finish(out.counts(), out.seconds());
    return out.counts().failed > 0 || left_without_implementations(out.counts()) ? 1 : 0;
}

} // namespace

int run_command_line(int argc, char **argv, const after_run &tamper) {
    return exit_status_of("benchdnn-lite", [&] {
        const command c = parse_command_line({argv + 1, argv + argc});
        if (c.text.empty()) return run(c, tamper);
        std::fputs(c.text.c_str(), stdout);
        return 0;
    });
}

} // namespace benchdnn_lite
