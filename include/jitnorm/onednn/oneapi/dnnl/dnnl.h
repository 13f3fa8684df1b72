/* SPDX-License-Identifier: Apache-2.0 */
/* dnnl.h: oneDNN's C interface for layer normalization, for programs written for oneDNN. Each name is jitnorm's with
 * another prefix. docs/porting.md lists the names and what is refused. Link with jitnorm::onednn. */
#ifndef JITNORM_ONEDNN_H
#define JITNORM_ONEDNN_H

#include "dnnl_debug.h"
#include "dnnl_types.h"
#include "jitnorm/jitnorm.h"

/* jitnorm_memory.h */
#define dnnl_engine_get_count jitnorm_engine_get_count
#define dnnl_engine_create jitnorm_engine_create
#define dnnl_engine_get_kind jitnorm_engine_get_kind
#define dnnl_engine_destroy jitnorm_engine_destroy
#define dnnl_stream_create jitnorm_stream_create
#define dnnl_stream_get_engine jitnorm_stream_get_engine
#define dnnl_stream_wait jitnorm_stream_wait
#define dnnl_stream_destroy jitnorm_stream_destroy
#define dnnl_memory_desc_create_with_tag jitnorm_memory_desc_create_with_tag
#define dnnl_memory_desc_create_with_strides jitnorm_memory_desc_create_with_strides
#define dnnl_memory_desc_create_host_scalar jitnorm_memory_desc_create_host_scalar
#define dnnl_memory_desc_create_submemory jitnorm_memory_desc_create_submemory
#define dnnl_memory_desc_reshape jitnorm_memory_desc_reshape
#define dnnl_memory_desc_permute_axes jitnorm_memory_desc_permute_axes
#define dnnl_memory_desc_clone jitnorm_memory_desc_clone
#define dnnl_memory_desc_destroy jitnorm_memory_desc_destroy
#define dnnl_memory_desc_query jitnorm_memory_desc_query
#define dnnl_memory_desc_equal jitnorm_memory_desc_equal
#define dnnl_memory_desc_get_size jitnorm_memory_desc_get_size
#define dnnl_memory_desc_get_size_v2 jitnorm_memory_desc_get_size_v2
#define dnnl_data_type_size jitnorm_data_type_size
#define dnnl_memory_create jitnorm_memory_create
#define dnnl_memory_create_v2 jitnorm_memory_create_v2
#define dnnl_memory_create_host_scalar jitnorm_memory_create_host_scalar
#define dnnl_memory_get_host_scalar_value jitnorm_memory_get_host_scalar_value
#define dnnl_memory_set_host_scalar_value jitnorm_memory_set_host_scalar_value
#define dnnl_memory_get_memory_desc jitnorm_memory_get_memory_desc
#define dnnl_memory_get_engine jitnorm_memory_get_engine
#define dnnl_memory_get_data_handle jitnorm_memory_get_data_handle
#define dnnl_memory_get_data_handle_v2 jitnorm_memory_get_data_handle_v2
#define dnnl_memory_set_data_handle jitnorm_memory_set_data_handle
#define dnnl_memory_set_data_handle_v2 jitnorm_memory_set_data_handle_v2
#define dnnl_memory_map_data jitnorm_memory_map_data
#define dnnl_memory_map_data_v2 jitnorm_memory_map_data_v2
#define dnnl_memory_unmap_data jitnorm_memory_unmap_data
#define dnnl_memory_unmap_data_v2 jitnorm_memory_unmap_data_v2
#define dnnl_memory_destroy jitnorm_memory_destroy

