// SPDX-License-Identifier: Apache-2.0
// Models of one normalization, and their expected results.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <string>

#include "support.hpp"

namespace support {

struct norm_case {
    std::string op = "LayerNormalization";
    type its = F32, scale_type = F32; // of skip and bias: its
    dims x = {3, 5, 40}, skip = {};   // skip: of operators that have one
    int64_t axis = -1;
    bool shift = true, bias = false;              // the optional inputs
    bool mean = false, rstd = false, sum = false; // the optional outputs
    double center = 0, spread = 1;                // of x
    float epsilon = 1e-5f;

    bool has_skip() const { return op.starts_with("Skip"); }
    bool is_rms() const { return op.find("Simplified") != op.npos || op.starts_with("RMS"); }
    size_t last() const { return axis < 0 ? size_t(-axis) : x.size() - size_t(axis); }
    dims normalized() const { return {x.end() - std::ptrdiff_t(last()), x.end()}; }
    dims statistics() const {
        dims shape = x;
        std::fill(shape.end() - std::ptrdiff_t(last()), shape.end(), 1);
        return shape;
    }
};

inline tensors inputs_of(const norm_case &c, unsigned seed = 1) {
    tensors all = {{"x", random(c.its, c.x, seed, c.center, c.spread)}};
    if (c.has_skip()) all["skip"] = random(c.its, c.skip.empty() ? c.x : c.skip, seed + 1, 0, c.spread);
    return all;
}

// `x`: the shape that the model says, with -1 for what it leaves open; empty: the case's.
inline model model_of(const norm_case &c, dims open = {}) {
    model m;
    m.opset = c.op == "RMSNormalization" ? 23 : 17;
    if (open.empty()) open = c.x;
    m.inputs = {{"x", c.its, open}};
    if (c.has_skip()) m.inputs.push_back({"skip", c.its, c.skip.empty() ? open : c.skip});
    m.weights["scale"] = random(c.scale_type, c.normalized(), 11, 1, 0.5);
    if (c.shift) m.weights["shift"] = random(c.scale_type, c.normalized(), 12);
    if (c.bias) m.weights["bias"] = random(c.its, c.normalized(), 13);
    node n{c.has_skip() ? "com.microsoft" : "", c.op, {"x"}, {"y"}, {{"epsilon", c.epsilon}}};
    if (!c.has_skip()) n.attributes["axis"] = c.axis;
    if (c.has_skip()) n.inputs.push_back("skip");
    n.inputs.push_back("scale");
    const auto add_input = [&](bool wanted, const char *name) { n.inputs.push_back(wanted ? name : ""); };
    if (!c.is_rms()) add_input(c.shift, "shift");
    if (c.has_skip()) add_input(c.bias, "bias");
    while (n.inputs.back().empty()) n.inputs.pop_back();
    m.outputs = {{"y", c.op == "SimplifiedLayerNormalization" ? c.scale_type : c.its, open}};
    const auto add_output = [&](bool wanted, const char *name, type its, const dims &shape) {
        n.outputs.push_back(wanted ? name : "");
        if (wanted) m.outputs.push_back({name, its, shape});
    };
    dims statistics = open;
    std::fill(statistics.end() - std::ptrdiff_t(c.last()), statistics.end(), 1);
    if (!c.is_rms() || c.has_skip()) add_output(c.mean, "mean", F32, statistics);
    if (c.op != "RMSNormalization") add_output(c.rstd, "rstd", F32, statistics);
    if (c.has_skip()) add_output(c.sum, "sum", c.its, open);
    while (n.outputs.back().empty()) n.outputs.pop_back();
    m.nodes = {n};
    return m;
}

inline expected expectation_of(const norm_case &c, const model &m, const tensors &inputs) {
    std::vector<double> x = inputs.at("x").values();
    const auto add = [&](const std::vector<double> &to_x) {
        for (size_t i = 0; i < x.size(); ++i) x[i] += to_x[i];
    };
    if (c.has_skip()) add(broadcast(inputs.at("skip"), inputs.at("x").shape()));
    if (c.bias) add(broadcast(m.weights.at("bias"), inputs.at("x").shape()));
    return norm_in_double{c.is_rms(), c.epsilon}.compute(x, m.weights.at("scale").values(),
                                                         c.shift && !c.is_rms() ? m.weights.at("shift").values()
                                                                                : std::vector<double>());
}

inline double largest(const std::vector<double> &values) {
    double found = 1;
    for (const double value : values) found = std::max(found, std::fabs(value));
    return found;
}

// Of a result's type: what it may differ from the result in double, as a part of the largest value.
inline double bound_of(type its) { return its == F32 ? 2e-6 : its == F16 ? 0x1p-10 : 0x1p-7; }

inline void expect_near(const tensor &got, const std::vector<double> &wanted, double bound, const char *what) {
    EXPECT_LE(distance(got.values(), wanted), bound * largest(wanted)) << what;
}

inline void expect_as(const tensors &got, const expected &wanted) {
    for (const auto &[name, result] : got) {
        const auto &its = name == "y"      ? wanted.y
                          : name == "mean" ? wanted.mean
                          : name == "rstd" ? wanted.rstd
                                           : wanted.sum;
        expect_near(result, its, bound_of(result.element_type()), name.c_str());
    }
}

// The lines of the log after the session has ended say that jitnorm claimed and ran these nodes: a label with the
// number of its nodes and runs.
inline std::string statistics_line(std::unique_ptr<session> ended) {
    take_log();
    ended.reset();
    for (const std::string &line : take_log())
        if (line.starts_with("statistics:")) return line;
    return "no statistics";
}

inline std::unique_ptr<session> open(const model &m, settings how = {}) {
    how.given.insert({"statistics", "1"});
    return std::make_unique<session>(m, how);
}

// Runs the model on both providers. jitnorm's results must be those in double, and those of the CPU provider within its
// accuracy, unless that one cannot run the model.
inline void check(const norm_case &c, bool cpu_can = true) {
    const model m = model_of(c);
    const tensors inputs = inputs_of(c);
    auto ours = open(m);
    const tensors got = ours->run(inputs);
    expect_as(got, expectation_of(c, m, inputs));
    for (const auto &[name, result] : got)
        EXPECT_EQ(result.shape(), name == "mean" || name == "rstd" ? c.statistics() : c.x) << name;
    EXPECT_EQ(statistics_line(std::move(ours)), "statistics: " + c.op + ": 1 nodes, 1 runs;");
    if (!cpu_can) return;
    for (const auto &[name, result] : session(m, {.jitnorm = false}).run(inputs)) {
        EXPECT_EQ(result.shape(), got.at(name).shape()) << name;
        expect_near(got.at(name), result.values(), 8 * bound_of(result.element_type()), name.c_str());
    }
}

} // namespace support
