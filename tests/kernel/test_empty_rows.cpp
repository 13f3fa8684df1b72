// SPDX-License-Identifier: Apache-2.0
// Rows without elements: their statistics, of every form, type and layout, by the reference and by kernels; nothing
// else is written.
#include "support/equality.hpp"

namespace jitnorm::tests {
namespace {

constexpr double NOTHING = std::numeric_limits<double>::quiet_NaN();

const setup PLACES[] = {
    {.dims = {3, 0}},
    {.dims = {7, 0}, .src = "ba", .dst = "ba", .statistics = "gap+7", .diff_src = "ba"},
    {.dims = {3, 5, 0}, .src = "cba", .dst = "bac", .statistics = "ba", .diff_src = "cba"},
    {.dims = {3, 5, 0}, .src = "aBc8b", .dst = "abc", .statistics = "aB8b", .diff_src = "aBC8b8c"},
    {.dims = {3, 5, 0, 4}, .src = "spread", .statistics = "spread", .axes = 2},
};

void expect_statistics_of_nothing(const implementation &entry, const setup &s) {
    const problem p = make_problem(s);
    const outputs got = outputs_by(entry, s);
    const auto of = [&](bool written, double value) {
        return written ? std::vector<double>(size_t(p.rows()), value) : std::vector<double>();
    };
    EXPECT_TRUE(same_bits(got[MEAN], of(p.writes(MEAN), 0))) << entry.name << ": " << s;
    EXPECT_TRUE(same_bits(got[VARIANCE], of(p.writes(VARIANCE), NOTHING))) << entry.name << ": " << s;
    EXPECT_TRUE(got.result().empty());
}

class empty_rows_on : public on_isa {};

TEST_P(empty_rows_on, have_a_mean_of_zero_and_no_deviation) {
    for (setup s : PLACES)
        for (const unsigned flags : {0U, 6U, unsigned(jitnorm_rms_norm)})
            for (const auto type : {jitnorm_f32, jitnorm_bf16, jitnorm_f16})
                for (const auto form : {statistics_form::variance, statistics_form::inverse_deviation})
                    for (const unsigned omitted : {0U, bit_of(MEAN), bit_of(VARIANCE)}) {
                        s.flags = flags;
                        s.statistics_type = type;
                        s.form = form;
                        s.omitted = omitted;
                        expect_statistics_of_nothing(reference_entry, s);
                        expect_statistics_of_nothing(jit_for(GetParam()), s);
                    }
}

TEST_P(empty_rows_on, of_doubles) {
    const setup s{.dims = {4, 0}, .src_type = jitnorm_f64, .dst_type = jitnorm_f64};
    expect_statistics_of_nothing(reference_entry, s);
    expect_statistics_of_nothing(jit_for(GetParam()), s);
}

// Given statistics are read-only here, and there is nothing to write.
TEST_P(empty_rows_on, of_other_kinds_write_nothing) {
    for (setup s : PLACES)
        for (const auto kind : {jitnorm_forward_inference, jitnorm_backward, jitnorm_backward_data})
            for (const unsigned flags : {6U, 7U}) {
                s.kind = kind;
                s.flags = flags;
                for (const implementation *entry : {&reference_entry, &jit_for(GetParam())}) {
                    const outputs got = outputs_by(*entry, s);
                    EXPECT_TRUE(got.result().empty() && got[DIFF_SCALE].empty() && got[DIFF_SHIFT].empty()) << s;
                }
            }
}

INSTANTIATE_TEST_SUITE_P(native, empty_rows_on, testing::Values(isa::avx2, isa::avx512), on_isa::name);

} // namespace
} // namespace jitnorm::tests
