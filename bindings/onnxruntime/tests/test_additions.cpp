// SPDX-License-Identifier: Apache-2.0
// Additions before a normalization, which are fused with it where the results stay those of the model.
#include "norms.hpp"

using namespace support;

namespace {

const norm_case PLAIN{.x = {2, 6, 40}};

// LayerNormalization of a + b. `reads_sum`: the sum is an output of the model.
model sum_model(const dims &a, const dims &b, bool reads_sum, const char *op = "LayerNormalization") {
    norm_case c = PLAIN;
    c.op = op;
    c.shift = !c.is_rms();
    model m = model_of(c);
    m.inputs = {{"a", F32, a}, {"b", F32, b}};
    m.nodes.insert(m.nodes.begin(), {"", "Add", {"a", "b"}, {"x"}, {}});
    if (reads_sum) m.outputs.push_back({"x", F32, c.x});
    return m;
}

// Both providers must compute the same, and jitnorm what the line says.
void compare(const model &m, const tensors &inputs, const std::string &statistics) {
    auto ours = open(m);
    const tensors got = ours->run(inputs);
    for (const auto &[name, result] : session(m, {.jitnorm = false}).run(inputs)) {
        EXPECT_EQ(result.shape(), got.at(name).shape()) << name;
        expect_near(got.at(name), result.values(), 1e-5, name.c_str());
    }
    EXPECT_EQ(statistics_line(std::move(ours)), "statistics:" + statistics);
}

} // namespace

TEST(additions, are_computed_with_the_normalization) {
    for (const char *op : {"LayerNormalization", "RMSNormalization", "SimplifiedLayerNormalization"})
        for (const bool reads_sum : {false, true}) {
            model m = sum_model(PLAIN.x, PLAIN.x, reads_sum, op);
            const tensors inputs = {{"a", random(F32, PLAIN.x, 1)}, {"b", random(F32, PLAIN.x, 2)}};
            compare(m, inputs, std::string(" ") + op + " with Add: 1 nodes, 1 runs;");
        }
}

TEST(additions, broadcast_as_the_operator_does) {
    const dims shapes[] = {{2, 6, 40}, {1, 6, 40}, {6, 40}, {2, 1, 40}, {40}, {1, 1, 40}};
    for (const dims &a : shapes)
        for (const dims &b : shapes) {
            if (count(a) < 480 && count(b) < 480 && count(a) * count(b) != 80 * 240)
                continue; // not of the result's size
            SCOPED_TRACE(testing::Message() << count(a) << ' ' << count(b));
            compare(sum_model(a, b, true), {{"a", random(F32, a, 1)}, {"b", random(F32, b, 2)}},
                    " LayerNormalization with Add: 1 nodes, 1 runs;");
        }
}

TEST(additions, of_open_sizes_broadcast_too) {
    model m = sum_model({-1, -1, 40}, {-1, -1, 40}, true);
    for (description &output : m.outputs) output.shape = {-1, -1, 40};
    auto ours = open(m);
    const session cpu(m, {.jitnorm = false});
    for (const dims &b : {dims{2, 6, 40}, dims{1, 6, 40}, dims{2, 1, 40}, dims{1, 1, 40}}) {
        const tensors inputs = {{"a", random(F32, PLAIN.x, 1)}, {"b", random(F32, b, 2)}};
        const tensors got = ours->run(inputs), wanted = cpu.run(inputs);
        expect_near(got.at("y"), wanted.at("y").values(), 1e-5, "y");
        EXPECT_EQ(got.at("x").values(), wanted.at("x").values());
    }
    EXPECT_EQ(statistics_line(std::move(ours)), "statistics: LayerNormalization with Add: 1 nodes, 4 runs;");
}

TEST(additions, of_a_tensor_to_itself_are_right) {
    model m = sum_model(PLAIN.x, PLAIN.x, true);
    m.nodes[0].inputs = {"a", "a"};
    m.inputs.pop_back();
    compare(m, {{"a", random(F32, PLAIN.x, 1)}}, " LayerNormalization with Add: 1 nodes, 1 runs;");
}

