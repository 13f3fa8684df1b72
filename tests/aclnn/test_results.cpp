// SPDX-License-Identifier: Apache-2.0
// What the two-phase calls compute, over shapes, types, optional tensors and masks: the bits that the reference gives
// for dense rows of FLOAT with the same values, rounded once to each tensor's type. Quantization is checked by plain
// loops after the reference, and adaptive layer normalization, which has several roundings, by its formula.
#include <cmath>

#include "operands.hpp"
#include "support/equality.hpp"

namespace jitnorm::tests {
namespace {

using values = std::vector<double>;

// Values as the type has them.
values as_type(const values &given, aclDataType type) {
    const acl_tensor rounded({int64_t(given.size())}, type);
    rounded.fill(given);
    return rounded.values();
}

// The rows that are normalized: x, or (x1 + x2) + bias as f32 computes it; the bias repeats itself.
values sums_of(const operands &call) {
    values result = call.find({"x", "x1", "input"})->values();
    const acl_tensor *x2 = call.find({"x2"}), *added = call.find({"biasOptional"});
    if (x2 == nullptr) return result;
    const values more = x2->values(), bias = added == nullptr ? values(1, 0) : added->values();
    for (size_t i = 0; i < result.size(); ++i)
        result[i] = double(float(result[i]) + float(more[i]) + float(bias[i % bias.size()]));
    return result;
}

setup setup_of(const operands &call) {
    const bool is_backward = call.find({"gradOut", "dy"}) != nullptr, is_rms = is_named(call.op, "RMS");
    const bool has_scale = call.find({"weight", "gamma"}) != nullptr,
               has_shift = call.find({"bias", "beta", "betaOptional"}) != nullptr;
    setup s = {.dims = {1, 1}};
    s.kind = is_backward ? jitnorm_backward : jitnorm_forward_training;
    s.flags = has_scale || is_backward ? unsigned(jitnorm_use_scale) : 0;
    if (is_backward ? !is_rms : has_shift) s.flags |= jitnorm_use_shift;
    if (is_rms) s.flags |= jitnorm_rms_norm;
    if (is_named(call.op, "Gemma")) s.flags |= jitnorm_scale_plus_one;
    s.scale_is_ones = is_backward && !has_scale;
    s.form = statistics_form::inverse_deviation;
    const dims_t &dims = call.find({"x", "x1", "input"})->shape();
    for (size_t d = 0; d < dims.size(); ++d) s.dims[d + call.normalized < dims.size() ? 0 : 1] *= dims[d];
    return s;
}

// The reference's execution on dense rows of FLOAT.
run reference_of(const operands &call) {
    run r(setup_of(call));
    r.p.epsilon = double(float(call.with.epsilon));
    const std::pair<slot, const acl_tensor *> inputs[] = {{SCALE, call.find({"weight", "gamma"})},
                                                          {SHIFT, call.find({"bias", "beta", "betaOptional"})},
                                                          {MEAN, call.find({"mean"})},
                                                          {VARIANCE, call.find({"rstd"})},
                                                          {DIFF_DST, call.find({"gradOut", "dy"})}};
    r[SRC].fill(sums_of(call));
    for (const auto &[place, t] : inputs)
        if (t != nullptr && r.p.reads(place)) r[place].fill(t->values());
    r.execute();
    return r;
}

void expect_values(const acl_tensor *t, const values &expected) {
    if (t != nullptr) {
        EXPECT_TRUE(same_bits(t->values(), as_type(expected, t->type())));
    }
}

void check_norm(const operands &call) {
    const run r = reference_of(call);
    const std::pair<slot, const acl_tensor *> outputs[] = {{DST, call.find({"out", "yOut"})},
                                                           {MEAN, call.find({"meanOut"})},
                                                           {VARIANCE, call.find({"rstdOut"})},
                                                           {DIFF_SRC, call.find({"gradInputOut", "dxOut"})},
                                                           {DIFF_SCALE, call.find({"gradWeightOut", "dgammaOut"})},
                                                           {DIFF_SHIFT, call.find({"gradBiasOut"})}};
    for (const auto &[place, t] : outputs) expect_values(t, r[place].values());
}

// The rows times the smooth factors, and a scale for each of them, as plain loops find it.
void check_quantized(values u, const acl_tensor *smooth, const acl_tensor &y, const acl_tensor &scales) {
    const float most = y.type() == ACL_INT8 ? 127 : y.type() == ACL_FLOAT8_E5M2 ? 57344 : 448;
    const size_t columns = y.count() / scales.count();
    const values factors = smooth == nullptr ? values(1, 1) : smooth->values();
    for (size_t i = 0; i < u.size(); ++i) u[i] = double(float(u[i]) * float(factors[i % factors.size()]));
    values expected;
    for (size_t begin = 0; begin < u.size(); begin += columns) {
        float largest = 0;
        for (size_t c = 0; c < columns; ++c) largest = std::fmax(largest, std::fabs(float(u[begin + c])));
        const float scale = largest / most, factor = std::isfinite(1 / scale) ? 1 / scale : 0;
        expected.push_back(double(scale));
        for (size_t c = 0; c < columns; ++c) u[begin + c] = double(float(u[begin + c]) * factor);
    }
    EXPECT_EQ(scales.values(), expected);
    expect_values(&y, u);
}

void check_quantization(const operands &call) {
    const values u = reference_of(call)[DST].values();
    check_quantized(u, call.find({"smoothScalesOptional", "smoothScale1Optional"}), *call.find({"yOut", "y1Out"}),
                    *call.find({"scaleOut", "scale1Out"}));
    const acl_tensor *y2 = call.find({"y2Out"}), *smooth = call.find({"smoothScale2Optional"});
    if (y2 != nullptr && smooth != nullptr) check_quantized(u, smooth, *y2, *call.find({"scale2Out"}));
    EXPECT_TRUE(y2 == nullptr || smooth != nullptr || (y2->is_untouched() && call.find({"scale2Out"})->is_untouched()));
}

void check_modulated(const operands &call) {
    const auto values_of = [&](std::initializer_list<std::string_view> names) {
        const acl_tensor *t = call.find(names);
        return t == nullptr ? values() : t->values();
    };
    const dims_t &dims = call.find({"x"})->shape();
    const aclDataType type = call.find({"x"})->type();
    const auto expect = [&](double got, double exact) {
        const double rounding = type == ACL_FLOAT ? 0 : type == ACL_FLOAT16 ? 0x1p-11 : 0x1p-8;
        ASSERT_NEAR(got, exact, 1e-5 * std::fmax(1, std::fabs(exact)) + rounding * std::fabs(exact));
    };
    const size_t H = size_t(dims.back()), S = size_t(dims[dims.size() - 2]);
    const values x = values_of({"x"}), scale = values_of({"scale"}), shift = values_of({"shift"}),
                 weight = values_of({"weightOptional"}), bias = values_of({"biasOptional"}), y = values_of({"out"}),
                 means = values_of({"meanOutOptional"}), rstds = values_of({"rstdOutOptional"});
    for (size_t row = 0; row < x.size() / H; ++row) {
        const double *line = &x[row * H];
        double mean = 0, squares = 0;
        for (size_t c = 0; c < H; ++c) mean += line[c] / double(H);
        for (size_t c = 0; c < H; ++c) squares += (line[c] - mean) * (line[c] - mean) / double(H);
        const double rstd = 1 / std::sqrt(squares + call.with.epsilon);
        if (!means.empty()) expect(means[row], mean);
        if (!rstds.empty()) expect(rstds[row], rstd);
        for (size_t c = 0; c < H; ++c) {
            const double n = (line[c] - mean) * rstd * (weight.empty() ? 1 : weight[c]) + (bias.empty() ? 0 : bias[c]);
            const size_t at = row / S * H + c;
            expect(y[row * H + c], n * (1 + scale[at]) + shift[at]);
        }
    }
}

void run_and_check(operands &call) {
    SCOPED_TRACE(testing::Message() << call.op.name << ' ' << testing::PrintToString(call.tensors[0]->shape())
                                    << " over " << call.normalized << " type " << call.tensors[0]->type());
    call.run();
    if (testing::Test::HasFatalFailure()) return;
    is_named(call.op, "adaptive") ? check_modulated(call)
    : is_named(call.op, "8 bits") ? check_quantization(call)
                                  : check_norm(call);
    const acl_tensor *sum = call.find({"xOut"});
    if (sum != nullptr) expect_values(sum, sums_of(call));
    for (size_t i = 0; i < call.given.size(); ++i)
        EXPECT_TRUE(call.tensors[i] == nullptr || call.parameters[i].use != '!' || call.tensors[i]->is_untouched());
}

// Calls body(places) with each allowed set of null tensors.
template <typename Body>
void for_each_absence(const operation &op, Body &&body) {
    const std::vector<parameter> all = parameters_of(op, ACL_FLOAT);
    std::vector<size_t> optional;
    for (size_t i = 0; i < all.size(); ++i)
        if (all[i].is_optional && !(is_named(op, "add, RMS") && all[i].name == "rstdOut")) optional.push_back(i);
    for (unsigned mask = 0; mask < 1U << optional.size(); ++mask) {
        std::vector<size_t> places;
        for (size_t i = 0; i < optional.size(); ++i)
            if ((mask >> i & 1) != 0) places.push_back(optional[i]);
        const bool only_second_factors = is_named(op, "twice") && places == std::vector<size_t>{3};
        if (!only_second_factors) body(places);
    }
}

const call_shape TYPED_SHAPES[] = {
    {{7}, 1},
    {{5, 1}, 1},
    {{5, 16}, 1},
    {{4, 33}, 2},
    {{3, 4, 19}, 1},
    {{3, 4, 10}, 2},
    {{2, 3, 5}, 3},
    {{2, 3, 4, 5}, 2},
    {{2, 3, 4, 5}, 3},
    {{2, 1, 3, 2, 20}, 1},
    {{2, 2, 2, 3, 2, 5}, 4},
    {{2, 1, 2, 2, 3, 2, 3}, 2},
    {{2, 1, 2, 2, 1, 3, 2, 17}, 1},
    {{2, 1, 2, 2, 1, 3, 2, 5}, 5},
    {{2, 5000}, 1},
    {{2000, 1}, 1},
    {{0, 6}, 1},
    {{4, 0}, 1},
    {{3, 0, 6}, 1},
    {{0, 0}, 1},
    {{0}, 1},
};

TEST(aclnn_results, of_every_shape_and_what_may_be_null) {
    unsigned turn = 0;
    for (const operation &op : OPERATIONS)
        for (call_shape shape : TYPED_SHAPES)
            for (const aclDataType type : TYPES) {
                if (!takes(op, shape)) continue;
                for_each_absence(op, [&](const std::vector<size_t> &places) {
                    shape.ones = turn++ % 2 == 0;
                    operands call(op, type, shape);
                    call.with.mode = type == ACL_FLOAT16 ? int32_t(turn % 3) : int32_t(turn % 2);
                    for (const size_t place : places) call.given[place] = nullptr;
                    run_and_check(call);
                });
            }
}

TEST(aclnn_results, of_tensors_with_types_of_their_own) {
    for (const operation &op : OPERATIONS)
        for (const aclDataType type : TYPES)
            for (const typing &types : typings_of(op, type)) {
                operands call(op, type, {{5, 7}, 1}, {}, types);
                run_and_check(call);
            }
}

// Outputs that a mask leaves out may be null.
TEST(aclnn_results, of_every_mask) {
    for (unsigned mask = 0; mask < 8; ++mask) {
        std::string tensors = "gradOut:dt< input:dt< mean:sf< rstd:sf< weight?:ct< bias?:ct- ";
        const auto append = [&](const char *name, unsigned bit) {
            tensors += name + std::string(mask & bit ? "> " : "! ");
        };
        append("gradInputOut:dt", 1);
        append("gradWeightOut:cf", 2);
        append("gradBiasOut:cf", 4);
        operation op = operation_named("backward");
        op.tensors = tensors.c_str();
        for (const call_shape &shape : {call_shape{{3, 4, 5, 6}, 2}, {{9, 4, 30}, 1}})
            for_each_absence(op, [&](const std::vector<size_t> &places) {
                for (const bool masked_are_null : {true, false}) {
                    operands call(op, ACL_FLOAT, shape);
                    for (const size_t place : places) call.given[place] = nullptr;
                    for (size_t i = 6; masked_are_null && i < 9; ++i)
                        if (call.parameters[i].use == '!') call.given[i] = nullptr;
                    run_and_check(call);
                }
            });
    }
}

} // namespace
} // namespace jitnorm::tests
