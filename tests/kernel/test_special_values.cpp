// SPDX-License-Identifier: Apache-2.0
// Rows with infinities, NaN, and numbers whose squares overflow or underflow, at the ends and in the middle of rows of
// every length that matters, in every type: the kernels' bits are the reference's, and an infinity makes its row NaN.
#include <cmath>
#include <limits>

#include "rig/equality.hpp"

namespace jitnorm::tests {
namespace {

constexpr double INF = std::numeric_limits<double>::infinity();
constexpr double QNAN = std::numeric_limits<double>::quiet_NaN();

// What the type can hold that is not ordinary: values whose squares leave its range, or that of its compute type.
std::vector<double> special_values(jitnorm_data_type_t type) {
    switch (type) {
    case jitnorm_f64:
        return {INF, -INF, QNAN, 1e200, -1.7e308, 1e-200, 5e-324, 1e39, -0.0};
    case jitnorm_f16:
        return {INF, -INF, QNAN, 65504, -65504, 6e-8, 1e-5, -0.0};
    default:
        return {INF, -INF, QNAN, 1e30, -3.38e38, 1e-30, 1e-40, -0.0};
    }
}

struct special_rows {
    std::vector<double> values;
    dim_t columns;

    // For each value: rows with it at the first place, in the middle, at the last one, at two places with both signs,
    // alone, and alternating in sign; ordinary numbers elsewhere, and an ordinary row behind each.
    enum place { FIRST, MIDDLE, LAST, TWICE, ALL, ALTERNATING, ORDINARY, PLACES };
    dim_t rows() const { return dim_t(values.size()) * PLACES; }

    double at(dim_t row, dim_t c, double ordinary) const {
        const double value = values[size_t(row / PLACES)];
        switch (place(row % PLACES)) {
        case FIRST:
            return c == 0 ? value : ordinary;
        case MIDDLE:
            return c == columns / 2 ? value : ordinary;
        case LAST:
            return c == columns - 1 ? value : ordinary;
        case TWICE:
            return c == columns / 3 ? value : c == columns - 1 ? -value : ordinary;
        case ALL:
            return value;
        case ALTERNATING:
            return c % 2 == 0 ? value : -value;
        default:
            return ordinary;
        }
    }

