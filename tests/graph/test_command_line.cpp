// SPDX-License-Identifier: Apache-2.0
// The parts of benchdnn-lite --graph: reading, rewriting, and noticing wrong results.
#include <algorithm>
#include <cmath>
#include <functional>

#include <gtest/gtest.h>

#include "error.hpp"
#include "graph/graph_check.hpp"
#include "graph/graph_job.hpp"
#include "graph/graph_norm.hpp"
#include "graph/graph_run.hpp"

namespace benchdnn_lite {
namespace {

using shape = std::vector<dim_t>;

const std::string SRC = R"({"id": 0, "dtype": "bf16", "shape": [2, 3, 4], "stride": [12, 4, 1],
    "layout_type": "strided", "property_type": "undef"})";
const std::string GAMMA = R"({"id": 1, "dtype": "f32", "shape": [4], "stride": [1], "layout_type": "strided",
    "property_type": "constant"})";
const std::string DST = R"({"id": 2, "dtype": "bf16", "shape": [2, 3, 4], "stride": [12, 4, 1]})";
const std::string MEAN = R"({"id": 3, "dtype": "f32", "shape": [2, 3], "stride": [3, 1]})";
const std::string VARIANCE = R"({"id": 4, "dtype": "f32", "shape": [-1, -1], "layout_type": "any"})";

std::string op_text(int id, const std::string &kind, const std::string &attributes, const std::string &inputs,
                    const std::string &outputs) {
    return R"({"id": )" + std::to_string(id) + R"(, "name": "an op", "kind": ")" + kind + R"(", "attrs": {)" +
           attributes + R"(}, "inputs": [)" + inputs + R"(], "outputs": [)" + outputs + "]}";
}

std::string graph_text(const std::string &attributes = R"("epsilon": {"type": "f32", "value": 0.5})") {
    return R"({"version": "3.8.0", "engine_kind": "cpu", "fpmath_mode": "strict", "graph": [)" +
           op_text(7, "LayerNorm", attributes, SRC + ", " + GAMMA, DST + "," + MEAN + "," + VARIANCE) + "]}";
}

std::string replaced(std::string text, const std::string &what, const std::string &by) {
    const size_t at = text.find(what);
    EXPECT_NE(at, text.npos) << what;
    return text.replace(at, what.size(), by);
}

