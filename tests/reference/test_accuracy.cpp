// SPDX-License-Identifier: Apache-2.0
// The reference against the oracle: every kind, flag, type, layout and choice of a problem, backward also after
// forward. benchdnn-lite's files check its post-ops, tests/golden its bits, tests/kernel rows without elements.
#include "support/accuracy.hpp"
#include "support/sweep.hpp"

namespace jitnorm::tests {
namespace {

using namespace impl::layer_norm; // slots

constexpr auto TRAINING = jitnorm_forward_training, INFERENCE = jitnorm_forward_inference, BACKWARD = jitnorm_backward,
               BACKWARD_DATA = jitnorm_backward_data;
constexpr unsigned GIVEN = jitnorm_use_global_stats, SCALE = jitnorm_use_scale, SHIFT = jitnorm_use_shift,
                   RMS = jitnorm_rms_norm, PLUS_ONE = jitnorm_use_scale | jitnorm_scale_plus_one;
constexpr auto F32 = jitnorm_f32, BF16 = jitnorm_bf16, F16 = jitnorm_f16, F64 = jitnorm_f64;
const choices EACH_AFFINE_TYPE = each_of(&setup::affine_type, AFFINE_TYPES);
const choices ALL_KINDS = kinds({TRAINING, INFERENCE, BACKWARD, BACKWARD_DATA});
const choices FORWARD_OR_BACKWARD = kinds({TRAINING, BACKWARD});

void in_place(setup &s) {
    s.dst = s.diff_src = s.src;
    s.in_place = true;
}

choices several_axes() {
    const std::pair<std::vector<dim_t>, std::vector<std::string>> cases[] = {
        {{3, 4, 17}, {"dense", "spread", "@cab", "aBc8b"}},
        {{3, 2, 1, 19}, {"dense", "spread", "@dbca", "aBcd16b+7"}},
        {{2, 3, 2, 5, 7}, {"dense", "spread", "@edcba"}},
    };
    choices list;
    for (const auto &[dims, layouts] : cases)
        for (const std::string &layout : layouts)
            for (int axes = 1; axes < int(dims.size()); ++axes)
                list.push_back([sizes = dims, layout, axes](setup &s) {
                    s.dims = sizes;
                    s.src = s.dst = s.diff_src = layout;
                    s.axes = axes;
                });
    return list;
}

choices outputs_left_out() {
    std::vector<unsigned> sets;
    constexpr unsigned ANY = OMITTABLE & ~bit_of(DST); // without dst there are no weights, which this sweep has
    for (unsigned omitted = ANY; omitted != 0; omitted = (omitted - 1) & ANY) sets.push_back(omitted);
    return each_of(&setup::omitted, sets);
}

const std::vector<sweep> SWEEPS = {
    {.name = "flags", .each = {ALL_KINDS, flags(every_flag())}},
    {.name = "scales_of_ones", .of = {.scale_is_ones = true}, .each = {ALL_KINDS, flags({SCALE, SCALE | SHIFT})}},
    {.name = "forward_types",
     .of = {.mean = 20, .deviation = 30},
     .each = {each_of(&setup::src_type, ROW_TYPES), each_of(&setup::dst_type, ROW_TYPES), EACH_AFFINE_TYPE},
     .in_turn = {flags({SCALE | SHIFT, PLUS_ONE})}},
    {.name = "backward_types",
     .of = {.kind = BACKWARD},
     .each = {each_of(&setup::src_type, FLOATING), each_of(&setup::dst_type, FLOATING),
              each_of(&setup::diff_src_type, FLOATING), EACH_AFFINE_TYPE},
     .in_turn = {flags({SCALE | SHIFT, PLUS_ONE | SHIFT})}},
    {.name = "lengths", // around lanes, blocks, tiles and chunks
     .of = {.dims = {3, 1}},
     .each = {FORWARD_OR_BACKWARD, row_types({F32, F64}),
              columns({1,   2,   3,   4,   5,   15,  16,   17,   31,   32,   33,   64,   100,
                       255, 256, 257, 511, 512, 513, 1000, 4095, 4096, 4097, 8193, 10007})}},
    {.name = "numbers_of_rows", // around blocks and parts
     .of = {.kind = BACKWARD, .dims = {1, 20}},
     .each = {rows({1, 2, 15, 16, 17, 31, 33, 511, 512, 513, 2047, 2048, 2049, 5000})}},
    {.name = "forward_layouts",
     .of = {.mean = 20, .deviation = 30},
     .each = {joined(all_layouts(), dims({{2, 10007}})), row_types(ROW_TYPES), {leave, in_place}},
     .in_turn = {flags({SCALE, SCALE | GIVEN})}},
    {.name = "backward_layouts",
     .of = {.kind = BACKWARD},
     .each = {joined(all_layouts(), dims({{40, 10007}})), row_types(FLOATING), {leave, in_place}}},
    {.name = "rows_that_overlap_in_src", .of = {.dims = {4, 70}, .src = "0,1"}, .each = {flags({0, SCALE | SHIFT})}},
    {.name = "several_axes", .each = {ALL_KINDS, several_axes()}},
    {.name = "statistics",
     .each = {ALL_KINDS, flags({0, SCALE | SHIFT, SCALE | SHIFT | GIVEN, RMS, RMS | SCALE | GIVEN}),
              each_of(&setup::statistics_type, {F32, BF16, F16}),
              each_of(&setup::form, {statistics_form::variance, statistics_form::inverse_deviation})}},
    {.name = "outputs_left_out", .each = {FORWARD_OR_BACKWARD, outputs_left_out()}},
    {.name = "only_statistics",
     .of = {.omitted = bit_of(DST)},
     .each = {each_of(&setup::src_type, ROW_TYPES), flags({0U, unsigned(jitnorm_rms_norm)})}},
};

void expect_integers(const std::vector<double> &got, const std::vector<double> &exact, jitnorm_data_type_t type) {
    const double lowest = type == jitnorm_s8 ? -128 : 0, highest = type == jitnorm_s8 ? 127 : 255;
    for (size_t i = 0; i < got.size(); ++i) {
        const double expected = std::clamp(exact[i], lowest, highest);
        EXPECT_LE(std::fabs(got[i] - expected), 0.5 + 1e-5 * std::fabs(expected)) << "element " << i;
    }
}

void expect_statistics(const run &r, const exact_results &exact) {
    const double rounding = rounding_of(r.p[VARIANCE].data_type);
    const auto expect = [](const tensor &got, const std::vector<double> &expected, auto &&bound_of) {
        const std::vector<double> values = got.values();
        ASSERT_EQ(values.size(), expected.size());
        for (size_t row = 0; row < values.size(); ++row)
            EXPECT_NEAR(values[row], expected[row], bound_of(row)) << "row " << row;
    };
    if (r.p.writes(MEAN))
        expect(r[MEAN], exact.mean, [&](size_t row) {
            return (0x1p-23 + rounding) * std::fabs(exact.mean[row]) + 1e-7 * std::sqrt(exact.variance[row]);
        });
    if (!r.p.writes(VARIANCE)) return;
    std::vector<double> values = exact.variance;
    if (r.p.form == statistics_form::inverse_deviation)
        for (double &value : values) value = 1 / std::sqrt(value + double(r.p.epsilon));
    expect(r[VARIANCE], values, [&](size_t row) { return (1e-6 + rounding) * values[row]; });
}

void expect_accurate(const setup &s) {
    SCOPED_TRACE(s);
    run r(s);
    const exact_results exact = exact_results_of(r.question());
    r.execute();
    const jitnorm_data_type_t type = r.p.is_forward() ? s.dst_type : s.diff_src_type;
    const std::vector<double> &expected = r.p.is_forward() ? exact.dst : exact.diff_src;
    if (type == jitnorm_s8 || type == jitnorm_u8)
        expect_integers(r.result().values(), expected, type);
    else if (r.result().exists())
        expect_close(r.result().values(), expected, size_t(r.p.row_length()),
                     is_double(s) ? 1e-14 : 1e-6 + rounding_of(type));
    expect_statistics(r, exact);
    const double bound = is_double(s) ? 1e-7 : 1e-6; // gradients are at most f32
    if (r.p.writes(DIFF_SCALE)) expect_near(r[DIFF_SCALE], exact.diff_scale, bound);
    if (r.p.writes(DIFF_SHIFT)) expect_near(r[DIFF_SHIFT], exact.diff_shift, bound);
}

class reference_in_sweeps : public testing::TestWithParam<sweep> {};
TEST_P(reference_in_sweeps, is_accurate) { for_each_case(GetParam(), expect_accurate); }
INSTANTIATE_TEST_SUITE_P(each, reference_in_sweeps, testing::ValuesIn(SWEEPS),
                         [](const auto &each) { return each.param.name; });

// Forward's statistics feed backward; the whole is compared with the gradient from exact statistics. What rounding the
// mean and the variance to f32 costs is part of the bound: half an ulp of the mean, in deviations.
void expect_accurate_after_forward(setup s) {
    SCOPED_TRACE(testing::Message() << s << " mean " << s.mean << " deviation " << s.deviation);
    s.kind = TRAINING;
    run forward(s);
    s.kind = BACKWARD;
    run backward(s);
    backward[SRC].fill(forward[SRC].values());
    oracle_problem question = backward.question();
    const exact_results exact = exact_results_of(forward.question());
    question.mean = exact.mean;
    question.variance = exact.variance;
    const exact_results expected = exact_results_of(question);
    forward.execute();
    if (backward[MEAN].exists()) backward[MEAN].fill(forward[MEAN].values());
    backward[VARIANCE].fill(forward[VARIANCE].values());
    backward.execute();
    const double bound = 1e-6 + 0x1p-24 * std::fabs(s.mean) / s.deviation;
    expect_near(backward.result(), expected.diff_src, bound);
    expect_near(backward[DIFF_SCALE], expected.diff_scale, bound);
    expect_near(backward[DIFF_SHIFT], expected.diff_shift, bound);
}

TEST(reference_after_forward, is_accurate) {
    const sweep means_and_deviations = {.of = {.dims = {33, 1}},
                                        .each = {each_of(&setup::mean, {0, 1, -30, 1e3, 1e4, 1e6}),
                                                 each_of(&setup::deviation, {1e-2, 1, 1e3}),
                                                 columns({16, 100, 768, 5000})}};
    const sweep types = {.of = {.dims = {70, 1}},
                         .each = {row_types(FLOATING), EACH_AFFINE_TYPE, flags({SCALE | SHIFT, SCALE | SHIFT | RMS}),
                                  columns({64, 333})}};
    for (const sweep &s : {means_and_deviations, types}) for_each_case(s, expect_accurate_after_forward);
}

// The given value already contains epsilon.
TEST(reference, does_not_look_at_epsilon_where_inverse_deviations_are_given) {
    for (const auto kind : {BACKWARD, INFERENCE}) {
        const setup s{.kind = kind, .flags = GIVEN, .form = statistics_form::inverse_deviation};
        run small(s), large(s);
        large.p.epsilon = 100;
        small.execute();
        large.execute();
        EXPECT_EQ(small.result().values(), large.result().values());
    }
}

} // namespace
} // namespace jitnorm::tests