TEST(additions, of_a_bias_are_computed_too) {
    for (const bool bias_first : {false, true})
        for (const bool before_skip : {false, true}) {
            model m = sum_model(PLAIN.x, PLAIN.x, true);
            m.inputs.push_back({"c", F32, PLAIN.x});
            m.weights["bias"] = random(F32, {40}, 5);
            m.inputs[before_skip ? 1 : 0].name = "c";
            m.inputs.pop_back();
            m.nodes.insert(m.nodes.begin(), {"", "Add", {"c", "bias"}, {before_skip ? "b" : "a"}, {}});
            if (bias_first) std::swap(m.nodes[0].inputs[0], m.nodes[0].inputs[1]);
            compare(m, {{"c", random(F32, PLAIN.x, 1)}, {before_skip ? "a" : "b", random(F32, PLAIN.x, 2)}},
                    " LayerNormalization with two Add: 1 nodes, 1 runs;");
        }
}

TEST(additions, of_a_bias_that_others_read_stay) {
    for (const bool by_node : {false, true}) {
        model m = sum_model(PLAIN.x, PLAIN.x, false);
        m.weights["bias"] = random(F32, {40}, 5);
        m.inputs[0].name = "c";
        m.nodes.insert(m.nodes.begin(), {"", "Add", {"c", "bias"}, {"a"}, {}});
        if (by_node) m.nodes.push_back({"", "Neg", {"a"}, {"negative"}, {}});
        m.outputs.push_back({by_node ? "negative" : "a", F32, PLAIN.x});
        compare(m, {{"c", random(F32, PLAIN.x, 1)}, {"b", random(F32, PLAIN.x, 2)}},
                " LayerNormalization with Add: 1 nodes, 1 runs;");
    }
}

TEST(additions, before_two_normalizations_go_to_one_of_them) {
    model m = sum_model(PLAIN.x, PLAIN.x, false);
    node second = m.nodes[1];
    second.outputs = {"z"};
    m.nodes.push_back(second);
    m.nodes.push_back({"", "Mul", {"x", "z"}, {"product"}, {}});
    m.outputs.push_back({"product", F32, PLAIN.x});
    compare(m, {{"a", random(F32, PLAIN.x, 1)}, {"b", random(F32, PLAIN.x, 2)}},
            " LayerNormalization: 1 nodes, 1 runs; LayerNormalization with Add: 1 nodes, 1 runs;");
}

// A node of both would have its own result as its input.
TEST(additions, that_the_scale_depends_on_stay) {
    model m = sum_model(PLAIN.x, PLAIN.x, false);
    m.weights["zero"] = tensor(I64, {}, {0});
    m.weights.erase("scale");
    m.nodes.insert(m.nodes.begin() + 1, {"", "Gather", {"x", "zero"}, {"of_batch"}, {{"axis", int64_t(0)}}});
    m.nodes.insert(m.nodes.begin() + 2, {"", "Gather", {"of_batch", "zero"}, {"scale"}, {{"axis", int64_t(0)}}});
    compare(m, {{"a", random(F32, PLAIN.x, 1)}, {"b", random(F32, PLAIN.x, 2)}},
            " LayerNormalization: 1 nodes, 1 runs;");
}

TEST(additions, that_repeat_columns_stay) {
    compare(sum_model(PLAIN.x, {2, 6, 1}, true), {{"a", random(F32, PLAIN.x, 1)}, {"b", random(F32, {2, 6, 1}, 2)}},
            " LayerNormalization: 1 nodes, 1 runs;");
}

TEST(additions, stay_where_the_options_do_not_name_them) {
    const model m = sum_model(PLAIN.x, PLAIN.x, false);
    auto ours = open(m, {.given = {{"operators", "LayerNormalization"}}});
    ours->run({{"a", random(F32, PLAIN.x, 1)}, {"b", random(F32, PLAIN.x, 2)}});
    EXPECT_EQ(statistics_line(std::move(ours)), "statistics: LayerNormalization: 1 nodes, 1 runs;");
}
