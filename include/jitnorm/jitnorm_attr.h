/* SPDX-License-Identifier: Apache-2.0 */
/* jitnorm_attr.h: what a primitive does beyond its operation: a residual that is added before, scales, post-operations,
 * a second output without these, who owns the scratchpad.
 * Included by jitnorm.h. The rules at the top of jitnorm_memory.h on errors and ownership hold here too.
 *
 * Order of events for one element of dst, all in f32 (in f64 for f64 data), converted to dst's type once at the end:
 *     y = normalized, scaled and shifted value
 *     y = y * src_scale                    (if there is one)
 *     dst_2 = y                            (if there is one, converted to its own type)
 *     y = post_op[n-1](... post_op[0](y))
 *     dst = y / dst_scale                  (if there is one, given or found)
 * Backward takes default attributes only, but for the scratchpad mode and the residual. */
#ifndef JITNORM_ATTR_H
#define JITNORM_ATTR_H

#include "jitnorm/jitnorm_types.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ---------------------------------------------------------------- attributes */

/* Defaults: no residual, no scales, no post-ops, one output, the library owns the scratchpad. */
JITNORM_API jitnorm_status_t jitnorm_primitive_attr_create(jitnorm_primitive_attr_t *attr);
JITNORM_API jitnorm_status_t jitnorm_primitive_attr_clone(jitnorm_primitive_attr_t *attr,
                                                          const_jitnorm_primitive_attr_t existing);
JITNORM_API jitnorm_status_t jitnorm_primitive_attr_destroy(jitnorm_primitive_attr_t attr);

JITNORM_API jitnorm_status_t jitnorm_primitive_attr_get_scratchpad_mode(const_jitnorm_primitive_attr_t attr,
                                                                        jitnorm_scratchpad_mode_t *mode);
/* library: executions use a buffer that each executing thread keeps for all its primitives; it is allocated when the
 *   thread first needs that much (the thread that creates a primitive: at creation) and freed when the thread ends.
 * user: executions take a memory described by jitnorm_query_scratchpad_md as JITNORM_ARG_SCRATCHPAD. Executions that
 *   run at the same time need one each.
 * invalid_arguments: an unknown mode. */
JITNORM_API jitnorm_status_t jitnorm_primitive_attr_set_scratchpad_mode(jitnorm_primitive_attr_t attr,
                                                                        jitnorm_scratchpad_mode_t mode);

/* Adds before the normalization: what is normalized is, for each element,
 *
 *     x = src + residual          or          x = (src + residual) + bias
 *
 * in f32 (in f64 for f64 data), as a block of a transformer does before each of its norms, and x is an output for the
 * next block to be its residual.
 *   residual_desc   the residual, JITNORM_ARG_SRC_1, of src's dimensions (a stride of 0 repeats it along a dimension)
 *   sum_desc        x, JITNORM_ARG_DST_1, of src's dimensions, converted to its data type once; null or empty: x is not
 *                   written
 *   bias_data_type  of the bias, JITNORM_ARG_BIAS, one dimension of C elements, dense: f32, bf16 or f16;
 *                   jitnorm_data_type_undef: there is none
 *   flags           jitnorm_residual_flags_t. Without flags x is normalized, its statistics included, as it is
 * computed; with jitnorm_residual_normalize_rounded as DST_1 has it. The latter gives the bits of an addition that
 * stores x, followed by a normalization of what was stored. Data types, layouts and run-time sizes are free for both
 * tensors as they are for src and dst, and an undecided layout becomes src's. In place: DST_1 may have SRC_1's handle
 * where their descriptors are equal, and DST that of SRC.
 *
 * Backward takes the same attribute. src is x as forward has written it; where sum_desc is given it describes
 * JITNORM_ARG_DIFF_DST_1, the gradient of x from all else that reads it, and
 *
 *     diff_src = the gradient of the normalization + DIFF_DST_1
 *
 * which is the gradient of forward's src and of its residual alike (that of the bias is its sum over the rows). Nothing
 * else of the attribute counts there. diff_src may have DIFF_DST_1's handle where their descriptors are equal.
 *
 * The descriptors are copied. Said again, the last counts.
 * invalid_arguments: an empty residual_desc, an unknown bias_data_type, unknown flags,
 *   jitnorm_residual_normalize_rounded without sum_desc. When a primitive descriptor is created: dimensions that are
 * not src's, a sum with a stride of 0. */
JITNORM_API jitnorm_status_t jitnorm_primitive_attr_set_residual(jitnorm_primitive_attr_t attr,
                                                                 const_jitnorm_memory_desc_t residual_desc,
                                                                 const_jitnorm_memory_desc_t sum_desc,
                                                                 jitnorm_data_type_t bias_data_type, unsigned flags);
