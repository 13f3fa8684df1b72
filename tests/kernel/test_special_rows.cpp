// SPDX-License-Identifier: Apache-2.0
// Rows that leave the straight path: poor pivots, squares that overflow or underflow, constants, zeros, NaN and
// infinities at every place, in src, in the gradient and in the statistics. Every length that matters and every type,
// with and without epsilon: kernels give the reference's bits. Rows short enough for code of their own come in batches
// where ordinary ones stand beside those that need another sweep.
#include <algorithm>
#include <cmath>
#include <limits>
#include <random>

#include "support/sweep.hpp"

namespace jitnorm::tests {
namespace {

constexpr double INF = std::numeric_limits<double>::infinity();
constexpr double QNAN = std::numeric_limits<double>::quiet_NaN();

// An element of a row and the row's statistics; they are ordinary before they are changed.
struct element {
    double &x, &dy, &mean, &variance;
    dim_t c;
    double first; // of the row, before it was changed
};

struct special_row {
    const char *name;
    void (*change)(const element &e);
};

constexpr special_row SPECIAL_ROWS[] = {
    {"constant", [](const element &e) { e.x = e.mean = 1e6, e.variance = 0; }},
    {"constant whose sum is rounded", [](const element &e) { e.x = -0.1; }},
    {"zeros", [](const element &e) { e.x = e.dy = e.mean = e.variance = 0; }},
    {"negative zeros", [](const element &e) { e.x = e.dy = -0.0; }},
    {"zeros of either sign", [](const element &e) { e.x = e.x < 1 ? -0.0 : 0.0; }},
    {"huge mean", [](const element &e) { e.x += 1e6, e.mean = 1e6; }},
    {"a mean far from zero", [](const element &e) { e.x = e.first + 1e-7 * e.x; }},
    {"outlier first", [](const element &e) { e.x = e.c == 0 ? 1e4 : e.x; }},
    {"outliers in the pivot", [](const element &e) { e.x = e.c < 4 ? 50.0 : e.x; }},
    {"ramp", [](const element &e) { e.x = double(e.c); }},
    {"near overflow", [](const element &e) { e.x *= 1e37, e.variance = 3e38; }},
    {"differences overflow", [](const element &e) { e.x = e.x < 1 ? 3e38 : -3e38; }},
    {"squares underflow", [](const element &e) { e.x *= 1e-25, e.mean = 0; }},
    {"denormals", [](const element &e) { e.x *= 1e-40, e.dy *= 1e-41, e.mean = 0; }},
    {"products underflow", [](const element &e) { e.x = 1e-30, e.dy = -1e-30, e.mean = 0; }},
    {"tiny variance", [](const element &e) { e.x = e.mean, e.variance = 1e-44; }},
    {"constant gradient", [](const element &e) { e.dy = 0.1; }},
    {"large gradient", [](const element &e) { e.dy *= 1e37; }},
    {"mean NaN", [](const element &e) { e.mean = QNAN; }},
    {"mean infinite", [](const element &e) { e.mean = INF; }},
    {"variance infinite", [](const element &e) { e.variance = INF; }},
};
constexpr size_t KINDS = std::size(SPECIAL_ROWS);

// The type's special values: their squares leave its range, or the range of its compute type.
std::vector<double> special_values(jitnorm_data_type_t type) {
    switch (type) {
    case jitnorm_f64:
        return {INF, -INF, QNAN, 1e200, -1.7e308, 1e-200, 5e-324, 1e39};
    case jitnorm_f16:
        return {INF, -INF, QNAN, 65504, -65504, 6e-8, 1e-5, -0.0};
    default:
        return {INF, -INF, QNAN, 1e30, -3.38e38, 1e-30, 1e-40, -0.0};
    }
}
constexpr size_t VALUES = 8;

// A special value among ordinary numbers at the first place, in the middle, at the last place, at two places with both
// signs; in all places; and in all places with alternating signs.
enum place { FIRST, MIDDLE, LAST, TWICE, ALL, ALTERNATING, PLACES };

double put(double value, place where, dim_t c, dim_t columns, double ordinary) {
    const dim_t only[] = {0, columns / 2, columns - 1};
    if (where < TWICE) return c == only[where] ? value : ordinary;
    if (where == TWICE) return c == columns / 3 ? value : c == columns - 1 ? -value : ordinary;
    return where == ALL || c % 2 == 0 ? value : -value;
}

// The special rows, then those with special values in src, then those with them in the gradient.
constexpr size_t SPECIAL = KINDS + 2 * VALUES * PLACES;
constexpr dim_t ALL_ROWS = 2 * SPECIAL;

// Every second row is ordinary where there are enough rows; otherwise special rows come one by one or in runs.
void make_special(run &r) {
    std::vector<double> x = r[SRC].values(), dy = r[DIFF_DST].values(), means(size_t(r.p.rows())), variances(means);
    dy.resize(x.size());
    if (r.p.reads(MEAN)) means = r[MEAN].values();
    if (r.p.reads(VARIANCE)) variances = r[VARIANCE].values();
    const std::vector<double> of_src = special_values(r[SRC].md().data_type),
                              of_gradient = special_values(r.p.is_forward() ? jitnorm_f32 : r[DIFF_DST].md().data_type);
    const dim_t C = r.p.row_length();
    std::mt19937 generator(unsigned(x.size()));
    size_t kind = SPECIAL;
    for (size_t row = 0; row < means.size(); ++row) {
        if (r.p.rows() >= ALL_ROWS)
            kind = row % 2 == 0 ? row / 2 : SPECIAL;
        else if (generator() % 3 != 0)
            kind = generator() % ALL_ROWS; // half of the rows are ordinary
        if (kind >= SPECIAL) continue;
        const double first = x[row * size_t(C)];
        for (dim_t c = 0; c < C; ++c) {
            const size_t i = row * size_t(C) + size_t(c);
            if (kind < KINDS) {
                SPECIAL_ROWS[kind].change({x[i], dy[i], means[row], variances[row], c, first});
            } else {
                const size_t value = (kind - KINDS) / PLACES;
                double &number = value < VALUES ? x[i] : dy[i];
                number = put((value < VALUES ? of_src : of_gradient)[value % VALUES], place((kind - KINDS) % PLACES), c,
                             C, number);
            }
        }
    }
    r[SRC].fill(x);
    if (r[DIFF_DST].exists()) r[DIFF_DST].fill(dy);
    if (r.p.reads(MEAN)) r[MEAN].fill(means);
    if (r.p.reads(VARIANCE)) r[VARIANCE].fill(variances);
}

void without_epsilon(run &r) {
    make_special(r);
    r.p.epsilon = 0;
}

constexpr unsigned SCALE = jitnorm_use_scale, SHIFT = jitnorm_use_shift, RMS = jitnorm_rms_norm,
                   GIVEN = jitnorm_use_global_stats;
const choices FORWARD_FLAGS = flags({0, SCALE | SHIFT, RMS, RMS | SCALE, GIVEN | SCALE}),
              BACKWARD_FLAGS = flags({0, SCALE | SHIFT, GIVEN | SCALE | SHIFT, RMS | SCALE});
const choices PACKED_IN_TURN =
    joined(row_layouts({"dense", "dense", "ba", "spread"}), each_of(&setup::dst, {"spread"}));
const choices FORMS = each_of(&setup::form, {statistics_form::variance, statistics_form::inverse_deviation});
const choices BACKWARDS = kinds({jitnorm_backward, jitnorm_backward, jitnorm_backward_data});
// All around the lanes of the sums, then with and without an incomplete vector for each number of vectors.
const std::vector<dim_t> SHORT =
    lengths_up_to(33, {39, 40, 47, 48, 55, 56, 63, 64, 79, 80, 95, 96, 111, 112, 127, 128, 129});

std::vector<sweep> sweeps(const std::string &name, void (*prepare)(run &)) {
    setup forward = {.dims = {ALL_ROWS, 1}}, backward = forward;
    backward.kind = jitnorm_backward;
    return {{.name = "forward_" + name,
             .of = forward,
             .each = {columns({1, 2, 3, 4, 7, 8, 9, 12, 15, 16, 17, 31, 32, 33, 63, 64, 65, 100, 513, 600, 5000}),
                      row_types(FLOATING), FORWARD_FLAGS},
             .in_turn = {PACKED_IN_TURN, FORMS},
             .prepare = prepare},
            {.name = "forward_to_other_types_" + name,
             .of = forward,
             .each = {columns({2, 19, 70}), row_types(FLOATING), flags({0, RMS}), each_of(&setup::dst_type, ROW_TYPES)},
             .small_caches = true,
             .prepare = prepare},
            {.name = "forward_in_short_rows_" + name,
             .each = {columns(SHORT), rows({1, 2, 7, 8, 9, 15, 31, 32, 33, 65, 200}),
                      flags({0, SCALE | SHIFT, RMS | SCALE})},
             .in_turn = {each_of(&setup::in_place, {false, false, true})},
             .prepare = prepare},
            {.name = "backward_" + name,
             .of = backward,
             .each = {columns({1, 2, 3, 7, 8, 9, 10, 12, 16, 17, 33, 37, 65, 100, 520, 600, 4097}), row_types(FLOATING),
                      BACKWARD_FLAGS},
             .in_turn = {BACKWARDS, PACKED_IN_TURN, FORMS},
             .prepare = prepare},
            {.name = "backward_in_few_rows_" + name,
             .of = backward,
             .each = {columns({1, 5, 8, 16, 21, 40, 768}), rows({1, 2, 3, 40}),
                      each_of(&setup::gradient_type, {jitnorm_f32, jitnorm_bf16})},
             .small_caches = true,
             .prepare = prepare}};
}

// A column whose only products underflow has the gradient 0: the sum in double begins at +0, and so does one that is
// not taken in double because there is a single block.
void make_products_underflow(run &r) {
    const auto count = size_t(nelems(r.p[SRC]));
    r[SRC].fill(std::vector<double>(count, 1e-30));
    r[DIFF_DST].fill(std::vector<double>(count, -1e-30));
    r[MEAN].fill(std::vector<double>(size_t(r.p.rows()), 0));
}

const std::vector<sweep> WITH_EPSILON = sweeps("with_epsilon", make_special),
                         WITHOUT_EPSILON = sweeps("without_epsilon", without_epsilon);
const std::vector<sweep> OTHERS = {{.name = "products_that_underflow",
                                    .of = {.kind = jitnorm_backward},
                                    .each = {columns({1, 5, 8, 16, 21, 40, 768}), rows({1, 2, 3, 40}),
                                             each_of(&setup::gradient_type, {jitnorm_f32, jitnorm_bf16})},
                                    .prepare = make_products_underflow}};
const std::vector<sweep> EMULATED = {{.name = "forward",
                                      .of = {.dims = {ALL_ROWS, 1}},
                                      .each = {columns({12, 64, 100, 600}), flags({0, SCALE | SHIFT, RMS})},
                                      .prepare = make_special},
                                     {.name = "forward_in_short_rows",
                                      .each = {columns({1, 3, 4, 8, 15, 16, 17, 31, 32, 33, 64, 79, 128}),
                                               rows({3, 41}), flags({0, SCALE | SHIFT, RMS | SCALE})},
                                      .prepare = make_special},
                                     {.name = "backward",
                                      .of = {.kind = jitnorm_backward, .dims = {ALL_ROWS, 37}},
                                      .each = {row_types({jitnorm_f32, jitnorm_bf16, jitnorm_f64}), BACKWARD_FLAGS},
                                      .prepare = make_special}};

class special_rows : public equality_in_sweeps {};
TEST_P(special_rows, equal_the_reference) { expect_equal(); }
INSTANTIATE_TEST_SUITE_P(with_epsilon, special_rows, native(WITH_EPSILON), name_of_sweep);
INSTANTIATE_TEST_SUITE_P(without, special_rows, native(WITHOUT_EPSILON), name_of_sweep);
INSTANTIATE_TEST_SUITE_P(others, special_rows, native(OTHERS), name_of_sweep);
INSTANTIATE_TEST_SUITE_P(emulated, special_rows, emulated(EMULATED), name_of_sweep);

// Rows of rms_norm, some of whose columns are normalized by moments that are given: their means are not read.
class given_moments : public on_isa {};
TEST_P(given_moments, of_rms_norm_have_no_mean) {
    const setup s = {.flags = jitnorm_rms_norm, .dims = {5, 100}, .mean = 3, .all_columns = 200};
    const auto without_means = [](run &r) {
        std::vector<double> moments = r[ROW_SUMS].values();
        for (size_t row = 0; row < 5; ++row) {
            EXPECT_NE(moments[4 * row + 1], 0);
            moments[4 * row + 1] = 0;
        }
        r[ROW_SUMS].fill(moments);
    };
    const outputs expected = outputs_by(reference_entry, s, without_means);
    expect_same(outputs_by(reference_entry, s), expected, s, "the reference");
    expect_same(outputs_by(jit_for(GetParam()), s), expected, s, "kernels");
}
INSTANTIATE_TEST_SUITE_P(native, given_moments, testing::Values(isa::avx2, isa::avx512), on_isa::name);

// How many results a NaN or an infinity in one element changes: in src with statistics of the row, which then reach
// every column of diff_scale; in src with given ones, by which it stays in its column; and in the gradient.
class number_that_is_not_finite : public on_isa {};
TEST_P(number_that_is_not_finite, reaches_others_by_its_statistics_only) {
    constexpr dim_t ROWS = 40, COLUMNS = 70;
    const auto count_not_finite = [](const std::vector<double> &values) {
        return std::count_if(values.begin(), values.end(), [](double value) { return !std::isfinite(value); });
    };
    const struct {
        slot at;
        bool given;
        dim_t in_dst, in_diff_src, in_diff_scale, in_diff_shift;
    } cases[] = {
        {SRC, false, COLUMNS, COLUMNS, COLUMNS, 0}, {SRC, true, 1, 0, 1, 0}, {DIFF_DST, false, 0, COLUMNS, 1, 1}};
    for (const auto &expected : cases)
        for (const implementation *entry : {&reference_entry, &jit_for(GetParam())})
            for (const double value : {QNAN, INF}) {
                setup s = {.dims = {ROWS, COLUMNS}};
                if (expected.given) s.flags |= GIVEN;
                SCOPED_TRACE(testing::Message() << entry->name << ", " << value << " in " << expected.at << ", " << s);
                outputs found;
                const auto spoil = [&](run &r) {
                    if (r[expected.at].exists()) {
                        std::vector<double> x = r[expected.at].values();
                        x[3 * COLUMNS + 5] = value;
                        r[expected.at].fill(x);
                    }
                    if (expected.given || r.p.is_forward()) return;
                    r[MEAN].fill(found[MEAN]);
                    r[VARIANCE].fill(found[VARIANCE]);
                };
                found = outputs_by(*entry, s, spoil);
                EXPECT_EQ(count_not_finite(found[DST]), expected.in_dst);
                EXPECT_TRUE(expected.in_dst != COLUMNS || std::isnan(found[VARIANCE][3]));
                s.kind = jitnorm_backward;
                const outputs got = outputs_by(*entry, s, spoil);
                EXPECT_EQ(count_not_finite(got[DIFF_SRC]), expected.in_diff_src);
                EXPECT_EQ(count_not_finite(got[DIFF_SCALE]), expected.in_diff_scale);
                EXPECT_FALSE(std::isfinite(got[DIFF_SCALE][5]));
                EXPECT_EQ(count_not_finite(got[DIFF_SHIFT]), expected.in_diff_shift);
            }
}
INSTANTIATE_TEST_SUITE_P(native, number_that_is_not_finite, testing::Values(isa::avx2, isa::avx512), on_isa::name);

} // namespace
} // namespace jitnorm::tests
