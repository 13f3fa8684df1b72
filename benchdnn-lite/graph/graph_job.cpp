// SPDX-License-Identifier: Apache-2.0
// Makes a graph for each combination of the values in the settings' lists.
#include "graph_job.hpp"

#include "../error.hpp"
#include "graph_norm.hpp"
#include "graph_rewrite.hpp"

namespace benchdnn_lite {

namespace {

constexpr size_t MAX_JOBS = 10'000; // a limit, because each job holds its graph

// Runs `step` and puts the name of the knob in front of the mistakes that it finds.
template <typename Step>
void blame(std::string_view knob, Step step) {
    try {
        step();
    } catch (const input_error &error) {
        throw input_error("--", knob, ": ", error.what());
    }
}

void understand_all(const graph_case &graph) {
    for (const graph_op &op : graph.ops) understand(op);
}

void rewrite(graph_job &job) {
    graph_case &graph = job.graph;
    blame("attr-fpmath", [&] { rewrite_fpmath(graph, job.fpmath); });
    blame("op-attrs", [&] {
        rewrite_attributes(graph, job.op_attrs);
        understand_all(graph);
    });
    blame("dt", [&] { rewrite_types(graph, job.types); });
    blame("in-shapes", [&] { rewrite_shapes(graph, job.in_shapes); });
}

void append(graph_job job, const std::string &match, std::vector<graph_job> &jobs) {
    if (!match.empty() && !has_match(job.line(), match)) return;
    rewrite(job);
    for (int64_t i = 0; i < job.options.repeats; ++i) {
        if (jobs.size() == MAX_JOBS)
            throw input_error("the knobs make more than ", std::to_string(MAX_JOBS), " graphs");
        jobs.push_back(job);
    }
}

} // namespace

std::string graph_job::line() const {
    std::string text = "--graph";
    const auto knob = [&](std::string_view name, const std::string &value) {
        if (!value.empty()) text += concat(" --", name, "=", value);
    };
    knob("mode", options.mode == run_mode{} ? "" : to_text(options.mode));
    knob("seed", options.seed == run_options{}.seed ? "" : std::to_string(options.seed));
    knob("expected-n-partitions", expected_partitions < 0 ? "" : std::to_string(expected_partitions));
    knob("attr-fpmath", fpmath);
    knob("dt", types);
    knob("in-shapes", in_shapes);
    knob("op-attrs", op_attrs);
    return concat(text, " --case=", file);
}

void append_graphs(const graph_settings &s, const std::string &file, const std::string &content,
                   const run_options &options, std::vector<graph_job> &jobs) {
    graph_case graph;
    blame("case", [&] {
        try {
            graph = parse_graph(content);
            understand_all(graph);
        } catch (const input_error &error) {
            throw input_error("'", file, "': ", error.what());
        }
    });
    for (const std::string &fpmath : s.fpmaths)
        for (const std::string &types : s.types)
            for (const std::string &in_shapes : s.in_shapes)
                for (const std::string &op_attrs : s.op_attrs)
                    append({file, in_shapes, op_attrs, types, fpmath, s.expected_partitions, options, graph}, s.match,
                           jobs);
}

} // namespace benchdnn_lite
