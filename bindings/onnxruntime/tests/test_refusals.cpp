// SPDX-License-Identifier: Apache-2.0
// Nodes that are left to the CPU provider, with the reason in the log; options; hostile models and runs.
#include <optional>

#include "norms.hpp"

using namespace support;

namespace {

// The reason in the log why the model's normalization is left; the model must run all the same if `runs`.
std::string reason_for(const model &m, const tensors &inputs, bool runs = true, const settings &how = {}) {
    take_log();
    try {
        const session left(m, how);
        if (runs) left.run(inputs);
    } catch (const failed &) {
        EXPECT_FALSE(runs);
    }
    for (const std::string &line : take_log())
        if (line.starts_with("leaves ")) return line.substr(line.find("providers: ") + 11);
    return "";
}

// The result, or nothing if the session is not made or does not run.
std::optional<tensor> result_of(const model &m, const tensors &inputs, bool jitnorm) {
    try {
        return session(m, {.jitnorm = jitnorm}).run(inputs).at("y");
    } catch (const failed &) {
        return {};
    }
}

bool takes_skip(const dims &x, const dims &skip) {
    if (x.back() != 16) return false; // the scale's
    if (x.size() == 2) return skip == x;
    return x.size() == 3 && (skip == x || skip == dims{1, x[1], x[2]} || skip == dims{x[1], x[2]});
}

} // namespace

TEST(refusals, say_why_in_the_log) {
    norm_case c{.its = F64, .scale_type = F64};
    EXPECT_EQ(reason_for(model_of(c), inputs_of(c)), "'x' is not float32, float16 or bfloat16");

    c = {};
    model m = model_of(c);
    m.weights["scale"] = random(F32, {40}, 1);
    m.weights["shift"] = random(F32, {5, 40}, 1);
    EXPECT_EQ(reason_for(m, inputs_of(c), false), "'shift' is not known to have one element for each normalized one");

    c = {.op = "SkipSimplifiedLayerNormalization", .shift = false};
    m = model_of(c);
    m.nodes[0].outputs = {"y", "mean"};
    EXPECT_EQ(reason_for(m, inputs_of(c)), "the operator has no mean");

    c = {.epsilon = -1};
    EXPECT_EQ(reason_for(model_of(c), inputs_of(c), false), "epsilon is negative or not finite");
}

// Sizes that the model leaves open could be those that repeat a scale of one element.
TEST(refusals, of_a_scale_that_may_repeat) {
    const norm_case c{.x = {3, 1, 40}, .axis = -2};
    EXPECT_EQ(reason_for(model_of(c, {3, -1, 40}), inputs_of(c)),
              "the scale is not known to have one element for each normalized one");
}

TEST(options, say_which_operators_are_claimed) {
    const norm_case c;
    EXPECT_EQ(reason_for(model_of(c), inputs_of(c), true, {.given = {{"operators", "RMSNormalization"}}}),
              "the option 'operators' does not name it");
    auto ours = open(model_of(c), {.given = {{"operators", "RMSNormalization,LayerNormalization"}}});
    EXPECT_EQ(statistics_line(std::move(ours)), "statistics: LayerNormalization: 1 nodes, 0 runs;");
}

TEST(options, that_are_unknown_fail) {
    for (const options &wrong : {options{{"operators", "Conv"}}, options{{"statistics", "yes"}},
                                 options{{"threads", "0"}}, options{{"threads", "many"}}, options{{"colour", "1"}}})
        EXPECT_THROW(session(model_of({}), {.given = wrong}), failed);
}

TEST(options, of_the_statistics_are_off_unless_asked_for) {
    take_log();
    { const session quiet(model_of({}), {}); }
    EXPECT_TRUE(take_log().empty());
}

TEST(hostile_runs, with_wrong_shapes_fail_and_leave_the_session_usable) {
    const norm_case c;
    const model m = model_of(c, {-1, -1, -1});
    auto ours = open(m);
    EXPECT_THROW(ours->run({{"x", random(F32, {3, 5, 41}, 1)}}), failed);
    EXPECT_THROW(ours->run({{"x", random(F32, {3, 5, 1}, 1)}}), failed);
    expect_as(ours->run(inputs_of(c)), expectation_of(c, m, inputs_of(c)));
    EXPECT_EQ(statistics_line(std::move(ours)), "statistics: LayerNormalization: 1 nodes, 1 runs;");
}

TEST(hostile_runs, with_skips_that_do_not_fit_fail) {
    const norm_case c{.op = "SkipLayerNormalization"};
    const model m = model_of(c, {-1, -1, 40});
    const auto ours = open(m);
    for (const dims &skip : {dims{3, 4, 40}, dims{6, 5, 40}, dims{3, 5, 39}})
        EXPECT_THROW(ours->run({{"x", random(F32, c.x, 1)}, {"skip", random(F32, skip, 2)}}), failed);
    EXPECT_THROW(ours->run({{"x", random(F32, {1, 5, 40}, 1)}, {"skip", random(F32, c.x, 2)}}), failed);
    expect_as(ours->run(inputs_of(c)), expectation_of(c, m, inputs_of(c)));
}

