/* SPDX-License-Identifier: Apache-2.0 */
/* The numbers of the interface, written out here or in tables/: where oneDNN has the notion, they are those of its
 * dnnl_types.h. Format tags are this library's own. A value that moves breaks every compiled program. */
#include "jitnorm/jitnorm.h"

#define IS(value, number) _Static_assert((value) == (number), #value)

IS(jitnorm_success, 0);
IS(jitnorm_out_of_memory, 1);
IS(jitnorm_invalid_arguments, 2);
IS(jitnorm_unimplemented, 3);
IS(jitnorm_last_impl_reached, 4);
IS(jitnorm_runtime_error, 5);
IS(jitnorm_not_required, 6);
IS(jitnorm_invalid_graph, 7);
IS(jitnorm_invalid_graph_op, 8);
IS(jitnorm_invalid_shape, 9);
IS(jitnorm_invalid_data_type, 10);

IS(jitnorm_data_type_undef, 0);
#define DATA_TYPE(name, number, ...) IS(jitnorm_##name, number);
#include "../../tables/data_types.inc"

IS(jitnorm_format_kind_undef, 0);
IS(jitnorm_format_kind_any, 1);
IS(jitnorm_blocked, 2);
IS(jitnorm_format_kind_host_scalar, 5);

IS(jitnorm_prop_kind_undef, 0);
IS(jitnorm_forward_training, 64);
IS(jitnorm_forward_inference, 96);
IS(jitnorm_forward, 64);
IS(jitnorm_backward, 128);
IS(jitnorm_backward_data, 160);

IS(jitnorm_undefined_primitive, 0);
IS(jitnorm_sum, 4);
IS(jitnorm_eltwise, 7);
IS(jitnorm_binary, 13);
IS(jitnorm_prelu, 18);
IS(jitnorm_layer_normalization, 20);

IS(jitnorm_normalization_flags_none, 0);
#define FLAG(name, number, letter) IS(jitnorm_##name, number);
#include "../../tables/normalization_flags.inc"

IS(jitnorm_alg_kind_undef, 0);
#define ELTWISE(name, number) IS(jitnorm_eltwise_##name, number);
#include "../../tables/eltwise.inc"
#define BINARY(name, number) IS(jitnorm_binary_##name, number);
#include "../../tables/binary.inc"

IS(jitnorm_any_engine, 0);
IS(jitnorm_cpu, 1);
IS(jitnorm_stream_in_order, 1);
IS(jitnorm_stream_out_of_order, 2);
IS(jitnorm_stream_default_flags, 1);
IS(jitnorm_scratchpad_mode_library, 0);
IS(jitnorm_scratchpad_mode_user, 1);

IS(jitnorm_cpu_isa_default, 0);
IS(jitnorm_cpu_isa_sse41, 1);
IS(jitnorm_cpu_isa_avx2, 7);
IS(jitnorm_cpu_isa_avx512_core, 0x27);

IS(jitnorm_query_undef, 0);
IS(jitnorm_query_engine, 1);
IS(jitnorm_query_primitive_kind, 2);
IS(jitnorm_query_num_of_inputs_s32, 3);
IS(jitnorm_query_num_of_outputs_s32, 4);
IS(jitnorm_query_time_estimate_f64, 5);
IS(jitnorm_query_memory_consumption_s64, 6);
IS(jitnorm_query_scratchpad_engine, 7);
IS(jitnorm_query_impl_info_str, 8);
IS(jitnorm_query_prop_kind, 11);
IS(jitnorm_query_strides, 14);
IS(jitnorm_query_epsilon_f32, 18);
IS(jitnorm_query_flags, 19);
IS(jitnorm_query_some_md, 128);
IS(jitnorm_query_src_md, 129);
IS(jitnorm_query_diff_src_md, 130);
IS(jitnorm_query_weights_md, 131);
IS(jitnorm_query_diff_weights_md, 132);
IS(jitnorm_query_dst_md, 133);
IS(jitnorm_query_diff_dst_md, 134);
IS(jitnorm_query_workspace_md, 135);
IS(jitnorm_query_scratchpad_md, 136);
IS(jitnorm_query_exec_arg_md, 255);
IS(jitnorm_query_ndims_s32, 256);
IS(jitnorm_query_dims, 257);
IS(jitnorm_query_data_type, 258);
IS(jitnorm_query_submemory_offset_s64, 259);
IS(jitnorm_query_padded_dims, 260);
IS(jitnorm_query_format_kind, 262);
IS(jitnorm_query_inner_nblks_s32, 263);
IS(jitnorm_query_inner_blks, 264);
IS(jitnorm_query_inner_idxs, 265);

