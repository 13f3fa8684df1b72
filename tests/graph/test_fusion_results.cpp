// SPDX-License-Identifier: Apache-2.0
// What a normalization with operations behind it computes: the bits of its steps one by one, in plain loops, where f32
// goes from step to step; in narrower types what is left when only the last step rounds.
#include <algorithm>
#include <cmath>

#include "fused_graph.hpp"

namespace jitnorm::tests {
namespace {

using enum op::kind;
using floats = std::vector<float>;
using function = std::function<float(float)>;
using combination = std::function<float(float, float)>;

constexpr float EPSILON = 0.0625F;
constexpr size_t SRC_ID = 10, OTHER_ID = 20;

struct fused_case {
    op::kind norm = LayerNorm;
    shape dims = {5, 33};
    jitnorm_data_type_t type = jitnorm_f32;
    std::vector<link> links = {};
    jitnorm_data_type_t dst_type = jitnorm_f32;
    shape other_dims = {}; // of the second operand of the links that have one
    std::string layout = "dense", other_layout = "dense";
    jitnorm_data_type_t other_type = jitnorm_f32;
};

floats as_floats(const std::vector<double> &values) { return {values.begin(), values.end()}; }

dim_t count(const shape &dims) {
    dim_t result = 1;
    for (const dim_t d : dims) result *= d;
    return result;
}

// Tensors of a case, run as the fused partition, or the norm alone.
struct execution {
    fused_case c;
    graph_tensor src, gamma, beta, other, dst;

    explicit execution(const fused_case &what)
        : c(what), src(graph_tensor(SRC_ID, c.dims, c.type, c.layout).filled(random_values(count(c.dims), 0.5, 1, 1))),
          gamma(graph_tensor(11, {c.dims.back()}, jitnorm_f32).filled(random_values(c.dims.back(), 1, 0.5, 2))),
          beta(graph_tensor(12, {c.dims.back()}, jitnorm_f32).filled(random_values(c.dims.back(), 0.2, 0.5, 3))),
          other(graph_tensor(OTHER_ID, c.other_dims, c.other_type, c.other_layout)
                    .filled(random_values(count(c.other_dims), 1.5, 0.25, 4))),
          dst(FIRST_RESULT + c.links.size(), c.dims, c.dst_type, c.layout) {}

    std::vector<const graph_tensor *> norms_inputs() const {
        std::vector<const graph_tensor *> result = {&src, &gamma};
        if (c.norm == LayerNorm) result.push_back(&beta);
        return result;
    }

    void run() {
        fused_graph g{c.norm, descriptions_of(norms_inputs()), c.links, set_epsilon, {}};
        for (link &l : g.links)
            if (!l.others.empty()) l.others = {other.described};
        const std::vector<graph::partition> partitions = partitions_of(g.ops());
        ASSERT_EQ(partitions.size(), 1u);
        ASSERT_TRUE(partitions[0].is_supported());
        std::vector<const graph_tensor *> inputs = norms_inputs();
        inputs.push_back(&other);
        const engine cpu(engine::kind::cpu, 0);
        const auto compiled = partitions[0].compile(descriptions_of(inputs), {dst.described}, cpu);
        std::vector<graph::tensor> ins;
        for (const graph_tensor *t : inputs) {
            t->data.make_read_only();
            ins.push_back(t->on(cpu));
        }
        stream where(cpu);
        compiled.execute(where, ins, {dst.on(cpu)});
        EXPECT_TRUE(dst.data.surroundings_are_right());
    }

    // The norm alone, unrounded: values of narrow types are values of f32.
    floats normalized() const {
        const auto wide = graph_tensor(SRC_ID, c.dims, jitnorm_f32).filled(src.data.values());
        const graph_tensor result(FIRST_RESULT, c.dims, jitnorm_f32);
        std::vector<const graph_tensor *> inputs = norms_inputs();
        inputs[0] = &wide;
        run_op(c.norm, inputs, {&result}, [&](op &o) {
            if (c.norm == LayerNorm) o.set_attr<bool>(op::attr::keep_stats, false);
            set_epsilon(o);
        });
        return as_floats(result.data.values());
    }
    // The second operand's value for each element.
    floats others() const {
        const floats values = as_floats(other.data.values());
        floats result(static_cast<size_t>(count(c.dims)));
        const size_t more = c.dims.size() - c.other_dims.size();
        for (size_t i = 0; i < result.size(); ++i) {
            size_t rest = i, at = 0, step = 1;
            for (size_t d = c.dims.size(); d-- > 0; rest /= size_t(c.dims[d])) {
                if (d < more) continue;
                if (c.other_dims[d - more] != 1) at += rest % size_t(c.dims[d]) * step;
                step *= size_t(c.other_dims[d - more]);
            }
            result[i] = values[at];
        }
        return result;
    }

