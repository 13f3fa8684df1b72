// SPDX-License-Identifier: Apache-2.0
// Vectors and statistics of any strides around an executor that takes them in one layout: the same bits, and nothing
// between the elements is touched.
#include "dispatch/layout_adapter.hpp"
#include "dispatch/prepare.hpp"
#include "support/equality.hpp"

namespace jitnorm::tests {
namespace {

using impl::layer_norm::adapted_layouts;
using impl::layer_norm::arguments;
using impl::layer_norm::complete;
using impl::layer_norm::executor;
using impl::layer_norm::layout_adapter;

// A run whose tensors beside the data are laid out in another way.
struct adapted_run {
    adapted_run(const setup &s, const std::string &layout) : r(s) {
        const std::vector<dim_t> vector(s.dims.end() - s.axes, s.dims.end()),
            rows(s.dims.begin(), s.dims.end() - s.axes);
        for (const slot of : {SCALE, SHIFT, DIFF_SCALE, DIFF_SHIFT}) place(r[of], layouts[of], layout, vector);
        place(r[MEAN], layouts[MEAN], "spread", rows);
        place(r[VARIANCE], layouts[VARIANCE], "gap+7", rows);
    }

    outputs execute(const implementation &entry) {
        const layout_adapter outer(r.p, layouts, create(entry, r.p), scratchpad_bytes(entry, r.p));
        r.execute_on(outer, outer.scratchpad_bytes());
        return outputs_of(r);
    }

