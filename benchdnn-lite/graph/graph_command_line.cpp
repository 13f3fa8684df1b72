// SPDX-License-Identifier: Apache-2.0
// The driver --graph.
#include "graph_command_line.hpp"

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "../cli/knobs.hpp"
#include "../error.hpp"
#include "graph_rewrite.hpp"
#include "graph_run.hpp"

namespace benchdnn_lite {

namespace fs = std::filesystem;

namespace {

constexpr std::string_view DRIVER = "--graph";

struct graph_settings {
    std::vector<std::string> in_shapes{""}, op_attrs{""};
    int64_t expected_partitions = -1; // one for each operation; 0: any number
};

// One graph with one choice of rewritings.
struct graph_job {
    std::string file, in_shapes, op_attrs;
    int64_t expected_partitions;
    run_options options;
    graph_case graph;

    std::string line() const;
};

std::string graph_job::line() const {
    std::string text = "--graph";
    if (options.mode != run_mode{}) text += concat(" --mode=", to_text(options.mode));
    if (options.seed != run_options{}.seed) text += concat(" --seed=", std::to_string(options.seed));
    if (expected_partitions >= 0) text += concat(" --expected-n-partitions=", std::to_string(expected_partitions));
    if (!in_shapes.empty()) text += concat(" --in-shapes=", in_shapes);
    if (!op_attrs.empty()) text += concat(" --op-attrs=", op_attrs);
    return concat(text, " --case=", file);
}

// In the working directory, then among the input files that come with the program.
std::string content_of_case(const std::string &name) {
    std::error_code ignored;
    const fs::path beside = fs::read_symlink("/proc/self/exe", ignored).parent_path();
    for (const fs::path &folder :
         {fs::path(), beside / "inputs" / "graph", beside / "../share/benchdnn-lite/inputs/graph"}) {
        std::ifstream file(folder / name);
        if (!file || fs::is_directory(folder / name, ignored)) continue;
        std::ostringstream content;
        content << file.rdbuf();
        return content.str();
    }
    throw input_error("there is no file '", name, "'");
}

class parser {
public:
    void take(const std::string &argument);
    bool wants_help() const { return common_.help; }
    std::vector<graph_job> jobs;

private:
    void take_case(const std::string &file);
    bool take_own(const std::string &name, const std::string &value);
    void take_common(const std::string &name, const std::string &value);