    static void set_epsilon(op &o) { o.set_attr<float>(op::attr::epsilon, EPSILON); }
};

floats rounded(const floats &values, jitnorm_data_type_t type) {
    const graph_tensor t = graph_tensor(1, {dim_t(values.size())}, type).filled({values.begin(), values.end()});
    return as_floats(t.data.values());
}

// Equal numbers, zeros of either sign, or both NaN.
void expect_equal(const floats &got, const floats &expected) {
    ASSERT_EQ(got.size(), expected.size());
    for (size_t i = 0; i < got.size(); ++i)
        ASSERT_TRUE(got[i] == expected[i] || (std::isnan(got[i]) && std::isnan(expected[i])))
            << i << ": " << got[i] << " for " << expected[i];
}

const shape SHAPES[] = {{3, 1}, {5, 7}, {4, 16}, {2, 3, 33}, {2, 2, 2, 129}, {2, 1, 2, 3, 512}};

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
    for (const auto &[step, f] : exact_functions())
        for (const op::kind norm : {LayerNorm, RMSNorm})
            for (const shape &dims : SHAPES) {
                execution e({norm, dims, jitnorm_f32, {step}});
                e.run();
                floats expected = e.normalized();
                std::transform(expected.begin(), expected.end(), expected.begin(), f);
                expect_equal(as_floats(e.dst.data.values()), expected);
            }
}

struct smooth_function {
    link step;
    std::function<double(double)> f;
};

double softplus(double x, double beta) { return std::log1p(std::exp(beta * x)) / beta; }

std::vector<smooth_function> smooth_functions() {
    const auto mode = [](op &o) { o.set_attr<std::string>(op::attr::mode, "gelu_tanh"); };
    const auto gelu_tanh = [](double x) {
        return x / 2 * (1 + std::tanh(std::sqrt(2 / std::acos(-1.0)) * (x + 0.044715 * x * x * x)));
    };
    return {
        {with_float(Elu, op::attr::alpha, 0.5F), [](double x) { return x > 0 ? x : 0.5 * std::expm1(x); }},
        {{Exp}, [](double x) { return std::exp(x); }},
        {{GELU}, [](double x) { return x / 2 * std::erfc(-x / std::sqrt(2.0)); }},
        {{GELU, jitnorm_f32, {}, false, mode}, gelu_tanh},
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
        execution e({LayerNorm, {7, 129}, jitnorm_f32, {step}});
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

void expect_combined(const fused_case &c, const combination &f) {
    execution e(c);
    e.run();
    floats expected = e.normalized();
    const floats other = e.others();
    std::transform(expected.begin(), expected.end(), other.begin(), expected.begin(), f);
    expect_equal(as_floats(e.dst.data.values()), rounded(expected, c.dst_type));
}

link with_other(op::kind kind, jitnorm_data_type_t type = jitnorm_f32, bool other_is_first = false) {
    return {kind, type, {unknown(OTHER_ID)}, other_is_first};
}

TEST(fusion_results, combinations_have_their_bits) {
    for (const auto &[kind, f] : COMBINATIONS)
        for (const shape &other : {shape{2, 3, 33}, {3, 33}, {33}, {1}, {}, {2, 1, 33}, {1, 3, 1}, {2, 3, 1}})
            for (const std::string layout : {"dense", "reversed", "gap"}) {
                if (other.empty() && layout != "dense") continue;
                fused_case c{LayerNorm,   {2, 3, 33}, jitnorm_f32, {with_other(kind)},
                             jitnorm_f32, other,      layout,      layout};
                expect_combined(c, f);
                if (kind == Divide || kind == Subtract) continue;
                c.links = {with_other(kind, jitnorm_f32, true)};
                expect_combined(c, f);
            }
    for (const shape &dims : SHAPES)
        expect_combined({RMSNorm, dims, jitnorm_f32, {with_other(Add)}, jitnorm_f32, dims}, COMBINATIONS[0].second);
}

TEST(fusion_results, a_second_operand_that_repeats_itself_in_memory) {
    const fused_case c{LayerNorm, {4, 33}, jitnorm_f32, {with_other(Multiply)}, jitnorm_f32, {4, 33}, "dense", "0,1"};
    expect_combined(c, COMBINATIONS[1].second);
}

// f32 from bf16 or f16 and f32; narrow from narrow, rounded once at the end.
TEST(fusion_results, combinations_of_narrow_types) {
    for (const auto narrow : {jitnorm_bf16, jitnorm_f16})
        for (const auto &[kind, f] : COMBINATIONS) {
            const shape dims = {3, 2, 129};
            expect_combined({LayerNorm, dims, narrow, {with_other(kind)}, jitnorm_f32, {129}}, f);
            expect_combined(
                {LayerNorm, dims, narrow, {with_other(kind, narrow)}, narrow, dims, "dense", "dense", narrow}, f);
            expect_combined(
                {RMSNorm, dims, jitnorm_f32, {with_other(kind)}, jitnorm_f32, dims, "dense", "dense", narrow}, f);
        }
}

// ---------------------------------------------------------------- chains, casts, 8 bits

float quantized(float x, float scale, float zero_point, float lowest, float highest) {
    const float scaled = x * (1 / scale);
    return std::min(highest, std::max(lowest, std::nearbyint(scaled + zero_point)));
}

struct range {
    jitnorm_data_type_t type;
    float lowest, highest;
};
constexpr range RANGES[] = {{jitnorm_s8, -128, 127}, {jitnorm_u8, 0, 255}};

TEST(fusion_results, quantize_has_its_bits) {
    for (const range &r : RANGES)
        for (const float scale : {0.5F, 0.013F, 3.7F, -0.25F, 1e-3F})
            for (const int64_t zero_point : {0, 1, -9, 128, 1000})
                for (const shape &dims : SHAPES) {
                    execution e({LayerNorm, dims, jitnorm_f32, {quantize(scale, r.type, {zero_point})}, r.type});
                    e.run();
                    floats expected = e.normalized();
                    for (float &x : expected) x = quantized(x, scale, float(zero_point), r.lowest, r.highest);
                    expect_equal(as_floats(e.dst.data.values()), expected);
                }
}

// The product of 1 / scale alone, the sign of zero included; rounded and saturated as the type is.
TEST(fusion_results, quantize_to_f8) {
    for (const auto type : {jitnorm_f8_e5m2, jitnorm_f8_e4m3})
        for (const float scale : {0.5F, 0.013F, -3.7F, 1e-4F}) {
            execution e({LayerNorm, {6, 70}, jitnorm_f32, {{Round}, quantize(scale, type)}, type});
            e.run();
            floats expected = e.normalized();
            for (float &x : expected) x = std::nearbyint(x) * (1 / scale);
            expected = rounded(expected, type);
            const floats got = as_floats(e.dst.data.values());
            expect_equal(got, expected);
            for (size_t i = 0; i < got.size(); ++i) EXPECT_EQ(std::signbit(got[i]), std::signbit(expected[i]));
        }
}

// Values (from beta alone) within a few ulps of those that lie between two integers, where it shows how often a step is
// rounded.
TEST(fusion_results, quantize_rounds_as_often_as_it_says) {
    constexpr int ULPS = 4, TIES = 60;
    for (const float scale : {0.013F, 0.1F, 0.3F, 3.7F})
        for (const int zero_point : {-50, -9, 9, 40}) {
            std::vector<double> ties;
            for (int k = -TIES / 2; k < TIES / 2; ++k) {
                float value = (float(k - zero_point) + 0.5F) * scale;
                for (int i = 0; i < ULPS; ++i) value = std::nextafter(value, -INFINITY);
                for (int i = -ULPS; i <= ULPS; ++i, value = std::nextafter(value, INFINITY)) ties.push_back(value);
            }
            execution e({LayerNorm,
                         {2, dim_t(ties.size())},
                         jitnorm_f32,
                         {quantize(scale, jitnorm_s8, {zero_point})},
                         jitnorm_s8});
            e.gamma.data.fill(std::vector<double>(ties.size(), 0));
            e.beta.data.fill(ties);
            e.run();
            floats expected = e.normalized();
            EXPECT_EQ(expected[0], float(ties[0]));
            for (float &x : expected) x = quantized(x, scale, float(zero_point), -128, 127);
            expect_equal(as_floats(e.dst.data.values()), expected);
        }
}

// The graphs of oneDNN's own tests of this pattern.
TEST(fusion_results, function_and_quantize) {
    for (const std::vector<int64_t> &zero_points : {std::vector<int64_t>{}, {0}, {1}}) {
        execution only_function({LayerNorm, {2, 2, 2}, jitnorm_f32, {{GELU}}});
        only_function.run();
        execution e({LayerNorm, {2, 2, 2}, jitnorm_f32, {{GELU}, quantize(0.5F, jitnorm_s8, zero_points)}, jitnorm_s8});
        e.run();
        floats expected = as_floats(only_function.dst.data.values());
        for (float &x : expected) x = quantized(x, 0.5F, zero_points.empty() ? 0 : float(zero_points[0]), -128, 127);
        expect_equal(as_floats(e.dst.data.values()), expected);
    }
}

void expect_multiplied_and_quantized(const fused_case &c, float zero_point) {
    execution e(c);
    e.run();
    floats expected = e.normalized();
    const floats other = e.others();
    for (size_t i = 0; i < expected.size(); ++i)
        expected[i] = quantized(expected[i] * other[i], 0.5F, zero_point, -128, 127);
    expect_equal(as_floats(e.dst.data.values()), expected);
}

TEST(fusion_results, multiply_and_quantize) {
    const shape dims = {1, 128, 512};
    const std::vector<link> plain = {with_other(Multiply), quantize(0.5F)};
    expect_multiplied_and_quantized({LayerNorm, dims, jitnorm_f32, plain, jitnorm_s8, dims}, 0);
    const link to_f32 = {TypeCast, jitnorm_f32};
    expect_multiplied_and_quantized({LayerNorm,
                                     dims,
                                     jitnorm_bf16,
                                     {to_f32, with_other(Multiply), quantize(0.5F, jitnorm_s8, {0})},
                                     jitnorm_s8,
                                     dims},
                                    0);
    expect_multiplied_and_quantized({LayerNorm,
                                     dims,
                                     jitnorm_bf16,
                                     {to_f32, with_other(Multiply), quantize(0.5F, jitnorm_s8, {1})},
                                     jitnorm_s8,
                                     {512}},
                                    1);
    expect_multiplied_and_quantized({RMSNorm,
                                     dims,
                                     jitnorm_f16,
                                     {to_f32, with_other(Multiply), quantize(0.5F, jitnorm_s8, {1})},
                                     jitnorm_s8,
                                     {512}},
                                    1);
}

TEST(fusion_results, a_cast_rounds_once) {
    for (const auto narrow : {jitnorm_bf16, jitnorm_f16})
        for (const shape &dims : SHAPES) {
            execution to_narrow({LayerNorm, dims, jitnorm_f32, {{TypeCast, narrow}}, narrow});
            to_narrow.run();
            expect_equal(as_floats(to_narrow.dst.data.values()), rounded(to_narrow.normalized(), narrow));
            execution to_f32({RMSNorm, dims, narrow, {{TypeCast, jitnorm_f32}}, jitnorm_f32});
            to_f32.run();
            expect_equal(as_floats(to_f32.dst.data.values()), to_f32.normalized()); // not rounded at all
        }
}

TEST(fusion_results, nineteen_steps_in_order) {
    std::vector<link> links = {};
    for (int i = 0; i < 19; ++i) links.push_back(i % 3 == 0 ? with_other(Add) : i % 3 == 1 ? link{Square} : link{Sqrt});
    links.push_back(quantize(0.25F, jitnorm_u8, {3}));
    execution e({LayerNorm, {3, 70}, jitnorm_f32, links, jitnorm_u8, {70}});
    e.run();
    floats expected = e.normalized();
    const floats other = e.others();
    for (size_t i = 0; i < expected.size(); ++i) {
        float &x = expected[i];
        for (int step = 0; step < 19; ++step) x = step % 3 == 0 ? x + other[i] : step % 3 == 1 ? x * x : std::sqrt(x);
        x = quantized(x, 0.25F, 3, 0, 255);
    }
    expect_equal(as_floats(e.dst.data.values()), expected);
}

} // namespace
} // namespace jitnorm::tests