TEST(graph_case, is_read) {
    const graph_case g = parse_graph(graph_text(
        R"("epsilon": {"type": "f32", "value": 0.5}, "keep_stats": {"type": "bool", "value": 1},
           "begin_norm_axis": {"type": "s64", "value": -1}, "output_mask": {"type": "s64[]", "value": [1, 0]})"));
    ASSERT_EQ(g.ops.size(), 1u);
    const graph_op &op = g.ops[0];
    EXPECT_EQ(op.id, 7u);
    EXPECT_EQ(op.kind, "LayerNorm");
    EXPECT_EQ(std::get<float>(op.attributes.at("epsilon")), 0.5F);
    EXPECT_EQ(std::get<bool>(op.attributes.at("keep_stats")), true);
    EXPECT_EQ(std::get<int64_t>(op.attributes.at("begin_norm_axis")), -1);
    EXPECT_EQ(std::get<std::vector<int64_t>>(op.attributes.at("output_mask")), (std::vector<int64_t>{1, 0}));
    ASSERT_EQ(op.inputs.size(), 2u);
    EXPECT_EQ(op.inputs[0].type, jitnorm_bf16);
    EXPECT_EQ(op.inputs[0].dims, (shape{2, 3, 4}));
    EXPECT_EQ(op.inputs[0].strides, (shape{12, 4, 1}));
    EXPECT_EQ(op.inputs[1].property, jitnorm_graph_tensor_property_constant);
    ASSERT_EQ(op.outputs.size(), 3u);
    EXPECT_TRUE(op.outputs[1].has_shape);
    EXPECT_FALSE(op.outputs[2].has_shape);
    EXPECT_EQ(op.outputs[2].layout_type, jitnorm_graph_layout_type_any);
    EXPECT_EQ(g.boundaries(), (std::set<size_t>{0, 1, 2, 3, 4}));
    EXPECT_EQ(g.written(), (std::set<size_t>{2, 3, 4}));
}

TEST(graph_case, mistakes_are_reported) {
    const std::string right = graph_text();
    const std::pair<std::string, std::string> exchanges[] = {{"\"graph\"", "\"grape\""},
                                                             {"\"id\": 7", "\"id\": \"7\""},
                                                             {"\"id\": 7", "\"identity\": 7"},
                                                             {"\"kind\"", "\"kin\""},
                                                             {"\"bf16\"", "\"bf17\""},
                                                             {"\"strided\"", "\"opaque\""},
                                                             {"\"undef\"", "\"odd\""},
                                                             {"\"strict\"", "\"lax\""},
                                                             {"\"cpu\"", "\"gpu\""},
                                                             {"[2, 3, 4]", "[2, 3]"},
                                                             {"[2, 3, 4]", "\"2x3x4\""},
                                                             {"[12, 4, 1]", "[4, 1]"},
                                                             {"\"type\": \"f32\"", "\"type\": \"f33\""},
                                                             {"\"value\": 0.5", "\"value\": \"half\""},
                                                             {"]}]}", "]}]"},
                                                             {"\"inputs\"", "\"outputs\""},
                                                             {"[2, 3, 4]", "[1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1]"}};
    EXPECT_NO_THROW(parse_graph(right));
    for (const auto &[what, by] : exchanges)
        EXPECT_THROW(parse_graph(replaced(right, what, by)), input_error) << what << " for " << by;
    for (const char *text : {"", "{}", "[]", "7", "{\"graph\": []}", "{\"graph\": 3}", "{\"graph\": [3]}", "\xff"})
        EXPECT_THROW(parse_graph(text), input_error) << text;
}

TEST(rewriting, shapes_and_layouts) {
    graph_case g = parse_graph(graph_text());
    rewrite_shapes(g, "0:5x6*ba+1:6+3:5");
    const graph_op &op = g.ops[0];
    EXPECT_EQ(op.inputs[0].dims, (shape{5, 6}));
    EXPECT_EQ(op.inputs[0].strides, (shape{1, 5}));
    EXPECT_EQ(op.inputs[1].dims, (shape{6}));
    EXPECT_FALSE(op.outputs[0].has_shape); // inferred
    EXPECT_EQ(op.outputs[1].dims, (shape{5}));
    EXPECT_TRUE(op.outputs[1].has_shape);

    g = parse_graph(graph_text());
    rewrite_shapes(g, "0:*100x30x2");
    EXPECT_EQ(g.ops[0].inputs[0].dims, (shape{2, 3, 4}));
    EXPECT_EQ(g.ops[0].inputs[0].strides, (shape{100, 30, 2}));
    rewrite_shapes(g, "0:*bca");
    EXPECT_EQ(g.ops[0].inputs[0].strides, (shape{1, 8, 2}));
    rewrite_shapes(g, "1:scalar+3:0");
    EXPECT_EQ(g.ops[0].inputs[1].dims, shape{});
    EXPECT_EQ(g.ops[0].outputs[1].dims, (shape{0}));
}

TEST(rewriting, mistakes_in_shapes) {
    for (const char *text : {"0", "0:", "9:3", "0:3x", "0:-3", "0:3x4*abc", "0:3x4*aB8b", "0:3x4*1", "x:3", "0:3+",
                             "4:*ab", "0:3x4*", "0:3y4", "-1:3", "0:1x1x1x1x1x1x1x1x1x1x1x1x1"}) {
        graph_case g = parse_graph(graph_text());
        EXPECT_THROW(rewrite_shapes(g, text), input_error) << text;
    }
}

TEST(rewriting, attributes) {
    graph_case g = parse_graph(graph_text());
    rewrite_attributes(g, "7:epsilon:0.25*begin_norm_axis:1*keep_stats:0");
    const graph_op &op = g.ops[0];
    EXPECT_EQ(std::get<float>(op.attributes.at("epsilon")), 0.25F);
    EXPECT_EQ(std::get<int64_t>(op.attributes.at("begin_norm_axis")), 1);
    EXPECT_EQ(op.outputs.size(), 1u);
    EXPECT_FALSE(op.outputs[0].has_shape);
    rewrite_attributes(g, "7:epsilon:undef*output_mask:1x0x1");
    EXPECT_FALSE(op.attributes.contains("epsilon"));
    EXPECT_EQ(std::get<std::vector<int64_t>>(op.attributes.at("output_mask")), (std::vector<int64_t>{1, 0, 1}));
    rewrite_attributes(g, "7:scales:0.5x2*zps:-3*mode:gelu_tanh*alpha:0.25*axis:-1");
    EXPECT_EQ(std::get<std::vector<float>>(op.attributes.at("scales")), (std::vector<float>{0.5F, 2}));
    EXPECT_EQ(std::get<std::vector<int64_t>>(op.attributes.at("zps")), std::vector<int64_t>{-3});
    EXPECT_EQ(std::get<std::string>(op.attributes.at("mode")), "gelu_tanh");
    EXPECT_EQ(std::get<float>(op.attributes.at("alpha")), 0.25F);
    EXPECT_EQ(std::get<int64_t>(op.attributes.at("axis")), -1);
    for (const char *text : {"7", "7:epsilon", "8:epsilon:1", "7:epsilon:x", "7:groups:1", "7:keep_stats:2",
                             "7:", "7:epsilon:1+", "7:begin_norm_axis:1.5", "7:output_mask:1y0"})
        EXPECT_THROW(rewrite_attributes(g, text), input_error) << text;
}

graph_result run_text(const std::string &text, int64_t expected_partitions = -1) {
    return run_graph({"", "", "", "", "", expected_partitions, run_options{}, parse_graph(text)});
}

TEST(running, tells_how_it_went) {
    EXPECT_EQ(run_text(graph_text()).what.status, state::passed);
    EXPECT_EQ(run_text(graph_text(), 1).what.status, state::passed);
    EXPECT_EQ(run_text(graph_text(), 2).what.status, state::failed);
    EXPECT_EQ(run_text(replaced(graph_text(), "LayerNorm", "Softmax")).what.status, state::unimplemented);
    EXPECT_EQ(run_text(replaced(graph_text(), "\"shape\": [4]", "\"shape\": [5]")).what.status, state::failed);
    EXPECT_EQ(run_text(replaced(graph_text(), "[12, 4, 1]", "[-1, -1, -1]")).what.status, state::invalid_arguments);
}

using jitnorm::graph::logical_tensor;

logical_tensor dense(size_t id, const shape &dims, logical_tensor::data_type type = logical_tensor::data_type::f32) {
    return {id, type, dims, logical_tensor::layout_type::strided};
}

// As the runner does it, with the library's results written by `write`.
template <typename Write>
size_t errors_with(const std::string &text, const std::vector<logical_tensor> &tensors, const std::set<size_t> &outputs,
                   Write write) {
    const graph_case graph = parse_graph(text);
    std::vector<const graph_op *> ops;
    for (const graph_op &op : graph.ops) ops.push_back(&op);
    const graph_norm norm = understand(ops, outputs);
    graph_memory memory(1);
    for (const logical_tensor &t : tensors) memory.add(t);
    memory.fill_inputs(norm);
    memory.poison_outputs(norm);
    write(memory);
    size_t count = 0;
    for (const comparison &c : check_graph_op(norm, memory)) count += c.errors();
    return count;
}

// The right results by formulas of the test's own.
void write_right_results(const graph_memory &m) {
    const std::vector<double> src = values_of(m.at(0)), gamma = values_of(m.at(1));
    for (size_t row = 0; row < 2; ++row) {
        double mean = 0, variance = 0;
        for (size_t c = 0; c < 4; ++c) mean += src[row * 4 + c] / 4;
        for (size_t c = 0; c < 4; ++c) variance += (src[row * 4 + c] - mean) * (src[row * 4 + c] - mean) / 4;
        for (size_t c = 0; c < 4; ++c)
            m.at(2).set(dim_t(row * 4 + c), (src[row * 4 + c] - mean) / std::sqrt(variance + 0.5) * gamma[c]);
        m.at(3).set(dim_t(row), mean);
        m.at(4).set(dim_t(row), variance);
    }
}

TEST(checking, notices_each_wrong_output) {
    const auto errors_of_norm = [](const std::string &text, auto write) {
        return errors_with(text, {dense(0, {2, 4}), dense(1, {4}), dense(2, {2, 4}), dense(3, {2}), dense(4, {2})},
                           {2, 3, 4}, write);
    };
    const std::string text = graph_text();
    EXPECT_EQ(errors_of_norm(text, write_right_results), 0u);
    EXPECT_EQ(errors_of_norm(text, [](const graph_memory &) {}), 12u); // nothing was written
    for (const size_t id : {2, 3, 4}) {
        const auto write_one_wrong = [&](const graph_memory &m) {
            write_right_results(m);
            m.at(id).set(1, m.at(id).at(1) + 1e-5);
        };
        EXPECT_EQ(errors_of_norm(text, write_one_wrong), 1u) << "tensor " << id;
    }
    EXPECT_EQ(errors_of_norm(replaced(text, "0.5", "0.51"), write_right_results), 8u);
}

// ---------------------------------------------------------------- operations after a normalization

std::string tensor(int id, const std::string &type) {
    return R"({"id": )" + std::to_string(id) + R"(, "dtype": ")" + type + R"(", "shape": [2, 4], "stride": [4, 1]})";
}

std::string fused_text(const std::string &kind, const std::string &attributes, const std::string &more_inputs = "",
                       const std::string &type = "f32") {
    return R"({"graph": [)" + op_text(0, "RMSNorm", "", tensor(0, "f32"), tensor(1, "f32")) + "," +
           op_text(1, kind, attributes, tensor(1, "f32") + more_inputs, tensor(2, type)) + "]}";
}

const std::string OTHER = R"(, {"id": 3, "dtype": "f32", "shape": [4], "stride": [1]})";

TEST(running, what_is_fused) {
    const std::string scale = R"("scales": {"type": "f32[]", "value": [0.25]})";
    EXPECT_EQ(run_text(fused_text("GELU", ""), 1).what.status, state::passed);
    EXPECT_EQ(run_text(fused_text("Divide", "", OTHER), 1).what.status, state::passed);
    EXPECT_EQ(run_text(fused_text("Quantize", scale, "", "u8"), 1).what.status, state::passed);
    EXPECT_EQ(run_text(fused_text("Quantize", scale, "", "u8"), 2).what.status, state::failed);
    EXPECT_EQ(run_text(fused_text("Quantize", "", "", "u8")).what.status, state::unimplemented); // without a scale
    EXPECT_EQ(run_text(fused_text("Softmax", "")).what.status, state::unimplemented);
}

// Rows of four, normalized by a formula of the test's own.
std::vector<double> rms_normalized(std::vector<double> values) {
    for (size_t row = 0; row < values.size(); row += 4) {
        double squares = 0;
        for (size_t c = 0; c < 4; ++c) squares += values[row + c] * values[row + c] / 4;
        for (size_t c = 0; c < 4; ++c) values[row + c] /= std::sqrt(squares + double(1e-5F));
    }
    return values;
}

// The oracle must see what the operation does, and with which numbers.
size_t errors_of(const std::string &text, const std::function<double(double, double)> &f) {
    return errors_with(text, {dense(0, {2, 4}), dense(2, {2, 4}), dense(3, {4})}, {2}, [&](const graph_memory &m) {
        const std::vector<double> normalized = rms_normalized(values_of(m.at(0))), other = values_of(m.at(3));
        for (size_t i = 0; i < normalized.size(); ++i) m.at(2).set(dim_t(i), f(normalized[i], other[i % 4]));
    });
}

// An addition before: the sum, which an End keeps, is checked exactly, and is normalized as stored.
TEST(checking, an_addition_before) {
    const std::string text = R"({"graph": [)" +
                             op_text(0, "Add", "", tensor(0, "bf16") + "," + tensor(3, "bf16"), tensor(1, "bf16")) +
                             "," + op_text(1, "RMSNorm", "", tensor(1, "bf16"), tensor(2, "bf16")) + "]}";
    EXPECT_EQ(run_text(text, 1).what.status, state::passed);
    const graph_case graph = parse_graph(text);
    EXPECT_FALSE(understand({&graph.ops[0], &graph.ops[1]}, {2}).outputs.contains(graph_role::sum));
    std::vector<logical_tensor> tensors;
    for (const size_t id : {0, 1, 2, 3}) tensors.push_back(dense(id, {2, 4}, logical_tensor::data_type::bf16));
    for (const double mistake : {0.0, 0.0625}) {
        const auto write = [=](const graph_memory &m) {
            const std::vector<double> x1 = values_of(m.at(0)), x2 = values_of(m.at(3));
            for (size_t i = 0; i < x1.size(); ++i) m.at(1).set(dim_t(i), x1[i] + x2[i]);
            const std::vector<double> sum = values_of(m.at(1)), normalized = rms_normalized(sum);
            for (size_t i = 0; i < sum.size(); ++i) m.at(2).set(dim_t(i), normalized[i]);
            m.at(1).set(5, sum[5] + mistake);
        };
        EXPECT_EQ(errors_with(text, tensors, {1, 2}, write), mistake == 0 ? 0u : 1u);
    }
}

TEST(checking, what_is_fused) {
    const std::string subtract = fused_text("Subtract", "", OTHER);
    EXPECT_EQ(errors_of(subtract, [](double x, double y) { return x - y; }), 0u);
    EXPECT_EQ(errors_of(subtract, [](double x, double y) { return x - y + 1e-5; }), 8u);
    const std::string clamp =
        fused_text("Clamp", R"("min": {"type": "f32", "value": -0.5}, "max": {"type": "f32", "value": 0.5})");
    EXPECT_EQ(errors_of(clamp, [](double x, double) { return std::clamp(x, -0.5, 0.5); }), 0u);
    EXPECT_GT(errors_of(clamp, [](double x, double) { return std::clamp(x, -0.5, 0.6); }), 0u);
    const std::string tanh = fused_text("GELU", R"("mode": {"type": "string", "value": "gelu_tanh"})");
    const auto gelu = [](double x, double) {
        return x / 2 * (1 + std::tanh(std::sqrt(2 / std::acos(-1.0)) * (x + 0.044715 * x * x * x)));
    };
    EXPECT_EQ(errors_of(tanh, gelu), 0u);
    EXPECT_GT(errors_of(fused_text("GELU", ""), gelu), 0u);
    const std::string quantize = fused_text(
        "Quantize", R"("scales": {"type": "f32[]", "value": [0.25]}, "zps": {"type": "s64[]", "value": [3]})");
    EXPECT_EQ(errors_of(quantize, [](double x, double) { return x * 4 + 3; }), 0u);
    EXPECT_EQ(errors_of(quantize, [](double x, double) { return x * 4; }), 8u);
}

} // namespace
} // namespace benchdnn_lite