/* The descriptors belong to attr, and are empty (0 dimensions) where there is no such tensor. Result pointers may be
 * null: that parameter is not wanted. */
JITNORM_API jitnorm_status_t jitnorm_primitive_attr_get_residual(const_jitnorm_primitive_attr_t attr,
                                                                 const_jitnorm_memory_desc_t *residual_desc,
                                                                 const_jitnorm_memory_desc_t *sum_desc,
                                                                 jitnorm_data_type_t *bias_data_type, unsigned *flags);

/* A second output of forward, JITNORM_ARG_DST_2: the normalized, scaled and shifted values as they are before post-ops
 * and the scales of dst, converted to their type once. It is what a router in a mixture of experts reads while the
 * experts read dst, quantized.
 *   unquantized_desc  f32, bf16, f16 or f64, of src's dimensions; any layout, an undecided one becomes src's; run-time
 *                     sizes as for dst. Null or empty: there is no such output.
 * dst has the same bits with and without it, unless it alone is f64: then all is computed in f64. It has memory of its
 * own. The descriptor is copied. Said again, the last counts.
 * When a primitive descriptor is created: invalid_arguments for dimensions that are not src's, an unknown data type, a
 * stride of 0; unimplemented for another data type, and for backward. */
JITNORM_API jitnorm_status_t jitnorm_primitive_attr_set_unquantized_dst(jitnorm_primitive_attr_t attr,
                                                                        const_jitnorm_memory_desc_t unquantized_desc);
/* The descriptor belongs to attr, and is empty (0 dimensions) where there is no such output. */
JITNORM_API jitnorm_status_t jitnorm_primitive_attr_get_unquantized_dst(const_jitnorm_primitive_attr_t attr,
                                                                        const_jitnorm_memory_desc_t *unquantized_desc);

/* What follows says only what the caller would like or put up with. Layer normalization takes what is said to be taken
 * and refuses the rest with unimplemented when a descriptor is created, not here: attributes may be made for several
 * primitives, of other libraries too. */

/* The tensor `arg` has a scale: one f32 for the whole tensor (mask 0), given at execution as
 * JITNORM_ARG_ATTR_SCALES | arg, a memory of one f32. Made for s8 and u8; layer normalization takes scales of
 * JITNORM_ARG_SRC and JITNORM_ARG_DST with every type of src and dst, of mask 0 alone. Said again for an argument, the
 * last counts.
 * invalid_arguments: a negative arg or mask. */
JITNORM_API jitnorm_status_t jitnorm_primitive_attr_set_scales_mask(jitnorm_primitive_attr_t attr, int arg, int mask);

/* The same in general: bit d of the mask says that there is a scale for each index of dimension d, or each group_dims
 * of the last two (ndims 2; ndims 0 and group_dims null: no groups); the scales' type; whether a host scalar holds the
 * one value; and how scales come about. Layer normalization takes an f32 of mask 0 in a memory, of any quantization
 * mode of oneDNN's; and of dst the scales that the library finds:
 *
 * With jitnorm_quantization_mode_dynamic_amax the scale of each row of dst, or of each group of its columns, is the
 * largest magnitude there over the largest number of dst's type: 127 for s8, 255 for u8, 57344 for f8_e5m2, 448 for
 * f8_e4m3 (docs/arithmetic.md, "Scales that are found", says what zeros, infinities and NaN give). The scales are f32
 * and an output: the memory that is given as JITNORM_ARG_ATTR_SCALES | JITNORM_ARG_DST has the descriptor that
 * jitnorm_query_exec_arg_md tells, row major with the dimensions of dst but for the last one, which is 1, or the number
 * of groups.
 *     one for each row: a mask of all dimensions but the last, no groups;
 *     one for each G columns of a row: a mask of all dimensions, groups of {1, G}.
 * What columns are to be multiplied with before (smooth scales) is a binary post-op, jitnorm_binary_mul, with a src1 of
 * one row. dst is s8, u8, f8_e5m2 or f8_e4m3; there is no sum post-op, and all sizes and strides are known when the
 * descriptor is created: what else is asked for is unimplemented there. A dst whose rows are not whole groups is
 * invalid_arguments there.
 *
 * invalid_arguments: as above; ndims other than 0 and 2; groups that are null or not positive; groups or a type
 * of 8 bits with mask 0; on the host with a mask or groups; a type other than f32, bf16, f16, e8m0 (13) and f8_e4m3
 * (10); an unknown quantization mode. */
JITNORM_API jitnorm_status_t jitnorm_primitive_attr_set_scales(jitnorm_primitive_attr_t attr, int arg, int mask,
                                                               int ndims, const jitnorm_dims_t group_dims,
                                                               jitnorm_data_type_t data_type);
