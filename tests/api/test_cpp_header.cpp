// SPDX-License-Identifier: Apache-2.0
// The C++ header: objects own what they stand for, errors are exceptions, and it may be included in several files.
#include <gtest/gtest.h>

#include <cstring>
#include <functional>

#include "jitnorm/jitnorm.hpp"

using namespace jitnorm;

// The numbers and names of tables/ in C++.
#define ELTWISE(name, number) static_assert(int(algorithm::eltwise_##name) == (number));
#include "../../tables/eltwise.inc"
#define BINARY(name, number) static_assert(int(algorithm::binary_##name) == (number));
#include "../../tables/binary.inc"
#define DATA_TYPE(name, number, ...) static_assert(int(memory::data_type::name) == (number));
#include "../../tables/data_types.inc"
#define FLAG(name, number, letter) static_assert(int(normalization_flags::name) == (number));
#include "../../tables/normalization_flags.inc"
#define FORMAT_TAG(name, number) static_assert(int(memory::format_tag::name) == (number));
#define FORMAT_TAG_ALIAS(name, tag) static_assert(memory::format_tag::name == memory::format_tag::tag);
#include "../../tables/format_tags.inc"

int forward_in_another_file(const engine &cpu); // cpp_header_again.cpp

namespace {

using data_type = memory::data_type;
using tag = memory::format_tag;
using flags = normalization_flags;

const engine &cpu() {
    static const engine instance(engine::kind::cpu, 0);
    return instance;
}

memory::desc f32(const memory::dims &dims, tag layout) { return {dims, data_type::f32, layout}; }

jitnorm_status_t status_of(const std::function<void()> &body) {
    try {
        body();
    } catch (const error &thrown) {
        EXPECT_GT(std::strlen(thrown.what()), 0u);
        return thrown.status;
    }
    return jitnorm_success;
}

TEST(cpp_stream, with_a_thread_pool) {
    const stream on(cpu(), thread_pool{nullptr, nullptr, 1}, stream::flags::in_order | stream::flags::default_flags);
    EXPECT_EQ(on.get_engine().get(), cpu().get());
    EXPECT_EQ(status_of([] { stream(cpu(), thread_pool{nullptr, nullptr, 2}); }), jitnorm_invalid_arguments);
}

TEST(cpp_memory_desc, answers_what_it_is) {
    const memory::desc md({3, 20, 5}, data_type::bf16, tag::aBc16b);
    EXPECT_EQ(md.get_ndims(), 3);
    EXPECT_EQ(md.get_dims(), (memory::dims{3, 20, 5}));
    EXPECT_EQ(md.get_padded_dims(), (memory::dims{3, 32, 5}));
    EXPECT_EQ(md.get_strides(), (memory::dims{160, 80, 16}));
    EXPECT_EQ(md.get_inner_nblks(), 1);
    EXPECT_EQ(md.get_inner_blks(), memory::dims{16});
    EXPECT_EQ(md.get_inner_idxs(), memory::dims{1});
    EXPECT_EQ(md.get_data_type(), data_type::bf16);
    EXPECT_EQ(md.get_format_kind(), memory::format_kind::blocked);
    EXPECT_EQ(md.get_submemory_offset(), 0);
    EXPECT_EQ(md.get_size(), 960u);
    EXPECT_FALSE(md.is_zero());
    EXPECT_TRUE(memory::desc().is_zero());
    EXPECT_EQ(f32({4, 6}, tag::ab), memory::desc({4, 6}, data_type::f32, memory::dims{})); // row major
}

TEST(cpp_memory_desc, errors) {
    EXPECT_EQ(status_of([] { f32({4, 6}, tag::abc); }), jitnorm_invalid_arguments);
    EXPECT_EQ(status_of([] { memory::desc({4, 6}, data_type::f32, memory::dims{1}); }), jitnorm_invalid_arguments);
    EXPECT_FALSE(memory::desc({4, 6}, data_type::f32, tag::abc, true));
}

TEST(cpp_memory_desc, what_an_undecided_layout_has_not_is_empty) {
    const memory::desc any = f32({4, 6}, tag::any);
    for (const memory::dims &none : {any.get_strides(), any.get_inner_blks(), any.get_inner_idxs()})
        EXPECT_EQ(none, memory::dims());
    EXPECT_EQ(any.get_inner_nblks(), 0);
    EXPECT_EQ(any.get_dims(), (memory::dims{4, 6}));
}

TEST(cpp_attributes, come_out_as_they_went_in) {
    post_ops operations;
    operations.append_sum(0.5f, 3, data_type::s8);
    operations.append_eltwise(algorithm::eltwise_clip, -1.f, 1.f);
    operations.append_binary(algorithm::binary_mul, f32({1, 8}, tag::ab));
    primitive_attr attr;
    attr.set_post_ops(operations);
    attr.set_scratchpad_mode(scratchpad_mode::user);
    attr.set_scales_mask(JITNORM_ARG_SRC, 0);

    const post_ops kept = attr.get_post_ops();
    float scale, alpha, beta;
    int32_t zero_point;
    data_type type;
    algorithm alg;
    memory::desc src1;
    ASSERT_EQ(kept.len(), 3);
    EXPECT_EQ(kept.kind(1), primitive::kind::eltwise);
    kept.get_params_sum(0, scale, zero_point, type);
    EXPECT_EQ(scale, 0.5f);
    EXPECT_EQ(zero_point, 3);
    EXPECT_EQ(type, data_type::s8);
    kept.get_params_eltwise(1, alg, alpha, beta);
    EXPECT_EQ(alg, algorithm::eltwise_clip);
    EXPECT_EQ(alpha, -1.f);
    EXPECT_EQ(beta, 1.f);
    kept.get_params_binary(2, alg, src1);
    EXPECT_EQ(alg, algorithm::binary_mul);
    EXPECT_EQ(src1, f32({1, 8}, tag::ab));
    EXPECT_EQ(attr.get_scratchpad_mode(), scratchpad_mode::user);
    EXPECT_EQ(status_of([&] { kept.get_params_sum(1, scale, zero_point, type); }), jitnorm_invalid_arguments);
    EXPECT_EQ(status_of([&] { attr.set_scales_mask(JITNORM_ARG_SRC, -2); }), jitnorm_invalid_arguments);
}

TEST(cpp_primitive_desc, answers_what_it_is) {
    const memory::desc data = f32({2, 3, 8}, tag::bac);
    layer_normalization_forward::primitive_desc pd(cpu(), prop_kind::forward_training, data,
                                                   memory::desc({2, 3, 8}, data_type::bf16, tag::any), data_type::bf16,
                                                   0.5f, flags::use_scale | flags::rms_norm | flags::inverse_deviation);
    EXPECT_EQ(pd.get_prop_kind(), prop_kind::forward_training);
    EXPECT_EQ(pd.get_epsilon(), 0.5f);
    EXPECT_EQ(pd.get_flags(), flags::use_scale | flags::rms_norm | flags::inverse_deviation);
    EXPECT_EQ(pd.get_kind(), primitive::kind::layer_normalization);
    EXPECT_EQ(pd.get_engine().get(), cpu().get());
    EXPECT_EQ(pd.src_desc(), data);
    EXPECT_EQ(pd.dst_desc(), memory::desc({2, 3, 8}, data_type::bf16, tag::bac));
    EXPECT_EQ(pd.weights_desc(), memory::desc({8}, data_type::bf16, tag::a));
    EXPECT_EQ(pd.mean_desc(), f32({2, 3}, tag::ba)) << "which is not looked at";
    EXPECT_EQ(pd.variance_desc(), f32({2, 3}, tag::ba));
    EXPECT_EQ(pd.query_md(query::exec_arg_md, JITNORM_ARG_DST), pd.dst_desc());
    EXPECT_TRUE(pd.workspace_desc().is_zero());
    EXPECT_TRUE(pd.scratchpad_desc().is_zero());
    EXPECT_GT(std::strlen(pd.impl_info_str()), 0u);
    EXPECT_EQ(pd.get_primitive_attr().get_scratchpad_mode(), scratchpad_mode::library);
    EXPECT_EQ(status_of([&] { pd.query_md(query::flags); }), jitnorm_invalid_arguments);
    while (pd.next_impl()) {
    }
    EXPECT_STREQ(pd.impl_info_str(), "ref:any");
}

TEST(cpp_primitive_desc, backward) {
    const memory::desc data = f32({4, 8}, tag::ab), statistics = f32({4}, tag::a);
    const layer_normalization_forward::primitive_desc no_hint;
    const layer_normalization_backward::primitive_desc pd(cpu(), prop_kind::backward, data, data, data, statistics,
                                                          data_type::f16, data_type::bf16, 0.f, flags::use_shift,
                                                          no_hint);
    EXPECT_EQ(pd.diff_src_desc(), data);
    EXPECT_EQ(pd.diff_dst_desc(), data);
    EXPECT_EQ(pd.mean_desc(), statistics);
    EXPECT_EQ(pd.weights_desc(), memory::desc({8}, data_type::bf16, tag::a));
    EXPECT_EQ(pd.diff_weights_desc(), memory::desc({8}, data_type::f16, tag::a));
    EXPECT_TRUE(layer_normalization_backward(pd));
}

TEST(cpp_primitive_desc, errors) {
    const memory::desc data = f32({4, 8}, tag::ab), other = f32({4, 9}, tag::ab);
    using forward = layer_normalization_forward::primitive_desc;
    const auto make = [&](bool allow_empty) {
        return forward(cpu(), prop_kind::forward_inference, data, other, 0.f, flags::none, primitive_attr(),
                       allow_empty);
    };
    EXPECT_EQ(status_of([&] { make(false); }), jitnorm_invalid_arguments);
    EXPECT_FALSE(make(true));
    EXPECT_EQ(status_of([] { layer_normalization_forward{forward()}; }), jitnorm_invalid_arguments);
}

TEST(cpp_header, works_in_two_files) { EXPECT_EQ(forward_in_another_file(cpu()), 1); }

// Those that oneDNN does not have, and statuses; test_onednn_unqualified.cpp has the others.
TEST(cpp_service, functions) {
    EXPECT_EQ(version()->major, JITNORM_VERSION_MAJOR);
    const int capacity = get_primitive_cache_capacity();
    set_primitive_cache_capacity(7);
    EXPECT_EQ(get_primitive_cache_capacity(), 7);
    set_primitive_cache_capacity(capacity);
    EXPECT_EQ(set_verbose(3), status::invalid_arguments);
    EXPECT_EQ(set_implementation("none"), status::invalid_arguments);
    EXPECT_EQ(set_implementation(""), status::success);
    EXPECT_EQ(set_jit_profiling_flags(1), status::unimplemented);
    EXPECT_EQ(set_jit_dump_folder("/tmp"), status::success);
    EXPECT_EQ(free_thread_scratchpad(), status::success);
    EXPECT_EQ(set_max_cpu_isa(cpu_isa::sse41), status::success);
    EXPECT_EQ(set_max_cpu_isa(cpu_isa::isa_default), status::success);
}

} // namespace