IS(JITNORM_MAX_NDIMS, 12);
IS(JITNORM_RUNTIME_DIM_VAL, INT64_MIN);
IS(JITNORM_ARG_SRC, 1);
IS(JITNORM_ARG_SRC_1, 2);
IS(JITNORM_ARG_SRC_2, 3);
IS(JITNORM_ARG_DST, 17);
IS(JITNORM_ARG_DST_1, 18);
IS(JITNORM_ARG_DST_2, 19);
IS(JITNORM_ARG_BIAS, 41);
IS(JITNORM_ARG_MEAN, 49);
IS(JITNORM_ARG_VARIANCE, 50);
IS(JITNORM_ARG_SCALE, 51);
IS(JITNORM_ARG_SHIFT, 52);
IS(JITNORM_ARG_WORKSPACE, 64);
IS(JITNORM_ARG_SCRATCHPAD, 80);
IS(JITNORM_ARG_DIFF_SRC, 129);
IS(JITNORM_ARG_DIFF_DST, 145);
IS(JITNORM_ARG_DIFF_DST_1, 146);
IS(JITNORM_ARG_DIFF_SCALE, 255);
IS(JITNORM_ARG_DIFF_SHIFT, 256);
IS(JITNORM_ARG_ATTR_SCALES, 4096);
IS(JITNORM_ARG_ATTR_MULTIPLE_POST_OP_BASE, 32768);
IS(JITNORM_ARG_ATTR_MULTIPLE_POST_OP(0), 32768);
IS(JITNORM_ARG_ATTR_MULTIPLE_POST_OP(2), 98304);
IS(JITNORM_RUNTIME_SEQ, 1);
IS(JITNORM_RUNTIME_OMP, 2);

IS(jitnorm_format_tag_undef, 0);
IS(jitnorm_format_tag_any, 1);
#define FORMAT_TAG(name, number) IS(jitnorm_##name, number);
#define FORMAT_TAG_ALIAS(name, tag) IS(jitnorm_##name, jitnorm_##tag);
#include "../../tables/format_tags.inc"
IS(jitnorm_format_tag_last, 68);

IS(jitnorm_gpu, 2);

IS(jitnorm_residual_flags_none, 0);
IS(jitnorm_residual_normalize_rounded, 1);
IS(jitnorm_fpmath_mode_strict, 0);
IS(jitnorm_fpmath_mode_bf16, 1);
IS(jitnorm_fpmath_mode_f16, 2);
IS(jitnorm_fpmath_mode_any, 3);
IS(jitnorm_fpmath_mode_tf32, 4);
IS(jitnorm_accumulation_mode_strict, 0);
IS(jitnorm_accumulation_mode_relaxed, 1);
IS(jitnorm_accumulation_mode_any, 2);
IS(jitnorm_accumulation_mode_s32, 3);
IS(jitnorm_accumulation_mode_f32, 4);
IS(jitnorm_accumulation_mode_f16, 5);
IS(jitnorm_rounding_mode_environment, 0);
IS(jitnorm_rounding_mode_stochastic, 1);
IS(jitnorm_quantization_mode_undef, 0);
IS(jitnorm_quantization_mode_static_sazp, 1);
IS(jitnorm_quantization_mode_dynamic_mx, 2);
IS(jitnorm_quantization_mode_dynamic_fp, 3);
IS(jitnorm_quantization_mode_dynamic_amax, 0x1000);

IS(jitnorm_cpu_isa_avx, 0x3);
IS(jitnorm_cpu_isa_avx2_vnni, 0xf);
IS(jitnorm_cpu_isa_avx2_vnni_2, 0x1f);
IS(jitnorm_cpu_isa_avx512_core_vnni, 0x67);
IS(jitnorm_cpu_isa_avx512_core_bf16, 0xe7);
IS(jitnorm_cpu_isa_avx512_core_fp16, 0x1ef);
IS(jitnorm_cpu_isa_avx10_1_512, 0x1ef);
IS(jitnorm_cpu_isa_avx512_core_amx, 0xfef);
IS(jitnorm_cpu_isa_avx10_1_512_amx, 0xfef);
IS(jitnorm_cpu_isa_avx512_core_amx_fp16, 0x1fef);
IS(jitnorm_cpu_isa_avx10_1_512_amx_fp16, 0x1fef);
IS(jitnorm_cpu_isa_no_hints, 0);
IS(jitnorm_cpu_isa_prefer_ymm, 1);

IS(jitnorm_query_cache_blob_id_size_s64, 12);
IS(jitnorm_query_cache_blob_id, 13);
IS(jitnorm_query_padded_offsets, 261);
IS(JITNORM_ARG_ATTR_ZERO_POINTS, 8192);
