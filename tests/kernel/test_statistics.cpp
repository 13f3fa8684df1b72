// SPDX-License-Identifier: Apache-2.0
// Statistics of every form and type, outputs that are left out, and a scale of ones: the bits of the reference.
#include "rig/equality.hpp"

namespace jitnorm::tests {
namespace {

constexpr statistics_form FORMS[] = {statistics_form::variance, statistics_form::inverse_deviation};
constexpr jitnorm_data_type_t TYPES[] = {jitnorm_f32, jitnorm_bf16, jitnorm_f16};
const jitnorm_prop_kind_t KINDS[] = {jitnorm_forward_training, jitnorm_forward_inference, jitnorm_backward,
                                     jitnorm_backward_data};

// Rows where they are, rows that are packed, and rows of several chunks both ways.
const setup PLACES[] = {
    {.dims = {7, 70}},
    {.dims = {3, 5, 40}, .src = "cba", .dst = "bac", .statistics = "ba", .diff_src = "cba"},
    {.dims = {3, 5, 40}, .src = "aBc8b", .dst = "abc", .statistics = "aB8b", .diff_src = "aBC8b8c"},
    {.dims = {3, 5000}, .statistics = "gap+7"},
    {.dims = {3, 5000}, .src = "ba", .dst = "ba", .diff_src = "ba"},
};

class statistics_on : public on_isa {};

TEST_P(statistics_on, every_form_and_type) {
    for (setup s : PLACES)
        for (const auto kind : KINDS)
            for (const unsigned flags : {0U, 1U, unsigned(jitnorm_rms_norm), jitnorm_rms_norm | 7U, 6U})
                for (const auto type : TYPES)
                    for (const auto form : FORMS) {
                        s.kind = kind;
                        s.flags = flags;
                        s.statistics_type = type;
                        s.form = form;
                        expect_equal_to_reference(GetParam(), s);
                    }
}

TEST_P(statistics_on, of_double_data) {
    for (setup s : PLACES)
        for (const auto kind : KINDS)
            for (const auto type : TYPES)
                for (const auto form : FORMS) {
                    s.kind = kind;
                    s.src_type = s.dst_type = s.diff_src_type = jitnorm_f64;
                    s.statistics_type = type;
                    s.form = form;
                    s.side = guard_side::before;
                    expect_equal_to_reference(GetParam(), s);
                }
}

// Null pointers stand for what is left out, and what is not has the bits that it has with all the others.
TEST_P(statistics_on, outputs_left_out) {
    for (setup s : PLACES)
        for (const auto kind : {jitnorm_forward_training, jitnorm_backward})
            for (const unsigned flags : {0U, 6U, 7U, jitnorm_rms_norm | 6U}) {
                s.kind = kind;
                s.flags = flags;
                s.omitted = 0;
                const outputs all = outputs_by(reference_entry, s);
                const unsigned own = kind == jitnorm_backward
                                         ? bit_of(DIFF_SRC) | bit_of(DIFF_SCALE) | bit_of(DIFF_SHIFT)
                                         : bit_of(MEAN) | bit_of(VARIANCE);
                for (unsigned omitted = own; omitted != 0; omitted = (omitted - 1) & own) { // each subset
                    s.omitted = omitted;
                    const problem p = make_problem(s);
                    outputs some = all;
                    if (p.is_forward()) {
                        if (!p.writes(MEAN) && p.statistics_are_outputs()) some[MEAN].clear();
                        if (!p.writes(VARIANCE) && p.statistics_are_outputs()) some[VARIANCE].clear();
                    } else {
                        if (!p.writes(DIFF_SRC)) some[DIFF_SRC].clear();
                        if (!p.writes(DIFF_SCALE)) some[DIFF_SCALE].clear();
                        if (!p.writes(DIFF_SHIFT)) some[DIFF_SHIFT].clear();
                    }
                    expect_same(outputs_by(reference_entry, s), some, s, "reference");
                    expect_same(outputs_by(jit_for(GetParam()), s), some, s, "kernels");
                }
            }
}

// Gradients alone, by rows and by chunks, of many rows and of none.
TEST_P(statistics_on, gradients_alone_on_threads) {
    for (const char *layout : {"dense", "ba"})
        for (const std::vector<dim_t> &dims : {std::vector<dim_t>{0, 20}, {3000, 20}, {2, 60000}}) {
            setup s{.kind = jitnorm_backward, .dims = dims, .src = layout, .dst = layout};
            s.omitted = bit_of(DIFF_SRC);
            s.diff_src = "dense";
            expect_equal_for_threads(GetParam(), s, {1, 3});
        }
}

TEST_P(statistics_on, a_scale_of_ones) {
    for (setup s : PLACES)
        for (const auto kind : KINDS)
            for (const unsigned flags : {2U, 6U, 7U, jitnorm_rms_norm | 2U}) {
                s.kind = kind;
                s.flags = flags;
                s.scale_is_ones = false;
                const outputs ones = outputs_by(reference_entry, s, [](run &r) {
                    r[SCALE].fill(std::vector<double>(size_t(r.p.row_length()), 1.0));
                });
                s.scale_is_ones = true;
                expect_same(outputs_by(reference_entry, s), ones, s, "reference");
                expect_same(outputs_by(jit_for(GetParam()), s), ones, s, "kernels");
            }
}

INSTANTIATE_TEST_SUITE_P(native, statistics_on, testing::Values(isa::avx2, isa::avx512), on_isa::name);

} // namespace
} // namespace jitnorm::tests
