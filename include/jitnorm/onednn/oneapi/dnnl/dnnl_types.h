/* SPDX-License-Identifier: Apache-2.0 */
/* dnnl_types.h: oneDNN's names of the types, values and arguments in jitnorm_types.h. docs/porting.md says what each
 * name stands for and what is refused. */
#ifndef JITNORM_ONEDNN_TYPES_H
#define JITNORM_ONEDNN_TYPES_H

#include "dnnl_config.h"
#include "dnnl_version.h"
#include "jitnorm/jitnorm_types.h"

/* ---------------------------------------------------------------- types */

#define dnnl_status_t jitnorm_status_t
#define dnnl_data_type_t jitnorm_data_type_t
#define dnnl_format_kind_t jitnorm_format_kind_t
#define dnnl_format_tag_t jitnorm_format_tag_t
#define dnnl_prop_kind_t jitnorm_prop_kind_t
#define dnnl_primitive_kind_t jitnorm_primitive_kind_t
#define dnnl_normalization_flags_t jitnorm_normalization_flags_t
#define dnnl_alg_kind_t jitnorm_alg_kind_t
#define dnnl_engine_kind_t jitnorm_engine_kind_t
#define dnnl_stream_flags_t jitnorm_stream_flags_t
#define dnnl_scratchpad_mode_t jitnorm_scratchpad_mode_t
#define dnnl_fpmath_mode_t jitnorm_fpmath_mode_t
#define dnnl_accumulation_mode_t jitnorm_accumulation_mode_t
#define dnnl_rounding_mode_t jitnorm_rounding_mode_t
#define dnnl_quantization_mode_t jitnorm_quantization_mode_t
#define dnnl_cpu_isa_t jitnorm_cpu_isa_t
#define dnnl_cpu_isa_hints_t jitnorm_cpu_isa_hints_t
#define dnnl_query_t jitnorm_query_t
#define dnnl_exec_arg_t jitnorm_exec_arg_t
#define dnnl_dim_t jitnorm_dim_t
#define dnnl_dims_t jitnorm_dims_t
#define dnnl_engine_t jitnorm_engine_t
#define dnnl_stream_t jitnorm_stream_t
#define const_dnnl_stream_t const_jitnorm_stream_t
#define dnnl_memory_desc_t jitnorm_memory_desc_t
#define const_dnnl_memory_desc_t const_jitnorm_memory_desc_t
#define dnnl_memory_t jitnorm_memory_t
#define const_dnnl_memory_t const_jitnorm_memory_t
#define dnnl_primitive_attr_t jitnorm_primitive_attr_t
#define const_dnnl_primitive_attr_t const_jitnorm_primitive_attr_t
#define dnnl_post_ops_t jitnorm_post_ops_t
#define const_dnnl_post_ops_t const_jitnorm_post_ops_t
#define dnnl_primitive_desc_t jitnorm_primitive_desc_t
#define const_dnnl_primitive_desc_t const_jitnorm_primitive_desc_t
#define dnnl_primitive_t jitnorm_primitive_t
#define const_dnnl_primitive_t const_jitnorm_primitive_t

/* dnnl_status_t */
#define dnnl_success jitnorm_success
#define dnnl_out_of_memory jitnorm_out_of_memory
#define dnnl_invalid_arguments jitnorm_invalid_arguments
#define dnnl_unimplemented jitnorm_unimplemented
#define dnnl_last_impl_reached jitnorm_last_impl_reached
#define dnnl_runtime_error jitnorm_runtime_error
#define dnnl_not_required jitnorm_not_required
#define dnnl_invalid_graph jitnorm_invalid_graph
#define dnnl_invalid_graph_op jitnorm_invalid_graph_op
#define dnnl_invalid_shape jitnorm_invalid_shape
#define dnnl_invalid_data_type jitnorm_invalid_data_type

/* dnnl_data_type_t */
#define dnnl_data_type_undef jitnorm_data_type_undef
#define dnnl_f16 jitnorm_f16
#define dnnl_bf16 jitnorm_bf16
#define dnnl_f32 jitnorm_f32
#define dnnl_s32 jitnorm_s32
#define dnnl_s8 jitnorm_s8
#define dnnl_u8 jitnorm_u8
#define dnnl_f64 jitnorm_f64
#define dnnl_f8_e5m2 jitnorm_f8_e5m2
#define dnnl_f8_e4m3 jitnorm_f8_e4m3

