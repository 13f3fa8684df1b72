// SPDX-License-Identifier: Apache-2.0
// The table of the knobs that are no part of a problem; problem.cpp has the others.
#include "knobs.hpp"

#include <algorithm>
#include <iterator>
#include <limits>

#include "../error.hpp"
#include "../problem/tag.hpp"
#include "performance.hpp"

namespace benchdnn_lite {

namespace {

// Takes a comma-separated list of values for the problem's knob with this number. If a value is wrong, nothing changes.
void set_list(knob_state &s, size_t number, std::string_view text) {
    std::vector<problem_setter> values;
    if (!text.empty())
        for (const std::string &value : split(text, ',')) values.push_back(problem_knobs()[number].parse(value));
    s.lnorm.lists[number] = std::move(values);
}

void set_fpmath(knob_state &s, std::string_view text) {
    const std::vector<std::string> modes = split(text, ',');
    if (!text.empty()) std::for_each(modes.begin(), modes.end(), parse_fpmath);
    s.graph.fpmaths = modes;
}

void set_match(knob_state &s, std::string_view text) { s.lnorm.match = s.graph.match = checked_regex(text); }

void set_graph_mode(knob_state &s, std::string_view text) {
    s.options.mode = text.empty() ? run_mode{} : parse_mode(text);
    if (s.options.mode.bitwise) throw input_error("--graph has no mode B");
}

int64_t parse_count(std::string_view text, int64_t lowest, int64_t default_count) {
    return text.empty() ? default_count : parse_integer(text, lowest, std::numeric_limits<int32_t>::max());
}

// benchdnn moves a value to the same limits, without a warning.
void set_max_ms(knob_state &s, std::string_view text) {
    const double asked = text.empty() ? DEFAULT_MAX_MS : double(parse_float(text));
    s.options.max_ms = std::clamp(asked, 10.0, 60000.0);
    if (s.options.max_ms != asked)
        s.warning =
            concat("--max-ms-per-prb=", text, " is not between 10 and 60000; ", to_text(s.options.max_ms), " is used");
}

std::string_view required(std::string_view text) {
    if (text.empty()) throw input_error("a file's name is missing");
    return text;
}

void set_batch(knob_state &s, std::string_view text) { s.batch = required(text); }

// A knob of benchdnn that changes nothing here. Lines and files for benchdnn may have it with these values.
struct idle_knob {
    std::string_view name;
    std::string_view values; // the first one is the example of the help
    std::string_view reason; // why other values are refused
    drivers taken_by;
};

constexpr idle_knob IDLE_KNOBS[] = {
    {"attr-zero-points", "src:common:0,dst:common:0", "layer normalization has no zero points", drivers::lnorm},
    {"attr-dropout", "0", "layer normalization has no dropout", drivers::lnorm},
    {"attr-rounding-mode", "dst:environment,diff_src:environment,diff_weights:environment",
     "values are rounded as the environment says", drivers::lnorm},
    {"engine", "cpu,cpu:0", "there is one engine, cpu", drivers::both},
    {"memory-kind", "usm", "a CPU has one kind of memory, usm", drivers::both},
    {"stream-kind", "def,in_order", "a CPU's stream is in_order", drivers::both},
    {"num-streams", "1", "there is 1 stream", drivers::both},
    {"execution-mode", "direct", "a CPU's execution is direct", drivers::both},
    {"cpu-isa-hints", "none,no_hints,prefer_ymm", "the hints are none, no_hints and prefer_ymm", drivers::both},
    {"fast-ref", "true,false,1,0", "true and false are the values", drivers::both},
    {"mem-check", "true,1", "what does not fit in memory is always skipped", drivers::both},
};

void check_idle(const idle_knob &k, std::string_view text) {
    const std::vector<std::string> values = split(k.values, ',');
    for (const std::string &element : split(text, ','))
        for (const std::string &part : split(element, '+'))
            if (!part.empty() && std::none_of(values.begin(), values.end(),
                                              [&](const std::string &v) { return equal_but_for_case(v, part); }))
                throw input_error("'", part, "' is refused: ", k.reason);
}

constexpr bool FOR_THE_RUN = false; // knob::holds

#define TEXTS(member, value) [](knob_state &s, std::string_view v) { s.graph.member = value; }
#define OPTION(member, value) [](knob_state &s, std::string_view v) { s.options.member = value; }

constexpr drivers BOTH = drivers::both, LNORM = drivers::lnorm, GRAPH = drivers::graph;

const knob OTHER_KNOBS[] = {
    {"impl", "jit", "only implementations with one of these in their name", LNORM,
     [](knob_state &s, std::string_view v) { s.lnorm.filter = parse_impl_filter(v, false); }},
    {"skip-impl", "avx512,ref", "only implementations with none of these", LNORM,
     [](knob_state &s, std::string_view v) { s.lnorm.filter = parse_impl_filter(v, true); }},
    {"in-shapes", "0:2x3x4*acb+1:4", "other shapes, layouts of inputs and outputs, by ids", GRAPH,
     TEXTS(in_shapes, split(v, ','))},
    {"op-attrs", "0:epsilon:1e-3*begin_norm_axis:1", "other attributes, by operation; undef: none", GRAPH,
     TEXTS(op_attrs, split(v, ','))},
    {"dt", "bf16,0:f16+3:f16", "other types: of the data, or of tensors by their ids", GRAPH,
     TEXTS(types, split(v, ','))},
    {"expected-n-partitions", "1", "partitions of a graph; 0: any number (default)", GRAPH,
     [](knob_state &s, std::string_view v) { s.graph.expected_partitions = v.empty() ? -1 : parse_count(v, 0, 0); }},
    {"attr-fpmath", "strict,bf16", "precision allowed; f32 is used (strict)", GRAPH, set_fpmath},
    {"match", "CH.*x768", "only problems whose line matches this expression", LNORM, set_match},
    {"match", "f32.*lnorm", "only cases whose line matches this expression", GRAPH, set_match},
    {"reset", "", "all knobs above back to their defaults", BOTH,
     [](knob_state &s, std::string_view) { s.lnorm = {}, s.graph = {}; }, FOR_THE_RUN},
    {"case", "op/f32/lnorm.json", "run a graph in oneDNN's JSON form", GRAPH,
     [](knob_state &s, std::string_view v) { s.graph_file = required(v); }, FOR_THE_RUN},
    {"batch", "shapes_models", "take knobs and problems from a file; files nest", LNORM, set_batch, FOR_THE_RUN},
    {"batch", "test_graph_ci", "take knobs and cases from a file; files nest", GRAPH, set_batch, FOR_THE_RUN},
    {"mode", "CP", "Check Bitwise Performance Fast, List, Init, Run (C)", LNORM,
     OPTION(mode, v.empty() ? run_mode{} : parse_mode(v))},
    {"mode", "CP", "Check Performance Fast, List, Init, Run (C)", GRAPH, set_graph_mode},
    {"mode-modifier", "PM", "P parallel creation, M no filling of tensors (none)", LNORM,
     OPTION(modifiers, parse_mode_modifiers(v))},
    {"seed", "7", "seed of the data (1)", BOTH,
     OPTION(seed, v.empty() ? 1 : uint64_t(parse_integer(v, 0, LARGEST_INTEGER)))},
    {"repeats-per-prb", "5", "number of runs of each problem (1)", BOTH, OPTION(repeats, parse_count(v, 1, 1))},
    {"max-ms-per-prb", "500", "time to measure one problem, 10 to 60000 (3000)", BOTH, set_max_ms},
    {"fix-times-per-prb", "100", "executions to measure (0: until time is up)", BOTH,
     OPTION(fixed_times, parse_count(v, 0, 0))},
    {"cold-cache", "all+tlb:1G", "tensors not in cache when timed: none, wei, all", LNORM,
     OPTION(cold_cache, v.empty() ? cold_cache_mode{} : parse_cold_cache(v))},
    {"perf-template", "%prb%,%-time%,%Gbw%", "def (default), csv, table, or text with placeholders", LNORM,
     OPTION(perf_template, parse_perf_template(v))},
    {"json", "results.json", "write the results as JSON", BOTH,
     [](knob_state &s, std::string_view v) { s.json = required(v); }, FOR_THE_RUN},
    {"summary", "impl+no-failures", "at the end: failures (default), impl, impl-csv", BOTH,
     [](knob_state &s, std::string_view v) { s.summary = parse_summary(v); }, FOR_THE_RUN},
    {"start", "100", "skip the tests before this number (0)", BOTH, OPTION(start, parse_count(v, 0, 0))},
    {"allow-enum-tags-only", "false", "only blocked tags that the library names (true)", LNORM,
     OPTION(enum_tags_only, v.empty() || parse_bool(v))},
    {"canonical", "true", "lines name all knobs, also those at their default", LNORM,
     OPTION(canonical, !v.empty() && parse_bool(v))},
    {"verbose", "5", "also -vN: 1 names problems before they run; ... 99", BOTH,
     OPTION(verbosity, int(parse_count(v, 0, 0)))},
    {"version", "", "print the version", BOTH, [](knob_state &s, std::string_view) { s.version = true; }, FOR_THE_RUN},
    {"help", "", "this text", BOTH, [](knob_state &s, std::string_view) { s.help = true; }, FOR_THE_RUN},
};

#undef TEXTS
#undef OPTION

// All knobs but those that only the driver `other` takes.
std::vector<knob> knobs_without(drivers other) {
    std::vector<knob> knobs;
    for (const problem_knob &k : problem_knobs()) {
        const auto set = [number = knobs.size()](knob_state &s, std::string_view v) { set_list(s, number, v); };
        knobs.push_back({k.name, k.example, k.help, LNORM, set});
    }
    knobs.insert(knobs.end(), std::begin(OTHER_KNOBS), std::end(OTHER_KNOBS));
    for (const idle_knob &k : IDLE_KNOBS) {
        const auto check = [&k](knob_state & /* s */, std::string_view v) { check_idle(k, v); };
        knobs.push_back({k.name, k.values.substr(0, k.values.find(',')), "", k.taken_by, check, FOR_THE_RUN});
    }
    std::erase_if(knobs, [&](const knob &k) { return k.taken_by == other; });
    return knobs;
}

} // namespace

std::string_view name_of(driver d) { return d == driver::graph ? "--graph" : "--lnorm"; }

const std::vector<knob> &knobs_of(driver d) {
    static const std::vector<knob> OF_LNORM = knobs_without(GRAPH), OF_GRAPH = knobs_without(LNORM);
    return d == driver::graph ? OF_GRAPH : OF_LNORM;
}

const knob *find_knob(std::string_view name, driver d) { return find_named(knobs_of(d), name); }

} // namespace benchdnn_lite
