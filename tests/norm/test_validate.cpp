// SPDX-License-Identifier: Apache-2.0
// Each rule of validate(): accepted problems, and refused ones with their status: kinds, flags, shapes, sizes, layouts.
#include <cmath>
#include <limits>
#include <vector>

#include "support/undefined.hpp"
#include "validation.hpp"

using namespace jitnorm::impl;
using namespace jitnorm::impl::layer_norm;
using namespace jitnorm::tests;

namespace {

TEST(validate, propagation_kinds) {
    for (const auto kind :
         {jitnorm_forward_training, jitnorm_forward_inference, jitnorm_backward, jitnorm_backward_data})
        accepts(make_problem(kind, {4, 8}));
    is_invalid(forward_problem(), [](problem &p) { p.prop_kind = jitnorm_prop_kind_undef; });
    for (const problem &start : {forward_problem(), backward_problem()})
        is_invalid(start, [](problem &p) { p.prop_kind = undefined<jitnorm_prop_kind_t>(65); });
}

TEST(validate, flags) {
    for (const problem &start : {forward_problem(), backward_problem()}) {
        for (unsigned flags = 0; flags < 64; ++flags) {
            const bool known = (flags & ~0x27u) == 0;
            expect(known ? jitnorm_success : jitnorm_invalid_arguments, start, flagged(flags));
        }
        is_invalid(start, flagged(0x80000000u));
        accepts(start, flagged(jitnorm_use_scale | jitnorm_scale_plus_one));
        is_invalid(start, flagged(jitnorm_use_shift | jitnorm_scale_plus_one));
        accepts(start, flagged(jitnorm_round_normalized));
    }
}

TEST(validate, epsilon) {
    const float infinity = std::numeric_limits<float>::infinity();
    for (const float epsilon : {0.f, 1e-30f, 1e-5f, 3e38f})
        accepts(forward_problem(), [&](problem &p) { p.epsilon = epsilon; });
    for (const float epsilon : {-1e-5f, infinity, -infinity, std::nanf("")})
        is_invalid(forward_problem(), [&](problem &p) { p.epsilon = epsilon; });
}

TEST(validate, ranks_two_to_twelve) {
    const std::vector<dim_t> dims = {2, 3, 2, 3, 2, 3, 1, 2, 1, 3, 2, 2};
    for (size_t rank = 2; rank <= dims.size(); ++rank)
        accepts(make_problem(jitnorm_forward_training, {dims.begin(), dims.begin() + dim_t(rank)}));
    is_invalid(make_problem(jitnorm_forward_training, {8}), none);
    is_invalid(forward_problem(), [](problem &p) { p[SRC].ndims = 13; });
}

TEST(validate, normalized_axes_leave_one_that_counts_rows) {
    for (const problem &start : {forward_problem(), backward_problem()}) {
        accepts(start, [](problem &p) {
            p.normalized_axes = 2;
            p[VARIANCE] = dense({4});
        });
        is_invalid(start, [](problem &p) { p.normalized_axes = 2; }); // statistics of another shape
        for (const int axes : {-1, 0, 3, 4})
            is_invalid(start, [&](problem &p) {
                p.normalized_axes = axes;
                p[VARIANCE] = axes == 0 ? dense({4, 6, 8}) : dense({1});
            });
    }
}

TEST(validate, rows_of_a_larger_problem_are_among_its_rows) {
    const auto at = [](dim_t first, dim_t all) {
        return [=](problem &p) {
            p.first_row = first;
            p.all_rows = all;
            p.diff_scale_shift_type = jitnorm_f64;
        };
    };
    for (const auto &[first, all] : {std::pair<dim_t, dim_t>{0, 24}, {0, 100}, {76, 100}})
        accepts(backward_problem(), at(first, all));
    for (const auto &[first, all] : {std::pair<dim_t, dim_t>{0, 23}, {77, 100}, {1, 24}, {-1, 100}})
        is_invalid(backward_problem(), at(first, all));
    is_invalid(forward_problem(), at(0, 24));
    is_unsupported(backward_problem(), both(at(0, 24), [](problem &p) { p[SRC].strides[0] = RUNTIME_DIM; }));
    const change in_float = [](problem &p) { p.diff_scale_shift_type = jitnorm_f32; }; // the sums of parts
    is_invalid(backward_problem(), both(at(0, 24), both(flagged(jitnorm_use_scale), in_float)));
}

TEST(validate, columns_of_longer_rows) {
    const auto of = [](dim_t all, const change &also = none) {
        return both([=](problem &p) { p.all_columns = all; }, also);
    };
    for (const dim_t all : {8, 9}) accepts(forward_problem(), of(all));
    is_invalid(forward_problem(), of(7));
    is_invalid(make_problem(jitnorm_forward_training, {4, 0}), of(8));
    is_invalid(forward_problem(), of(8, flagged(jitnorm_use_global_stats)));
    is_unsupported(backward_problem(), of(8));
    const change changes[] = {[](problem &p) { p = with_runtime_sizes(p); },
                              both(flagged(jitnorm_use_scale), having(SCALE, dense({4, 1, 8}))),
                              both(having(DST, dense({4, 6, 8}, jitnorm_s8)), having(DST_SCALE, dense({4, 6, 1}))),
                              having(DST, dense({4, 6, 8}, jitnorm_f64))};
    for (const change &also : changes) is_unsupported(forward_problem(), of(8, also));
}

// Scale, shift and gate with dimensions that count rows, which divide the rows into groups.
TEST(validate, groups_of_rows) {
    const auto with_scale = [](const memory_desc &scale, const change &also = none) {
        return both(both(flagged(jitnorm_use_scale), having(SCALE, scale)), also);
    };
    const memory_desc rows = dense({4, 1, 8});
    for (const memory_desc &scale : {rows, dense({1, 1, 8}), dense({4, 6, 8})}) {
        accepts(forward_problem(), with_scale(scale));
        accepts(backward_problem(), with_scale(scale));
    }
    memory_desc late = rows; // whose strides the execution brings
    std::fill_n(late.strides, late.ndims, RUNTIME_DIM);
    accepts(forward_problem(), with_scale(late));
    for (const memory_desc &scale :
         {dense({4, 1, 8, 1}), dense({4, 6, 1}), dense({2, 1, 8}), dense({8}), dense({4, 1, 8}, jitnorm_bf16)})
        is_invalid(forward_problem(), with_scale(scale));
    memory_desc open = rows;
    open.format_kind = jitnorm_format_kind_any;
    is_invalid(forward_problem(), with_scale(open));
    is_unsupported(forward_problem(), with_scale(make_layout("@cba", {4, 1, 8}, jitnorm_f32)));
    is_unsupported(backward_problem(), with_scale(rows, [](problem &p) {
                       p.all_rows = 24;
                       p.diff_scale_shift_type = jitnorm_f64;
                   }));
    for (const memory_desc &shift : {memory_desc{}, dense({1, 6, 8})}) // whose gradient has other groups
        is_unsupported(backward_problem(), with_scale(rows, [=](problem &p) {
                           p.flags |= jitnorm_use_shift;
                           p[SHIFT] = shift;
                       }));
    is_unsupported(forward_problem(),
                   both(having(RESIDUAL, dense({4, 6, 8})), having(GATE, dense({4, 1, 8}, jitnorm_s8))));
    problem blocked = make_problem(jitnorm_forward_training, {4, 8, 8});
    blocked[SRC] = make_layout("aBc8b", {4, 8, 8}, jitnorm_f32);
    accepts(blocked, with_scale(rows));
    is_unsupported(blocked, with_scale(dense({1, 8, 8}))); // which changes along the dimension that blocks split
}

// The steps of backward with a gate are problems of their own.
TEST(validate, gradients_of_gates) {
    const change with_gate = [](problem &p) {
        p[RESIDUAL] = p[DIFF_GATED] = dense({4, 6, 8});
        p[GATE] = dense({4, 1, 8});
    };
    accepts(backward_problem(), with_gate);
    const auto refuses = [&](const change &also) { is_unsupported(backward_problem(), both(with_gate, also)); };
    refuses([](problem &p) { p[SRC].strides[0] = RUNTIME_DIM; });
    refuses([](problem &p) { p.all_rows = 24, p.diff_scale_shift_type = jitnorm_f64; });
    refuses([](problem &p) { p[GATE].data_type = jitnorm_s8; });
    refuses([](problem &p) { p[RESIDUAL].data_type = p[DIFF_GATED].data_type = jitnorm_s8; });
    // The gate may be f64 where any tensor of rows is, those that the step of the gate does not have among them.
    const change of_double = both(with_gate, [](problem &p) { p[GATE].data_type = jitnorm_f64; });
    is_unsupported(backward_problem(), of_double);
    for (const auto member : {SRC, DIFF_DST, DIFF_SRC, RESIDUAL})
        accepts(backward_problem(), both(of_double, [&](problem &p) { p[member].data_type = jitnorm_f64; }));
}

TEST(validate, outputs_left_out) {
    for (const unsigned omitted : {0U, bit_of(MEAN), bit_of(MEAN) | bit_of(DIFF_SRC), OMITTABLE}) {
        accepts(forward_problem(), omitting(omitted & ~bit_of(DST)));
        accepts(backward_problem(), omitting(omitted));
    }
    is_invalid(forward_problem(), omitting(bit_of(SRC)));
    accepts(forward_problem(), omitting(bit_of(DST)));
    is_invalid(forward_problem(), omitting(bit_of(DST) | bit_of(MEAN) | bit_of(VARIANCE)));
    const change dst_scale = [](problem &p) { p.attr.dst_scale = true; };
    for (const change &also : {having(PRE_QUANTIZATION, dense({4, 6, 8})), dst_scale, flagged(jitnorm_use_scale)})
        is_invalid(forward_problem(), both(omitting(bit_of(DST)), also));
}

TEST(validate, a_scale_of_ones_needs_the_flag) {
    const change ones = [](problem &p) { p.scale_is_ones = true; };
    accepts(backward_problem(), both(ones, flagged(jitnorm_use_scale)));
    is_invalid(backward_problem(), ones);
    is_invalid(backward_problem(), both(ones, flagged(jitnorm_use_scale | jitnorm_scale_plus_one)));
}

TEST(validate, every_tensor_must_be_there_and_have_a_layout) {
    const auto refuses = [](const problem &start, slot member) {
        is_invalid(start, having(member, {}));
        is_invalid(start, [&](problem &p) { p[member].format_kind = jitnorm_format_kind_any; });
    };
    for (const auto member : {SRC, DST, VARIANCE}) refuses(forward_problem(), member);
    for (const auto member : {SRC, DIFF_DST, DIFF_SRC, VARIANCE}) refuses(backward_problem(), member);
}

TEST(validate, dimensions_must_agree) {
    is_invalid(forward_problem(), having(DST, dense({4, 6, 9})));
    is_invalid(forward_problem(), having(DST, dense({24, 8})));
    is_invalid(backward_problem(), having(DIFF_DST, dense({4, 5, 8})));
    is_invalid(backward_problem(), having(DIFF_SRC, dense({3, 6, 8})));
}

TEST(validate, statistics_have_the_rows_shape) {
    for (const problem &start : {forward_problem(), backward_problem()})
        for (const memory_desc &wrong : {dense({24}), dense({4, 6, 8}), dense({4, 6, 1}), dense({6, 4})})
            is_invalid(start, having(VARIANCE, wrong));
}

TEST(validate, a_runtime_dimension_is_one_in_all_tensors) {
    using members = std::vector<slot>;
    const members forward = {SRC, DST}, backward = {SRC, DIFF_DST, DIFF_SRC};
    for (const problem &start : {forward_problem(), backward_problem()})
        for (const int d : {0, 1, 2}) {
            const members &data = start.is_forward() ? forward : backward;
            const auto set = [&](problem &p, slot member) { p[member].dims[d] = RUNTIME_DIM; };
            for (const auto member : data) is_invalid(start, [&](problem &p) { set(p, member); });
            const auto set_data = [&](problem &p) {
                for (const auto member : data) set(p, member);
            };
            expect(d == 2 ? jitnorm_success : jitnorm_invalid_arguments, start, set_data);
            accepts(start, [&](problem &p) {
                set_data(p);
                if (d < 2) set(p, VARIANCE);
            });
        }
}

TEST(validate, runtime_strides_are_free) {
    for (const auto member : {SRC, DST, VARIANCE})
        accepts(forward_problem(), [&](problem &p) { p[member].strides[0] = RUNTIME_DIM; });
    for (const auto member : {SRC, DIFF_DST, DIFF_SRC, VARIANCE})
        accepts(backward_problem(), [&](problem &p) { p[member].strides[1] = RUNTIME_DIM; });
}

TEST(validate, outputs_without_elements_have_no_wrong_strides) {
    for (const std::vector<dim_t> &dims : {std::vector<dim_t>{3, 0}, {0, 3}, {4, 0, 8}})
        for (const dim_t stride : {dim_t(0), dim_t(1), std::numeric_limits<dim_t>::max()}) {
            const change all_strides = [&](problem &p) {
                for (memory_desc *md : {&p[SRC], &p[DST], &p[DIFF_DST], &p[DIFF_SRC]})
                    std::fill_n(md->strides, md->ndims, stride);
            };
            accepts(make_problem(jitnorm_forward_training, dims), all_strides);
            accepts(make_problem(jitnorm_backward, dims), all_strides);
        }
    is_invalid(make_problem(jitnorm_forward_training, {3, 2, 0}), [](problem &p) { p[VARIANCE].strides[0] = 0; });
}

// Each tensor that a program describes, whatever it is for.
TEST(validate, strides_that_memory_can_have) {
    constexpr dim_t FAR = dim_t(1) << 54; // f32: 2^56 bytes after the first element
    problem forward = forward_problem(), backward = backward_problem();
    for (problem *p : {&forward, &backward}) {
        p->flags = unsigned(jitnorm_use_scale) | unsigned(jitnorm_use_shift);
        for (const slot s : {SCALE, SHIFT}) (*p)[s] = dense({4, 1, 8});
        for (const slot s : {RESIDUAL, SUM}) (*p)[s] = dense({4, 6, 8});
        (*p)[GATE] = dense({4, 1, 8});
    }
    forward[PRE_QUANTIZATION] = dense({4, 6, 8});
    forward.attr.post_ops.entries = {binary_post_op{jitnorm_binary_add, dense({4, 6, 8})}};
    int described = 0;
    for (const problem &p : {forward, backward}) {
        accepts(p);
        for (int i = 0; i <= FIRST_POST_OP; ++i) {
            if (p.descriptor(slot(i)) == nullptr) continue;
            ++described;
            is_invalid(p, [&](problem &changed) { changed.descriptor(slot(i))->strides[0] = FAR; });
            is_invalid(p, [&](problem &changed) { changed.descriptor(slot(i))->offset0 = FAR; });
        }
    }
    EXPECT_GE(described, 20);
}

TEST(validate, sizes_that_memory_can_have) {
    constexpr dim_t most = dim_t(1) << 53;
    for (const auto kind : {jitnorm_forward_training, jitnorm_backward}) {
        for (const std::vector<dim_t> &dims : {std::vector<dim_t>{most, 1}, {0, most}, {most, 0}, {most / 4, 4}})
            accepts(make_problem(kind, dims));
        for (const std::vector<dim_t> &dims :
             {std::vector<dim_t>{most, 2}, {0, most + 1}, {most + 1, 0}, {most, 0, 2}, {most, 0, most}})
            is_invalid(make_problem(kind, dims), none);
        is_invalid(make_problem(kind, {2, 8}), [](problem &p) { p[SRC].strides[0] = dim_t(1) << 55; });
    }
    const dim_t dims[] = {1, 8}, strides[] = {1, dim_t(1) << 55};
    binary_post_op wide{jitnorm_binary_add, {}};
    ASSERT_EQ(make_with_strides(wide.src1, 2, dims, jitnorm_f32, strides), jitnorm_success);
    is_invalid(make_problem(jitnorm_forward_training, {4, 8}), [&](problem &p) { p.attr.post_ops.entries = {wide}; });
}

TEST(validate, outputs_must_not_share_elements) {
    const change broadcast_dst = [](problem &p) { p[DST].strides[0] = 0; };
    const change broadcast_statistics = [](problem &p) { p[VARIANCE].strides[1] = 0; };
    is_invalid(forward_problem(), broadcast_dst);
    is_invalid(forward_problem(), broadcast_statistics);
    const change broadcast_gradient = [](problem &p) { p[DIFF_SRC].strides[2] = 0; };
    is_invalid(backward_problem(), broadcast_gradient);
    accepts(forward_problem(), [](problem &p) { p[SRC].strides[0] = 0; });
    accepts(backward_problem(), [](problem &p) { p[DIFF_DST].strides[0] = 0; });
    accepts(backward_problem(), broadcast_statistics);
    accepts(make_problem(jitnorm_forward_inference, {4, 6, 8}), broadcast_statistics);
    accepts(make_problem(jitnorm_forward_training, {1, 8}), broadcast_dst);
    // Nothing is written there.
    accepts(backward_problem(), both(broadcast_gradient, omitting(bit_of(DIFF_SRC))));
    accepts(forward_problem(), both(broadcast_statistics, omitting(bit_of(MEAN) | bit_of(VARIANCE))));
    is_invalid(forward_problem(), both(broadcast_statistics, omitting(bit_of(MEAN))));
}

} // namespace
