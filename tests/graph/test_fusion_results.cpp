// SPDX-License-Identifier: Apache-2.0
// Results of a normalization with one operation after it: the bits of its steps one by one, in plain loops. Steps pass
// on f32; in narrower types only the last step rounds.
#include "fused_run.hpp"

namespace jitnorm::tests {
namespace {

// ---------------------------------------------------------------- one function

struct exact_function {
    link step;
    function f;
};

std::vector<exact_function> exact_functions() {
    const auto clamp = [](op &o) { o.set_attr<float>(op::attr::min, -0.5F).set_attr<float>(op::attr::max, 0.75F); };
    const auto hard = [](op &o) { o.set_attr<float>(op::attr::alpha, 0.3F).set_attr<float>(op::attr::beta, 0.4F); };
    const auto unit = [](float x) { return std::min(1.0F, std::max(0.0F, x)); };
    return {
        {{Abs}, [](float x) { return std::fabs(x); }},
        {{ReLU}, [](float x) { return x > 0 ? x : 0; }},
        {with_float(LeakyReLU, op::attr::alpha, 0.1F), [](float x) { return x > 0 ? x : 0.1F * x; }},
        {{Clamp, jitnorm_f32, {}, false, clamp}, [](float x) { return std::min(0.75F, std::max(-0.5F, x)); }},
        {{HardSigmoid, jitnorm_f32, {}, false, hard}, [=](float x) { return unit(std::fma(0.3F, x, 0.4F)); }},
        {{HardSwish}, [=](float x) { return x * unit(std::fma(1.0F / 6, x, 0.5F)); }},
        {{Round}, [](float x) { return std::nearbyint(x); }},
        {{Sqrt}, [](float x) { return std::sqrt(x); }},
        {{Square}, [](float x) { return x * x; }},
    };
}

TEST(fusion_results, functions_that_are_exact_have_their_bits) {
    for (const exact_function &one : exact_functions())
        for (const op::kind norm : {LayerNorm, RMSNorm})
            for (const shape &dims : SHAPES)
                expect_bits_of({norm, dims, jitnorm_f32, {one.step}}, [&](float x, float) { return one.f(x); });
}

struct smooth_function {
    link step;
    std::function<double(double)> f;
};

double softplus(double x, double beta) { return std::log1p(std::exp(beta * x)) / beta; }

std::vector<smooth_function> smooth_functions() {
    const auto mode = [](const char *name) { return [=](op &o) { o.set_attr<std::string>(op::attr::mode, name); }; };
    const auto gelu_erf = [](double x) { return x / 2 * std::erfc(-x / std::sqrt(2.0)); };
    const auto gelu_tanh = [](double x) {
        return x / 2 * (1 + std::tanh(std::sqrt(2 / std::acos(-1.0)) * (x + 0.044715 * x * x * x)));
    };
    return {
        {with_float(Elu, op::attr::alpha, 0.5F), [](double x) { return x > 0 ? x : 0.5 * std::expm1(x); }},
        {{Exp}, [](double x) { return std::exp(x); }},
        {{GELU}, gelu_erf},
        {{GELU, jitnorm_f32, {}, false, mode("gelu_erf")}, gelu_erf},
        {{GELU, jitnorm_f32, {}, false, mode("gelu_tanh")}, gelu_tanh},
        {{Log}, [](double x) { return std::log(x); }},
        {{Mish}, [](double x) { return x * std::tanh(softplus(x, 1)); }},
        {{Sigmoid}, [](double x) { return 1 / (1 + std::exp(-x)); }},
        {{SoftPlus}, [](double x) { return softplus(x, 1); }},
        {with_float(SoftPlus, op::attr::beta, 2), [](double x) { return softplus(x, 2); }},
        {{Tanh}, [](double x) { return std::tanh(x); }},
    };
}

TEST(fusion_results, functions_that_are_approximated) {
    for (const auto &[step, f] : smooth_functions()) {
        fused_execution e({LayerNorm, {7, 129}, jitnorm_f32, {step}});
        e.run();
        const floats from = e.normalized();
        const std::vector<double> got = e.dst.data.values();
        for (size_t i = 0; i < got.size(); ++i) {
            const double expected = f(double(from[i]));
            if (std::isnan(expected))
                ASSERT_TRUE(std::isnan(got[i])) << got[i];
            else
                ASSERT_NEAR(got[i], expected,
                            4e-7 * std::max(std::fabs(expected), std::min(1.0, std::fabs(double(from[i])))));
        }
    }
}

// ---------------------------------------------------------------- two tensors

const std::pair<op::kind, combination> COMBINATIONS[] = {
    {Add, [](float x, float y) { return x + y; }},
    {Multiply, [](float x, float y) { return x * y; }},
    {Maximum, [](float x, float y) { return std::max(x, y); }},
    {Minimum, [](float x, float y) { return std::min(x, y); }},
    {Divide, [](float x, float y) { return x / y; }},
    {Subtract, [](float x, float y) { return x - y; }},
};

TEST(fusion_results, combinations_have_their_bits) {
    for (const auto &[kind, f] : COMBINATIONS)
        for (const shape &other : {shape{2, 3, 33}, {3, 33}, {33}, {1}, {}, {2, 1, 33}, {1, 3, 1}, {2, 3, 1}})
            for (const std::string layout : {"dense", "reversed", "gap"}) {
                if (other.empty() && layout != "dense") continue;
                fused_case c{LayerNorm,   {2, 3, 33}, jitnorm_f32, {with_other(kind)},
                             jitnorm_f32, other,      layout,      layout};
                expect_bits_of(c, f);
                if (kind == Divide || kind == Subtract) continue;
                c.links = {with_other(kind, jitnorm_f32, true)};
                expect_bits_of(c, f);
            }
    for (const shape &dims : SHAPES)
        expect_bits_of({RMSNorm, dims, jitnorm_f32, {with_other(Add)}, jitnorm_f32, dims}, COMBINATIONS[0].second);
}

TEST(fusion_results, a_second_operand_that_repeats_itself_in_memory) {
    const fused_case c{LayerNorm, {4, 33}, jitnorm_f32, {with_other(Multiply)}, jitnorm_f32, {4, 33}, "dense", "0,1"};
    expect_bits_of(c, COMBINATIONS[1].second);
}

// f32 from bf16 or f16 and f32; narrow from narrow, rounded once at the end.
TEST(fusion_results, combinations_of_narrow_types) {
    for (const auto narrow : {jitnorm_bf16, jitnorm_f16})
        for (const auto &[kind, f] : COMBINATIONS) {
            const shape dims = {3, 2, 129};
            expect_bits_of({LayerNorm, dims, narrow, {with_other(kind)}, jitnorm_f32, {129}}, f);
            expect_bits_of(
                {LayerNorm, dims, narrow, {with_other(kind, narrow)}, narrow, dims, "dense", "dense", narrow}, f);
            expect_bits_of(
                {RMSNorm, dims, jitnorm_f32, {with_other(kind)}, jitnorm_f32, dims, "dense", "dense", narrow}, f);
        }
}

} // namespace
} // namespace jitnorm::tests
