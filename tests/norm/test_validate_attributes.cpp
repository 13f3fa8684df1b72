// SPDX-License-Identifier: Apache-2.0
// Which attributes and post-ops validate() accepts.
#include "norm/attributes.hpp"
#include "support/undefined.hpp"
#include "validation.hpp"

using namespace jitnorm::impl;
using namespace jitnorm::impl::layer_norm;
using namespace jitnorm::tests;

namespace {

using dims_of_scales = std::vector<dim_t>;

// One post-op on a forward problem.
change with(const post_op &op) {
    return [op](problem &p) { p.attr.post_ops.entries.push_back(op); };
}
change storing(jitnorm_data_type_t type) {
    return [=](problem &p) { p[DST].data_type = type; };
}

TEST(validate, attributes_are_for_forward) {
    const change src_scale = [](problem &p) { p.attr.src_scale = true; };
    const change dst_scale = [](problem &p) { p.attr.dst_scale = true; };
    const change post_op = with(eltwise_post_op{jitnorm_eltwise_relu, 0, 0});
    const change user = [](problem &p) { p.attr.scratchpad_mode = jitnorm_scratchpad_mode_user; };
    const change silu = [](problem &p) { p.attr.multiplies_silu = true; };
    for (const change &attribute : {src_scale, dst_scale, post_op, silu}) {
        accepts(forward_problem(), attribute);
        is_unsupported(backward_problem(), attribute);
    }
    accepts(forward_problem(), user);
    accepts(backward_problem(), user);
}

// Of {4, 6, 8}.
change finding(const memory_desc &scales, jitnorm_data_type_t dst = jitnorm_s8) {
    return [=](problem &p) {
        p[DST_SCALE] = scales;
        (p.is_forward() ? p[DST] : p[DIFF_DST]).data_type = dst;
    };
}

TEST(validate, scales_that_are_found) {
    for (const dim_t groups : {1, 2, 4, 8}) accepts(forward_problem(), finding(dense({4, 6, groups})));
    for (const auto type : {jitnorm_u8, jitnorm_f8_e5m2, jitnorm_f8_e4m3})
        accepts(forward_problem(), finding(dense({4, 6, 1}), type));
    for (const dim_t groups : {0, 3, 5, 16}) is_invalid(forward_problem(), finding(dense({4, 6, groups})));
    for (const dims_of_scales &sizes : {dims_of_scales{4, 6}, {4, 1, 1}, {1, 1, 1}, {6, 4, 1}, {4, 6, 1, 1}})
        is_invalid(forward_problem(), finding(dense(sizes)));
    for (const auto type : {jitnorm_f32, jitnorm_bf16, jitnorm_f64})
        is_unsupported(forward_problem(), finding(dense({4, 6, 1}), type));
    is_unsupported(forward_problem(), finding(dense({4, 6, 1}, jitnorm_bf16)));
    is_unsupported(forward_problem(), finding(make_layout("aBc8b", {4, 6, 1}, jitnorm_f32)));
    memory_desc open = dense({4, 6, 1});
    open.format_kind = jitnorm_format_kind_any;
    is_unsupported(forward_problem(), finding(open));
    is_unsupported(backward_problem(), finding(dense({4, 6, 1}), jitnorm_f32));
}

TEST(validate, scales_that_are_found_and_what_goes_with_them) {
    const auto also = [](const change &apply) { return both(finding(dense({4, 6, 1})), apply); };
    accepts(forward_problem(), also([](problem &p) { p.attr.src_scale = true; }));
    accepts(forward_problem(), also(with(binary_post_op{jitnorm_binary_mul, dense({1, 1, 8})})));
    is_unsupported(forward_problem(), also(with(sum_post_op{})));
    is_invalid(forward_problem(), also([](problem &p) { p.attr.dst_scale = true; }));
    is_invalid(forward_problem(), also([](problem &p) { p[DST_SCALE].strides[0] = 0; }));
    is_unsupported(forward_problem(), also([](problem &p) { p = with_runtime_sizes(p); }));
    accepts(forward_problem(), also([](problem &p) { // one for a row of several dimensions
                p.normalized_axes = 2;
                p[VARIANCE] = dense({4});
                p[DST_SCALE] = dense({4, 1, 1});
            }));
    is_invalid(forward_problem(), also([](problem &p) {
                   p.normalized_axes = 2;
                   p[VARIANCE] = dense({4});
               }));
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
    for (const auto alg : ELTWISE_ALGORITHMS) accepts(forward_problem(), eltwise(alg));
    for (const auto alg : BINARY_ALGORITHMS) is_invalid(forward_problem(), eltwise(alg));
    for (const int alg : {-1, int(jitnorm_alg_kind_undef), 0x1f, 0x100})
        is_invalid(forward_problem(), eltwise(undefined<jitnorm_alg_kind_t>(alg)));
}

TEST(validate, binary_algorithms_and_types) {
    const auto binary = [](jitnorm_alg_kind_t alg) { return with(binary_post_op{alg, dense({4, 6, 8})}); };
    for (const auto alg : BINARY_ALGORITHMS) accepts(forward_problem(), binary(alg));
    for (const auto alg : ELTWISE_ALGORITHMS) is_invalid(forward_problem(), binary(alg));
    for (const int alg : {-1, int(jitnorm_alg_kind_undef), 0x1ffef, 0x20000})
        is_invalid(forward_problem(), binary(undefined<jitnorm_alg_kind_t>(alg)));
    for (const auto type : ALL_TYPES)
        accepts(forward_problem(), with(binary_post_op{jitnorm_binary_add, dense({4, 6, 8}, type)}));
}

TEST(validate, no_post_op_reads_f8) {
    for (const auto type : {jitnorm_f8_e5m2, jitnorm_f8_e4m3}) {
        is_unsupported(forward_problem(), with(binary_post_op{jitnorm_binary_add, dense({4, 6, 8}, type)}));
        for (const auto old : {type, jitnorm_data_type_undef})
            is_unsupported(forward_problem(), both(storing(type), with(sum_post_op{1, 0, old})));
        accepts(forward_problem(), both(storing(type), with(sum_post_op{1, 0, jitnorm_u8})));
    }
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
                   both(storing(dst), with(sum_post_op{1, 0, type})));
    accepts(forward_problem(), with(sum_post_op{0.5f, 0, jitnorm_data_type_undef}));
}