/* dnnl_format_kind_t */
#define dnnl_format_kind_undef jitnorm_format_kind_undef
#define dnnl_format_kind_any jitnorm_format_kind_any
#define dnnl_blocked jitnorm_blocked
#define dnnl_format_kind_host_scalar jitnorm_format_kind_host_scalar

/* dnnl_format_tag_t */
#define dnnl_format_tag_undef jitnorm_format_tag_undef
#define dnnl_format_tag_any jitnorm_format_tag_any
#define dnnl_a jitnorm_a
#define dnnl_ab jitnorm_ab
#define dnnl_ba jitnorm_ba
#define dnnl_abc jitnorm_abc
#define dnnl_acb jitnorm_acb
#define dnnl_bac jitnorm_bac
#define dnnl_bca jitnorm_bca
#define dnnl_cab jitnorm_cab
#define dnnl_cba jitnorm_cba
#define dnnl_abcd jitnorm_abcd
#define dnnl_abdc jitnorm_abdc
#define dnnl_acbd jitnorm_acbd
#define dnnl_acdb jitnorm_acdb
#define dnnl_adbc jitnorm_adbc
#define dnnl_bacd jitnorm_bacd
#define dnnl_bcda jitnorm_bcda
#define dnnl_cdab jitnorm_cdab
#define dnnl_cdba jitnorm_cdba
#define dnnl_dabc jitnorm_dabc
#define dnnl_dcab jitnorm_dcab
#define dnnl_dcba jitnorm_dcba
#define dnnl_abcde jitnorm_abcde
#define dnnl_abced jitnorm_abced
#define dnnl_abdec jitnorm_abdec
#define dnnl_acbde jitnorm_acbde
#define dnnl_acdeb jitnorm_acdeb
#define dnnl_bacde jitnorm_bacde
#define dnnl_bcdea jitnorm_bcdea
#define dnnl_cdeba jitnorm_cdeba
#define dnnl_decab jitnorm_decab
#define dnnl_eabcd jitnorm_eabcd
#define dnnl_edcba jitnorm_edcba
#define dnnl_Ab4a jitnorm_Ab4a
#define dnnl_Ab8a jitnorm_Ab8a
#define dnnl_Ab16a jitnorm_Ab16a
#define dnnl_aB4b jitnorm_aB4b
#define dnnl_aB8b jitnorm_aB8b
#define dnnl_aB16b jitnorm_aB16b
#define dnnl_AB8b8a jitnorm_AB8b8a
#define dnnl_AB16b16a jitnorm_AB16b16a
#define dnnl_AB16b32a jitnorm_AB16b32a
#define dnnl_AB16b48a jitnorm_AB16b48a
#define dnnl_AB16b64a jitnorm_AB16b64a
#define dnnl_AB48a16b jitnorm_AB48a16b
#define dnnl_AB8a8b jitnorm_AB8a8b
#define dnnl_AB16a16b jitnorm_AB16a16b
#define dnnl_BA16a16b jitnorm_BA16a16b
#define dnnl_BA16a32b jitnorm_BA16a32b
#define dnnl_BA16a48b jitnorm_BA16a48b
#define dnnl_BA16a64b jitnorm_BA16a64b
#define dnnl_aBc4b jitnorm_aBc4b
#define dnnl_aBc8b jitnorm_aBc8b
#define dnnl_aBc16b jitnorm_aBc16b
#define dnnl_aBC8b8c jitnorm_aBC8b8c
#define dnnl_aBC16b16c jitnorm_aBC16b16c
#define dnnl_ABc16a16b jitnorm_ABc16a16b
#define dnnl_ABc16b16a jitnorm_ABc16b16a
#define dnnl_aBcd4b jitnorm_aBcd4b
#define dnnl_aBcd8b jitnorm_aBcd8b
#define dnnl_aBcd16b jitnorm_aBcd16b
#define dnnl_ABcd16a16b jitnorm_ABcd16a16b
#define dnnl_ABcd16b16a jitnorm_ABcd16b16a
#define dnnl_aBcde4b jitnorm_aBcde4b
#define dnnl_aBcde8b jitnorm_aBcde8b
#define dnnl_aBcde16b jitnorm_aBcde16b
#define dnnl_ABcde16a16b jitnorm_ABcde16a16b
#define dnnl_x jitnorm_x
#define dnnl_nc jitnorm_nc
#define dnnl_cn jitnorm_cn
#define dnnl_tn jitnorm_tn
#define dnnl_nt jitnorm_nt
#define dnnl_ncw jitnorm_ncw
#define dnnl_nwc jitnorm_nwc
#define dnnl_tnc jitnorm_tnc
#define dnnl_ntc jitnorm_ntc
#define dnnl_nchw jitnorm_nchw
#define dnnl_nhwc jitnorm_nhwc
#define dnnl_chwn jitnorm_chwn
#define dnnl_ldnc jitnorm_ldnc
#define dnnl_ncdhw jitnorm_ncdhw
#define dnnl_ndhwc jitnorm_ndhwc