JITNORM_API jitnorm_status_t jitnorm_primitive_attr_set_scales_v2(jitnorm_primitive_attr_t attr, int arg, int mask,
                                                                  int ndims, const jitnorm_dims_t group_dims,
                                                                  jitnorm_data_type_t data_type, int is_on_host);
JITNORM_API jitnorm_status_t jitnorm_primitive_attr_set_scales_v3(jitnorm_primitive_attr_t attr, int arg, int mask,
                                                                  int ndims, const jitnorm_dims_t group_dims,
                                                                  jitnorm_data_type_t data_type, int is_on_host,
                                                                  jitnorm_quantization_mode_t quantization_mode);

/* The tensor `arg` has a zero point. Layer normalization takes none.
 * invalid_arguments: a negative arg or mask, and as for scales, with the types s32, s8 and u8. */
JITNORM_API jitnorm_status_t jitnorm_primitive_attr_set_zero_points_mask(jitnorm_primitive_attr_t attr, int arg,
                                                                         int mask);
JITNORM_API jitnorm_status_t jitnorm_primitive_attr_set_zero_points(jitnorm_primitive_attr_t attr, int arg, int mask,
                                                                    int ndims, const jitnorm_dims_t group_dims,
                                                                    jitnorm_data_type_t data_type);
JITNORM_API jitnorm_status_t jitnorm_primitive_attr_set_zero_points_v2(jitnorm_primitive_attr_t attr, int arg, int mask,
                                                                       int ndims, const jitnorm_dims_t group_dims,
                                                                       jitnorm_data_type_t data_type, int is_on_host);

/* Whether results must have the same bits from run to run (0 no, anything else yes): here they have in any case. */
JITNORM_API jitnorm_status_t jitnorm_primitive_attr_get_deterministic(const_jitnorm_primitive_attr_t attr, int *value);
JITNORM_API jitnorm_status_t jitnorm_primitive_attr_set_deterministic(jitnorm_primitive_attr_t attr, int value);

/* What f32 data may be narrowed to for the computation; new attributes have the default mode (strict, if
 * jitnorm_set_default_fpmath_mode said nothing else). Layer normalization takes all modes and narrows nothing. With
 * apply_to_int (0 no, anything else yes) integers may be computed with in that type: taken with the strict mode alone.
 * invalid_arguments: an unknown mode. Result pointers of _v2 may be null. */
JITNORM_API jitnorm_status_t jitnorm_primitive_attr_get_fpmath_mode(const_jitnorm_primitive_attr_t attr,
                                                                    jitnorm_fpmath_mode_t *mode);
JITNORM_API jitnorm_status_t jitnorm_primitive_attr_set_fpmath_mode(jitnorm_primitive_attr_t attr,
                                                                    jitnorm_fpmath_mode_t mode);
JITNORM_API jitnorm_status_t jitnorm_primitive_attr_get_fpmath_mode_v2(const_jitnorm_primitive_attr_t attr,
                                                                       jitnorm_fpmath_mode_t *mode, int *apply_to_int);
JITNORM_API jitnorm_status_t jitnorm_primitive_attr_set_fpmath_mode_v2(jitnorm_primitive_attr_t attr,
                                                                       jitnorm_fpmath_mode_t mode, int apply_to_int);

/* invalid_arguments: an unknown mode. */
JITNORM_API jitnorm_status_t jitnorm_primitive_attr_get_accumulation_mode(const_jitnorm_primitive_attr_t attr,
                                                                          jitnorm_accumulation_mode_t *mode);
JITNORM_API jitnorm_status_t jitnorm_primitive_attr_set_accumulation_mode(jitnorm_primitive_attr_t attr,
                                                                          jitnorm_accumulation_mode_t mode);

/* Of the argument JITNORM_ARG_DST, JITNORM_ARG_DIFF_SRC or 161, which stands for the gradients of weights.
 * invalid_arguments: another argument with another mode than that of the environment, an unknown mode. */
JITNORM_API jitnorm_status_t jitnorm_primitive_attr_get_rounding(jitnorm_primitive_attr_t attr, int arg,
                                                                 jitnorm_rounding_mode_t *mode);
JITNORM_API jitnorm_status_t jitnorm_primitive_attr_set_rounding(jitnorm_primitive_attr_t attr, int arg,
                                                                 jitnorm_rounding_mode_t mode);

/* *post_ops belongs to attr and lives until attr is destroyed or its post-ops are set again. */
JITNORM_API jitnorm_status_t jitnorm_primitive_attr_get_post_ops(const_jitnorm_primitive_attr_t attr,
                                                                 const_jitnorm_post_ops_t *post_ops);