    run r;
    adapted_layouts layouts;

private:
    // With the values it had, which executions on no columns leave as they are.
    static void place(tensor &t, memory_desc &md, const std::string &layout, const std::vector<dim_t> &dims) {
        if (!t.exists()) return;
        md = make_layout(layout, dims, t.md().data_type);
        const std::vector<double> values = t.values();
        t = tensor(md);
        t.fill(values);
    }
};

void check(const setup &s, const std::string &layout) {
    const implementation &entry = *impl::layer_norm::choose(make_problem(s));
    expect_same(adapted_run(s, layout).execute(entry), outputs_by(entry, s), s, layout);
}

TEST(layout_adapter, any_strides_of_vectors_and_statistics) {
    for (const auto kind :
         {jitnorm_forward_training, jitnorm_forward_inference, jitnorm_backward, jitnorm_backward_data})
        for (const unsigned flags : {0U, 2U, 4U, 6U, 7U, jitnorm_rms_norm | 6U})
            for (const auto type : {jitnorm_f32, jitnorm_bf16})
                for (const char *layout : {"@cba", "@bac", "spread", "gap", "dense", "dense+7"})
                    check({.kind = kind,
                           .flags = flags,
                           .dims = {3, 5, 2, 3, 4},
                           .affine_type = type,
                           .axes = 3,
                           .statistics_type = type},
                          layout);
}

TEST(layout_adapter, of_no_rows_and_of_no_columns) {
    for (const auto kind : {jitnorm_forward_training, jitnorm_backward})
        for (const std::vector<dim_t> &dims : {std::vector<dim_t>{0, 3, 4}, {2, 0, 4}})
            check({.kind = kind, .dims = dims, .axes = 2}, "@ba");
}

TEST(layout_adapter, what_is_laid_out_as_the_problem_has_it_is_not_copied) {
    const setup s{.kind = jitnorm_backward, .dims = {3, 4, 1, 5}, .axes = 3};
    const problem p = make_problem(s);
    adapted_layouts layouts;
    layouts[SCALE] = layouts[DIFF_SCALE] = make_layout("dense", {4, 1, 5}, jitnorm_f32);
    layouts[SCALE].strides[1] = 77; // of one element
    layouts[MEAN] = p[VARIANCE];
    EXPECT_EQ(layout_adapter(p, layouts, nullptr, 100).scratchpad_bytes(), 128u);
    layouts[SCALE].strides[2] = 0;
    EXPECT_EQ(layout_adapter(p, layouts, nullptr, 100).scratchpad_bytes(), 128u + 128u);
    layouts[SCALE] = make_layout("dense", {4, 1, 5}, jitnorm_bf16); // of another type than the problem's
    EXPECT_EQ(layout_adapter(p, layouts, nullptr, 100).scratchpad_bytes(), 128u + 128u);
}

// Inputs of no rows are not copied. Outputs are: gradients of no rows are zeros. What the problem does not use is not
// looked at.
TEST(layout_adapter, what_is_not_needed_is_not_copied) {
    const memory_desc across = make_layout("@ba", {4, 5}, jitnorm_f32);
    const problem no_rows = make_problem({.kind = jitnorm_backward, .dims = {0, 4, 5}, .axes = 2});
    EXPECT_FALSE(layout_adapter(no_rows, {{SCALE, across}}, nullptr, 0).copies());
    EXPECT_TRUE(layout_adapter(no_rows, {{SCALE, across}, {DIFF_SCALE, across}}, nullptr, 0).copies());
    const problem unused = make_problem(
        {.kind = jitnorm_backward, .dims = {3, 4, 5}, .axes = 2, .omitted = bit_of(DIFF_SCALE), .scale_is_ones = true});
    const adapted_layouts layouts = {{SCALE, across}, {SHIFT, across}, {DIFF_SCALE, across}};
    EXPECT_EQ(layout_adapter(unused, layouts, nullptr, 0).scratchpad_bytes(), 0u);
}

// An error of the inner executor leaves the outputs as they are.
TEST(layout_adapter, copies_nothing_back_after_an_error) {
    struct failing_executor : executor {
        jitnorm_status_t execute(const arguments &) const override { return jitnorm_out_of_memory; }
    };
    const setup s{.dims = {3, 5}};
    const problem p = make_problem(s);
    const adapted_layouts layouts = {{MEAN, make_layout("spread", {3}, jitnorm_f32)}};
    const layout_adapter outer(p, layouts, std::make_shared<failing_executor>(), 0);
    tensor mean(layouts.at(MEAN));
    mean.fill({1, 2, 3});
    std::vector<std::byte> scratchpad(outer.scratchpad_bytes());
    arguments args;
    args.set(MEAN, mean.data());
    args.set(SCRATCHPAD, scratchpad.data());
    EXPECT_EQ(outer.execute(args), jitnorm_out_of_memory);
    EXPECT_EQ(mean.values(), (std::vector<double>{1, 2, 3}));
}

// ---- a problem by the tensors that there are beside the data

problem completed(const adapted_layouts &beside, bool is_backward = false) {
    problem p;
    p[SRC] = p[is_backward ? DIFF_DST : DST] = dense({4, 6, 8});
    complete(p, beside);
    return p;
}
const memory_desc VECTOR = dense({8}), ROWS = dense({4, 6});

TEST(complete, kinds_and_flags_by_the_tensors_that_there_are) {
    const unsigned scale = jitnorm_use_scale, shift = jitnorm_use_shift, no_diff_src = bit_of(DIFF_SRC);
    const struct {
        bool is_backward;
        adapted_layouts beside;
        jitnorm_prop_kind_t kind;
        unsigned flags, omitted;
        bool scale_is_ones = false;
    } cases[] = {{false, {}, jitnorm_forward_inference, 0, 0},
                 {false, {{MEAN, ROWS}}, jitnorm_forward_training, 0, bit_of(VARIANCE)},
                 {false, {{VARIANCE, ROWS}}, jitnorm_forward_training, 0, bit_of(MEAN)},
                 {false, {{MEAN, ROWS}, {VARIANCE, ROWS}}, jitnorm_forward_training, 0, 0},
                 {true, {}, jitnorm_backward_data, 0, no_diff_src},
                 {true, {{SCALE, VECTOR}}, jitnorm_backward_data, scale, no_diff_src},
                 {true, {{DIFF_SCALE, VECTOR}}, jitnorm_backward, scale, no_diff_src, true},
                 {true, {{DIFF_SHIFT, VECTOR}}, jitnorm_backward, shift, no_diff_src},
                 {true,
                  {{SCALE, VECTOR}, {DIFF_SCALE, VECTOR}, {DIFF_SHIFT, VECTOR}},
                  jitnorm_backward,
                  scale | shift,
                  no_diff_src}};
    for (const auto &[is_backward, beside, kind, flags, omitted, scale_is_ones] : cases) {
        const problem p = completed(beside, is_backward);
        SCOPED_TRACE(describe(p));
        EXPECT_EQ(p.prop_kind, kind);
        EXPECT_EQ(p.flags, flags);
        EXPECT_EQ(p.omitted, omitted);
        EXPECT_EQ(p.scale_is_ones, scale_is_ones);
        EXPECT_EQ(p[DIFF_SRC], p[DIFF_DST]);
    }
}

TEST(complete, one_descriptor_is_for_both_statistics) {
    const memory_desc spread = make_layout("spread", {4, 6}, jitnorm_f32);
    EXPECT_EQ(completed({{MEAN, spread}, {VARIANCE, spread}})[VARIANCE], spread);
    EXPECT_EQ(completed({{MEAN, spread}})[VARIANCE], spread);
    EXPECT_EQ(completed({{MEAN, spread}, {VARIANCE, ROWS}})[VARIANCE], ROWS);
}

TEST(complete, types_that_hold_those_of_both) {
    const memory_desc bf16 = dense({8}, jitnorm_bf16), f16 = dense({8}, jitnorm_f16);
    EXPECT_EQ(completed({}).scale_shift_type, jitnorm_f32);
    EXPECT_EQ(completed({{SCALE, bf16}}).scale_shift_type, jitnorm_bf16);
    EXPECT_EQ(completed({{SHIFT, f16}}).scale_shift_type, jitnorm_f16);
    EXPECT_EQ(completed({{SCALE, bf16}, {SHIFT, bf16}}).scale_shift_type, jitnorm_bf16);
    EXPECT_EQ(completed({{SCALE, bf16}, {SHIFT, f16}}).scale_shift_type, jitnorm_f32);
}

TEST(complete, scales_with_row_dimensions) {
    const memory_desc rows = dense({4, 1, 8}), apart = make_layout("gap", {4, 1, 8}, jitnorm_f32),
                      across = make_layout("@cba", {4, 1, 8}, jitnorm_f32);
    EXPECT_EQ(completed({{SCALE, VECTOR}})[SCALE], memory_desc{}) << "a vector";
    EXPECT_EQ(completed({{SCALE, rows}})[SCALE], rows);
    EXPECT_EQ(completed({{SCALE, apart}})[SCALE], apart);
    EXPECT_EQ(completed({{SCALE, across}})[SCALE], rows) << "its rows are not dense";
    EXPECT_EQ(completed({{SCALE, rows}, {SHIFT, dense({8}, jitnorm_bf16)}})[SCALE], rows);
    EXPECT_EQ(completed({{SCALE, dense({4, 1, 8}, jitnorm_f16)}, {SHIFT, dense({8}, jitnorm_bf16)}})[SCALE], rows);
}

} // namespace
} // namespace jitnorm::tests
