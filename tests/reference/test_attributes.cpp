// SPDX-License-Identifier: Apache-2.0
// Scales and post-ops of the reference, each against its formula in double, and their order.
#include "rig/accuracy.hpp"
#include "rig/run.hpp"

#include <functional>

namespace jitnorm::tests {
namespace {

using impl::binary_post_op;
using impl::eltwise_post_op;
using impl::sum_post_op;

// Runs with the attributes and compares with the plain result, elements changed by `formula(y, index)`.
void check(setup s, const std::function<double(const run &, double, size_t)> &formula, double bound = 1e-6) {
    run r(s);
    std::vector<double> expected = exact_results_of(r.question()).dst;
    std::vector<double> before(expected.size());
    if (!s.in_place) {
        before = random_values(dim_t(before.size()), 2, 3, s.seed + 9);
        r[DST].fill(before);
    }
    for (size_t i = 0; i < expected.size(); ++i) expected[i] = formula(r, expected[i], i);
    r.execute();
    expect_close(r.result().values(), expected, size_t(r.p.row_length()), bound + rounding_of(s.dst_type));
}

impl::attributes with(impl::post_op op) {
    impl::attributes attr;
    attr.post_ops.entries = {std::move(op)};
    return attr;
}

double value_of(const tensor &scale) { return scale.values().front(); }

TEST(reference_attributes, scales) {
    setup s;
    s.attr.src_scale = s.attr.dst_scale = true;
    check(s, [](const run &r, double y, size_t) { return y * value_of(r[SRC_SCALE]) / value_of(r[DST_SCALE]); });
    s.attr.dst_scale = false;
    check(s, [](const run &r, double y, size_t) { return y * value_of(r[SRC_SCALE]); });
}

TEST(reference_attributes, scales_to_int8) {
    setup s = {.flags = 0, .src_type = jitnorm_s8, .dst_type = jitnorm_s8, .mean = 10, .deviation = 40};
    s.attr.src_scale = s.attr.dst_scale = true;
    run r(s);
    r[SRC_SCALE].fill({3});
    r[DST_SCALE].fill({0.05}); // most values stay inside -128 .. 127, some saturate
    const std::vector<double> exact = exact_results_of(r.question()).dst;
    r.execute();
    const std::vector<double> got = r.result().values();
    for (size_t i = 0; i < got.size(); ++i) {
        const double expected = std::clamp(exact[i] * 3 / value_of(r[DST_SCALE]), -128.0, 127.0);
        EXPECT_LE(std::fabs(got[i] - expected), 0.5 + 1e-4);
    }
    EXPECT_TRUE(std::count(got.begin(), got.end(), -128) > 0 || std::count(got.begin(), got.end(), 127) > 0);
}

struct eltwise_case {
    jitnorm_alg_kind_t alg;
    float alpha, beta;
    double (*formula)(double x, double alpha, double beta);
};

double logistic(double x) { return 1 / (1 + std::exp(-x)); }
double between_0_and_1(double x) { return std::clamp(x, 0.0, 1.0); }

const eltwise_case ELTWISE[] = {
    {jitnorm_eltwise_relu, 0, 0, [](double x, double, double) { return std::max(x, 0.0); }},
    {jitnorm_eltwise_relu, 0.25f, 0, [](double x, double a, double) { return x > 0 ? x : a * x; }},
    {jitnorm_eltwise_linear, -2, 0.5f, [](double x, double a, double b) { return a * x + b; }},
    {jitnorm_eltwise_clip, -0.5f, 1, [](double x, double a, double b) { return std::clamp(x, a, b); }},
    {jitnorm_eltwise_clip_v2, -1, 0.25f, [](double x, double a, double b) { return std::clamp(x, a, b); }},
    {jitnorm_eltwise_abs, 0, 0, [](double x, double, double) { return std::fabs(x); }},
    {jitnorm_eltwise_square, 0, 0, [](double x, double, double) { return x * x; }},
    {jitnorm_eltwise_hardsigmoid, 0.2f, 0.5f, [](double x, double a, double b) { return between_0_and_1(a * x + b); }},
    {jitnorm_eltwise_hardswish, 0.2f, 0.5f,
     [](double x, double a, double b) { return x * between_0_and_1(a * x + b); }},
    {jitnorm_eltwise_exp, 0, 0, [](double x, double, double) { return std::exp(x); }},
    {jitnorm_eltwise_logistic, 0, 0, [](double x, double, double) { return logistic(x); }},
    {jitnorm_eltwise_tanh, 0, 0, [](double x, double, double) { return std::tanh(x); }},
    {jitnorm_eltwise_swish, 1.5f, 0, [](double x, double a, double) { return x * logistic(a * x); }},
    {jitnorm_eltwise_gelu_tanh, 0, 0,
     [](double x, double, double) {
         return 0.5 * x * (1 + std::tanh(std::sqrt(2 / std::acos(-1.0)) * (x + 0.044715 * x * x * x)));
     }},
    {jitnorm_eltwise_gelu_erf, 0, 0, [](double x, double, double) { return 0.5 * x * std::erfc(-x / std::sqrt(2.0)); }},
};

TEST(reference_attributes, eltwise) {
    for (const eltwise_case &op : ELTWISE)
        for (const auto type : {jitnorm_f32, jitnorm_f64, jitnorm_bf16}) {
            SCOPED_TRACE(testing::Message() << "algorithm " << op.alg << " type " << type);
            const setup s = {
                .src_type = type, .dst_type = type, .attr = with(eltwise_post_op{op.alg, op.alpha, op.beta})};
            check(
                s, [&](const run &, double y, size_t) { return op.formula(y, double(op.alpha), double(op.beta)); },
                2e-6);
        }
}

TEST(reference_attributes, square_root) {
    impl::attributes attr = with(eltwise_post_op{jitnorm_eltwise_abs, 0, 0});
    attr.post_ops.entries.push_back(eltwise_post_op{jitnorm_eltwise_sqrt, 0, 0});
    check({.attr = attr}, [](const run &, double y, size_t) { return std::sqrt(std::fabs(y)); });
}

struct binary_case {
    jitnorm_alg_kind_t alg;
    double (*formula)(double y, double other);
};

const binary_case BINARY[] = {
    {jitnorm_binary_add, [](double y, double other) { return y + other; }},
    {jitnorm_binary_mul, [](double y, double other) { return y * other; }},
    {jitnorm_binary_max, [](double y, double other) { return std::max(y, other); }},
    {jitnorm_binary_min, [](double y, double other) { return std::min(y, other); }},
    {jitnorm_binary_div, [](double y, double other) { return y / other; }},
    {jitnorm_binary_sub, [](double y, double other) { return y - other; }},
    {jitnorm_binary_ge, [](double y, double other) { return double(y >= other); }},
    {jitnorm_binary_gt, [](double y, double other) { return double(y > other); }},
    {jitnorm_binary_le, [](double y, double other) { return double(y <= other); }},
    {jitnorm_binary_lt, [](double y, double other) { return double(y < other); }},
    {jitnorm_binary_eq, [](double y, double other) { return double(y == other); }},
    {jitnorm_binary_ne, [](double y, double other) { return double(y != other); }},
};

TEST(reference_attributes, binary) {
    const std::vector<dim_t> dims = {3, 5, 70};
    for (const binary_case &op : BINARY) {
        SCOPED_TRACE(testing::Message() << "algorithm " << op.alg);
        const setup s = {.dims = dims, .attr = with(binary_post_op{op.alg, make_layout("dense", dims, jitnorm_f32)})};
        check(s, [&](const run &r, double y, size_t i) { return op.formula(y, r.operand(0).values()[i]); });
    }
}

TEST(reference_attributes, equal_values) { // comparisons that are true, not just almost
    for (const auto &[alg, expected] : {std::pair{jitnorm_binary_eq, 1.0},
                                        {jitnorm_binary_ne, 0.0},
                                        {jitnorm_binary_ge, 1.0},
                                        {jitnorm_binary_lt, 0.0}}) {
        run r({.flags = 0,
               .dims = {2, 9},
               .attr = with(binary_post_op{alg, impl::make_dense(std::vector<dim_t>{1, 1}, jitnorm_f32)})});
        r[SRC].fill(std::vector<double>(18, 3.5));
        r.operand(0).fill({0.0});
        r.execute();
        EXPECT_EQ(r.result().values(), std::vector<double>(18, expected));
    }
}

// Which element of src1 goes with element i of dst, by dimensions of size 1.
size_t broadcast_index(const std::vector<dim_t> &dims, const std::vector<dim_t> &src1, size_t i) {
    size_t index = 0, step = 1;
    for (size_t d = dims.size(); d-- > 0; i /= size_t(dims[d])) {
        if (src1[d] == 1) continue;
        index += i % size_t(dims[d]) * step;
        step *= size_t(dims[d]);
    }
    return index;
}

TEST(reference_attributes, binary_broadcasts_types_and_layouts) {
    const std::vector<dim_t> dims = {3, 5, 70};
    const std::vector<std::vector<dim_t>> shapes = {{1, 1, 1},  {1, 1, 70}, {3, 5, 1},
                                                    {1, 5, 70}, {3, 1, 70}, {3, 5, 70}};
    for (const auto &shape : shapes)
        for (const auto type :
             {jitnorm_f32, jitnorm_bf16, jitnorm_f16, jitnorm_s8, jitnorm_u8, jitnorm_s32, jitnorm_f64})
            for (const char *layout : {"dense", "cba", "gap", "spread", "gap+7", "aBc8b", "aBC8b8c+7"}) {
                SCOPED_TRACE(testing::Message() << testing::PrintToString(shape) << " type " << type << layout);
                const setup s = {.dims = dims,
                                 .dst = "acb",
                                 .attr = with(binary_post_op{jitnorm_binary_add, make_layout(layout, shape, type)})};
                std::vector<double> other;
                check(s, [&](const run &r, double y, size_t i) {
                    if (other.empty()) other = r.operand(0).values();
                    return y + other[broadcast_index(dims, shape, i)];
                });
            }
}

TEST(reference_attributes, sum) {
    const float scale = 0.5f;
    for (const auto type : {jitnorm_f32, jitnorm_bf16, jitnorm_f64}) {
        setup s = {.dst = "gap", .src_type = type, .dst_type = type, .attr = with(sum_post_op{scale, 0, {}})};
        run r(s);
        const std::vector<double> y = exact_results_of(r.question()).dst;
        r[DST].fill(random_values(dim_t(y.size()), 2, 3, 5));
        std::vector<double> expected = r[DST].values();
        for (size_t i = 0; i < y.size(); ++i) expected[i] = y[i] + double(scale) * expected[i];
        r.execute();
        expect_close(r.result().values(), expected, 70, 1e-6 + rounding_of(type));
    }
}

TEST(reference_attributes, sum_reads_dst_as_another_type_with_a_zero_point) {
    run r({.flags = 0, .dst_type = jitnorm_u8, .attr = with(sum_post_op{1, 3, jitnorm_s8})});
    std::vector<double> expected = exact_results_of(r.question()).dst;
    r[DST].fill(std::vector<double>(expected.size(), 250)); // -6 as s8
    r.execute();
    EXPECT_EQ(r.result().values(), std::vector<double>(expected.size(), 0));
    r[DST].fill(std::vector<double>(expected.size(), 100));
    r.execute();
    const std::vector<double> got = r.result().values();
    for (size_t i = 0; i < got.size(); ++i) EXPECT_LE(std::fabs(got[i] - (expected[i] + 97)), 0.5 + 1e-4);
}

TEST(reference_attributes, sum_in_place_adds_the_source) {
    setup s = {.attr = with(sum_post_op{2, 0, {}}), .in_place = true};
    run r(s);
    const std::vector<double> src = r[SRC].values();
    std::vector<double> expected = exact_results_of(r.question()).dst;
    for (size_t i = 0; i < src.size(); ++i) expected[i] += 2 * src[i];
    r.execute();
    expect_close(r.result().values(), expected, 70, 1e-6);
}

TEST(reference_attributes, everything_in_its_order) {
    setup s = {.dims = {4, 1100}, .src_type = jitnorm_bf16};
    s.attr.src_scale = s.attr.dst_scale = true;
    s.attr.post_ops.entries = {eltwise_post_op{jitnorm_eltwise_linear, 2, 1},
                               binary_post_op{jitnorm_binary_mul, make_layout("dense", {1, 1100}, jitnorm_f32)},
                               eltwise_post_op{jitnorm_eltwise_relu, 0.5f, 0}};
    std::vector<double> other;
    check(s, [&](const run &r, double y, size_t i) {
        if (other.empty()) other = r.operand(1).values();
        y = (2 * (y * value_of(r[SRC_SCALE])) + 1) * other[i % 1100];
        return (y > 0 ? y : 0.5 * y) / value_of(r[DST_SCALE]);
    });
}

} // namespace
} // namespace jitnorm::tests