/* jitnorm_attr.h */
#define dnnl_primitive_attr_create jitnorm_primitive_attr_create
#define dnnl_primitive_attr_clone jitnorm_primitive_attr_clone
#define dnnl_primitive_attr_destroy jitnorm_primitive_attr_destroy
#define dnnl_primitive_attr_get_scratchpad_mode jitnorm_primitive_attr_get_scratchpad_mode
#define dnnl_primitive_attr_set_scratchpad_mode jitnorm_primitive_attr_set_scratchpad_mode
#define dnnl_primitive_attr_set_scales_mask jitnorm_primitive_attr_set_scales_mask
#define dnnl_primitive_attr_set_scales jitnorm_primitive_attr_set_scales
#define dnnl_primitive_attr_set_scales_v2 jitnorm_primitive_attr_set_scales_v2
#define dnnl_primitive_attr_set_scales_v3 jitnorm_primitive_attr_set_scales_v3
#define dnnl_primitive_attr_set_zero_points_mask jitnorm_primitive_attr_set_zero_points_mask
#define dnnl_primitive_attr_set_zero_points jitnorm_primitive_attr_set_zero_points
#define dnnl_primitive_attr_set_zero_points_v2 jitnorm_primitive_attr_set_zero_points_v2
#define dnnl_primitive_attr_get_deterministic jitnorm_primitive_attr_get_deterministic
#define dnnl_primitive_attr_set_deterministic jitnorm_primitive_attr_set_deterministic
#define dnnl_primitive_attr_get_fpmath_mode jitnorm_primitive_attr_get_fpmath_mode
#define dnnl_primitive_attr_set_fpmath_mode jitnorm_primitive_attr_set_fpmath_mode
#define dnnl_primitive_attr_get_fpmath_mode_v2 jitnorm_primitive_attr_get_fpmath_mode_v2
#define dnnl_primitive_attr_set_fpmath_mode_v2 jitnorm_primitive_attr_set_fpmath_mode_v2
#define dnnl_primitive_attr_get_accumulation_mode jitnorm_primitive_attr_get_accumulation_mode
#define dnnl_primitive_attr_set_accumulation_mode jitnorm_primitive_attr_set_accumulation_mode
#define dnnl_primitive_attr_get_rounding jitnorm_primitive_attr_get_rounding
#define dnnl_primitive_attr_set_rounding jitnorm_primitive_attr_set_rounding
#define dnnl_primitive_attr_get_post_ops jitnorm_primitive_attr_get_post_ops
#define dnnl_primitive_attr_set_post_ops jitnorm_primitive_attr_set_post_ops
#define dnnl_post_ops_create jitnorm_post_ops_create
#define dnnl_post_ops_clone jitnorm_post_ops_clone
#define dnnl_post_ops_destroy jitnorm_post_ops_destroy
#define dnnl_post_ops_len jitnorm_post_ops_len
#define dnnl_post_ops_get_kind jitnorm_post_ops_get_kind
#define dnnl_post_ops_append_sum jitnorm_post_ops_append_sum
#define dnnl_post_ops_get_params_sum jitnorm_post_ops_get_params_sum
#define dnnl_post_ops_append_eltwise jitnorm_post_ops_append_eltwise
#define dnnl_post_ops_get_params_eltwise jitnorm_post_ops_get_params_eltwise
#define dnnl_post_ops_append_binary jitnorm_post_ops_append_binary
#define dnnl_post_ops_get_params_binary jitnorm_post_ops_get_params_binary
#define dnnl_post_ops_append_prelu jitnorm_post_ops_append_prelu
#define dnnl_post_ops_get_params_prelu jitnorm_post_ops_get_params_prelu

/* jitnorm.h */
#define dnnl_layer_normalization_forward_primitive_desc_create jitnorm_layer_normalization_forward_primitive_desc_create
#define dnnl_layer_normalization_forward_primitive_desc_create_v2                                                      \
    jitnorm_layer_normalization_forward_primitive_desc_create_v2
#define dnnl_layer_normalization_backward_primitive_desc_create                                                        \
    jitnorm_layer_normalization_backward_primitive_desc_create
#define dnnl_layer_normalization_backward_primitive_desc_create_v2                                                     \
    jitnorm_layer_normalization_backward_primitive_desc_create_v2
#define dnnl_primitive_desc_next_impl jitnorm_primitive_desc_next_impl
#define dnnl_primitive_desc_clone jitnorm_primitive_desc_clone
#define dnnl_primitive_desc_get_attr jitnorm_primitive_desc_get_attr
#define dnnl_primitive_desc_destroy jitnorm_primitive_desc_destroy
#define dnnl_primitive_desc_query jitnorm_primitive_desc_query
#define dnnl_primitive_desc_query_md jitnorm_primitive_desc_query_md
#define dnnl_primitive_desc_query_s32 jitnorm_primitive_desc_query_s32
#define dnnl_primitive_create jitnorm_primitive_create
#define dnnl_primitive_get_cache_blob jitnorm_primitive_get_cache_blob
#define dnnl_primitive_create_from_cache_blob jitnorm_primitive_create_from_cache_blob
#define dnnl_primitive_execute jitnorm_primitive_execute
#define dnnl_primitive_get_primitive_desc jitnorm_primitive_get_primitive_desc
#define dnnl_primitive_destroy jitnorm_primitive_destroy
#define dnnl_set_verbose jitnorm_set_verbose
#define dnnl_set_max_cpu_isa jitnorm_set_max_cpu_isa
#define dnnl_get_effective_cpu_isa jitnorm_get_effective_cpu_isa
#define dnnl_set_cpu_isa_hints jitnorm_set_cpu_isa_hints
#define dnnl_get_cpu_isa_hints jitnorm_get_cpu_isa_hints
#define dnnl_set_default_fpmath_mode jitnorm_set_default_fpmath_mode
#define dnnl_get_default_fpmath_mode jitnorm_get_default_fpmath_mode
#define dnnl_set_jit_profiling_flags jitnorm_set_jit_profiling_flags
#define dnnl_set_jit_profiling_jitdumpdir jitnorm_set_jit_dump_folder
#define dnnl_set_jit_dump jitnorm_set_jit_dump
#define dnnl_get_primitive_cache_capacity jitnorm_get_primitive_cache_capacity
#define dnnl_set_primitive_cache_capacity jitnorm_set_primitive_cache_capacity

/* The version of oneDNN whose interface this is. jitnorm_version() tells the version of this library. */
static inline const dnnl_version_t *dnnl_version(void) {
    static const dnnl_version_t VERSION = {DNNL_VERSION_MAJOR, DNNL_VERSION_MINOR, DNNL_VERSION_PATCH,
                                           DNNL_VERSION_HASH,  DNNL_CPU_RUNTIME,   DNNL_GPU_RUNTIME};
    return &VERSION;
}

#endif