/* dnnl_prop_kind_t */
#define dnnl_prop_kind_undef jitnorm_prop_kind_undef
#define dnnl_forward_training jitnorm_forward_training
#define dnnl_forward_inference jitnorm_forward_inference
#define dnnl_forward jitnorm_forward
#define dnnl_backward jitnorm_backward
#define dnnl_backward_data jitnorm_backward_data

/* dnnl_primitive_kind_t */
#define dnnl_undefined_primitive jitnorm_undefined_primitive
#define dnnl_sum jitnorm_sum
#define dnnl_eltwise jitnorm_eltwise
#define dnnl_binary jitnorm_binary
#define dnnl_prelu jitnorm_prelu
#define dnnl_layer_normalization jitnorm_layer_normalization

/* dnnl_normalization_flags_t */
#define dnnl_normalization_flags_none jitnorm_normalization_flags_none
#define dnnl_use_global_stats jitnorm_use_global_stats
#define dnnl_use_scale jitnorm_use_scale
#define dnnl_use_shift jitnorm_use_shift
#define dnnl_rms_norm jitnorm_rms_norm

/* dnnl_alg_kind_t */
#define dnnl_alg_kind_undef jitnorm_alg_kind_undef
#define dnnl_eltwise_relu jitnorm_eltwise_relu
#define dnnl_eltwise_tanh jitnorm_eltwise_tanh
#define dnnl_eltwise_elu jitnorm_eltwise_elu
#define dnnl_eltwise_square jitnorm_eltwise_square
#define dnnl_eltwise_abs jitnorm_eltwise_abs
#define dnnl_eltwise_sqrt jitnorm_eltwise_sqrt
#define dnnl_eltwise_linear jitnorm_eltwise_linear
#define dnnl_eltwise_soft_relu jitnorm_eltwise_soft_relu
#define dnnl_eltwise_hardsigmoid jitnorm_eltwise_hardsigmoid
#define dnnl_eltwise_logistic jitnorm_eltwise_logistic
#define dnnl_eltwise_exp jitnorm_eltwise_exp
#define dnnl_eltwise_gelu_tanh jitnorm_eltwise_gelu_tanh
#define dnnl_eltwise_swish jitnorm_eltwise_swish
#define dnnl_eltwise_log jitnorm_eltwise_log
#define dnnl_eltwise_clip jitnorm_eltwise_clip
#define dnnl_eltwise_clip_v2 jitnorm_eltwise_clip_v2
#define dnnl_eltwise_pow jitnorm_eltwise_pow
#define dnnl_eltwise_gelu_erf jitnorm_eltwise_gelu_erf
#define dnnl_eltwise_round jitnorm_eltwise_round
#define dnnl_eltwise_mish jitnorm_eltwise_mish
#define dnnl_eltwise_hardswish jitnorm_eltwise_hardswish
#define dnnl_binary_add jitnorm_binary_add
#define dnnl_binary_mul jitnorm_binary_mul
#define dnnl_binary_max jitnorm_binary_max
#define dnnl_binary_min jitnorm_binary_min
#define dnnl_binary_div jitnorm_binary_div
#define dnnl_binary_sub jitnorm_binary_sub
#define dnnl_binary_ge jitnorm_binary_ge
#define dnnl_binary_gt jitnorm_binary_gt
#define dnnl_binary_le jitnorm_binary_le
#define dnnl_binary_lt jitnorm_binary_lt
#define dnnl_binary_eq jitnorm_binary_eq
#define dnnl_binary_ne jitnorm_binary_ne