TEST(validate, sum_zero_points_need_int8) {
    const auto sum = [](jitnorm_data_type_t dst, jitnorm_data_type_t type) {
        return both(storing(dst), with(sum_post_op{1, 3, type}));
    };
    accepts(forward_problem(), sum(jitnorm_s8, jitnorm_data_type_undef));
    accepts(forward_problem(), sum(jitnorm_s8, jitnorm_u8));
    is_invalid(forward_problem(), sum(jitnorm_f32, jitnorm_data_type_undef));
    is_invalid(forward_problem(), sum(jitnorm_f32, jitnorm_s32));
}

TEST(validate, the_first_bad_post_op_decides) {
    const change first = with(eltwise_post_op{jitnorm_eltwise_relu, 0, 0}),
                 second = with(eltwise_post_op{jitnorm_alg_kind_undef, 0, 0}),
                 third = with(binary_post_op{jitnorm_alg_kind_undef, {}});
    is_invalid(forward_problem(), both(both(first, second), third));
}

change with_residual(const memory_desc &added, const memory_desc &sum = {}, bool rounded = false,
                     jitnorm_data_type_t bias = jitnorm_data_type_undef) {
    return [=](problem &p) {
        p[RESIDUAL] = added;
        p[p.is_forward() ? SUM : DIFF_SUM] = sum;
        p.attr.normalizes_rounded_sum = rounded;
        p.attr.bias_type = bias;
    };
}

TEST(validate, residuals) {
    const memory_desc same = dense({4, 6, 8}), other = dense({4, 6, 9});
    for (const auto type : {jitnorm_f32, jitnorm_bf16, jitnorm_f16, jitnorm_f64, jitnorm_s8, jitnorm_u8})
        accepts(forward_problem(), with_residual(dense({4, 6, 8}, type), dense({4, 6, 8}, type)));
    is_unsupported(forward_problem(), with_residual(dense({4, 6, 8}, jitnorm_s32)));
    is_unsupported(forward_problem(), with_residual(same, dense({4, 6, 8}, jitnorm_s32)));
    is_invalid(forward_problem(), with_residual(other));
    is_invalid(forward_problem(), with_residual(same, other));
    is_invalid(forward_problem(), with_residual(dense({6, 8})));
    is_invalid(forward_problem(), with_residual(same, {}, true));
    accepts(forward_problem(), with_residual(same, same, true));
    memory_desc repeated = same;
    repeated.strides[0] = 0;
    accepts(forward_problem(), with_residual(repeated, same));
    is_invalid(forward_problem(), with_residual(same, repeated));
    memory_desc open = same;
    open.format_kind = jitnorm_format_kind_any;
    is_invalid(forward_problem(), with_residual(open));
    is_invalid(forward_problem(), with_residual(same, open));
}

TEST(validate, biases_of_residuals) {
    const memory_desc same = dense({4, 6, 8});
    for (const auto type : {jitnorm_f32, jitnorm_bf16, jitnorm_f16})
        accepts(forward_problem(), with_residual(same, same, false, type));
    for (const auto type : {jitnorm_f64, jitnorm_s8, jitnorm_u8, jitnorm_s32})
        is_unsupported(forward_problem(), with_residual(same, same, false, type));
    is_invalid(forward_problem(), with_residual(same, same, false, undefined<jitnorm_data_type_t>(77)));
}

TEST(validate, gradients_of_sums) {
    const memory_desc same = dense({4, 6, 8});
    accepts(backward_problem(), with_residual({}, same));
    is_invalid(backward_problem(), with_residual({}, dense({4, 6, 9})));
    is_unsupported(backward_problem(), with_residual({}, dense({4, 6, 8}, jitnorm_s8)));
}

void check_further_output(slot output) {
    const auto with_output = [=](const memory_desc &md) { return having(output, md); };
    const memory_desc same = dense({4, 6, 8});
    for (const auto type : {jitnorm_f32, jitnorm_bf16, jitnorm_f16, jitnorm_f64})
        accepts(forward_problem(), with_output(dense({4, 6, 8}, type)));
    for (const auto type : {jitnorm_s8, jitnorm_u8, jitnorm_s32, jitnorm_f8_e4m3})
        is_unsupported(forward_problem(), with_output(dense({4, 6, 8}, type)));
    is_unsupported(backward_problem(), with_output(same));
    is_invalid(forward_problem(), with_output(dense({4, 6, 9})));
    is_invalid(forward_problem(), with_output(dense({6, 8})));
    memory_desc repeated = same, open = same, foreign = same;
    foreign.data_type = undefined<jitnorm_data_type_t>(77);
    is_invalid(forward_problem(), with_output(foreign));
    repeated.strides[0] = 0;
    open.format_kind = jitnorm_format_kind_any;
    is_invalid(forward_problem(), with_output(repeated));
    is_invalid(forward_problem(), with_output(open));
}

TEST(validate, further_outputs) {
    for (const tensor_kind &t : TENSORS)
        if (is_further_output(t)) check_further_output(t.place);
}

} // namespace
