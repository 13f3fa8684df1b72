// SPDX-License-Identifier: Apache-2.0
// No legal problem is left to the reference: over types, flags, kinds, layouts, attributes and sizes of run time, each
// kernel implementation of this machine takes the problem and generates its code.
#include <gtest/gtest.h>

#include "jit/isa.hpp"
#include "norm/attributes.hpp"
#include "run/implementations.hpp"
#include "support/sweep.hpp"

namespace jitnorm::tests {
namespace {

const std::vector<jitnorm_prop_kind_t> KINDS = {jitnorm_forward_training, jitnorm_forward_inference, jitnorm_backward,
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
    for (const implementation &entry : impl::layer_norm::on_kernels) {
        if (!entry.refusal(p).empty()) continue;
        ++takers;
        const bool is_made = !creates || create(entry, p) != nullptr;
        EXPECT_TRUE(is_made) << entry.name << ": " << describe(p);
    }
    EXPECT_EQ(takers, implementations_of_this_machine()) << describe(p);
}

// Every pair of a shape's layouts, with each layout of the statistics.
choices shapes_and_layouts() {
    choices list;
    for (const shape &of : SHAPES)
        for (const char *first : of.layouts)
            for (const char *second : of.layouts)
                for (const char *statistics : of.statistics)
                    list.push_back([=, &of](setup &s) {
                        s.dims = of.dims;
                        s.src = s.diff_src = first;
                        s.dst = second;
                        s.statistics = statistics;
                    });
    return list;
}

problem start(jitnorm_prop_kind_t kind, unsigned flags) {
    return make_problem(setup{.kind = kind, .flags = flags, .dims = {6, 40}});
}

// Kernels do not depend on sizes: code is generated for one layout of each class.
TEST(nothing_on_reference, layouts_and_flags) {
    const sweep all = {.each = {kinds(KINDS), flags(every_flag()), row_types({jitnorm_f32, jitnorm_bf16, jitnorm_f64}),
                                shapes_and_layouts()}};
    for_each_case(all, [](const setup &s) {
        expect_on_kernels(make_problem(s), s.src == s.dst && s.dims.size() == 2 && s.statistics == "dense");
    });
}

// Every triple of types, which have code of their own, with flags that change the arithmetic.
TEST(nothing_on_reference, types) {
    const choices some_flags = flags({0U, 6U, 7U, jitnorm_rms_norm | 6U});
    const sweep forward = {.of = {.dims = {6, 40}},
                           .each = {kinds({KINDS[0], KINDS[1]}), some_flags, each_of(&setup::src_type, ROW_TYPES),
                                    each_of(&setup::dst_type, ROW_TYPES), each_of(&setup::affine_type, AFFINE_TYPES)}};
    const sweep backward = {.of = {.dims = {6, 40}},
                            .each = {kinds({KINDS[2], KINDS[3]}), some_flags, each_of(&setup::src_type, FLOATING),
                                     each_of(&setup::dst_type, FLOATING), each_of(&setup::affine_type, AFFINE_TYPES),
                                     each_of(&setup::diff_src_type, FLOATING)}};
    for (const sweep &all : {forward, backward})
        for_each_case(all, [](setup s) {
            if (s.src_type == jitnorm_f32) s.gradient_type = jitnorm_f32;
            const problem p = make_problem(s);
            expect_on_kernels(p, p.is_forward() || s.diff_src_type == s.src_type);
        });
}

TEST(nothing_on_reference, post_ops_and_scales) {
    std::vector<impl::post_op> each = {impl::sum_post_op{0.5F}};
    for (const auto alg : impl::ELTWISE_ALGORITHMS) each.push_back(impl::eltwise_post_op{alg, 0.5F, 1});
    for (const auto alg : impl::BINARY_ALGORITHMS)
        for (const auto type : OPERAND_TYPES)
            for (const std::vector<dim_t> &dims : {std::vector<dim_t>{6, 40}, {1, 40}, {6, 1}, {1, 1}})
                each.push_back(impl::binary_post_op{alg, dense(dims, type)});
    for (const auto type : ROW_TYPES)
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