/* dnnl_engine_kind_t */
#define dnnl_any_engine jitnorm_any_engine
#define dnnl_cpu jitnorm_cpu
#define dnnl_gpu jitnorm_gpu

/* dnnl_stream_flags_t */
#define dnnl_stream_in_order jitnorm_stream_in_order
#define dnnl_stream_out_of_order jitnorm_stream_out_of_order
#define dnnl_stream_default_flags jitnorm_stream_default_flags

/* dnnl_scratchpad_mode_t */
#define dnnl_scratchpad_mode_library jitnorm_scratchpad_mode_library
#define dnnl_scratchpad_mode_user jitnorm_scratchpad_mode_user

/* dnnl_fpmath_mode_t */
#define dnnl_fpmath_mode_strict jitnorm_fpmath_mode_strict
#define dnnl_fpmath_mode_bf16 jitnorm_fpmath_mode_bf16
#define dnnl_fpmath_mode_f16 jitnorm_fpmath_mode_f16
#define dnnl_fpmath_mode_any jitnorm_fpmath_mode_any
#define dnnl_fpmath_mode_tf32 jitnorm_fpmath_mode_tf32

/* dnnl_accumulation_mode_t */
#define dnnl_accumulation_mode_strict jitnorm_accumulation_mode_strict
#define dnnl_accumulation_mode_relaxed jitnorm_accumulation_mode_relaxed
#define dnnl_accumulation_mode_any jitnorm_accumulation_mode_any
#define dnnl_accumulation_mode_s32 jitnorm_accumulation_mode_s32
#define dnnl_accumulation_mode_f32 jitnorm_accumulation_mode_f32
#define dnnl_accumulation_mode_f16 jitnorm_accumulation_mode_f16

/* dnnl_rounding_mode_t */
#define dnnl_rounding_mode_environment jitnorm_rounding_mode_environment
#define dnnl_rounding_mode_stochastic jitnorm_rounding_mode_stochastic

/* dnnl_quantization_mode_t */
#define dnnl_quantization_mode_undef jitnorm_quantization_mode_undef
#define dnnl_quantization_mode_static_sazp jitnorm_quantization_mode_static_sazp
#define dnnl_quantization_mode_dynamic_mx jitnorm_quantization_mode_dynamic_mx
#define dnnl_quantization_mode_dynamic_fp jitnorm_quantization_mode_dynamic_fp

/* dnnl_cpu_isa_t */
#define dnnl_cpu_isa_default jitnorm_cpu_isa_default
#define dnnl_cpu_isa_sse41 jitnorm_cpu_isa_sse41
#define dnnl_cpu_isa_avx jitnorm_cpu_isa_avx
#define dnnl_cpu_isa_avx2 jitnorm_cpu_isa_avx2
#define dnnl_cpu_isa_avx2_vnni jitnorm_cpu_isa_avx2_vnni
#define dnnl_cpu_isa_avx2_vnni_2 jitnorm_cpu_isa_avx2_vnni_2
#define dnnl_cpu_isa_avx512_core jitnorm_cpu_isa_avx512_core
#define dnnl_cpu_isa_avx512_core_vnni jitnorm_cpu_isa_avx512_core_vnni
#define dnnl_cpu_isa_avx512_core_bf16 jitnorm_cpu_isa_avx512_core_bf16
#define dnnl_cpu_isa_avx10_1_512 jitnorm_cpu_isa_avx10_1_512
#define dnnl_cpu_isa_avx512_core_fp16 jitnorm_cpu_isa_avx512_core_fp16
#define dnnl_cpu_isa_avx10_1_512_amx jitnorm_cpu_isa_avx10_1_512_amx
#define dnnl_cpu_isa_avx512_core_amx jitnorm_cpu_isa_avx512_core_amx
#define dnnl_cpu_isa_avx10_1_512_amx_fp16 jitnorm_cpu_isa_avx10_1_512_amx_fp16
#define dnnl_cpu_isa_avx512_core_amx_fp16 jitnorm_cpu_isa_avx512_core_amx_fp16