    graph_settings settings_;
    knob_state common_;
};

void parser::take_case(const std::string &file) {
    const std::string content = content_of_case(file);
    for (const std::string &in_shapes : settings_.in_shapes)
        for (const std::string &op_attrs : settings_.op_attrs) {
            graph_job job{
                file, in_shapes, op_attrs, settings_.expected_partitions, common_.options, parse_graph(content)};
            rewrite_attributes(job.graph, op_attrs);
            rewrite_shapes(job.graph, in_shapes);
            jobs.push_back(std::move(job));
        }
}

bool parser::take_own(const std::string &name, const std::string &value) {
    constexpr int64_t MANY = 1'000'000;
    if (name == "case")
        take_case(value);
    else if (name == "in-shapes")
        settings_.in_shapes = split(value, ',');
    else if (name == "op-attrs")
        settings_.op_attrs = split(value, ',');
    else if (name == "expected-n-partitions")
        settings_.expected_partitions = value.empty() ? -1 : parse_integer(value, 0, MANY);
    else if (name == "reset")
        settings_ = {};
    else
        return false;
    return true;
}

// Knobs that all drivers have.
void parser::take_common(const std::string &name, const std::string &value) {
    constexpr std::string_view SHARED[] = {"mode",    "seed",   "max-ms-per-prb", "fix-times-per-prb",
                                           "verbose", "engine", "memory-kind",    "help"};
    const knob *k = find_knob(name);
    if (k == nullptr || std::find(std::begin(SHARED), std::end(SHARED), name) == std::end(SHARED))
        throw input_error("--graph has no knob '--", name, "' (--graph --help lists them)");
    k->set(common_, value);
    if (common_.options.mode.bitwise) throw input_error("--graph has no mode B");
}

void parser::take(const std::string &argument) {
    if (argument == DRIVER) return;
    if (argument == "-h") return take_common("help", "");
    if (argument.starts_with("-v")) return take_common("verbose", argument.substr(2));
    if (!argument.starts_with("--")) throw input_error("'", argument, "' is no knob; graphs are named by --case=FILE");
    const size_t equals = std::min(argument.find('='), argument.size());
    const std::string name = argument.substr(2, equals - 2);
    const std::string value = argument.substr(std::min(equals + 1, argument.size()));
    try {
        if (!take_own(name, value)) take_common(name, value);
    } catch (const input_error &error) {
        throw input_error("--", name, ": ", error.what());
    }
}

constexpr const char *HELP =
    "Checks and times serialized graphs of layer normalizations, in the syntax of oneDNN's benchdnn.\n"
    "  benchdnn-lite --graph [knob...] --case=FILE...\n"
    "  --case=norm.json                  run a graph in oneDNN's JSON form with the knobs before it\n"
    "  --in-shapes=0:2x3x4*acb+1:4       shapes and layouts of its inputs and outputs, by tensor ids\n"
    "  --op-attrs=0:epsilon:1e-3*begin_norm_axis:1   attributes, by operation ids; undef: takes it away\n"
    "  --expected-n-partitions=1         how many partitions (one for each operation), 0: any number\n"
    "  --reset                           the knobs above back to their defaults\n"
    "  --mode=CP                         Check Performance Fast, List, Init, Run (C)\n"
    "  --seed --max-ms-per-prb --fix-times-per-prb --verbose --engine --memory-kind as with --lnorm\n"
    "Alternatives between commas run in every combination.\n"
    "Exit status: 0 nothing failed, 1 something failed, 2 a mistake on the command line or in a file.\n";

class graph_report {
public:
    void add(const graph_job &job, const graph_result &result);
    void finish() const;
    bool has_failures() const { return counts_.failed > 0; }

private:
    tally counts_;
    std::vector<std::string> failures_;
    double least_ms_ = 0, average_ms_ = 0;
    const std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
};

void graph_report::add(const graph_job &job, const graph_result &r) {
    for (const graph_times &t : r.times) {
        std::printf("perf,cpu,graph,%s,%s,%s,min(ms):%.6g,avg(ms):%.6g,GB/s:%.4g\n", t.kind.c_str(), t.op.c_str(),
                    job.line().c_str(), t.ms.least, t.ms.average, t.gigabytes_per_second());
        least_ms_ += t.ms.least;
        average_ms_ += t.ms.average;
    }
    std::string line = concat(std::to_string(counts_.tests), ":", name_of(r.what.status));
    if (!r.what.reason.empty()) line += concat(" (", r.what.reason, ")");
    if (r.what.errors > 0)
        line += concat(" (errors:", std::to_string(r.what.errors), " total:", std::to_string(r.what.total), ")");
    line += concat(" (", std::to_string(long(r.milliseconds)), " ms) __REPRO: ", job.line());
    std::printf("%s\n", line.c_str());
    for (const std::string &detail : r.what.details) std::printf("    %s\n", detail.c_str());
    if (r.what.is_failure()) failures_.push_back(line);
    std::fflush(stdout);
    counts_.count(r.what.status);
}

void graph_report::finish() const {
    if (!failures_.empty()) std::printf("failed:\n");
    for (const std::string &failure : failures_) std::printf("  %s\n", failure.c_str());
    std::printf("%s\n", counts_.line().c_str());
    if (least_ms_ > 0) std::printf("total perf: min(ms):%g avg(ms):%g\n", least_ms_, average_ms_);
    const std::chrono::duration<double> taken = std::chrono::steady_clock::now() - start_;
    std::printf("total: %.2fs;\n", taken.count());
}

int run(const std::vector<graph_job> &jobs) {
    graph_report report;
    for (const graph_job &job : jobs) {
        if (job.options.verbosity > 0) std::printf("run: %s\n", job.line().c_str());
        graph_result result;
        result.what.status = state::listed;
        if (!job.options.mode.list) result = run_graph(job.graph, job.options, job.expected_partitions);
        report.add(job, result);
    }
    report.finish();
    return report.has_failures() ? 1 : 0;
}

} // namespace

bool asks_for_graph(int argc, char **argv) {
    return std::any_of(argv + 1, argv + argc, [](const char *argument) { return argument == DRIVER; });
}

int run_graph_command_line(int argc, char **argv) {
    try {
        parser p;
        for (int i = 1; i < argc; ++i) p.take(argv[i]);
        if (p.wants_help()) return std::fputs(HELP, stdout) < 0 ? 1 : 0;
        if (p.jobs.empty()) throw input_error("no graph to run: name one with --case=FILE");
        return run(p.jobs);
    } catch (const input_error &error) {
        std::fprintf(stderr, "benchdnn-lite: %s\n", error.what());
        return 2;
    } catch (const std::exception &error) {
        std::fprintf(stderr, "benchdnn-lite: %s\n", error.what());
        return 1;
    }
}

} // namespace benchdnn_lite
