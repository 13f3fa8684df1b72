// SPDX-License-Identifier: Apache-2.0
// The command line of the driver --graph: combinations, rewritings of types, which knob is to blame.
#include <limits>

#include "command_lines.hpp"
#include "graph/graph_job.hpp"

namespace benchdnn_lite {
namespace {

const std::string CASE = concat("--case=", GRAPHS, "/op/f32/lnorm.json");

words graph_lines(const words &arguments) {
    words lines;
    for (const graph_job &j : parse_command_line(arguments).graphs) {
        const std::string line = j.line();
        EXPECT_EQ(line.substr(line.size() - CASE.size()), CASE);
        lines.push_back(line.substr(0, line.size() - CASE.size()));
    }
    return lines;
}

std::string after(const std::string &start, const std::string &text) {
    EXPECT_TRUE(text.starts_with(start)) << text;
    return text.substr(std::min(start.size(), text.size()));
}

TEST(graph_line, lists_run_in_every_combination) {
    EXPECT_EQ(graph_lines({"--graph", "--in-shapes=,0:2x768", "--op-attrs=,0:epsilon:1", "--dt=bf16", CASE}),
              (words{"--graph --dt=bf16 ", "--graph --dt=bf16 --op-attrs=0:epsilon:1 ",
                     "--graph --dt=bf16 --in-shapes=0:2x768 ",
                     "--graph --dt=bf16 --in-shapes=0:2x768 --op-attrs=0:epsilon:1 "}));
    EXPECT_EQ(graph_lines({"--graph", "--dt=f16", "--attr-fpmath=any", "--reset", CASE}), (words{"--graph "}));
    EXPECT_EQ(graph_lines({"--graph", "--attr-fpmath=strict,tf32", "--seed=7", CASE}),
              (words{"--graph --seed=7 --attr-fpmath=strict ", "--graph --seed=7 --attr-fpmath=tf32 "}));
    EXPECT_EQ(parse_command_line({"--graph", "--attr-fpmath=tf32", CASE}).graphs.at(0).graph.fpmath_mode,
              jitnorm_fpmath_mode_tf32);
    EXPECT_EQ(graph_lines({"--graph", "--repeats-per-prb=2", "--match=bf16", "--dt=f32,bf16", CASE}),
              (words{"--graph --dt=bf16 ", "--graph --dt=bf16 "}));
}

data_type type_of(const graph_case &graph, size_t id) {
    for (const graph_op &op : graph.ops)
        for (const auto *tensors : {&op.inputs, &op.outputs})
            for (const graph_tensor &t : *tensors)
                if (t.id == id) return t.type;
    return jitnorm_data_type_undef;
}

TEST(graph_line, one_type_is_for_the_data_and_an_id_for_a_tensor) {
    const auto graph = [](const char *types) {
        return parse_command_line({"--graph", concat("--dt=", types), CASE}).graphs.at(0).graph;
    };
    const graph_case all = graph("f16"), some = graph("1:bf16+4:bf16"), same = graph("undef");
    EXPECT_EQ(type_of(all, 0), jitnorm_f16);
    EXPECT_EQ(type_of(all, 3), jitnorm_f16);
    for (const size_t id : {1, 2, 4, 5}) EXPECT_EQ(type_of(all, id), jitnorm_f32) << id;
    for (const size_t id : {0, 1, 2, 3, 4, 5}) {
        EXPECT_EQ(type_of(some, id), id == 1 || id == 4 ? jitnorm_bf16 : jitnorm_f32) << id;
        EXPECT_EQ(type_of(same, id), jitnorm_f32) << id;
    }
}

TEST(graph_line, a_dash_is_a_scalar_and_a_tag_without_shape_a_layout) {
    graph_case graph = parse_command_line({"--graph", CASE}).graphs.at(0).graph;
    rewrite_shapes(graph, "0:ba+1:-");
    EXPECT_EQ(graph.ops[0].inputs[0].strides, (std::vector<dim_t>{1, 128}));
    EXPECT_EQ(graph.ops[0].inputs[1].dims, std::vector<dim_t>{});
}

TEST(graph_line, mistakes_are_blamed_on_the_knob_that_made_them) {
    const std::pair<const char *, const char *> cases[] = {
        {"--in-shapes=0:3x", "--in-shapes: "},
        {"--in-shapes=99:3", "--in-shapes: tensor 99 is no input or output of the graph"},
        {"--op-attrs=0:epsilon:x", "--op-attrs: 'x' is not a number"},
        {"--dt=f64", "--dt: 'f64' is none of f32, bf16, f16, undef"},
        {"--dt=99:f32", "--dt: the graph has no tensor 99"},
        {"--dt=0:f31", "--dt: unknown data type 'f31' (the closest is f32)"},
        {"--attr-fpmath=f64", "--attr-fpmath: unknown floating-point mode 'f64'; known: strict, bf16, f16, tf32, any"},
        {"--expected-n-partitions=x", "--expected-n-partitions: 'x' is not an integer"},
        {"--mode=B", "--mode: --graph has no mode B"},
        {"--mode", "--mode needs a value after an equals sign: --mode=CP"},
        {"--dir=FWD_D", "--graph has no knob '--dir', only --lnorm has"},
        {"--match=bf16", "--match: no problem's line has 'bf16'"},
        {"2x3", "'2x3' is not a knob; name a graph by --case=FILE"},
        {"--case=nothing.json", "--case: no such file 'nothing.json'"},
    };
    for (const auto &[knob, message] : cases) after(message, mistake_in({"--graph", knob, CASE}));
    EXPECT_EQ(mistake_in({"--graph"}), "no graph to run: name one with --case=FILE, or --batch=FILE");
    after(concat("--case: '", INPUTS, "/shapes_bert': not a serialized graph"),
          mistake_in({"--graph", concat("--case=", INPUTS, "/shapes_bert")}));
}

// A graph of one operation whose src has this id and these dimensions.
graph_case parsed(const std::string &id, const std::string &dims) {
    const std::string src = concat(R"({"id":)", id, R"(,"dtype":"f32","shape":)", dims, R"(,"layout_type":"any"})");
    return parse_graph(concat(R"({"graph":[{"id":0,"kind":"RMSNorm","inputs":[)", src, R"(],"outputs":[]}]})"));
}

std::string mistake_in_graph(const std::string &id, const std::string &dims) {
    return mistake_of([&] { parsed(id, dims); });
}

TEST(graph_case, numbers_are_taken_as_they_are_or_not_at_all) {
    EXPECT_EQ(parsed("18446744073709551615", "[2,3]").ops[0].inputs[0].id, std::numeric_limits<size_t>::max());
    EXPECT_EQ(mistake_in_graph("-1", "[2,3]"), "an id was expected, not -1");
    EXPECT_EQ(mistake_in_graph("1.5", "[2,3]"), "an id was expected, not 1.5");
    EXPECT_EQ(parsed("1", "[2,9223372036854775807]").ops[0].inputs[0].dims[1], std::numeric_limits<dim_t>::max());
    EXPECT_EQ(mistake_in_graph("1", "[2,9223372036854775808]"),
              "9223372036854775808 is larger than 9223372036854775807");
    EXPECT_EQ(mistake_in_graph("1", "[2,1.5]"), "an integer was expected, not 1.5");
}

} // namespace
} // namespace benchdnn_lite
