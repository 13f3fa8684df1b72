// SPDX-License-Identifier: Apache-2.0
// From the command line to the table and the files.
#include "run_race.hpp"

#include <algorithm>
#include <cstdio>

#include <omp.h>

#include "../cli/exit_status.hpp"
#include "../cli/output_file.hpp"
#include "another_build.hpp"
#include "json.hpp"
#include "options.hpp"
#include "plain_loop.hpp"
#include "table.hpp"

namespace benchdnn_lite {

namespace {

std::string our_name() {
    const jitnorm_version_t *v = jitnorm_version();
    return concat("jitnorm ", std::to_string(v->major), ".", std::to_string(v->minor), ".", std::to_string(v->patch));
}

void print(const std::string &text) {
    std::fputs(text.c_str(), stdout);
    std::fflush(stdout);
}

std::vector<race_result> race_all(const race_options &options, const peer_library &other) {
    std::vector<race_result> results;
    const session s;
    for (size_t i = 0; i < options.jobs.size(); ++i) {
        const job j = options.jobs[i];
        results.push_back(race(s, j.prb, other, options.conditions, j.options.seed));
        print(race_line(results.back()));
    }
    return results;
}

int run(const race_options &options, const peer_library &other) {
    check_writable("json", options.json);
    omp_set_num_threads(options.conditions.threads); // the libraries take the number of threads from OpenMP
    const race_setting setting{our_name(), other.name, options.conditions};
    print(race_heading(setting.ours, setting.theirs, setting.conditions));
    const std::vector<race_result> results = race_all(options, other);
    print(race_summary(results));
    std::fputs(race_unrest(results).c_str(), stderr);
    if (!options.json.empty()) write_file(options.json, race_json(setting, results));
    return std::any_of(results.begin(), results.end(), [](const race_result &r) { return r.disagrees; }) ? 1 : 0;
}

peer_library chosen_peer(const race_options &options, const peer_library &otherwise) {
    if (options.plain) return plain_loop(options.conditions.threads);
    if (!options.peer.empty()) return another_build(options.peer, options.plan);
    return options.plan.empty() ? otherwise : this_build(options.plan);
}

} // namespace

int run_race(int argc, char **argv, const peer_library &other) {
    return exit_status_of("benchdnn-lite-race", [&] {
        const race_options options = parse_race_options({argv + 1, argv + argc});
        if (options.text.empty()) return run(options, chosen_peer(options, other));
        print(options.text);
        return 0;
    });
}

} // namespace benchdnn_lite