/* dnnl_cpu_isa_hints_t */
#define dnnl_cpu_isa_no_hints jitnorm_cpu_isa_no_hints
#define dnnl_cpu_isa_prefer_ymm jitnorm_cpu_isa_prefer_ymm

/* dnnl_query_t */
#define dnnl_query_undef jitnorm_query_undef
#define dnnl_query_engine jitnorm_query_engine
#define dnnl_query_primitive_kind jitnorm_query_primitive_kind
#define dnnl_query_num_of_inputs_s32 jitnorm_query_num_of_inputs_s32
#define dnnl_query_num_of_outputs_s32 jitnorm_query_num_of_outputs_s32
#define dnnl_query_time_estimate_f64 jitnorm_query_time_estimate_f64
#define dnnl_query_memory_consumption_s64 jitnorm_query_memory_consumption_s64
#define dnnl_query_scratchpad_engine jitnorm_query_scratchpad_engine
#define dnnl_query_impl_info_str jitnorm_query_impl_info_str
#define dnnl_query_prop_kind jitnorm_query_prop_kind
#define dnnl_query_cache_blob_id_size_s64 jitnorm_query_cache_blob_id_size_s64
#define dnnl_query_cache_blob_id jitnorm_query_cache_blob_id
#define dnnl_query_epsilon_f32 jitnorm_query_epsilon_f32
#define dnnl_query_flags jitnorm_query_flags
#define dnnl_query_some_md jitnorm_query_some_md
#define dnnl_query_src_md jitnorm_query_src_md
#define dnnl_query_diff_src_md jitnorm_query_diff_src_md
#define dnnl_query_weights_md jitnorm_query_weights_md
#define dnnl_query_diff_weights_md jitnorm_query_diff_weights_md
#define dnnl_query_dst_md jitnorm_query_dst_md
#define dnnl_query_diff_dst_md jitnorm_query_diff_dst_md
#define dnnl_query_workspace_md jitnorm_query_workspace_md
#define dnnl_query_scratchpad_md jitnorm_query_scratchpad_md
#define dnnl_query_exec_arg_md jitnorm_query_exec_arg_md
#define dnnl_query_ndims_s32 jitnorm_query_ndims_s32
#define dnnl_query_dims jitnorm_query_dims
#define dnnl_query_data_type jitnorm_query_data_type
#define dnnl_query_submemory_offset_s64 jitnorm_query_submemory_offset_s64
#define dnnl_query_padded_dims jitnorm_query_padded_dims
#define dnnl_query_padded_offsets jitnorm_query_padded_offsets
#define dnnl_query_format_kind jitnorm_query_format_kind
#define dnnl_query_strides jitnorm_query_strides
#define dnnl_query_inner_nblks_s32 jitnorm_query_inner_nblks_s32
#define dnnl_query_inner_blks jitnorm_query_inner_blks
#define dnnl_query_inner_idxs jitnorm_query_inner_idxs

/* ---------------------------------------------------------------- numbers */

