// SPDX-License-Identifier: Apache-2.0
// Results of a normalization with one operation after it, with several, casts and conversions to 8 bits: the bits of
// its steps one by one, in plain loops. Steps pass on f32; in narrower types only the last step rounds.
#include "fused_run.hpp"
#include "support/log.hpp"

namespace jitnorm::tests {
namespace {

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
        {with_attr(LeakyReLU, op::attr::alpha, 0.1F), [](float x) { return x > 0 ? x : 0.1F * x; }},
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
    const auto gelu_erf = [](double x) { return x / 2 * std::erfc(-x / std::sqrt(2.0)); };
    const auto gelu_tanh = [](double x) {
        return x / 2 * (1 + std::tanh(std::sqrt(2 / std::acos(-1.0)) * (x + 0.044715 * x * x * x)));
    };
    return {
        {with_attr(Elu, op::attr::alpha, 0.5F), [](double x) { return x > 0 ? x : 0.5 * std::expm1(x); }},
        {{Exp}, [](double x) { return std::exp(x); }},
        {{GELU}, gelu_erf},
        {with_attr(GELU, op::attr::mode, std::string("gelu_erf")), gelu_erf},
        {with_attr(GELU, op::attr::mode, std::string("gelu_tanh")), gelu_tanh},
        {{Log}, [](double x) { return std::log(x); }},
        {{Mish}, [](double x) { return x * std::tanh(softplus(x, 1)); }},
        {{Sigmoid}, [](double x) { return 1 / (1 + std::exp(-x)); }},
        {{SoftPlus}, [](double x) { return softplus(x, 1); }},
        {with_attr(SoftPlus, op::attr::beta, 2.F), [](double x) { return softplus(x, 2); }},
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

float quantized(float x, float scale, float zero_point, float lowest, float highest) {
    const float scaled = x * (1 / scale);
    return std::min(highest, std::max(lowest, std::nearbyint(scaled + zero_point)));
}

struct range {
    jitnorm_data_type_t type;
    float lowest, highest;
};
constexpr range RANGES[] = {{jitnorm_s8, -128, 127}, {jitnorm_u8, 0, 255}};

TEST(fusion_chains, quantize_has_its_bits) {
    for (const range &r : RANGES)
        for (const float scale : {0.5F, 0.013F, 3.7F, -0.25F, 1e-3F})
            for (const int64_t zero_point : {0, 1, -9, 128, 1000})
                for (const shape &dims : SHAPES)
                    expect_bits_of(
                        {LayerNorm, dims, jitnorm_f32, {quantize(scale, r.type, {zero_point})}, r.type},
                        [&](float x, float) { return quantized(x, scale, float(zero_point), r.lowest, r.highest); });
}

// Only the product with 1 / scale, the sign of zero included; rounded and saturated as the type is.
TEST(fusion_chains, quantize_to_f8) {
    for (const auto type : {jitnorm_f8_e5m2, jitnorm_f8_e4m3})
        for (const float scale : {0.5F, 0.013F, -3.7F, 1e-4F}) {
            fused_execution e({LayerNorm, {6, 70}, jitnorm_f32, {{Round}, quantize(scale, type)}, type});
            e.run();
            floats expected = e.normalized();
            for (float &x : expected) x = std::nearbyint(x) * (1 / scale);
            expected = rounded(expected, type);
            const floats got = as_floats(e.dst.data.values());
            expect_equal(got, expected);
            for (size_t i = 0; i < got.size(); ++i) EXPECT_EQ(std::signbit(got[i]), std::signbit(expected[i]));
        }
}

// Values (of beta) within a few ulps of halves, which show how often a step is rounded.
TEST(fusion_chains, quantize_rounds_as_often_as_it_says) {
    constexpr int ULPS = 4, TIES = 60;
    for (const float scale : {0.013F, 0.1F, 0.3F, 3.7F})
        for (const int zero_point : {-50, -9, 9, 40}) {
            std::vector<double> ties;
            for (int k = -TIES / 2; k < TIES / 2; ++k) {
                float value = (float(k - zero_point) + 0.5F) * scale;
                for (int i = 0; i < ULPS; ++i) value = std::nextafter(value, -INFINITY);
                for (int i = -ULPS; i <= ULPS; ++i, value = std::nextafter(value, INFINITY)) ties.push_back(value);
            }
            fused_execution e({LayerNorm,
                               {2, dim_t(ties.size())},
                               jitnorm_f32,
                               {quantize(scale, jitnorm_s8, {zero_point})},
                               jitnorm_s8});
            e.gamma.data.fill(std::vector<double>(ties.size(), 0));
            e.beta.data.fill(ties);
            EXPECT_EQ(e.normalized()[0], float(ties[0]));
            expect_executed(e, [&](float x, float) { return quantized(x, scale, float(zero_point), -128, 127); });
        }
}

TEST(fusion_chains, a_cast_rounds_once) {
    const auto same = [](float x, float) { return x; };
    for (const auto narrow : {jitnorm_bf16, jitnorm_f16})
        for (const shape &dims : SHAPES) {
            expect_bits_of({LayerNorm, dims, jitnorm_f32, {{TypeCast, narrow}}, narrow}, same);
            expect_bits_of({RMSNorm, dims, narrow, {{TypeCast, jitnorm_f32}}, jitnorm_f32}, same); // not rounded at all
        }
}

TEST(fusion_chains, nineteen_steps_in_order) {
    std::vector<link> links = {};
    for (int i = 0; i < 19; ++i) links.push_back(i % 3 == 0 ? with_other(Add) : i % 3 == 1 ? link{Square} : link{Sqrt});
    links.push_back(quantize(0.25F, jitnorm_u8, {3}));
    expect_bits_of({LayerNorm, {3, 70}, jitnorm_f32, links, jitnorm_u8, {70}}, [](float x, float y) {
        for (int step = 0; step < 19; ++step) x = step % 3 == 0 ? x + y : step % 3 == 1 ? x * x : std::sqrt(x);
        return quantized(x, 0.25F, 3, 0, 255);
    });
}

// All that can be fused, in one partition, whose kind in the log names each operation.
TEST(fusion_chains, the_log_names_every_operation) {
    const shape dims = {3, 4};
    const auto bf16 = jitnorm_bf16;
    const link last = quantize(0.5F);
    std::vector<op> ops = {
        op(1, Add, {dense(1, dims, bf16), dense(2, dims, bf16)}, {dense(10, dims, bf16)}, "add"),
        op(2, RMSNorm, {dense(10, dims, bf16)}, {dense(50, dims, bf16)}, "norm"),
        op(3, TypeCast, {dense(50, dims, bf16)}, {dense(51, dims)}, "cast"),
        op(4, Sigmoid, {dense(60, dims)}, {dense(61, dims)}, "sigmoid"),
        op(5, Multiply, {dense(60, dims), dense(61, dims)}, {dense(62, dims)}, "silu"),
        op(6, Multiply, {dense(51, dims), dense(62, dims)}, {dense(52, dims)}, "gate"),
        op(7, Quantize, {dense(52, dims)}, {dense(53, dims, jitnorm_s8)}, "quantize"),
    };
    last.configure(ops.back());
    const auto partitions = partitions_of(ops);
    ASSERT_EQ(partitions.size(), 1u);
    const std::string log = log_of(2, [&] {
        partitions[0].compile({dense(1, dims, bf16), dense(2, dims, bf16), dense(60, dims)},
                              {dense(53, dims, jitnorm_s8)}, engine(engine::kind::cpu, 0));
    });
    EXPECT_NE(log.find("graph,compile,cpu,add+norm+cast+sigmoid+silu+gate+quantize,"
                       "Add+RMSNorm+TypeCast+Sigmoid+Multiply+Multiply+Quantize,"),
              log.npos)
        << log;
}

} // namespace
} // namespace jitnorm::tests