/* Copies; post_ops may be changed or destroyed afterwards. */
JITNORM_API jitnorm_status_t jitnorm_primitive_attr_set_post_ops(jitnorm_primitive_attr_t attr,
                                                                 const_jitnorm_post_ops_t post_ops);

/* ---------------------------------------------------------------- post-operations, at most 32 in order */

JITNORM_API jitnorm_status_t jitnorm_post_ops_create(jitnorm_post_ops_t *post_ops);
JITNORM_API jitnorm_status_t jitnorm_post_ops_clone(jitnorm_post_ops_t *post_ops, const_jitnorm_post_ops_t existing);
JITNORM_API jitnorm_status_t jitnorm_post_ops_destroy(jitnorm_post_ops_t post_ops);

/* The number of post-operations; 0 for null. */
JITNORM_API int jitnorm_post_ops_len(const_jitnorm_post_ops_t post_ops);

/* jitnorm_sum, jitnorm_eltwise, jitnorm_binary or jitnorm_prelu; jitnorm_undefined_primitive for null or an index out
 * of range. */
JITNORM_API jitnorm_primitive_kind_t jitnorm_post_ops_get_kind(const_jitnorm_post_ops_t post_ops, int index);

/* Errors of all appends: invalid_arguments as said at each; out_of_memory: there are 32 already.
 * Errors of all get_params: invalid_arguments: a null post_ops, an index out of range, a post-op of another kind.
 * Result pointers of get_params may be null: that parameter is not wanted. */

/* y = y + scale * (old dst - zero_point). data_type: how the old dst is read, of the same size as dst's type;
 * jitnorm_data_type_undef: as dst's type. No f8 is read: unimplemented when a descriptor is created.
 * invalid_arguments: an unknown data_type. When a primitive descriptor is created: one of another size than dst's type,
 * a zero_point other than 0 where the old dst is not read as s8 or u8. */
JITNORM_API jitnorm_status_t jitnorm_post_ops_append_sum(jitnorm_post_ops_t post_ops, float scale, int32_t zero_point,
                                                         jitnorm_data_type_t data_type);
JITNORM_API jitnorm_status_t jitnorm_post_ops_get_params_sum(const_jitnorm_post_ops_t post_ops, int index, float *scale,
                                                             int32_t *zero_point, jitnorm_data_type_t *data_type);

/* y = alg(y), with the formula given at jitnorm_alg_kind_t.
 * invalid_arguments: alg_kind is not an eltwise one. */
JITNORM_API jitnorm_status_t jitnorm_post_ops_append_eltwise(jitnorm_post_ops_t post_ops, jitnorm_alg_kind_t alg_kind,
                                                             float alpha, float beta);
JITNORM_API jitnorm_status_t jitnorm_post_ops_get_params_eltwise(const_jitnorm_post_ops_t post_ops, int index,
                                                                 jitnorm_alg_kind_t *alg_kind, float *alpha,
                                                                 float *beta);

/* y = alg(y, src1). src1 is of any data type but f8_e5m2 and f8_e4m3, and of any layout, strides of 0 included, and has
 * as many dimensions as dst, each of dst's size or of size 1, which is broadcast. The descriptor is copied; an
 * undecided layout (any) becomes that of dst. At execution src1 is the argument
 * JITNORM_ARG_ATTR_MULTIPLE_POST_OP(index) | JITNORM_ARG_SRC_1. invalid_arguments: alg_kind is not a binary one,
 * src1_desc is null or empty. When a primitive descriptor is created: dimensions that do not fit to dst's. */
JITNORM_API jitnorm_status_t jitnorm_post_ops_append_binary(jitnorm_post_ops_t post_ops, jitnorm_alg_kind_t alg_kind,
                                                            const_jitnorm_memory_desc_t src1_desc);
/* *src1_desc belongs to post_ops. */
JITNORM_API jitnorm_status_t jitnorm_post_ops_get_params_binary(const_jitnorm_post_ops_t post_ops, int index,
                                                                jitnorm_alg_kind_t *alg_kind,
                                                                const_jitnorm_memory_desc_t *src1_desc);

/* y = y > 0 ? y : slope y, a slope for each index of the dimensions of the mask. Layer normalization does not implement
 * it: descriptors with such a post-op are unimplemented.
 * invalid_arguments: a negative mask. */
JITNORM_API jitnorm_status_t jitnorm_post_ops_append_prelu(jitnorm_post_ops_t post_ops, int mask);
JITNORM_API jitnorm_status_t jitnorm_post_ops_get_params_prelu(const_jitnorm_post_ops_t post_ops, int index, int *mask);

#ifdef __cplusplus
}
#endif

#endif
