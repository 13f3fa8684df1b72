// SPDX-License-Identifier: Apache-2.0
// The same of several operations, casts and conversions to 8 bits.
#include "fused_run.hpp"

namespace jitnorm::tests {
namespace {

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
            e.run();
            floats expected = e.normalized();
            EXPECT_EQ(expected[0], float(ties[0]));
            for (float &x : expected) x = quantized(x, scale, float(zero_point), -128, 127);
            expect_equal(as_floats(e.dst.data.values()), expected);
        }
}

TEST(fusion_chains, multiply_and_quantize) {
    const shape dims = {1, 128, 512};
    const std::vector<link> plain = {with_other(Multiply), quantize(0.5F)};
    const auto expected = [](float zero_point) {
        return [=](float x, float y) { return quantized(x * y, 0.5F, zero_point, -128, 127); };
    };
    expect_bits_of({LayerNorm, dims, jitnorm_f32, plain, jitnorm_s8, dims}, expected(0));
    const struct {
        op::kind norm;
        jitnorm_data_type_t type;
        shape other_dims;
        int64_t zero_point;
    } narrow[] = {
        {LayerNorm, jitnorm_bf16, dims, 0}, {LayerNorm, jitnorm_bf16, {512}, 1}, {RMSNorm, jitnorm_f16, {512}, 1}};
    for (const auto &[norm, type, other_dims, zero_point] : narrow) {
        const std::vector<link> links = {{TypeCast}, with_other(Multiply), quantize(0.5F, jitnorm_s8, {zero_point})};
        expect_bits_of({norm, dims, type, links, jitnorm_s8, other_dims}, expected(float(zero_point)));
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
    testing::internal::CaptureStdout();
    EXPECT_EQ(jitnorm_set_verbose(2), jitnorm_success);
    partitions[0].compile({dense(1, dims, bf16), dense(2, dims, bf16), dense(60, dims)}, {dense(53, dims, jitnorm_s8)},
                          engine(engine::kind::cpu, 0));
    EXPECT_EQ(jitnorm_set_verbose(0), jitnorm_success);
    const std::string log = testing::internal::GetCapturedStdout();
    EXPECT_NE(log.find("graph,compile,cpu,add+norm+cast+sigmoid+silu+gate+quantize,"
                       "Add+RMSNorm+TypeCast+Sigmoid+Multiply+Multiply+Quantize,"),
              log.npos)
        << log;
}

} // namespace
} // namespace jitnorm::tests
