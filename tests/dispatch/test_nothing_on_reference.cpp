// SPDX-License-Identifier: Apache-2.0
// No legal problem is left to the reference: over types, flags, kinds, layouts, attributes and sizes of run time, each
// kernel implementation of this machine takes the problem and generates its code.
#include <gtest/gtest.h>

#include <span>
#include <string_view>

#include "dispatch/ranking.hpp"
#include "jit/isa.hpp"
#include "norm/attributes.hpp"
#include "rig/sweep.hpp"

namespace jitnorm::tests {
namespace {

constexpr jitnorm_data_type_t FORWARD_TYPES[] = {jitnorm_f32, jitnorm_bf16, jitnorm_f16,
                                                 jitnorm_f64, jitnorm_s8,   jitnorm_u8};
constexpr jitnorm_data_type_t BACKWARD_TYPES[] = {jitnorm_f32, jitnorm_bf16, jitnorm_f16, jitnorm_f64};
constexpr jitnorm_data_type_t AFFINE_TYPES[] = {jitnorm_f32, jitnorm_bf16, jitnorm_f16};
constexpr jitnorm_prop_kind_t KINDS[] = {jitnorm_forward_training, jitnorm_forward_inference, jitnorm_backward,
                                         jitnorm_backward_data};
constexpr dim_t R = JITNORM_RUNTIME_DIM_VAL;

// Dense, gaps, every order of dimensions, blocks of each kind, padding.
struct shape {
    std::vector<dim_t> dims;
    std::vector<const char *> layouts, statistics;
};
const shape SHAPES[] = {
    {{6, 40}, {"dense", "gap", "gap+7", "spread", "ba", "aB8b", "AB16b16a", "AB16a16b"}, {"dense", "gap", "spread"}},
    {{3, 5, 20}, {"dense", "cba", "bac", "aBc8b", "aBC8b8c", "ABc16a16b"}, {"dense", "ba", "aB8b"}},
    {{2, 3, 5, 20}, {"dense", "acdb", "dcba", "aBcd8b"}, {"dense", "cba", "aBc8b"}},
    {{2, 3, 2, 5, 20}, {"dense", "acdeb", "aBcde8b", "ABcde16a16b"}, {"dense", "abdc"}},
    {{0, 40}, {"dense"}, {"dense"}},
    {{40, 0}, {"dense"}, {"dense"}},
    {{1, 1}, {"dense"}, {"dense"}},
};

int implementations_of_this_machine() {
    return int(impl::jit::is_allowed(impl::jit::isa::avx2)) + int(impl::jit::is_allowed(impl::jit::isa::avx512));
}

// The problem is legal; every kernel implementation takes it, and creates if `creates`.
void expect_on_kernels(const problem &p, bool creates) {
    ASSERT_EQ(validate(p).code, jitnorm_success) << validate(p).reason << ": " << describe(p);
    int takers = 0;
    for (const implementation &entry : impl::layer_norm::implementations()) {
        if (!std::string_view(entry.name).starts_with("jit:")) continue;
        if (!entry.refusal(p).empty()) continue;
        if (p.has_runtime_sizes() && !entry.takes_runtime_sizes) continue;
        ++takers;
        const bool is_made = !creates || create(entry, p) != nullptr;
        EXPECT_TRUE(is_made) << entry.name << ": " << describe(p);
    }
    EXPECT_EQ(takers, implementations_of_this_machine()) << describe(p);
}

// Which of the product's problems generate code as well: kernels do not depend on sizes, so one layout of each class.
template <typename Body> // void(problem &, bool creates)
void for_each_layout(problem p, const std::vector<jitnorm_data_type_t> &types, Body &&body) {
    for (const shape &of : SHAPES)
        for (const char *first : of.layouts)
            for (const char *second : of.layouts)
                for (const char *statistics : of.statistics) {
                    p[SRC] = make_layout(first, of.dims, types[0]);
                    p[DST] = p[DIFF_DST] = make_layout(second, of.dims, types[1]);
                    p[DIFF_SRC] = make_layout(first, of.dims, types[2]);
                    if (p.is_forward())
                        p[DIFF_DST] = p[DIFF_SRC] = {};
                    else
                        p[DST] = {};
                    p[VARIANCE] = make_layout(statistics, {of.dims.begin(), of.dims.end() - 1}, jitnorm_f32);
                    const bool is_class = std::string_view(first) == second && of.dims.size() == 2;
                    body(p, is_class && std::string_view(statistics) == "dense");
                }
}

problem start(jitnorm_prop_kind_t kind, unsigned flags) {
    problem p = make_problem(kind, {6, 40});
    p.flags = flags;
    return p;
}

std::span<const jitnorm_data_type_t> types_of(const problem &p) {
    return p.is_forward() ? std::span<const jitnorm_data_type_t>(FORWARD_TYPES) : BACKWARD_TYPES;
}

TEST(nothing_on_reference, layouts_and_flags) {
    for (const auto kind : KINDS)
        for (const unsigned flags : every_flag())
            for (const auto type : {jitnorm_f32, jitnorm_bf16, jitnorm_f64})
                for_each_layout(start(kind, flags), {type, type, type}, expect_on_kernels);
}

// With code of their own: every triple of types, of which some flags change what is done with each.
TEST(nothing_on_reference, types) {
    for (const auto kind : KINDS)
        for (const unsigned flags : {0U, 6U, 7U, jitnorm_rms_norm | 6U}) {
            problem p = start(kind, flags);
            for (const auto src : types_of(p))
                for (const auto other : types_of(p))
                    for (const auto affine : AFFINE_TYPES) {
                        p[SRC] = dense({6, 40}, src);
                        (p.is_forward() ? p[DST] : p[DIFF_DST]) = dense({6, 40}, other);
                        p.scale_shift_type = affine;
                        p.diff_scale_shift_type = src == jitnorm_f32 ? AFFINE_TYPES[0] : affine;
                        if (p.is_forward()) {
                            expect_on_kernels(p, true);
                            continue;
                        }
                        for (const auto diff_src : BACKWARD_TYPES) {
                            p[DIFF_SRC] = dense({6, 40}, diff_src);
                            expect_on_kernels(p, diff_src == src);
                        }
                    }
        }
}

TEST(nothing_on_reference, post_ops_and_scales) {
    std::vector<impl::post_op> each = {impl::sum_post_op{0.5F}};
    for (const auto alg : impl::ELTWISE_ALGORITHMS) each.push_back(impl::eltwise_post_op{alg, 0.5F, 1});
    for (const auto alg : impl::BINARY_ALGORITHMS)
        for (const auto type :
             {jitnorm_f32, jitnorm_bf16, jitnorm_f16, jitnorm_s32, jitnorm_s8, jitnorm_u8, jitnorm_f64})
            for (const std::vector<dim_t> &dims : {std::vector<dim_t>{6, 40}, {1, 40}, {6, 1}, {1, 1}})
                each.push_back(impl::binary_post_op{alg, dense(dims, type)});
    for (const auto type : FORWARD_TYPES)
        for (const impl::post_op &entry : each) {
            problem p = start(jitnorm_forward_inference, jitnorm_use_scale);
            p[SRC] = p[DST] = dense({6, 40}, type);
            p.attr.src_scale = p.attr.dst_scale = true;
            p.attr.post_ops.entries = {entry};
            if (validate(p).code == jitnorm_unimplemented) continue; // an algorithm that nothing implements
            expect_on_kernels(p, type == jitnorm_f32 || type == jitnorm_f64);
        }
}

TEST(nothing_on_reference, all_post_ops_at_once) {
    problem p = start(jitnorm_forward_inference, jitnorm_use_scale | jitnorm_use_shift);
    for (int i = 0; i < impl::MAX_POST_OPS; ++i)
        p.attr.post_ops.entries.push_back(impl::eltwise_post_op{jitnorm_eltwise_gelu_erf, 0, 0});
    for (const auto type : {jitnorm_f32, jitnorm_f64}) {
        p[SRC] = p[DST] = dense({6, 40}, type);
        expect_on_kernels(p, true);
    }
}

TEST(nothing_on_reference, runtime_sizes) {
    const auto with_sizes = [](std::vector<dim_t> dims, std::vector<dim_t> strides, jitnorm_data_type_t type) {
        memory_desc md;
        EXPECT_EQ(impl::make_with_strides(md, int(dims.size()), dims.data(), type, strides.data()), jitnorm_success);
        return md;
    };
    for (const auto kind : KINDS)
        for (const auto type : {jitnorm_f32, jitnorm_f16, jitnorm_f64})
            for (const std::vector<dim_t> &dims : {std::vector<dim_t>{R, 40}, {6, R}, {R, R}})
                for (const std::vector<dim_t> &strides : {std::vector<dim_t>{R, 1}, {R, R}}) {
                    problem p = start(kind, jitnorm_use_scale | jitnorm_use_shift);
                    p[SRC] = with_sizes(dims, strides, type);
                    (p.is_forward() ? p[DST] : p[DIFF_DST]) = p[SRC];
                    if (!p.is_forward()) p[DIFF_SRC] = p[SRC];
                    p[VARIANCE] = with_sizes({dims[0]}, {1}, jitnorm_f32);
                    expect_on_kernels(p, true);
                    if (!p.is_forward()) continue;
                    for (const auto operand : {jitnorm_f32, jitnorm_bf16, jitnorm_u8, jitnorm_f64}) {
                        const impl::binary_post_op add = {jitnorm_binary_add,
                                                          with_sizes({1, dims[1]}, strides, operand)};
                        p.attr.post_ops.entries = {add};
                        expect_on_kernels(p, true);
                    }
                }
}

} // namespace
} // namespace jitnorm::tests
