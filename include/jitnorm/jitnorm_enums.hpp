// SPDX-License-Identifier: Apache-2.0
// jitnorm_enums.hpp: the C enumerations under the names and in the scopes that dnnl.hpp gives them. Included by
// jitnorm.hpp. jitnorm_types.h describes their meaning.
#ifndef JITNORM_ENUMS_HPP
#define JITNORM_ENUMS_HPP

#include "jitnorm/jitnorm_handle.hpp"

namespace jitnorm {

enum class status {
    success = jitnorm_success,
    out_of_memory = jitnorm_out_of_memory,
    invalid_arguments = jitnorm_invalid_arguments,
    unimplemented = jitnorm_unimplemented,
    last_impl_reached = jitnorm_last_impl_reached,
    runtime_error = jitnorm_runtime_error,
    not_required = jitnorm_not_required
};

enum class prop_kind {
    undef = jitnorm_prop_kind_undef,
    forward_training = jitnorm_forward_training,
    forward_inference = jitnorm_forward_inference,
    forward = jitnorm_forward,
    backward = jitnorm_backward,
    backward_data = jitnorm_backward_data,
    backward_weights = jitnorm_backward_weights,
    backward_bias = jitnorm_backward_bias
};

enum class normalization_flags : unsigned {
    none = jitnorm_normalization_flags_none,
    use_global_stats = jitnorm_use_global_stats,
    use_scale = jitnorm_use_scale,
    use_shift = jitnorm_use_shift,
    rms_norm = jitnorm_rms_norm,
    inverse_deviation = jitnorm_inverse_deviation,
    scale_plus_one = jitnorm_scale_plus_one,
    round_normalized = jitnorm_round_normalized
};
JITNORM_DEFINE_BITMASK(normalization_flags)

enum class residual_flags : unsigned {
    none = jitnorm_residual_flags_none,
    normalize_rounded = jitnorm_residual_normalize_rounded,
    mul_silu = jitnorm_residual_mul_silu
};
JITNORM_DEFINE_BITMASK(residual_flags)

enum class algorithm {
    undef = jitnorm_alg_kind_undef,
    eltwise_relu = jitnorm_eltwise_relu,
    eltwise_tanh = jitnorm_eltwise_tanh,
    eltwise_elu = jitnorm_eltwise_elu,
    eltwise_square = jitnorm_eltwise_square,
    eltwise_abs = jitnorm_eltwise_abs,
    eltwise_sqrt = jitnorm_eltwise_sqrt,
    eltwise_linear = jitnorm_eltwise_linear,
    eltwise_soft_relu = jitnorm_eltwise_soft_relu,
    eltwise_hardsigmoid = jitnorm_eltwise_hardsigmoid,
    eltwise_logistic = jitnorm_eltwise_logistic,
    eltwise_exp = jitnorm_eltwise_exp,
    eltwise_gelu_tanh = jitnorm_eltwise_gelu_tanh,
    eltwise_swish = jitnorm_eltwise_swish,
    eltwise_log = jitnorm_eltwise_log,
    eltwise_clip = jitnorm_eltwise_clip,
    eltwise_clip_v2 = jitnorm_eltwise_clip_v2,
    eltwise_pow = jitnorm_eltwise_pow,
    eltwise_gelu_erf = jitnorm_eltwise_gelu_erf,
    eltwise_round = jitnorm_eltwise_round,
    eltwise_mish = jitnorm_eltwise_mish,
    eltwise_hardswish = jitnorm_eltwise_hardswish,
    binary_add = jitnorm_binary_add,
    binary_mul = jitnorm_binary_mul,
    binary_max = jitnorm_binary_max,
    binary_min = jitnorm_binary_min,
    binary_div = jitnorm_binary_div,
    binary_sub = jitnorm_binary_sub,
    binary_ge = jitnorm_binary_ge,
    binary_gt = jitnorm_binary_gt,
    binary_le = jitnorm_binary_le,
    binary_lt = jitnorm_binary_lt,
    binary_eq = jitnorm_binary_eq,
    binary_ne = jitnorm_binary_ne,
    binary_mul_silu = jitnorm_binary_mul_silu,
    binary_mul_plus_one = jitnorm_binary_mul_plus_one
};

enum class fpmath_mode {
    strict = jitnorm_fpmath_mode_strict,
    bf16 = jitnorm_fpmath_mode_bf16,
    f16 = jitnorm_fpmath_mode_f16,
    any = jitnorm_fpmath_mode_any,
    tf32 = jitnorm_fpmath_mode_tf32
};

enum class accumulation_mode {
    strict = jitnorm_accumulation_mode_strict,
    relaxed = jitnorm_accumulation_mode_relaxed,
    any = jitnorm_accumulation_mode_any,
    s32 = jitnorm_accumulation_mode_s32,
    f32 = jitnorm_accumulation_mode_f32,
    f16 = jitnorm_accumulation_mode_f16
};

enum class rounding_mode {
    environment = jitnorm_rounding_mode_environment,
    stochastic = jitnorm_rounding_mode_stochastic
};

enum class quantization_mode {
    undef = jitnorm_quantization_mode_undef,
    static_sazp = jitnorm_quantization_mode_static_sazp,
    dynamic_mx = jitnorm_quantization_mode_dynamic_mx,
    dynamic_fp = jitnorm_quantization_mode_dynamic_fp,
    dynamic_amax = jitnorm_quantization_mode_dynamic_amax
};

enum class scratchpad_mode { library = jitnorm_scratchpad_mode_library, user = jitnorm_scratchpad_mode_user };

enum class cpu_isa {
    isa_default = jitnorm_cpu_isa_default,
    sse41 = jitnorm_cpu_isa_sse41,
    avx = jitnorm_cpu_isa_avx,
    avx2 = jitnorm_cpu_isa_avx2,
    avx2_vnni = jitnorm_cpu_isa_avx2_vnni,
    avx2_vnni_2 = jitnorm_cpu_isa_avx2_vnni_2,
    avx512_core = jitnorm_cpu_isa_avx512_core,
    avx512_core_vnni = jitnorm_cpu_isa_avx512_core_vnni,
    avx512_core_bf16 = jitnorm_cpu_isa_avx512_core_bf16,
    avx10_1_512 = jitnorm_cpu_isa_avx10_1_512,
    avx512_core_fp16 = jitnorm_cpu_isa_avx512_core_fp16,
    avx10_1_512_amx = jitnorm_cpu_isa_avx10_1_512_amx,
    avx512_core_amx = jitnorm_cpu_isa_avx512_core_amx,
    avx10_1_512_amx_fp16 = jitnorm_cpu_isa_avx10_1_512_amx_fp16,
    avx512_core_amx_fp16 = jitnorm_cpu_isa_avx512_core_amx_fp16,
    avx10_2_512 = jitnorm_cpu_isa_avx10_2_512,
    avx10_2_512_amx_2 = jitnorm_cpu_isa_avx10_2_512_amx_2
};

enum class cpu_isa_hints { no_hints = jitnorm_cpu_isa_no_hints, prefer_ymm = jitnorm_cpu_isa_prefer_ymm };

enum class query {
    undef = jitnorm_query_undef,
    engine = jitnorm_query_engine,
    primitive_kind = jitnorm_query_primitive_kind,
    num_of_inputs_s32 = jitnorm_query_num_of_inputs_s32,
    num_of_outputs_s32 = jitnorm_query_num_of_outputs_s32,
    time_estimate_f64 = jitnorm_query_time_estimate_f64,
    memory_consumption_s64 = jitnorm_query_memory_consumption_s64,
    scratchpad_engine = jitnorm_query_scratchpad_engine,
    impl_info_str = jitnorm_query_impl_info_str,
    prop_kind = jitnorm_query_prop_kind,
    cache_blob_id_size_s64 = jitnorm_query_cache_blob_id_size_s64,
    cache_blob_id = jitnorm_query_cache_blob_id,
    strides = jitnorm_query_strides,
    epsilon_f32 = jitnorm_query_epsilon_f32,
    flags = jitnorm_query_flags,
    src_md = jitnorm_query_src_md,
    diff_src_md = jitnorm_query_diff_src_md,
    weights_md = jitnorm_query_weights_md,
    diff_weights_md = jitnorm_query_diff_weights_md,
    dst_md = jitnorm_query_dst_md,
    diff_dst_md = jitnorm_query_diff_dst_md,
    workspace_md = jitnorm_query_workspace_md,
    scratchpad_md = jitnorm_query_scratchpad_md,
    exec_arg_md = jitnorm_query_exec_arg_md,
    ndims_s32 = jitnorm_query_ndims_s32,
    dims = jitnorm_query_dims,
    data_type = jitnorm_query_data_type,
    submemory_offset_s64 = jitnorm_query_submemory_offset_s64,
    padded_dims = jitnorm_query_padded_dims,
    padded_offsets = jitnorm_query_padded_offsets,
    format_kind = jitnorm_query_format_kind,
    inner_nblks_s32 = jitnorm_query_inner_nblks_s32,
    inner_blks = jitnorm_query_inner_blks,
    inner_idxs = jitnorm_query_inner_idxs,
    num_handles_s32 = jitnorm_query_num_handles_s32
};

inline jitnorm_prop_kind_t convert_to_c(prop_kind v) { return static_cast<jitnorm_prop_kind_t>(v); }
inline jitnorm_alg_kind_t convert_to_c(algorithm v) { return static_cast<jitnorm_alg_kind_t>(v); }
inline jitnorm_scratchpad_mode_t convert_to_c(scratchpad_mode v) { return static_cast<jitnorm_scratchpad_mode_t>(v); }
inline jitnorm_cpu_isa_t convert_to_c(cpu_isa v) { return static_cast<jitnorm_cpu_isa_t>(v); }
inline jitnorm_cpu_isa_hints_t convert_to_c(cpu_isa_hints v) { return static_cast<jitnorm_cpu_isa_hints_t>(v); }
inline jitnorm_fpmath_mode_t convert_to_c(fpmath_mode v) { return static_cast<jitnorm_fpmath_mode_t>(v); }
inline jitnorm_accumulation_mode_t convert_to_c(accumulation_mode v) {
    return static_cast<jitnorm_accumulation_mode_t>(v);
}
inline jitnorm_rounding_mode_t convert_to_c(rounding_mode v) { return static_cast<jitnorm_rounding_mode_t>(v); }
inline jitnorm_quantization_mode_t convert_to_c(quantization_mode v) {
    return static_cast<jitnorm_quantization_mode_t>(v);
}
inline jitnorm_query_t convert_to_c(query v) { return static_cast<jitnorm_query_t>(v); }
inline unsigned convert_to_c(normalization_flags v) { return static_cast<unsigned>(v); }
inline unsigned convert_to_c(residual_flags v) { return static_cast<unsigned>(v); }

} // namespace jitnorm

#endif
