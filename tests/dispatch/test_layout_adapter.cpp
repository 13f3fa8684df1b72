// SPDX-License-Identifier: Apache-2.0
// Vectors and statistics of any strides around an executor that takes them in one layout: the same bits, and nothing
// between the elements is touched.
#include "dispatch/layout_adapter.hpp"
#include "dispatch/ranking.hpp"
#include "support/equality.hpp"

namespace jitnorm::tests {
namespace {

using impl::layer_norm::adapted_layouts;
using impl::layer_norm::layout_adapter;

// A run whose tensors beside the data are laid out in another way.
struct adapted_run {
    adapted_run(const setup &s, const std::string &layout) : r(s) {
        const std::vector<dim_t> vector(s.dims.end() - s.axes, s.dims.end()),
            rows(s.dims.begin(), s.dims.end() - s.axes);
        place(r[SCALE], layouts[SCALE], layout, vector);
        place(r[SHIFT], layouts[SHIFT], layout, vector);
        place(r[DIFF_SCALE], layouts[DIFF_SCALE], layout, vector);
        place(r[DIFF_SHIFT], layouts[DIFF_SHIFT], layout, vector);
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
    for (const auto kind : {jitnorm_forward_training, jitnorm_backward}) {
        check({.kind = kind, .dims = {0, 3, 4}, .axes = 2}, "@ba");
        check({.kind = kind, .dims = {2, 0, 4}, .axes = 2}, "@ba");
    }
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

// Outputs are: gradients of no rows are zeros.
TEST(layout_adapter, inputs_of_no_rows_are_not_copied) {
    const problem p = make_problem({.kind = jitnorm_backward, .dims = {0, 4, 5}, .axes = 2});
    adapted_layouts layouts;
    layouts[SCALE] = make_layout("@ba", {4, 5}, jitnorm_f32);
    EXPECT_FALSE(layout_adapter(p, layouts, nullptr, 0).copies());
    layouts[DIFF_SCALE] = layouts[SCALE];
    EXPECT_TRUE(layout_adapter(p, layouts, nullptr, 0).copies());
}

TEST(layout_adapter, what_the_problem_does_not_use_is_not_looked_at) {
    setup s{.kind = jitnorm_backward, .dims = {3, 4, 5}, .axes = 2, .omitted = bit_of(DIFF_SCALE)};
    s.scale_is_ones = true;
    const problem p = make_problem(s);
    adapted_layouts layouts;
    layouts[SCALE] = layouts[SHIFT] = layouts[DIFF_SCALE] = make_layout("@ba", {4, 5}, jitnorm_f32);
    EXPECT_EQ(layout_adapter(p, layouts, nullptr, 0).scratchpad_bytes(), 0u);
}

} // namespace
} // namespace jitnorm::tests
