// SPDX-License-Identifier: Apache-2.0
// Every function of the C interface that takes pointers refuses null in the place of each; what may be null is null
// here. Those for descriptors that attributes have are in test_tensor_attributes.cpp.
#include "support/execution.hpp"
#include "support/null_pointers.hpp"

using namespace jitnorm::tests;

namespace {

#define REFUSES_NULL(function, ...)                                                                                    \
    expect_refused_when_null(#function, jitnorm_invalid_arguments, function, __VA_ARGS__)

struct null_pointers : testing::Test {
    owned_md data = make_md({3, 8}, jitnorm_f32), result;
    owned_attr attr = make_attr(), copied_attr;
    owned_post_ops post_ops = make_post_ops(), copied_post_ops;
    owned_stream stream = make_stream(), made_stream;
    owned_memory memory = make_memory(data, nullptr), made_memory;
    owned_pd pd = forward_request{jitnorm_forward_training, data, data}.make(), made_pd;
    owned_primitive primitive = make_primitive(pd), made;
    dims sizes = {3, 8};
    float number = 0;
    int integer = 0;
    void *pointer = &number;
    const_jitnorm_memory_desc_t md = nullptr;
    jitnorm_engine_t engine = cpu();
};

TEST_F(null_pointers, of_engines_and_streams) {
    const jitnorm_thread_pool_t pool = {nullptr, nullptr, 1};
    jitnorm_engine_kind_t kind;
    REFUSES_NULL(jitnorm_engine_create, &engine, jitnorm_cpu, 0);
    REFUSES_NULL(jitnorm_engine_get_kind, engine, &kind);
    REFUSES_NULL(jitnorm_stream_create, &made_stream, engine, 1U);
    REFUSES_NULL(jitnorm_stream_create_with_thread_pool, &made_stream, engine, 1U, &pool);
    REFUSES_NULL(jitnorm_stream_create_with_thread_pool_of_size, &made_stream, engine, 1U, &pool, sizeof(pool));
    REFUSES_NULL(jitnorm_stream_get_engine, stream, &engine);
    REFUSES_NULL(jitnorm_stream_wait, stream);
}

TEST_F(null_pointers, of_memory_descriptors) {
    const int permutation[] = {1, 0};
    REFUSES_NULL(jitnorm_memory_desc_create_with_tag, &result, 2, sizes.data(), jitnorm_f32, jitnorm_ab);
    REFUSES_NULL(jitnorm_memory_desc_create_with_strides, &result, 2, sizes.data(), jitnorm_f32, nullptr);
    REFUSES_NULL(jitnorm_memory_desc_create_host_scalar, &result, jitnorm_f32);
    REFUSES_NULL(jitnorm_memory_desc_create_submemory, &result, data, sizes.data(), sizes.data());
    REFUSES_NULL(jitnorm_memory_desc_reshape, &result, data, 2, sizes.data());
    REFUSES_NULL(jitnorm_memory_desc_permute_axes, &result, data, permutation);
    REFUSES_NULL(jitnorm_memory_desc_clone, &result, data);
    REFUSES_NULL(jitnorm_memory_desc_query, data, jitnorm_query_ndims_s32, &integer);
    REFUSES_NULL(jitnorm_memory_desc_query_v2, data, jitnorm_query_ndims_s32, 0, &integer);
}

TEST_F(null_pointers, of_memories) {
    owned_md host;
    ASSERT_OK(jitnorm_memory_desc_create_host_scalar(&host, jitnorm_f32));
    owned_memory scalar;
    ASSERT_OK(jitnorm_memory_create_host_scalar(&scalar, host, &number));
    REFUSES_NULL(jitnorm_memory_create_host_scalar, &made_memory, host, &number);
    REFUSES_NULL(jitnorm_memory_get_host_scalar_value, scalar, &number);
    REFUSES_NULL(jitnorm_memory_set_host_scalar_value, scalar, &number);
    REFUSES_NULL(jitnorm_memory_create, &made_memory, nullptr, engine, nullptr);
    REFUSES_NULL(jitnorm_memory_create_v2, &made_memory, nullptr, engine, 1, &pointer);
    REFUSES_NULL(jitnorm_memory_get_memory_desc, memory, &md);
    REFUSES_NULL(jitnorm_memory_get_engine, memory, &engine);
    REFUSES_NULL(jitnorm_memory_get_data_handle, memory, &pointer);
    REFUSES_NULL(jitnorm_memory_get_data_handle_v2, memory, &pointer, 0);
    REFUSES_NULL(jitnorm_memory_set_data_handle, memory, nullptr);
    REFUSES_NULL(jitnorm_memory_set_data_handle_v2, memory, nullptr, 0);
    REFUSES_NULL(jitnorm_memory_map_data, memory, &pointer);
    REFUSES_NULL(jitnorm_memory_map_data_v2, memory, &pointer, 0);
    REFUSES_NULL(jitnorm_memory_unmap_data, memory, nullptr);
    REFUSES_NULL(jitnorm_memory_unmap_data_v2, memory, nullptr, 0);
}

TEST_F(null_pointers, of_attributes) {
    jitnorm_scratchpad_mode_t scratchpad;
    jitnorm_fpmath_mode_t fpmath;
    jitnorm_accumulation_mode_t accumulation;
    jitnorm_rounding_mode_t rounding;
    const_jitnorm_post_ops_t kept;
    double epsilon;
    REFUSES_NULL(jitnorm_primitive_attr_create, &copied_attr);
    REFUSES_NULL(jitnorm_primitive_attr_clone, &copied_attr, attr);
    REFUSES_NULL(jitnorm_primitive_attr_get_scratchpad_mode, attr, &scratchpad);
    REFUSES_NULL(jitnorm_primitive_attr_set_scratchpad_mode, attr, jitnorm_scratchpad_mode_user);
    REFUSES_NULL(jitnorm_primitive_attr_set_residual, attr, data, nullptr, jitnorm_data_type_undef, 0U);
    REFUSES_NULL(jitnorm_primitive_attr_set_epsilon, attr, 1.0);
    REFUSES_NULL(jitnorm_primitive_attr_get_epsilon, attr, &epsilon);
    REFUSES_NULL(jitnorm_primitive_attr_set_scales_mask, attr, JITNORM_ARG_SRC, 0);
    REFUSES_NULL(jitnorm_primitive_attr_set_scales, attr, JITNORM_ARG_SRC, 0, 0, nullptr, jitnorm_f32);
    REFUSES_NULL(jitnorm_primitive_attr_set_scales_v2, attr, JITNORM_ARG_SRC, 0, 0, nullptr, jitnorm_f32, 0);
    REFUSES_NULL(jitnorm_primitive_attr_set_scales_v3, attr, JITNORM_ARG_SRC, 3, 2, sizes.data(), jitnorm_f32, 0,
                 jitnorm_quantization_mode_static_sazp);
    REFUSES_NULL(jitnorm_primitive_attr_set_zero_points_mask, attr, JITNORM_ARG_SRC, 0);
    REFUSES_NULL(jitnorm_primitive_attr_set_zero_points, attr, JITNORM_ARG_SRC, 0, 0, nullptr, jitnorm_s32);
    REFUSES_NULL(jitnorm_primitive_attr_set_zero_points_v2, attr, JITNORM_ARG_SRC, 0, 0, nullptr, jitnorm_s32, 0);
    REFUSES_NULL(jitnorm_primitive_attr_get_deterministic, attr, &integer);
    REFUSES_NULL(jitnorm_primitive_attr_set_deterministic, attr, 1);
    REFUSES_NULL(jitnorm_primitive_attr_get_fpmath_mode, attr, &fpmath);
    REFUSES_NULL(jitnorm_primitive_attr_set_fpmath_mode, attr, jitnorm_fpmath_mode_any);
    REFUSES_NULL(jitnorm_primitive_attr_get_fpmath_mode_v2, attr, nullptr, nullptr);
    REFUSES_NULL(jitnorm_primitive_attr_set_fpmath_mode_v2, attr, jitnorm_fpmath_mode_any, 0);
    REFUSES_NULL(jitnorm_primitive_attr_get_accumulation_mode, attr, &accumulation);
    REFUSES_NULL(jitnorm_primitive_attr_set_accumulation_mode, attr, jitnorm_accumulation_mode_any);
    REFUSES_NULL(jitnorm_primitive_attr_get_rounding, attr, JITNORM_ARG_DST, &rounding);
    REFUSES_NULL(jitnorm_primitive_attr_set_rounding, attr, JITNORM_ARG_DST, jitnorm_rounding_mode_environment);
    REFUSES_NULL(jitnorm_primitive_attr_get_post_ops, attr, &kept);
    REFUSES_NULL(jitnorm_primitive_attr_set_post_ops, attr, post_ops);
    REFUSES_NULL(jitnorm_get_default_fpmath_mode, &fpmath);
}

TEST_F(null_pointers, of_post_ops) {
    REFUSES_NULL(jitnorm_post_ops_create, &copied_post_ops);
    REFUSES_NULL(jitnorm_post_ops_clone, &copied_post_ops, post_ops);
    REFUSES_NULL(jitnorm_post_ops_append_sum, post_ops, 1.F, 0, jitnorm_f32);
    REFUSES_NULL(jitnorm_post_ops_get_params_sum, post_ops, 0, nullptr, nullptr, nullptr);
    REFUSES_NULL(jitnorm_post_ops_append_eltwise, post_ops, jitnorm_eltwise_abs, 0.F, 0.F);
    REFUSES_NULL(jitnorm_post_ops_get_params_eltwise, post_ops, 0, nullptr, nullptr, nullptr);
    REFUSES_NULL(jitnorm_post_ops_append_binary, post_ops, jitnorm_binary_add, data);
    REFUSES_NULL(jitnorm_post_ops_get_params_binary, post_ops, 0, nullptr, nullptr);
    REFUSES_NULL(jitnorm_post_ops_append_binary_v2, post_ops, jitnorm_binary_add, data, nullptr);
    REFUSES_NULL(jitnorm_post_ops_get_params_binary_v2, post_ops, 0, nullptr, nullptr, nullptr);
    REFUSES_NULL(jitnorm_post_ops_append_prelu, post_ops, 0);
    REFUSES_NULL(jitnorm_post_ops_get_params_prelu, post_ops, 0, &integer);
    EXPECT_EQ(jitnorm_post_ops_len(nullptr), 0);
    EXPECT_EQ(jitnorm_post_ops_get_kind(nullptr, 0), jitnorm_undefined_primitive);
}

TEST_F(null_pointers, of_primitive_descriptors) {
    const_jitnorm_primitive_attr_t kept;
    REFUSES_NULL(jitnorm_layer_normalization_forward_primitive_desc_create, &made_pd, engine, jitnorm_forward_training,
                 data, data, nullptr, 0.F, 0U, nullptr);
    REFUSES_NULL(jitnorm_layer_normalization_forward_primitive_desc_create_v2, &made_pd, engine,
                 jitnorm_forward_training, data, data, nullptr, jitnorm_f32, 0.F, 0U, nullptr);
    REFUSES_NULL(jitnorm_layer_normalization_backward_primitive_desc_create, &made_pd, engine, jitnorm_backward, data,
                 data, data, nullptr, 0.F, 0U, nullptr, nullptr);
    REFUSES_NULL(jitnorm_layer_normalization_backward_primitive_desc_create_v2, &made_pd, engine, jitnorm_backward,
                 data, data, data, nullptr, jitnorm_f32, jitnorm_f32, 0.F, 0U, nullptr, nullptr);
    REFUSES_NULL(jitnorm_layer_normalization_partial_backward_primitive_desc_create, &made_pd, engine, data, data, data,
                 nullptr, jitnorm_f32, 0.F, 0U, 0, 32, nullptr);
    REFUSES_NULL(jitnorm_layer_normalization_partial_statistics_primitive_desc_create, &made_pd, engine, data, 0U, 0, 8,
                 nullptr);
    REFUSES_NULL(jitnorm_layer_normalization_partial_forward_primitive_desc_create, &made_pd, engine,
                 jitnorm_forward_inference, data, data, nullptr, jitnorm_f32, 0.F, 0U, 0, 8, nullptr);
    REFUSES_NULL(jitnorm_primitive_desc_next_impl, pd);
    REFUSES_NULL(jitnorm_primitive_desc_clone, &made_pd, pd);
    REFUSES_NULL(jitnorm_primitive_desc_get_attr, pd, &kept);
    REFUSES_NULL(jitnorm_primitive_desc_query, pd, jitnorm_query_prop_kind, 0, &integer);
    EXPECT_EQ(jitnorm_primitive_desc_query_md(nullptr, jitnorm_query_src_md, 0), nullptr);
    EXPECT_EQ(jitnorm_primitive_desc_query_s32(nullptr, jitnorm_query_num_of_inputs_s32, 0), 0);
}

TEST_F(null_pointers, of_primitives_and_the_process) {
    execution run(pd);
    const auto args = run.args();
    const_jitnorm_primitive_desc_t described;
    size_t size = 0;
    REFUSES_NULL(jitnorm_primitive_create, &made, pd);
    REFUSES_NULL(jitnorm_primitive_get_cache_blob, primitive, &size, nullptr);
    REFUSES_NULL(jitnorm_primitive_create_from_cache_blob, &made, pd, 0, nullptr);
    REFUSES_NULL(jitnorm_primitive_execute, primitive, stream, int(args.size()), args.data());
    REFUSES_NULL(jitnorm_primitive_get_primitive_desc, primitive, &described);
    REFUSES_NULL(jitnorm_get_primitive_cache_capacity, &integer);
    REFUSES_NULL(jitnorm_layer_normalization_row_block, &sizes[0], 128, 768);
    EXPECT_TRUE(run.is_untouched());
}

TEST(destroy, null_is_fine) {
    EXPECT_OK(jitnorm_engine_destroy(nullptr));
    EXPECT_OK(jitnorm_stream_destroy(nullptr));
    EXPECT_OK(jitnorm_memory_desc_destroy(nullptr));
    EXPECT_OK(jitnorm_memory_destroy(nullptr));
    EXPECT_OK(jitnorm_primitive_attr_destroy(nullptr));
    EXPECT_OK(jitnorm_post_ops_destroy(nullptr));
    EXPECT_OK(jitnorm_primitive_desc_destroy(nullptr));
    EXPECT_OK(jitnorm_primitive_destroy(nullptr));
}

} // namespace
