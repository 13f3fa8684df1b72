// SPDX-License-Identifier: Apache-2.0
// Each rule of validate(): what it accepts, what it refuses and with which status.
#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <limits>
#include <utility>
#include <vector>

#include "problems.hpp"
#include "unknown.hpp"

using namespace jitnorm::impl;
using namespace jitnorm::impl::layer_norm;
using namespace jitnorm::tests;

namespace {

constexpr jitnorm_data_type_t ALL_TYPES[] = {jitnorm_f32, jitnorm_bf16, jitnorm_f16, jitnorm_f64,
                                             jitnorm_s8,  jitnorm_u8,   jitnorm_s32};

using change = std::function<void(problem &)>;

void expect(jitnorm_status_t status, problem p, const change &apply) {
    apply(p);
    const verdict v = validate(p);
    EXPECT_EQ(v.status, status) << v.reason << "\n" << describe(p);
    EXPECT_EQ(v.status == jitnorm_success, *v.reason == '\0') << "a reason exactly when refused";
}

void accepts(
    const problem &p, const change &apply = [](problem &) {}) {
    expect(jitnorm_success, p, apply);
}
void is_invalid(const problem &p, const change &apply) { expect(jitnorm_invalid_arguments, p, apply); }
void is_unsupported(const problem &p, const change &apply) { expect(jitnorm_unimplemented, p, apply); }

// One post-op on a forward problem.
change with(const post_op &op) {
    return [op](problem &p) { p.attr.post_ops.entries.push_back(op); };
}

TEST(validate, propagation_kinds) {
    for (const auto kind :
         {jitnorm_forward_training, jitnorm_forward_inference, jitnorm_backward, jitnorm_backward_data})
        accepts(make_problem(kind, {4, 8}));
    is_invalid(forward_problem(), [](problem &p) { p.prop_kind = jitnorm_prop_kind_undef; });
    is_invalid(forward_problem(), [](problem &p) { p.prop_kind = unknown<jitnorm_prop_kind_t>(65); });
}

TEST(validate, flags) {
    for (const problem &start : {forward_problem(), backward_problem()}) {
        for (unsigned flags = 0; flags < 64; ++flags) {
            const bool known = (flags & ~0x27u) == 0;
            expect(known ? jitnorm_success : jitnorm_invalid_arguments, start, [&](problem &p) { p.flags = flags; });
        }
        is_invalid(start, [](problem &p) { p.flags = 0x80000000u; });
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
    is_invalid(make_problem(jitnorm_forward_training, {8}), [](problem &) {});
    is_invalid(forward_problem(), [](problem &p) { p.src.ndims = 13; });
}

TEST(validate, normalized_axes_leave_one_that_counts_rows) {
    for (const problem &start : {forward_problem(), backward_problem()}) {
        accepts(start, [](problem &p) {
            p.normalized_axes = 2;
            p.statistics = dense({4});
        });
        is_invalid(start, [](problem &p) { p.normalized_axes = 2; }); // statistics of another shape
        for (const int axes : {-1, 0, 3, 4})
            is_invalid(start, [&](problem &p) {
                p.normalized_axes = axes;
                p.statistics = dense({1});
            });
    }
}

TEST(validate, outputs_left_out) {
    for (const unsigned left_out : {0U, 1U, 2U, 3U, 4U, 8U, 16U, 31U}) {
        accepts(forward_problem(), [&](problem &p) { p.left_out = left_out; });
        accepts(backward_problem(), [&](problem &p) { p.left_out = left_out; });
    }
    is_invalid(forward_problem(), [](problem &p) { p.left_out = 32; });
}

TEST(validate, a_scale_of_ones_needs_the_flag) {
    accepts(backward_problem(), [](problem &p) {
        p.flags = jitnorm_use_scale;
        p.scale_is_ones = true;
    });
    is_invalid(backward_problem(), [](problem &p) { p.scale_is_ones = true; });
}

TEST(validate, every_tensor_must_be_there) {
    for (const auto member : {&problem::src, &problem::dst, &problem::statistics})
        is_invalid(forward_problem(), [&](problem &p) { p.*member = {}; });
    for (const auto member : {&problem::src, &problem::diff_dst, &problem::diff_src, &problem::statistics})
        is_invalid(backward_problem(), [&](problem &p) { p.*member = {}; });
}

TEST(validate, layouts_must_be_resolved) {
    for (const auto member : {&problem::src, &problem::dst, &problem::statistics})
        is_invalid(forward_problem(), [&](problem &p) { (p.*member).format_kind = jitnorm_format_kind_any; });
    for (const auto member : {&problem::diff_dst, &problem::diff_src})
        is_invalid(backward_problem(), [&](problem &p) { (p.*member).format_kind = jitnorm_format_kind_any; });
}

TEST(validate, dimensions_must_agree) {
    is_invalid(forward_problem(), [](problem &p) { p.dst = dense({4, 6, 9}); });
    is_invalid(forward_problem(), [](problem &p) { p.dst = dense({24, 8}); });
    is_invalid(backward_problem(), [](problem &p) { p.diff_dst = dense({4, 5, 8}); });
    is_invalid(backward_problem(), [](problem &p) { p.diff_src = dense({3, 6, 8}); });
}

TEST(validate, statistics_have_the_rows_shape) {
    for (const problem &start : {forward_problem(), backward_problem()}) {
        is_invalid(start, [](problem &p) { p.statistics = dense({24}); });
        is_invalid(start, [](problem &p) { p.statistics = dense({4, 6, 8}); });
        is_invalid(start, [](problem &p) { p.statistics = dense({4, 6, 1}); });
        is_invalid(start, [](problem &p) { p.statistics = dense({6, 4}); });
    }
}

TEST(validate, statistics_types) {
    for (const problem &start : {forward_problem(), backward_problem()}) {
        for (const auto type : {jitnorm_f32, jitnorm_bf16, jitnorm_f16})
            accepts(start, [&](problem &p) { p.statistics = dense({4, 6}, type); });
        for (const auto type : {jitnorm_f64, jitnorm_s32, jitnorm_s8, jitnorm_u8})
            is_unsupported(start, [&](problem &p) { p.statistics = dense({4, 6}, type); });
    }
}

TEST(validate, a_runtime_dimension_is_one_in_all_tensors) {
    using members = std::vector<memory_desc problem::*>;
    const members forward = {&problem::src, &problem::dst},
                  backward = {&problem::src, &problem::diff_dst, &problem::diff_src};
    for (const problem &start : {forward_problem(), backward_problem()})
        for (const int d : {0, 1, 2}) {
            const members &data = start.is_forward() ? forward : backward;
            const auto set = [&](problem &p, memory_desc problem::*member) { (p.*member).dims[d] = RUNTIME_DIM; };
            for (const auto member : data) is_invalid(start, [&](problem &p) { set(p, member); });
            const auto set_data = [&](problem &p) {
                for (const auto member : data) set(p, member);
            };
            expect(d == 2 ? jitnorm_success : jitnorm_invalid_arguments, start, set_data);
            accepts(start, [&](problem &p) {
                set_data(p);
                if (d < 2) set(p, &problem::statistics);
            });
        }
}

TEST(validate, runtime_strides_are_free) {
    for (const auto member : {&problem::src, &problem::dst, &problem::statistics})
        accepts(forward_problem(), [&](problem &p) { (p.*member).strides[0] = RUNTIME_DIM; });
    for (const auto member : {&problem::src, &problem::diff_dst, &problem::diff_src, &problem::statistics})
        accepts(backward_problem(), [&](problem &p) { (p.*member).strides[1] = RUNTIME_DIM; });
}

TEST(problem, knows_its_runtime_sizes) {
    EXPECT_FALSE(forward_problem().has_runtime_sizes());
    EXPECT_FALSE(backward_problem().has_runtime_sizes());
    for (const auto member :
         {&problem::src, &problem::dst, &problem::diff_dst, &problem::diff_src, &problem::statistics}) {
        problem p = member == &problem::dst ? forward_problem() : backward_problem();
        (p.*member).strides[0] = RUNTIME_DIM;
        EXPECT_TRUE(p.has_runtime_sizes());
    }
    problem p = forward_problem();
    memory_desc src1 = dense({4, 6, 8});
    p.attr.post_ops.entries = {eltwise_post_op{}, binary_post_op{jitnorm_binary_add, src1}};
    EXPECT_FALSE(p.has_runtime_sizes());
    src1.strides[0] = RUNTIME_DIM;
    p.attr.post_ops.entries.push_back(binary_post_op{jitnorm_binary_add, src1});
    EXPECT_TRUE(p.has_runtime_sizes());
}

TEST(validate, empty_tensors_are_legal) {
    for (const auto kind : {jitnorm_forward_training, jitnorm_backward}) {
        accepts(make_problem(kind, {0, 8}));
        accepts(make_problem(kind, {3, 0}));
    }
}

TEST(validate, outputs_without_elements_have_no_wrong_strides) {
    for (const std::vector<dim_t> &dims : {std::vector<dim_t>{3, 0}, {0, 3}, {4, 0, 8}})
        for (const dim_t stride : {dim_t(0), dim_t(1), std::numeric_limits<dim_t>::max()}) {
            const change all_strides = [&](problem &p) {
                for (memory_desc *md : {&p.src, &p.dst, &p.diff_dst, &p.diff_src})
                    std::fill_n(md->strides, md->ndims, stride);
            };
            accepts(make_problem(jitnorm_forward_training, dims), all_strides);
            accepts(make_problem(jitnorm_backward, dims), all_strides);
        }
    is_invalid(make_problem(jitnorm_forward_training, {3, 2, 0}), [](problem &p) { p.statistics.strides[0] = 0; });
}

TEST(validate, sizes_that_memory_can_have) {
    constexpr dim_t most = dim_t(1) << 53;
    for (const auto kind : {jitnorm_forward_training, jitnorm_backward}) {
        for (const std::vector<dim_t> &dims : {std::vector<dim_t>{most, 1}, {0, most}, {most, 0}, {most / 4, 4}})
            accepts(make_problem(kind, dims), [](problem &) {});
        for (const std::vector<dim_t> &dims : {std::vector<dim_t>{most, 2}, {0, most + 1}, {most + 1, 0}, {most, 0, 2}})
            is_invalid(make_problem(kind, dims), [](problem &) {});
        is_invalid(make_problem(kind, {2, 8}), [](problem &p) { p.src.strides[0] = dim_t(1) << 55; });
    }
    const dim_t dims[] = {1, 8}, strides[] = {1, dim_t(1) << 55};
    binary_post_op wide{jitnorm_binary_add, {}};
    ASSERT_EQ(make_with_strides(wide.src1, 2, dims, jitnorm_f32, strides), jitnorm_success);
    is_invalid(make_problem(jitnorm_forward_training, {4, 8}), [&](problem &p) { p.attr.post_ops.entries = {wide}; });
}

TEST(validate, outputs_must_not_share_elements) {
    const change broadcast_dst = [](problem &p) { p.dst.strides[0] = 0; };
    const change broadcast_statistics = [](problem &p) { p.statistics.strides[1] = 0; };
    is_invalid(forward_problem(), broadcast_dst);
    is_invalid(forward_problem(), broadcast_statistics);
    is_invalid(backward_problem(), [](problem &p) { p.diff_src.strides[2] = 0; });
    accepts(forward_problem(), [](problem &p) { p.src.strides[0] = 0; });
    accepts(backward_problem(), [](problem &p) { p.diff_dst.strides[0] = 0; });
    accepts(backward_problem(), broadcast_statistics);
    accepts(make_problem(jitnorm_forward_inference, {4, 6, 8}), broadcast_statistics);
    accepts(make_problem(jitnorm_forward_training, {1, 8}), broadcast_dst);
    accepts(backward_problem(), [](problem &p) { // nothing is written there
        p.diff_src.strides[2] = 0;
        p.left_out = unsigned(output::diff_src);
    });
    accepts(forward_problem(), [&](problem &p) {
        broadcast_statistics(p);
        p.left_out = unsigned(output::mean) | unsigned(output::variance);
    });
    is_invalid(forward_problem(), [&](problem &p) {
        broadcast_statistics(p);
        p.left_out = unsigned(output::mean);
    });
}

TEST(validate, forward_types) {
    for (const auto src : ALL_TYPES)
        for (const auto dst : ALL_TYPES) {
            const bool supported = src != jitnorm_s32 && dst != jitnorm_s32;
            expect(supported ? jitnorm_success : jitnorm_unimplemented, forward_problem(), [&](problem &p) {
                p.src.data_type = src;
                p.dst.data_type = dst;
            });
        }
    is_invalid(forward_problem(), [](problem &p) { p.dst.data_type = jitnorm_data_type_undef; });
    is_invalid(forward_problem(), [](problem &p) { p.src.data_type = jitnorm_data_type_undef; });
}

TEST(validate, backward_types) {
    for (const auto member : {&problem::src, &problem::diff_dst, &problem::diff_src}) {
        for (const auto type : {jitnorm_f32, jitnorm_bf16, jitnorm_f16, jitnorm_f64})
            accepts(backward_problem(), [&](problem &p) { (p.*member).data_type = type; });
        for (const auto type : {jitnorm_s8, jitnorm_u8, jitnorm_s32})
            is_unsupported(backward_problem(), [&](problem &p) { (p.*member).data_type = type; });
    }
}

TEST(validate, scale_and_shift_types) {
    for (const unsigned flags : {unsigned(jitnorm_use_scale), unsigned(jitnorm_use_shift)})
        for (const auto type : ALL_TYPES) {
            const bool supported = type == jitnorm_f32 || type == jitnorm_bf16 || type == jitnorm_f16;
            const auto status = supported ? jitnorm_success : jitnorm_unimplemented;
            const auto given = [&](problem &p) { p.flags = flags, p.scale_shift_type = type; };
            const auto gradient = [&](problem &p) { p.flags = flags, p.diff_scale_shift_type = type; };
            expect(status, forward_problem(), given);
            expect(status, backward_problem(), given);
            expect(status, backward_problem(), gradient);
            accepts(forward_problem(), gradient);
            accepts(make_problem(jitnorm_backward_data, {4, 8}), gradient);
        }
    is_invalid(forward_problem(), [](problem &p) {
        p.flags = jitnorm_use_scale;
        p.scale_shift_type = jitnorm_data_type_undef;
    });
    accepts(forward_problem(), [](problem &p) { p.scale_shift_type = jitnorm_data_type_undef; });
}

TEST(validate, attributes_are_for_forward) {
    const change src_scale = [](problem &p) { p.attr.src_scale = true; };
    const change dst_scale = [](problem &p) { p.attr.dst_scale = true; };
    const change post_op = with(eltwise_post_op{jitnorm_eltwise_relu, 0, 0});
    const change user = [](problem &p) { p.attr.scratchpad_mode = jitnorm_scratchpad_mode_user; };
    for (const change &attribute : {src_scale, dst_scale, post_op}) {
        accepts(forward_problem(), attribute);
        is_unsupported(backward_problem(), attribute);
    }
    accepts(forward_problem(), user);
    accepts(backward_problem(), user);
}

TEST(validate, at_most_thirty_two_post_ops) {
    const auto count = [](size_t n) {
        return [n](problem &p) { p.attr.post_ops.entries.assign(n, eltwise_post_op{jitnorm_eltwise_relu, 0, 0}); };
    };
    accepts(forward_problem(), count(32));
    is_invalid(forward_problem(), count(33));
}

TEST(validate, eltwise_algorithms) {
    const auto eltwise = [](jitnorm_alg_kind_t alg) { return with(eltwise_post_op{alg, 1, 2}); };
    for (int alg = jitnorm_eltwise_relu; alg <= jitnorm_eltwise_hardswish; ++alg)
        accepts(forward_problem(), eltwise(jitnorm_alg_kind_t(alg)));
    for (const auto alg : {jitnorm_alg_kind_undef, unknown<jitnorm_alg_kind_t>(0x1f), unknown<jitnorm_alg_kind_t>(0x35),
                           jitnorm_binary_add})
        is_invalid(forward_problem(), eltwise(alg));
}

TEST(validate, binary_algorithms_and_types) {
    for (int alg = jitnorm_binary_add; alg <= jitnorm_binary_ne; ++alg)
        accepts(forward_problem(), with(binary_post_op{jitnorm_alg_kind_t(alg), dense({4, 6, 8})}));
    for (const auto alg : {jitnorm_alg_kind_undef, jitnorm_eltwise_relu, unknown<jitnorm_alg_kind_t>(0x1ffef),
                           unknown<jitnorm_alg_kind_t>(0x1fffc)})
        is_invalid(forward_problem(), with(binary_post_op{alg, dense({4, 6, 8})}));
    for (const auto type : ALL_TYPES)
        accepts(forward_problem(), with(binary_post_op{jitnorm_binary_add, dense({4, 6, 8}, type)}));
}

TEST(validate, binary_tensors) {
    const auto add = [](const memory_desc &src1) { return with(binary_post_op{jitnorm_binary_add, src1}); };
    for (dim_t mask = 0; mask < 8; ++mask)
        accepts(forward_problem(), add(dense({mask & 1 ? 4 : 1, mask & 2 ? 6 : 1, mask & 4 ? 8 : 1})));
    is_invalid(forward_problem(), add(dense({4, 6, 2})));
    is_invalid(forward_problem(), add(dense({6, 8})));
    is_invalid(forward_problem(), add(dense({1})));
    is_invalid(forward_problem(), add({}));
    memory_desc open = dense({4, 6, 8}), later = open, typeless = open;
    open.format_kind = jitnorm_format_kind_any;
    later.dims[0] = RUNTIME_DIM;
    typeless.data_type = jitnorm_data_type_undef;
    is_invalid(forward_problem(), add(open));
    is_invalid(forward_problem(), add(later));
    is_invalid(forward_problem(), add(typeless));
}

TEST(validate, sum_types_have_the_destinations_size) {
    for (const auto dst : {jitnorm_f32, jitnorm_bf16, jitnorm_f16, jitnorm_f64, jitnorm_s8, jitnorm_u8})
        for (const auto type : ALL_TYPES)
            expect(size_of(type) == size_of(dst) ? jitnorm_success : jitnorm_invalid_arguments, forward_problem(),
                   [&](problem &p) {
                       p.dst.data_type = dst;
                       p.attr.post_ops.entries.push_back(sum_post_op{1, 0, type});
                   });
    accepts(forward_problem(), with(sum_post_op{0.5f, 0, jitnorm_data_type_undef}));
}

TEST(validate, sum_zero_points_need_int8) {
    const auto sum = [](jitnorm_data_type_t dst, jitnorm_data_type_t type) {
        return [=](problem &p) {
            p.dst.data_type = dst;
            p.attr.post_ops.entries.push_back(sum_post_op{1, 3, type});
        };
    };
    accepts(forward_problem(), sum(jitnorm_s8, jitnorm_data_type_undef));
    accepts(forward_problem(), sum(jitnorm_s8, jitnorm_u8));
    is_invalid(forward_problem(), sum(jitnorm_f32, jitnorm_data_type_undef));
    is_invalid(forward_problem(), sum(jitnorm_f32, jitnorm_s32));
}

TEST(validate, the_first_bad_post_op_decides) {
    is_invalid(forward_problem(), [](problem &p) {
        with(eltwise_post_op{jitnorm_eltwise_relu, 0, 0})(p);
        with(eltwise_post_op{jitnorm_alg_kind_undef, 0, 0})(p);
        with(binary_post_op{jitnorm_alg_kind_undef, {}})(p);
    });
}

// The table of jitnorm.h: which statistics and gradients are read or written.
TEST(problem, tensors_by_kind_and_flags) {
    const auto at = [](jitnorm_prop_kind_t kind, unsigned flags) {
        problem p = make_problem(kind, {4, 8});
        p.flags = flags;
        return p;
    };
    const unsigned global = jitnorm_use_global_stats, rms = jitnorm_rms_norm;
    EXPECT_FALSE(at(jitnorm_forward_inference, 0).uses_variance());
    EXPECT_TRUE(at(jitnorm_forward_inference, global).statistics_are_inputs());
    EXPECT_TRUE(at(jitnorm_forward_inference, global).uses_mean());
    EXPECT_TRUE(at(jitnorm_forward_training, 0).statistics_are_outputs());
    EXPECT_FALSE(at(jitnorm_forward_training, global).statistics_are_outputs());
    EXPECT_TRUE(at(jitnorm_forward_inference, global | rms).uses_variance());
    EXPECT_FALSE(at(jitnorm_forward_inference, global | rms).uses_mean());
    EXPECT_FALSE(at(jitnorm_forward_training, rms).uses_mean());
    EXPECT_TRUE(at(jitnorm_backward, 0).statistics_are_inputs());
    EXPECT_FALSE(at(jitnorm_backward, rms).uses_mean());
    EXPECT_TRUE(at(jitnorm_backward, jitnorm_use_scale).wants_diff_scale());
    EXPECT_FALSE(at(jitnorm_backward, jitnorm_use_scale).wants_diff_shift());
    EXPECT_FALSE(at(jitnorm_backward_data, jitnorm_use_scale).wants_diff_scale());
}

TEST(problem, what_is_left_out_is_not_written) {
    const auto with = [](problem p, output o) {
        p.flags = jitnorm_use_scale | jitnorm_use_shift;
        p.left_out = unsigned(o);
        return p;
    };
    EXPECT_FALSE(with(forward_problem(), output::mean).uses_mean());
    EXPECT_TRUE(with(forward_problem(), output::mean).writes_variance());
    EXPECT_FALSE(with(forward_problem(), output::variance).uses_variance());
    EXPECT_TRUE(with(forward_problem(), output::variance).uses_statistics());
    EXPECT_FALSE(with(forward_problem(), output::diff_src).wants_diff_src()); // which forward has none of
    EXPECT_TRUE(with(backward_problem(), output::mean).reads_mean());         // an input
    EXPECT_FALSE(with(backward_problem(), output::diff_src).wants_diff_src());
    EXPECT_FALSE(with(backward_problem(), output::diff_scale).wants_diff_scale());
    EXPECT_TRUE(with(backward_problem(), output::diff_scale).wants_diff_shift());
    EXPECT_FALSE(with(backward_problem(), output::diff_shift).wants_diff_shift());
}

TEST(problem, rows_of_several_axes) {
    problem p = forward_problem();
    p.normalized_axes = 2;
    EXPECT_EQ(p.row_ndims(), 1);
    EXPECT_EQ(p.rows(), 4);
    EXPECT_EQ(p.row_length(), 48);
    p.src.dims[2] = RUNTIME_DIM;
    EXPECT_EQ(p.row_length(), RUNTIME_DIM);
}

TEST(problem, rows) {
    EXPECT_EQ(forward_problem().rows(), 24);
    EXPECT_EQ(forward_problem().row_length(), 8);
    EXPECT_EQ(make_problem(jitnorm_backward, {3, 0, 5, 7}).rows(), 0);
    EXPECT_EQ(make_problem(jitnorm_backward, {3, 0}).rows(), 3);
}

} // namespace