#define DNNL_MAX_NDIMS JITNORM_MAX_NDIMS
#define DNNL_RUNTIME_DIM_VAL JITNORM_RUNTIME_DIM_VAL
#define DNNL_RUNTIME_SIZE_VAL JITNORM_RUNTIME_SIZE_VAL
#define DNNL_RUNTIME_S32_VAL INT32_MIN
#define DNNL_MEMORY_NONE JITNORM_MEMORY_NONE
#define DNNL_MEMORY_ALLOCATE JITNORM_MEMORY_ALLOCATE
#define DNNL_JIT_PROFILE_NONE JITNORM_JIT_PROFILE_NONE
#define DNNL_JIT_PROFILE_LINUX_PERFMAP JITNORM_JIT_PROFILE_LINUX_PERFMAP
#define DNNL_JIT_PROFILE_LINUX_JITDUMP JITNORM_JIT_PROFILE_LINUX_JITDUMP
#define DNNL_JIT_PROFILE_LINUX_PERF JITNORM_JIT_PROFILE_LINUX_PERF
#define DNNL_ARG_SRC JITNORM_ARG_SRC
#define DNNL_ARG_SRC_1 JITNORM_ARG_SRC_1
#define DNNL_ARG_SRC_2 JITNORM_ARG_SRC_2
#define DNNL_ARG_DST JITNORM_ARG_DST
#define DNNL_ARG_DST_1 JITNORM_ARG_DST_1
#define DNNL_ARG_DST_2 JITNORM_ARG_DST_2
#define DNNL_ARG_BIAS JITNORM_ARG_BIAS
#define DNNL_ARG_MEAN JITNORM_ARG_MEAN
#define DNNL_ARG_VARIANCE JITNORM_ARG_VARIANCE
#define DNNL_ARG_SCALE JITNORM_ARG_SCALE
#define DNNL_ARG_SHIFT JITNORM_ARG_SHIFT
#define DNNL_ARG_ROW_SUMS JITNORM_ARG_ROW_SUMS
#define DNNL_ARG_WORKSPACE JITNORM_ARG_WORKSPACE
#define DNNL_ARG_SCRATCHPAD JITNORM_ARG_SCRATCHPAD
#define DNNL_ARG_DIFF_SRC JITNORM_ARG_DIFF_SRC
#define DNNL_ARG_DIFF_SRC_1 JITNORM_ARG_DIFF_SRC_1
#define DNNL_ARG_DIFF_SRC_2 JITNORM_ARG_DIFF_SRC_2
#define DNNL_ARG_DIFF_DST JITNORM_ARG_DIFF_DST
#define DNNL_ARG_DIFF_DST_1 JITNORM_ARG_DIFF_DST_1
#define DNNL_ARG_DIFF_SCALE JITNORM_ARG_DIFF_SCALE
#define DNNL_ARG_DIFF_SHIFT JITNORM_ARG_DIFF_SHIFT
#define DNNL_ARG_ATTR_SCALES JITNORM_ARG_ATTR_SCALES
#define DNNL_ARG_ATTR_ZERO_POINTS JITNORM_ARG_ATTR_ZERO_POINTS
#define DNNL_ARG_ATTR_MULTIPLE_POST_OP_BASE JITNORM_ARG_ATTR_MULTIPLE_POST_OP_BASE
#define DNNL_ARG_ATTR_MULTIPLE_POST_OP(index) JITNORM_ARG_ATTR_MULTIPLE_POST_OP(index)

/* Arguments of other operations. An execution of a layer normalization takes none of them. */
#define DNNL_ARG_SRC_0 DNNL_ARG_SRC
#define DNNL_ARG_FROM DNNL_ARG_SRC
#define DNNL_ARG_DST_0 DNNL_ARG_DST
#define DNNL_ARG_TO DNNL_ARG_DST
#define DNNL_ARG_WEIGHTS_0 33
#define DNNL_ARG_WEIGHTS DNNL_ARG_WEIGHTS_0
#define DNNL_ARG_DIFF_SRC_0 DNNL_ARG_DIFF_SRC
#define DNNL_ARG_DIFF_DST_0 DNNL_ARG_DIFF_DST
#define DNNL_ARG_DIFF_WEIGHTS_0 161
#define DNNL_ARG_DIFF_WEIGHTS DNNL_ARG_DIFF_WEIGHTS_0
#define DNNL_ARG_DIFF_BIAS 169
#define DNNL_ARG_ATTR_ROUNDING_SEED 508

/* Types of scales that layer normalization does not take. */
#define dnnl_e8m0 ((dnnl_data_type_t)13)

/* Profilers that this library does not support. */
#define DNNL_JIT_PROFILE_VTUNE 1u
#define DNNL_JIT_PROFILE_LINUX_JITDUMP_USE_TSC 8u

/* The version of oneDNN whose interface this is, and the kind of threads in this build. */
typedef struct {
    int major;
    int minor;
    int patch;
    const char *hash;     /* DNNL_VERSION_HASH */
    unsigned cpu_runtime; /* DNNL_RUNTIME_* */
    unsigned gpu_runtime; /* DNNL_RUNTIME_NONE */
} dnnl_version_t;

#endif
