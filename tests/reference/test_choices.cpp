// SPDX-License-Identifier: Apache-2.0
// The reference against the oracle in what only some front ends ask for: several normalized axes, statistics of other
// forms and types, outputs left out, a scale of ones.
#include "rig/accuracy.hpp"
#include "rig/run.hpp"

namespace jitnorm::tests {
namespace {

using impl::layer_norm::OMITTABLE;
using impl::layer_norm::statistics_form;

constexpr statistics_form FORMS[] = {statistics_form::variance, statistics_form::inverse_deviation};
constexpr jitnorm_data_type_t TYPES[] = {jitnorm_f32, jitnorm_bf16, jitnorm_f16};

// Each value to the bound and half an ulp of the tensor's type.
void expect_rounded(const tensor &got, const std::vector<double> &expected, double bound) {
    const std::vector<double> values = got.values();
    ASSERT_EQ(values.size(), expected.size());
    for (size_t i = 0; i < values.size(); ++i)
        EXPECT_NEAR(values[i], expected[i], (bound + rounding_of(got.md().data_type)) * std::fabs(expected[i])) << i;
}

void check_forward(const setup &s) {
    run r(s);
    const exact_results expected = exact_results_of(r.question());
    r.execute();
    expect_close(r.result().values(), expected.dst, size_t(r.p.row_length()), 1e-6);
    if (r.p.writes(MEAN)) expect_rounded(r[MEAN], expected.mean, 2e-6);
    if (!r.p.writes(VARIANCE)) return;
    std::vector<double> values = expected.variance;
    if (s.form == statistics_form::inverse_deviation)
        for (double &value : values) value = 1 / std::sqrt(value + double(r.p.epsilon));
    expect_rounded(r[VARIANCE], values, 1e-6);
}

void check_backward(const setup &s) {
    run r(s);
    const exact_results expected = exact_results_of(r.question());
    r.execute();
    const auto check = [&](const tensor &got, const std::vector<double> &values) {
        if (got.exists()) expect_close(got.values(), values, size_t(r.p.row_length()), 1e-6);
    };
    check(r.result(), expected.diff_src);
    check(r[DIFF_SCALE], expected.diff_scale);
    check(r[DIFF_SHIFT], expected.diff_shift);
}

void check(const setup &s) {
    std::ostringstream name;
    name << s;
    SCOPED_TRACE(name.str());
    make_problem(s).is_forward() ? check_forward(s) : check_backward(s);
}

const jitnorm_prop_kind_t KINDS[] = {jitnorm_forward_training, jitnorm_forward_inference, jitnorm_backward,
                                     jitnorm_backward_data};

TEST(reference_choices, several_axes) {
    for (const auto kind : KINDS)
        for (const std::vector<dim_t> &dims : {std::vector<dim_t>{3, 4, 17}, {3, 2, 1, 19}, {2, 3, 2, 5, 7}})
            for (int axes = 1; axes < int(dims.size()); ++axes)
                for (const char *layout : {"dense", "spread", "@cab", "aBc8b", "@dbca", "aBcd16b+7", "@edcba"}) {
                    const std::string text(layout);
                    const bool any_rank = text == "dense" || text == "spread";
                    const bool fits = text.starts_with("@") ? text.size() == dims.size() + 1
                                                            : dims.size() == (text == "aBc8b" ? 3 : 4);
                    if (any_rank || fits)
                        check({.kind = kind, .dims = dims, .src = text, .dst = text, .diff_src = text, .axes = axes});
                }
}

TEST(reference_choices, statistics_of_every_form_and_type) {
    for (const auto kind : KINDS)
        for (const unsigned flags : {0U, 6U, 7U, unsigned(jitnorm_rms_norm), jitnorm_rms_norm | 3U})
            for (const auto type : TYPES)
                for (const auto form : FORMS)
                    check({.kind = kind, .flags = flags, .statistics_type = type, .form = form});
}

// What is used is the value that is given: epsilon has its place in it already.
TEST(reference_choices, epsilon_is_not_looked_at_where_inverse_deviations_are_given) {
    for (const auto kind : {jitnorm_backward, jitnorm_forward_inference}) {
        const setup s{.kind = kind, .flags = jitnorm_use_global_stats, .form = statistics_form::inverse_deviation};
        run small(s), large(s);
        large.p.epsilon = 100;
        small.execute();
        large.execute();
        EXPECT_EQ(small.result().values(), large.result().values());
    }
}

// The deviation that forward writes is the one that it used: backward's xhat is forward's dst.
TEST(reference_choices, forward_writes_the_inverse_deviation_that_it_used) {
    const setup s{.flags = 0, .dims = {40, 33}, .form = statistics_form::inverse_deviation};
    run r(s);
    r.execute();
    const std::vector<double> x = r[SRC].values(), y = r[DST].values(), mean = r[MEAN].values(),
                              rstd = r[VARIANCE].values();
    for (size_t i = 0; i < x.size(); ++i) {
        const double expected = (x[i] - mean[i / 33]) * rstd[i / 33];
        EXPECT_NEAR(y[i], expected, 1e-6) << i; // rstd is exact, the mean is rounded
    }
}

TEST(reference_choices, outputs_left_out) {
    for (const auto kind : {jitnorm_forward_training, jitnorm_backward})
        for (unsigned omitted = OMITTABLE; omitted != 0; omitted = (omitted - 1) & OMITTABLE) // each subset
            check({.kind = kind, .omitted = omitted});
}

TEST(reference_choices, a_scale_of_ones) {
    for (const auto kind : KINDS)
        for (const unsigned flags : {2U, 6U}) check({.kind = kind, .flags = flags, .scale_is_ones = true});
}

} // namespace
} // namespace jitnorm::tests
