// SPDX-License-Identifier: Apache-2.0
// Each single operator: types, shapes, optional tensors, axes, repeated skips.
#include "norms.hpp"

using namespace support;

namespace {

const char *const OPERATORS[] = {"LayerNormalization", "RMSNormalization", "SimplifiedLayerNormalization",
                                 "SkipLayerNormalization", "SkipSimplifiedLayerNormalization"};

// No kernel of the CPU provider takes bf16, and that of 1.23 no row of one element.
bool cpu_takes(type its, const dims &x) { return its != BF16 && x.back() > 1; }

} // namespace

TEST(operators, compute_every_type_and_size) {
    for (const std::string op : OPERATORS)
        for (const type its : {F32, F16, BF16}) {
            if (its == BF16 && op.starts_with("Skip") && version().starts_with("1.23.")) continue; // does not have it
            for (const dims &x : {dims{1, 1, 1}, dims{2, 3, 7}, dims{1, 1, 768}, dims{2, 33, 129}, dims{4, 96, 64}}) {
                SCOPED_TRACE(testing::Message() << op << " of type " << its << ", columns " << x.back());
                check({.op = op, .its = its, .scale_type = its, .x = x}, cpu_takes(its, x));
            }
        }
}

TEST(operators, have_optional_inputs_and_outputs) {
    for (const char *op : OPERATORS)
        for (unsigned bits = 0; bits < 32; ++bits) {
            SCOPED_TRACE(testing::Message() << op << ' ' << bits);
            norm_case c{.op = op};
            c.shift = (bits & 1) != 0 && !c.is_rms();
            c.bias = (bits & 2) != 0 && c.has_skip();
            c.mean = (bits & 4) != 0 && !c.is_rms();
            c.rstd = (bits & 8) != 0 && c.op != "RMSNormalization";
            c.sum = (bits & 16) != 0 && c.has_skip();
            // The CPU provider writes no statistics of an operator with skip.
            check(c, !c.has_skip() || (!c.mean && !c.rstd));
        }
}

TEST(operators, normalize_from_any_axis_on) {
    for (const char *op : {"LayerNormalization", "RMSNormalization", "SimplifiedLayerNormalization"})
        for (const int64_t axis : {-4, -3, -2, -1, 0, 1, 2, 3}) {
            SCOPED_TRACE(testing::Message() << op << ' ' << axis);
            norm_case c{.op = op, .x = {2, 3, 4, 5}, .axis = axis};
            c.rstd = c.op != "RMSNormalization";
            c.mean = !c.is_rms();
            check(c);
        }
}

TEST(operators, repeat_a_skip_of_one_sequence) {
    for (const char *op : {"SkipLayerNormalization", "SkipSimplifiedLayerNormalization"})
        for (const dims &skip : {dims{1, 5, 40}, dims{5, 40}}) check({.op = op, .skip = skip, .sum = true});
    check({.op = "SkipLayerNormalization", .x = {15, 40}, .bias = true, .sum = true});
}

TEST(operators, take_weights_of_another_type) {
    // A Simplified operator's result has the weights' type.
    for (const type its : {F16, BF16})
        check({.op = "SimplifiedLayerNormalization", .its = its, .scale_type = F32}, false);
}

TEST(operators, read_weights_that_are_inputs_of_the_model) {
    norm_case c;
    model m = model_of(c);
    tensors inputs = inputs_of(c);
    for (const char *name : {"scale", "shift"}) {
        inputs[name] = m.weights.at(name);
        m.inputs.push_back({name, F32, c.normalized()});
    }
    const expected wanted = expectation_of(c, m, inputs);
    m.weights.clear();
    auto ours = open(m);
    expect_as(ours->run(inputs), wanted);
    EXPECT_EQ(statistics_line(std::move(ours)), "statistics: LayerNormalization: 1 nodes, 1 runs;");
}

// With a mean of 1e5 and a spread of 1e-2, squares of the elements have no digit left of the variance.
TEST(operators, are_closer_to_double_than_the_cpu_provider) {
    for (const char *op : {"LayerNormalization", "SkipLayerNormalization"}) {
        const norm_case c{.op = op, .x = {64, 768}, .center = 1e5, .spread = 1e-2};
        const model m = model_of(c);
        const tensors inputs = inputs_of(c);
        // Both providers round what they add to float32 before they normalize it.
        const expected exact = expectation_of(c, m, inputs);
        const std::vector<double> wanted = norm_in_double{}
                                               .compute(tensor(F32, c.x, exact.sum).values(),
                                                        m.weights.at("scale").values(), m.weights.at("shift").values())
                                               .y;
        const double ours = distance(session(m, {}).run(inputs).at("y").values(), wanted);
        const double cpu = distance(session(m, {.jitnorm = false}).run(inputs).at("y").values(), wanted);
        std::printf("%s, a mean of 1e5 and a spread of 1e-2: jitnorm %.1e, CPU provider %.1e from double\n", op, ours,
                    cpu);
        EXPECT_LT(ours, 1e-4);
        EXPECT_LT(ours, cpu);
    }
}
