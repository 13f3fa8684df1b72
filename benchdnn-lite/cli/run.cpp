// SPDX-License-Identifier: Apache-2.0
// From the arguments to the exit status.
#include "run.hpp"

#include <cstdio>
#include <exception>
#include <fstream>

#include "../error.hpp"
#include "run_jobs.hpp"

namespace benchdnn_lite {

namespace {

// Before hours of work are done for it.
void check_writable(const std::string &file) {
    if (!file.empty() && !std::ofstream(file, std::ios::app)) throw input_error("--json: cannot write '", file, "'");
}

// Somebody who names implementations expects one to run.
bool left_without_implementations(const tally &counts) {
    if (counts.filtered == 0 || counts.filtered < counts.tests) return false;
    std::printf("nothing ran: --impl and --skip-impl leave no implementation of any problem (-v2 names those left "
                "out)\n");
    return true;
}

int run(const command &c, const after_run &tamper) {
    check_writable(c.json);
    for (const std::string &line : c.notes) std::printf("%s\n", line.c_str());
    report out(c.jobs.size() + c.graphs.size());
    json_report machines;
    phase_times phases;
    run_jobs(c.jobs, tamper, out, machines, phases);
    run_graphs(c.graphs, out, machines);
    out.finish(phases);
    if (!c.json.empty()) machines.write(c.json, out.counts(), out.seconds());
    return out.counts().failed > 0 || left_without_implementations(out.counts()) ? 1 : 0;
}

} // namespace

int run_command_line(int argc, char **argv, const after_run &tamper) {
    try {
        const command c = parse_command_line({argv + 1, argv + argc});
        if (c.text.empty()) return run(c, tamper);
        std::fputs(c.text.c_str(), stdout);
        return 0;
    } catch (const input_error &error) {
        std::fprintf(stderr, "benchdnn-lite: %s\n", error.what());
        return 2;
    } catch (const std::exception &error) {
        std::fprintf(stderr, "benchdnn-lite: %s\n", error.what());
        return 1;
    }
}

} // namespace benchdnn_lite