    void put_into(const tensor &t) const {
        std::vector<double> numbers = t.values();
        for (size_t i = 0; i < numbers.size(); ++i) numbers[i] = at(dim_t(i) / columns, dim_t(i) % columns, numbers[i]);
        t.fill(numbers);
    }
};

void expect_special_rows_equal(isa vectors, setup s, bool in_gradient = false) {
    const special_rows rows = {special_values(in_gradient ? s.dst_type : s.src_type), s.dims.back()};
    s.dims.front() = rows.rows();
    const preparation prepare = [&](run &r) { rows.put_into(in_gradient ? r[DIFF_DST] : r[SRC]); };
    const implementation &entry = jit_for(vectors);
    expect_same(outputs_by(entry, s, prepare), outputs_by(reference_entry, s, prepare), s, entry.name);
}

constexpr jitnorm_data_type_t TYPES[] = {jitnorm_f32, jitnorm_bf16, jitnorm_f16, jitnorm_f64};
const std::vector<dim_t> LENGTHS = {1, 2, 3, 4, 7, 8, 9, 15, 16, 17, 31, 32, 33, 63, 64, 65, 513, 8193};

class special_values_on : public on_isa {
protected:
    // All types, with and without a mean.
    void expect_equal_in_all_types(setup s, const std::vector<dim_t> &lengths) const {
        const unsigned flags = s.flags;
        for (const auto type : TYPES)
            for (const unsigned rms : {0U, unsigned(jitnorm_rms_norm)})
                for (const dim_t columns : lengths) {
                    s.src_type = s.dst_type = s.diff_src_type = type;
                    s.flags = flags | rms;
                    s.dims = {0, columns};
                    expect_special_rows_equal(GetParam(), s);
                    if (!make_problem(s).is_forward()) expect_special_rows_equal(GetParam(), s, true);
                }
    }
};

TEST_P(special_values_on, dense_rows) {
    expect_equal_in_all_types({.flags = 0}, LENGTHS);
    expect_equal_in_all_types({.flags = jitnorm_use_scale | jitnorm_use_shift}, {1, 3, 8, 31, 70});
}

TEST_P(special_values_on, inverse_deviations) {
    expect_equal_in_all_types({.form = statistics_form::inverse_deviation}, {1, 2, 8, 9, 33, 512});
}

TEST_P(special_values_on, packed_rows) {
    for (const char *layout : {"ba", "spread"})
        expect_equal_in_all_types({.src = layout, .dst = layout}, {1, 2, 5, 16, 32, 33, 600});
    expect_equal_in_all_types({.dst = "spread"}, {3, 40});
}

TEST_P(special_values_on, long_packed_rows) { expect_equal_in_all_types({.src = "spread", .dst = "spread"}, {4100}); }

TEST_P(special_values_on, given_statistics) {
    expect_equal_in_all_types({.flags = jitnorm_use_global_stats | jitnorm_use_scale}, {1, 3, 8, 17, 100});
}

TEST_P(special_values_on, mixed_types) {
    for (const auto src : TYPES)
        for (const auto dst : {jitnorm_f32, jitnorm_bf16, jitnorm_f16, jitnorm_f64, jitnorm_s8, jitnorm_u8})
            for (const unsigned rms : {0U, unsigned(jitnorm_rms_norm)})
                for (const dim_t columns : {2, 19, 70})
                    expect_special_rows_equal(GetParam(),
                                              {.flags = rms, .dims = {0, columns}, .src_type = src, .dst_type = dst});
}

TEST_P(special_values_on, backward) {
    for (const char *layout : {"dense", "ba"})
        expect_equal_in_all_types({.kind = jitnorm_backward, .src = layout, .dst = layout, .diff_src = layout},
                                  {1, 2, 7, 8, 9, 17, 33, 520});
    expect_equal_in_all_types({.kind = jitnorm_backward, .flags = 0}, {4097});
    expect_equal_in_all_types({.kind = jitnorm_backward_data, .flags = jitnorm_use_scale}, {1, 3, 16, 65});
}

// docs/arithmetic.md: squares that overflow in double are infinite, and an infinity makes the row NaN.
TEST_P(special_values_on, infinite_squares_make_the_row_nan) {
    for (const char *layout : {"dense", "spread"})
        for (const dim_t columns : {1, 2, 40, 5000})
            for (const double value : {1e200, INF, -INF}) {
                const setup s = {.flags = jitnorm_rms_norm,
                                 .dims = {3, columns},
                                 .src = layout,
                                 .src_type = jitnorm_f64,
                                 .dst_type = jitnorm_f64};
                const outputs got = outputs_by(jit_for(GetParam()), s, [&](run &r) {
                    std::vector<double> numbers = r[SRC].values();
                    numbers[size_t(2 * columns - 1)] = value; // the second row's last
                    r[SRC].fill(numbers);
                });
                for (size_t row = 0; row < 3; ++row) {
                    EXPECT_EQ(std::isnan(got[VARIANCE][row]), row == 1) << s << " " << value;
                    for (size_t c = 0; c < size_t(columns); ++c)
                        ASSERT_EQ(std::isnan(got.result()[row * size_t(columns) + c]), row == 1) << s << " " << value;
                }
            }
}

// Without epsilon deviations may be zero, or so small that their reciprocal is infinite.
TEST_P(special_values_on, without_epsilon) {
    for (const auto type : TYPES)
        for (const unsigned rms : {0U, unsigned(jitnorm_rms_norm)})
            for (const dim_t columns : {1, 2, 3, 16, 40, 600, 5000}) {
                setup s{.flags = rms, .dims = {0, columns}, .src_type = type, .dst_type = type};
                const special_rows rows = {special_values(type), columns};
                s.dims.front() = rows.rows();
                expect_equal_to_reference(GetParam(), s, [&](run &r) {
                    rows.put_into(r[SRC]);
                    r.p.epsilon = 0;
                });
            }
}

// docs/arithmetic.md, "Limits": what the mean has beyond a float is nothing here, and must not become NaN.
TEST_P(special_values_on, deviations_without_a_reciprocal_give_infinities) {
    for (const implementation *entry : {&reference_entry, &jit_for(GetParam())})
        for (const dim_t columns : {2, 40, 5000}) {
            const setup s{.flags = 0, .dims = {3, columns}};
            const outputs got = outputs_by(*entry, s, [&](run &r) {
                std::vector<double> src(size_t(3 * columns));
                for (size_t i = 0; i < src.size(); ++i) src[i] = i % 2 == 0 ? 1e-40 : -1e-40;
                r[SRC].fill(src);
                r.p.epsilon = 0;
            });
            for (size_t i = 0; i < got.result().size(); ++i) ASSERT_EQ(got.result()[i], i % 2 == 0 ? INF : -INF) << s;
        }
}

INSTANTIATE_TEST_SUITE_P(native, special_values_on, testing::Values(isa::avx2, isa::avx512), on_isa::name);

} // namespace
} // namespace jitnorm::tests
