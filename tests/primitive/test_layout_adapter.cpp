// SPDX-License-Identifier: Apache-2.0
// Vectors and statistics of any strides around an executor that takes them in one layout: the same bits, and nothing
// between the elements is touched.
#include "kernel/whole_run.hpp"
#include "primitive/layout_adapter.hpp"
#include "primitive/ranking.hpp"

namespace jitnorm::tests {
namespace {

using impl::layer_norm::adapted_layouts;
using impl::layer_norm::layout_adapter;

// A tensor with the values of another one, which executions on no columns leave as they are.
tensor placed_as(const memory_desc &md, const tensor &model, bool is_output) {
    tensor made(md);
    made.fill(model.values());
    if (!is_output) made.make_read_only();
    return made;
}

memory_desc typed(const std::string &layout, const std::vector<dim_t> &dims, const tensor &model) {
    return model.exists() ? make_layout(layout, dims, model.md().data_type) : memory_desc{};
}

// The tensors beside the data, laid out in another way.
struct adapted_run {
    adapted_run(run &r, const setup &s, const std::string &layout)
        : vector_dims(s.dims.end() - s.axes, s.dims.end()),
          row_dims(s.dims.begin(), s.dims.end() - s.axes), layouts{typed(layout, vector_dims, r.scale),
                                                                   typed(layout, vector_dims, r.shift),
                                                                   typed(layout, vector_dims, r.diff_scale),
                                                                   typed(layout, vector_dims, r.diff_shift),
                                                                   typed("spread", row_dims, r.mean),
                                                                   typed("gap+7", row_dims, r.variance)},
          scale(layouts.scale.ndims ? placed_as(layouts.scale, r.scale, false) : tensor()),
          shift(layouts.shift.ndims ? placed_as(layouts.shift, r.shift, false) : tensor()),
          diff_scale(layouts.diff_scale.ndims ? placed_as(layouts.diff_scale, r.diff_scale, true) : tensor()),
          diff_shift(layouts.diff_shift.ndims ? placed_as(layouts.diff_shift, r.diff_shift, true) : tensor()),
          mean(layouts.mean.ndims ? placed_as(layouts.mean, r.mean, r.p.writes_mean()) : tensor()),
          variance(layouts.variance.ndims ? placed_as(layouts.variance, r.variance, r.p.writes_variance()) : tensor()) {
    }

    outputs execute(run &r, const implementation &entry) const {
        const auto pointer = [](const tensor &t) { return t.exists() ? t.data() : nullptr; };
        const layout_adapter outer(r.p, layouts, entry.create(r.p), entry.scratchpad_bytes(r.p));
        const guarded_buffer scratchpad(outer.scratchpad_bytes(), guard_side::before);
        arguments args = r.make_arguments();
        args.set(SCALE, pointer(scale));
        args.set(SHIFT, pointer(shift));
        args.set(DIFF_SCALE, pointer(diff_scale));
        args.set(DIFF_SHIFT, pointer(diff_shift));
        args.set(MEAN, pointer(mean));
        args.set(VARIANCE, pointer(variance));
        args.set(SCRATCHPAD, scratchpad.data());
        EXPECT_EQ(outer.execute(args), jitnorm_success);
        EXPECT_TRUE(scratchpad.slack_untouched());
        const auto values_of = [](const tensor &t, bool is_output) {
            EXPECT_TRUE(!is_output || t.surroundings_are_right());
            return t.exists() ? t.values() : std::vector<double>();
        };
        return {values_of(r.result(), true), values_of(mean, r.p.writes_mean()),
                values_of(variance, r.p.writes_variance()), values_of(diff_scale, r.p.wants_diff_scale()),
                values_of(diff_shift, r.p.wants_diff_shift())};
    }

    std::vector<dim_t> vector_dims, row_dims;
    adapted_layouts layouts;
    tensor scale, shift, diff_scale, diff_shift, mean, variance;
};

void check(const setup &s, const std::string &layout) {
    const implementation &entry = *impl::layer_norm::choose(make_problem(s));
    run r(s);
    const adapted_run sides(r, s, layout);
    expect_same(sides.execute(r, entry), outputs_by(entry, s), s, layout);
}

TEST(LayoutAdapter, AnyStridesOfVectorsAndStatistics) {
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

TEST(LayoutAdapter, OfNoRowsAndOfNoColumns) {
    for (const auto kind : {jitnorm_forward_training, jitnorm_backward}) {
        check({.kind = kind, .dims = {0, 3, 4}, .axes = 2}, "@ba");
        check({.kind = kind, .dims = {2, 0, 4}, .axes = 2}, "@ba");
    }
}

TEST(LayoutAdapter, WhatIsLaidOutAsTheProblemHasItIsNotCopied) {
    const setup s{.kind = jitnorm_backward, .dims = {3, 4, 1, 5}, .axes = 3};
    const problem p = make_problem(s);
    adapted_layouts layouts;
    layouts.scale = layouts.diff_scale = make_layout("dense", {4, 1, 5}, jitnorm_f32);
    layouts.scale.strides[1] = 77; // of one element
    layouts.mean = p.statistics;
    EXPECT_EQ(layout_adapter(p, layouts, nullptr, 100).scratchpad_bytes(), 128u);
    layouts.scale.strides[2] = 0;
    EXPECT_EQ(layout_adapter(p, layouts, nullptr, 100).scratchpad_bytes(), 128u + 128u);
}

TEST(LayoutAdapter, WhatTheProblemDoesNotUseIsNotLookedAt) {
    setup s{.kind = jitnorm_backward, .dims = {3, 4, 5}, .axes = 2, .left_out = unsigned(output::diff_scale)};
    s.scale_is_ones = true;
    const problem p = make_problem(s);
    adapted_layouts layouts;
    layouts.scale = layouts.shift = layouts.diff_scale = make_layout("@ba", {4, 5}, jitnorm_f32);
    EXPECT_EQ(layout_adapter(p, layouts, nullptr, 0).scratchpad_bytes(), 0u);
}

} // namespace
} // namespace jitnorm::tests
