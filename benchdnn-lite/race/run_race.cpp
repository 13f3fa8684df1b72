// SPDX-License-Identifier: Apache-2.0
// From the command line to the table and the files.
#include "run_race.hpp"

#include <algorithm>
#include <cstdio>

#include <omp.h>

#include "../cli/exit_status.hpp"
#include "../error.hpp"

namespace benchdnn_lite {

namespace {

constexpr int MAX_THREADS = 1024, MAX_ROUNDS = 10'000;

int parse_count(std::string_view text, int lowest, int highest) { return int(parse_integer(text, lowest, highest)); }

// Accepts what JITNORM_CACHES accepts. The library ignores other values, and the race would compare two equal
// libraries.
std::string parse_caches(const std::string &text) {
    static constexpr struct {
        std::string_view name;
        int64_t least, most;
    } NUMBERS[] = {
#define PROCESSOR_NUMBER(name, least, most) {#name, least, most},
#include "../../tables/processor_numbers.inc"
    };
    for (const std::string &one : split(text, ',')) {
        const size_t colon = std::min(one.find(':'), one.size());
        const auto *const number = find_named(NUMBERS, one.substr(0, colon));
        if (number == nullptr || colon == one.size())
            throw input_error("'", text, "' names no numbers like l2:1048576,last_level:33554432,prefetch:2");
        blame(std::string(number->name), [&] { parse_integer(one.substr(colon + 1), number->least, number->most); });
    }
    return text;
}

// A knob of the race's own.
struct race_knob {
    std::string_view name, value; // as in the help; an empty value: the knob takes none
    void (*set)(race_options &options, const std::string &value);
};

constexpr race_knob KNOBS[] = {
    {"--peer", "FILE", [](race_options &o, const std::string &v) { o.peer = v; }},
    {"--plan", "NUMBERS", [](race_options &o, const std::string &v) { o.plan = parse_caches(v); }},
    {"--plain", "", [](race_options &o, const std::string & /* v */) { o.plain = true; }},
    {"--threads", "N",
     [](race_options &o, const std::string &v) { o.conditions.threads = parse_count(v, 1, MAX_THREADS); }},
    {"--rounds", "N",
     [](race_options &o, const std::string &v) { o.conditions.rounds = parse_count(v, 1, MAX_ROUNDS); }},
    {"--then-read", "", [](race_options &o, const std::string & /* v */) { o.conditions.then_read = true; }},
    {"--json", "FILE", [](race_options &o, const std::string &v) { o.json = v; }},
};

// Sets the option if the argument is a knob of the race; else returns false.
bool take(race_options &options, const std::string &argument) {
    const size_t equals = argument.find('=');
    const std::string name = argument.substr(0, equals);
    const race_knob *knob = find_named(KNOBS, name);
    if (knob == nullptr) return false;
    const std::string value = equals == argument.npos ? "" : argument.substr(equals + 1);
    if (knob->value.empty() && equals != argument.npos) throw input_error(name, " takes no value");
    if (!knob->value.empty() && value.empty())
        throw input_error(name, " needs a value after an equals sign: ", name, "=", knob->value);
    blame(name, [&] { knob->set(options, value); });
    return true;
}

bool is_problem(const std::string &argument) {
    return argument.rfind('-', 0) != 0 || argument.rfind("--batch=", 0) == 0;
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
    tell("benchdnn-lite-race", options.warning);
    omp_set_num_threads(options.conditions.threads); // the libraries take the number of threads from OpenMP
    const race_setting setting{concat("jitnorm ", library_version()), other.name, options.conditions};
    print(race_heading(setting.ours, setting.theirs, setting.conditions));
    const std::vector<race_result> results = race_all(options, other);
    print(race_summary(results));
    std::fputs(race_unrest(results).c_str(), stderr);
    if (!options.json.empty()) write_file(options.json, race_json(setting, results));
    return std::any_of(results.begin(), results.end(), [](const race_result &r) { return r.disagrees; }) ? 1 : 0;
}

peer_library chosen_peer(const race_options &options, const peer_library &otherwise) {
    if (options.plain) return plain_loops(options.conditions.threads);
    if (!options.peer.empty()) return another_build(options.peer, options.plan);
    return options.plan.empty() ? otherwise : this_build(options.plan);
}

} // namespace

race_options parse_race_options(const std::vector<std::string> &arguments) {
    race_options options;
    std::vector<std::string> rest{"--lnorm"};
    for (const std::string &argument : arguments) {
        if (argument == "--help" || argument == "-h") options.text = race_help();
        if (!take(options, argument)) rest.push_back(argument);
    }
    if (!options.text.empty()) return options;
    if (options.plain && (!options.peer.empty() || !options.plan.empty()))
        throw input_error("--plain: the peers are plain loops, not a library; --peer and --plan do not go with it");
    if (std::none_of(rest.begin(), rest.end(), is_problem))
        rest.insert(rest.end(), {"--batch=race_forward", "--batch=race_backward"});
    command c = parse_command_line(rest);
    options.text = std::move(c.text);
    options.jobs = std::move(c.jobs);
    options.warning = std::move(c.warning);
    if (options.json.empty()) options.json = c.json;
    return options;
}

std::string race_help() {
    return R"(Usage: benchdnn-lite-race [knob...] [problem...]
Races layer normalization against oneDNN, another build of jitnorm or plain loops, and against loops that
only move the same tensors. All work on the same memory.

  --peer=FILE     in place of oneDNN the libjitnorm.so of another build; its results are to have the bits of
                  ours: where they only come close, the race is run, the note says "bits differ", and the
                  exit status is 1
  --plan=NUMBERS  the peer plans for these numbers of a processor, as in JITNORM_CACHES, like
                  l2:1048576,last_level:33554432,prefetch:2; without --peer the peer is this build
  --plain         the peer is the faster of two plain loops, without checks, inexact for large means: "passes"
                  goes row by row, "rows" by bands of up to eight rows in L1; the note says which it was.
                  Forward, dense rows of f32 or bf16, also with a residual: --batch=race_plain
  --threads=N     threads of this build, of the peer and of the limit (1)
  --rounds=N      interleaved rounds; a third of them is faster than the time that is shown (15)
  --then-read     times include a pass that reads the result, as its next user would
  --json=FILE     the results as JSON; tools/draw-race draws them

Without a problem: --batch=race_forward --batch=race_backward. Other knobs and problems are those of
benchdnn-lite (its --help lists them; those of checking and timing have no effect).

Exit status: 0 raced, 1 results differed or an error, 2 mistake on the command line.
)";
}

int run_race(int argc, char **argv, const peer_library &other) {
    return exit_status_of("benchdnn-lite-race", [&] {
        const race_options options = parse_race_options({argv + 1, argv + argc});
        if (options.text.empty()) return run(options, chosen_peer(options, other));
        print(options.text);
        return 0;
    });
}

} // namespace benchdnn_lite