// With open sizes the provider sees shapes only in the run. The CPU provider also takes a skip of more
// batches than the input has, and ignores all but the first ones.
TEST(hostile_runs, with_a_skip_that_the_operator_does_not_take_fail) {
    const dims shapes[] = {{2, 3, 16}, {2, 1, 16}, {1, 3, 16}, {1, 1, 16}, {6, 16},
                           {3, 16},    {1, 16},    {16},       {2, 3, 1},  {2, 1, 3, 16}};
    for (const char *op : {"SkipLayerNormalization", "SkipSimplifiedLayerNormalization"})
        for (const dims &x : shapes)
            for (const dims &skip : shapes) {
                SCOPED_TRACE(testing::Message()
                             << op << ' ' << testing::PrintToString(x) << ", " << testing::PrintToString(skip));
                model m = model_of({.op = op, .x = {16}});
                m.inputs = {{"x", F32, dims(x.size(), -1)}, {"skip", F32, dims(skip.size(), -1)}};
                m.outputs[0].shape = dims(x.size(), -1);
                const tensors inputs = {{"x", random(F32, x, 1)}, {"skip", random(F32, skip, 2)}};
                const std::optional<tensor> own = result_of(m, inputs, true);
                const bool right = takes_skip(x, skip);
                ASSERT_EQ(own.has_value(), right);
                if (right) expect_near(*own, result_of(m, inputs, false).value().values(), 1e-5, "y");
            }
}

// Open sizes might repeat a scale without elements, so that the node is left to the CPU provider. That of 1.23 divides
// by the number of columns.
TEST(hostile_runs, without_columns_fail) {
    const bool cpu_ends_the_process = version().starts_with("1.23.");
    for (const char *op : {"LayerNormalization", "RMSNormalization", "SimplifiedLayerNormalization",
                           "SkipLayerNormalization", "SkipSimplifiedLayerNormalization"})
        for (const dims &x : {dims{3, 5, 0}, dims{0, 5, 0}, dims{3, 0, 0}}) {
            SCOPED_TRACE(testing::Message() << op << ' ' << testing::PrintToString(x));
            const norm_case c{.op = op, .x = x};
            EXPECT_FALSE(result_of(model_of(c), inputs_of(c), true));
            if (cpu_ends_the_process) continue;
            EXPECT_FALSE(result_of(model_of(c), inputs_of(c), false));
            EXPECT_FALSE(result_of(model_of(c, {-1, -1, -1}), inputs_of(c), true));
        }
}

TEST(hostile_runs, with_empty_tensors_give_empty_results) {
    for (const char *op : {"LayerNormalization", "SkipLayerNormalization"}) {
        norm_case c{.op = op};
        const model m = model_of(c, {-1, -1, 40});
        c.x = {0, 5, 40};
        EXPECT_EQ(session(m, {}).run(inputs_of(c)).at("y").shape(), c.x);
        c.x = {3, 0, 40};
        EXPECT_EQ(session(m, {}).run(inputs_of(c)).at("y").shape(), c.x);
    }
}

TEST(hostile_models, without_weights_do_not_end_the_process) {
    for (const char *op : {"LayerNormalization", "SkipLayerNormalization", "RMSNormalization"}) {
        const norm_case c{.op = op, .shift = false};
        model m = model_of(c);
        const size_t scale = c.has_skip() ? 2 : 1;
        m.nodes[0].inputs[scale] = "";
        EXPECT_THROW(session(m, {}).run(inputs_of(c)), failed) << op;
        m.nodes[0].inputs.resize(scale);
        EXPECT_THROW(session(m, {}).run(inputs_of(c)), failed) << op;
    }
}

TEST(hostile_models, with_wrong_ranks_do_not_end_the_process) {
    norm_case c{.x = {1, 1, 1, 1, 1, 1, 1, 2, 3, 40}};
    const tensors got = session(model_of(c), {}).run(inputs_of(c)); // more dimensions than the provider takes
    expect_as(got, expectation_of(c, model_of(c), inputs_of(c)));
    model m = model_of({});
    m.nodes[0].attributes["axis"] = int64_t(-7);
    EXPECT_THROW(session(m, {}).run(inputs_of({})), failed);
    m.nodes[0].attributes["axis"] = int64_t(3);
    EXPECT_THROW(session(m, {}).run(inputs_of({})), failed);
}

TEST(hostile_models, that_are_to_be_written_with_compiled_nodes_are_not_claimed) {
    auto ours =
        open(model_of({}),
             {.configuration = {{"ep.context_enable", "1"}, {"ep.context_file_path", "/tmp/never_written.onnx"}}});
    ours->run(inputs_of({}));
    EXPECT_EQ(statistics_line(std::move(ours)), "statistics:");
}
