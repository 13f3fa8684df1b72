/* SPDX-License-Identifier: Apache-2.0 */
/* jitnorm_attr.h: what a primitive does beyond its operation: a residual and a gate before it, scale and shift with row
 * dimensions, scales, post-operations, a pre-quantization output; an epsilon in double; and who owns the scratchpad.
 * Included by jitnorm.h. What jitnorm_memory.h says at its top about errors and ownership holds here too.
 *
 * One element of dst is computed in these steps, all in f32 (in f64 if data is f64). At the end it is converted to
 * dst's type, by one rounding, but from f64 to bf16, f16 and f8 by two, through f32:
 *     y = normalized, scaled and shifted value (rounded, with jitnorm_round_normalized)
 *     y = y * src_scale                    (if there is one)
 *     dst_2 = y                            (if there is one, converted to its own type)
 *     y = post_op[n-1](... post_op[0](y))
 *     dst = y * (1 / dst_scale)            (if there is one, static or dynamic)
 * Backward refuses scales, post-operations, the pre-quantization output, and a residual that is multiplied
 * (jitnorm_residual_mul_silu). It accepts every other attribute. */
#ifndef JITNORM_ATTR_H
#define JITNORM_ATTR_H

#include "jitnorm/jitnorm_types.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ---------------------------------------------------------------- attributes */

/* Creates default attributes: no residual, no scales, no post-ops, one output, the epsilon of the creation function,
 * and the library owns the scratchpad. */
JITNORM_API jitnorm_status_t jitnorm_primitive_attr_create(jitnorm_primitive_attr_t *attr);
JITNORM_API jitnorm_status_t jitnorm_primitive_attr_clone(jitnorm_primitive_attr_t *attr,
                                                          const_jitnorm_primitive_attr_t existing);
JITNORM_API jitnorm_status_t jitnorm_primitive_attr_destroy(jitnorm_primitive_attr_t attr);

JITNORM_API jitnorm_status_t jitnorm_primitive_attr_get_scratchpad_mode(const_jitnorm_primitive_attr_t attr,
                                                                        jitnorm_scratchpad_mode_t *mode);
/* Says who owns the scratchpad.
 * library: each thread that executes keeps one buffer for all its primitives. It is allocated when the thread first
 *   needs that much memory, for the thread that creates a primitive at creation. It is freed when the thread ends.
 * user: an execution needs a memory as JITNORM_ARG_SCRATCHPAD, which jitnorm_query_scratchpad_md describes. Executions
 *   that run at the same time need different memories.
 * invalid_arguments: an unknown mode. */
JITNORM_API jitnorm_status_t jitnorm_primitive_attr_set_scratchpad_mode(jitnorm_primitive_attr_t attr,
                                                                        jitnorm_scratchpad_mode_t mode);

/* Adds tensors before the normalization. What is normalized is, for each element,
 *
 *     x = src + residual          or          x = (src + residual) + bias
 *
 * in f32 (in f64 if data is f64). A block of a transformer does this before each of its norms. x can be an output,
 * which the next block uses as its residual.
 *   residual_desc   the residual, JITNORM_ARG_SRC_1, which has src's dimensions (a stride of 0 repeats it along a
 *                   dimension)
 *   sum_desc        x, JITNORM_ARG_DST_1, which has src's dimensions and is converted to its data type as dst is to
 *                   its own. If sum_desc is null or empty, x is not written.
 *   bias_data_type  the type of the bias, JITNORM_ARG_BIAS, which has one dimension of C elements and is dense: f32,
 *                   bf16 or f16; jitnorm_data_type_undef: there is no bias
 *   flags           jitnorm_residual_flags_t, or-ed
 * Without flags x is normalized as it was computed, before it is rounded for DST_1; this includes its statistics. With
 * jitnorm_residual_normalize_rounded x is normalized as DST_1 holds it. This gives the same bits as an addition that
 * stores x, followed by a normalization of what was stored. The residual and the sum may have the data types, layouts
 * and run-time sizes that src and dst may have. An undecided layout becomes src's. In place: DST_1 may have SRC_1's
 * handle if their descriptors are equal, and DST may have SRC's.
 *
 * With jitnorm_residual_mul_silu the residual is not added: it gates src, as z does in a gated RMSNorm whose gate comes
 * before the norm. In the formulas above src + residual becomes src * silu(residual), where silu(z) = z / (1 + exp(-z))
 * and the product are each rounded to f32 (f64). All else is the same: DST_1 receives the product. Backward refuses
 * this flag, because no output has the gradients of both factors. A caller who computes them gets the gradient g of x
 * as diff_src from backward with the residual described without the flag. With s = 1 / (1 + exp(-residual)),
 *
 *     gradient of src = g * silu(residual)       gradient of the residual = g * src * s * (1 + residual * (1 - s))
 *
 * Backward has the same attribute. Its src is x as forward has written it. If sum_desc is given, it describes
 * JITNORM_ARG_DIFF_DST_1, the gradient of x from everything else that reads x, and
 *
 *     diff_src = the gradient of the normalization + DIFF_DST_1
 *
 * This is the gradient of forward's src and also of its residual. The gradient of the bias is the sum of diff_src over
 * the rows, which the caller computes. Backward ignores the rest of the attribute, unless there is a gate
 * (jitnorm_primitive_attr_set_residual_gate). diff_src may have DIFF_DST_1's handle if their descriptors are equal.
 *
 * The descriptors are copied. A further call replaces the residual.
 * invalid_arguments: an empty residual_desc; an unknown bias_data_type; unknown flags;
 *   jitnorm_residual_normalize_rounded without sum_desc. When a primitive descriptor is created: dimensions that are
 *   not src's, a sum with a stride of 0.
 * unimplemented: when a descriptor of backward is created with jitnorm_residual_mul_silu. */
JITNORM_API jitnorm_status_t jitnorm_primitive_attr_set_residual(jitnorm_primitive_attr_t attr,
                                                                 const_jitnorm_memory_desc_t residual_desc,
                                                                 const_jitnorm_memory_desc_t sum_desc,
                                                                 jitnorm_data_type_t bias_data_type, unsigned flags);
/* The descriptors belong to attr. A descriptor is empty (0 dimensions) if there is no such tensor. A result pointer may
 * be null if the caller does not want that parameter. */
JITNORM_API jitnorm_status_t jitnorm_primitive_attr_get_residual(const_jitnorm_primitive_attr_t attr,
                                                                 const_jitnorm_memory_desc_t *residual_desc,
                                                                 const_jitnorm_memory_desc_t *sum_desc,
                                                                 jitnorm_data_type_t *bias_data_type, unsigned *flags);

/* Multiplies src by a gate, JITNORM_ARG_SRC_2, before the residual is added:
 *
 *     x = src * gate + residual          or          x = (src * gate + residual) + bias
 *
 * where the product is rounded to f32 (f64) before the addition. A block of a diffusion transformer does this before
 * its second norm.
 *   gate_desc  f32, bf16 or f16, also f64 if some tensor with src's dimensions is f64; the dimensions of src, of which
 *     those that count rows may be 1 instead; any strides of these, while the elements of a row follow each other; an
 *     undecided layout becomes row major; run-time sizes as for dst, in forward. Null or empty: there is no gate.
 * A gate without a residual is ignored.
 *
 * Backward has the same attribute, with the residual. As without a gate, its src is x, and its diff_src is the
 * gradient of x and so of the residual. It reads the gate, and forward's src as JITNORM_ARG_SRC_1, and writes
 *
 *     DIFF_SRC_1 = diff_src * gate                        the gradient of forward's src
 *     DIFF_SRC_2 = sum over rows of diff_src * SRC_1      the gradient of the gate, only if prop_kind is
 * jitnorm_backward
 *
 * where diff_src is what its tensor holds, and the sum is over the rows that share the gate. residual_desc of
 * jitnorm_primitive_attr_set_residual describes SRC_1 and DIFF_SRC_1. DIFF_SRC_2 has the dimensions and the type of the
 * gate and is dense in row-major order. diff_src and DIFF_SRC_1 may have the handles of DIFF_DST and DIFF_DST_1, each
 * another one, if the descriptors are equal.
 *
 * The descriptor is copied. A further call replaces the gate. When a primitive descriptor is created: invalid_arguments
 * for other dimensions; unimplemented for another type, as for jitnorm_primitive_attr_set_scale_shift_descs, and for
 * backward with run-time sizes. */
JITNORM_API jitnorm_status_t jitnorm_primitive_attr_set_residual_gate(jitnorm_primitive_attr_t attr,
                                                                      const_jitnorm_memory_desc_t gate_desc);
/* The descriptor belongs to attr. It is empty (0 dimensions) if there is no gate. */
JITNORM_API jitnorm_status_t jitnorm_primitive_attr_get_residual_gate(const_jitnorm_primitive_attr_t attr,
                                                                      const_jitnorm_memory_desc_t *gate_desc);

/* Gives forward a pre-quantization output, JITNORM_ARG_DST_2: the normalized, scaled and shifted values before post-ops
 * and before the scales of dst, converted to their type as dst is. A router in a mixture of experts reads this output,
 * while the experts read the quantized dst.
 *   pre_quantization_desc  f32, bf16, f16 or f64; src's dimensions and any layout, an undecided one becomes src's;
 *     run-time sizes as for dst. Null or empty: there is no such output. It shares no memory with another tensor.
 * dst has the same bits with and without this output, unless only the output is f64: then all is computed in f64. The
 * descriptor is copied. A further call replaces it. When a primitive descriptor is created: invalid_arguments for
 * dimensions that are not src's, an unknown data type or a stride of 0; unimplemented for other types and backward. */
JITNORM_API jitnorm_status_t jitnorm_primitive_attr_set_pre_quantization_dst(
    jitnorm_primitive_attr_t attr, const_jitnorm_memory_desc_t pre_quantization_desc);
/* The descriptor belongs to attr. It is empty (0 dimensions) if there is no such output. */
JITNORM_API jitnorm_status_t jitnorm_primitive_attr_get_pre_quantization_dst(
    const_jitnorm_primitive_attr_t attr, const_jitnorm_memory_desc_t *pre_quantization_desc);

/* Gives scale and shift row dimensions: rows, or groups of rows, have a scale and a shift of their own, as the batches
 * or tokens of a diffusion transformer (AdaLN) and the heads of an attention layer have.
 *   scale_desc, shift_desc  the dimensions of src, of which those that count rows may be 1 instead; the type
 *     scale_shift_data_type of the creation function; any strides of the dimensions that count rows, while the elements
 *     of a row follow each other; an undecided layout becomes row major; run-time sizes as for dst. Null or empty: a
 *     vector of C elements.
 * Rows for which both scale and shift are the same are a group. The results are as by a primitive for each group. In
 * particular diff_scale and diff_shift are sums over the rows of their group. They have the dimensions of scale and of
 * shift, are dense in row-major order, and have the type diff_scale_shift_data_type. A descriptor whose flag, use_scale
 * or use_shift, is not set is ignored, and so is shift_desc by backward_data, which neither reads a shift nor writes
 * its gradient. The descriptors are copied. A further call replaces them. When a primitive descriptor is created:
 * invalid_arguments for other dimensions or another type; unimplemented for elements of a row that do not follow each
 * other, for a tensor whose inner blocks or padding split a dimension along which scale or shift change, for backward
 * with gradients of both whose row dimensions differ, and for partial backward. */
JITNORM_API jitnorm_status_t jitnorm_primitive_attr_set_scale_shift_descs(jitnorm_primitive_attr_t attr,
                                                                          const_jitnorm_memory_desc_t scale_desc,
                                                                          const_jitnorm_memory_desc_t shift_desc);
/* The descriptors belong to attr. A descriptor is empty (0 dimensions) if there is none. */
JITNORM_API jitnorm_status_t jitnorm_primitive_attr_get_scale_shift_descs(const_jitnorm_primitive_attr_t attr,
                                                                          const_jitnorm_memory_desc_t *scale_desc,
                                                                          const_jitnorm_memory_desc_t *shift_desc);

/* Gives the normalization an epsilon in double, which is added to the variance in place of the float that the creation
 * function gets; that one is ignored. 1e-5 as a float is 2.5e-8 of its value away from 1e-5, which moves results by up
 * to 1.3e-8 of their value: more than the error of everything else if data is f64. jitnorm_query_epsilon_f32 answers
 * this epsilon rounded to a float. A further call replaces it.
 * invalid_arguments: a null attr; an epsilon that is negative or not finite. */
JITNORM_API jitnorm_status_t jitnorm_primitive_attr_set_epsilon(jitnorm_primitive_attr_t attr, double epsilon);
/* *epsilon is -1 if none was set. */
JITNORM_API jitnorm_status_t jitnorm_primitive_attr_get_epsilon(const_jitnorm_primitive_attr_t attr, double *epsilon);

/* The functions below accept any request that some primitive of oneDNN could support. If layer normalization does not
 * support a request, creating the primitive descriptor fails with unimplemented, not the function here: one attribute
 * object may be made for several primitives, and not all of them are layer normalizations. */

/* Gives the tensor `arg` a scale: with mask 0 one f32 for the whole tensor. An execution needs the scale as
 * JITNORM_ARG_ATTR_SCALES | arg, a memory of one f32. Scales are meant for s8 and u8, but layer normalization has
 * scales of JITNORM_ARG_SRC and JITNORM_ARG_DST with every type of src and dst, with mask 0 only. A further call for
 * the same argument replaces the scale.
 * invalid_arguments: an arg that no primitive of oneDNN gives scales (only SRC, SRC_1, oneDNN's SRC_2, WEIGHTS,
 *   MULTIPLE_SRC and DST have them); a negative mask. */
JITNORM_API jitnorm_status_t jitnorm_primitive_attr_set_scales_mask(jitnorm_primitive_attr_t attr, int arg, int mask);

/* Give the tensor `arg` scales. Bit d of the mask says that there is a scale for each index of dimension d, or, with
 * groups, for each group of indices. group_dims has the sizes of the groups along the last two dimensions (ndims is 2);
 * if ndims is 0, there are no groups and group_dims may be null. data_type is the scales' type. is_on_host says that a
 * host scalar holds the one value. quantization_mode says how the scales come about. Layer normalization has one f32
 * of mask 0 in a memory, with jitnorm_quantization_mode_static_sazp. For dst it also computes dynamic scales:
 *
 * With jitnorm_quantization_mode_dynamic_amax the scale of each row of dst, or of each group of its columns, is the
 * largest magnitude in it divided by the largest number of dst's type: 127 for s8, 255 for u8, 57344 for f8_e5m2, 448
 * for f8_e4m3. (docs/arithmetic.md, "Dynamic scales", says what zeros, infinities and NaN give.) The scales are
 * f32 and an output. The memory that is given as JITNORM_ARG_ATTR_SCALES | JITNORM_ARG_DST has the descriptor that
 * jitnorm_query_exec_arg_md returns: row major, with the dimensions of dst except for the last one, which is 1 or the
 * number of groups.
 *     one scale for each row: a mask of all dimensions but the last, no groups;
 *     one scale for each G columns of a row: a mask of all dimensions, groups of {1, G}.
 * If columns are to be multiplied by factors before (smooth scales), the caller adds a binary post-op,
 * jitnorm_binary_mul, with a src1 of one row. dst must be s8, u8, f8_e5m2 or f8_e4m3, there must be no sum post-op, and
 * all sizes and strides must be known when the descriptor is created; otherwise that fails with unimplemented. It fails
 * with invalid_arguments if the rows of dst are not whole groups.
 *
 * invalid_arguments: a null attr; arg and mask as above; ndims other than 0 and 2; groups that are null or not
 * positive; groups or a type of 8 bits with mask 0; is_on_host with a mask or groups; a type other than f32, bf16, f16,
 * e8m0 (13) and f8_e4m3 (10); an unknown quantization mode, or undef. */
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

/* Give the tensor `arg` zero points. Layer normalization has none.
 * invalid_arguments: as for scales, with the types s32, s8 and u8, also with mask 0, and without SRC_1 and
 *   MULTIPLE_SRC. */
JITNORM_API jitnorm_status_t jitnorm_primitive_attr_set_zero_points_mask(jitnorm_primitive_attr_t attr, int arg,
                                                                         int mask);
JITNORM_API jitnorm_status_t jitnorm_primitive_attr_set_zero_points(jitnorm_primitive_attr_t attr, int arg, int mask,
                                                                    int ndims, const jitnorm_dims_t group_dims,
                                                                    jitnorm_data_type_t data_type);
JITNORM_API jitnorm_status_t jitnorm_primitive_attr_set_zero_points_v2(jitnorm_primitive_attr_t attr, int arg, int mask,
                                                                       int ndims, const jitnorm_dims_t group_dims,
                                                                       jitnorm_data_type_t data_type, int is_on_host);

/* Whether results must have the same bits from run to run (0 no, anything else yes). Results of layer normalization
 * have them in both cases. */
JITNORM_API jitnorm_status_t jitnorm_primitive_attr_get_deterministic(const_jitnorm_primitive_attr_t attr, int *value);
JITNORM_API jitnorm_status_t jitnorm_primitive_attr_set_deterministic(jitnorm_primitive_attr_t attr, int value);

/* The type to which f32 data may be narrowed for the computation. New attributes have the default mode, which is strict
 * unless jitnorm_set_default_fpmath_mode has changed it. Layer normalization accepts all modes and never narrows f32
 * data. apply_to_int (0 no, anything else yes) says that integers may be computed with in that type; layer
 * normalization accepts it only with the strict mode.
 * invalid_arguments: an unknown mode. Result pointers of _v2 may be null. */
JITNORM_API jitnorm_status_t jitnorm_primitive_attr_get_fpmath_mode(const_jitnorm_primitive_attr_t attr,
                                                                    jitnorm_fpmath_mode_t *mode);
JITNORM_API jitnorm_status_t jitnorm_primitive_attr_set_fpmath_mode(jitnorm_primitive_attr_t attr,
                                                                    jitnorm_fpmath_mode_t mode);
JITNORM_API jitnorm_status_t jitnorm_primitive_attr_get_fpmath_mode_v2(const_jitnorm_primitive_attr_t attr,
                                                                       jitnorm_fpmath_mode_t *mode, int *apply_to_int);
JITNORM_API jitnorm_status_t jitnorm_primitive_attr_set_fpmath_mode_v2(jitnorm_primitive_attr_t attr,
                                                                       jitnorm_fpmath_mode_t mode, int apply_to_int);

/* The type in which sums may be kept (jitnorm_accumulation_mode_t says which modes layer normalization accepts).
 * invalid_arguments: an unknown mode. */
JITNORM_API jitnorm_status_t jitnorm_primitive_attr_get_accumulation_mode(const_jitnorm_primitive_attr_t attr,
                                                                          jitnorm_accumulation_mode_t *mode);
JITNORM_API jitnorm_status_t jitnorm_primitive_attr_set_accumulation_mode(jitnorm_primitive_attr_t attr,
                                                                          jitnorm_accumulation_mode_t mode);

/* How the results for an argument are rounded. arg: JITNORM_ARG_DST, JITNORM_ARG_DIFF_SRC, or 161, oneDNN's number for
 * the gradients of weights. For any other argument the getter answers jitnorm_rounding_mode_environment.
 * invalid_arguments: an unknown mode; jitnorm_rounding_mode_stochastic for another argument. */
JITNORM_API jitnorm_status_t jitnorm_primitive_attr_get_rounding(jitnorm_primitive_attr_t attr, int arg,
                                                                 jitnorm_rounding_mode_t *mode);
JITNORM_API jitnorm_status_t jitnorm_primitive_attr_set_rounding(jitnorm_primitive_attr_t attr, int arg,
                                                                 jitnorm_rounding_mode_t mode);

/* *post_ops belongs to attr. It lives until attr is destroyed or its post-ops are set again. */
JITNORM_API jitnorm_status_t jitnorm_primitive_attr_get_post_ops(const_jitnorm_primitive_attr_t attr,
                                                                 const_jitnorm_post_ops_t *post_ops);
/* Copies post_ops, which may be changed or destroyed afterwards. */
JITNORM_API jitnorm_status_t jitnorm_primitive_attr_set_post_ops(jitnorm_primitive_attr_t attr,
                                                                 const_jitnorm_post_ops_t post_ops);

/* ---------------------------------------------------------------- post-operations, at most 32 in order */

JITNORM_API jitnorm_status_t jitnorm_post_ops_create(jitnorm_post_ops_t *post_ops);
JITNORM_API jitnorm_status_t jitnorm_post_ops_clone(jitnorm_post_ops_t *post_ops, const_jitnorm_post_ops_t existing);
JITNORM_API jitnorm_status_t jitnorm_post_ops_destroy(jitnorm_post_ops_t post_ops);

/* The number of post-operations; 0 for null. */
JITNORM_API int jitnorm_post_ops_len(const_jitnorm_post_ops_t post_ops);

/* Returns jitnorm_sum, jitnorm_eltwise, jitnorm_binary or jitnorm_prelu, or jitnorm_undefined_primitive if post_ops is
 * null or index is out of range. */
JITNORM_API jitnorm_primitive_kind_t jitnorm_post_ops_get_kind(const_jitnorm_post_ops_t post_ops, int index);

/* Errors of all append functions: invalid_arguments as each one says; out_of_memory: there are 32 post-ops already.
 * Errors of all get_params functions: invalid_arguments: a null post_ops, an index out of range, a post-op of another
 *   kind. A result pointer of get_params may be null if the caller does not want that parameter. */

/* y = y + scale * (old dst - zero_point). data_type is the type as which the old dst is read. It must have the same
 * size as dst's type; jitnorm_data_type_undef means dst's type. f8_e5m2 and f8_e4m3 cannot be read: creating the
 * primitive descriptor then fails with unimplemented.
 * invalid_arguments: an unknown data_type. When a primitive descriptor is created: a data_type of another size than
 *   dst's type; a zero_point other than 0 if the old dst is not read as s8 or u8. */
JITNORM_API jitnorm_status_t jitnorm_post_ops_append_sum(jitnorm_post_ops_t post_ops, float scale, int32_t zero_point,
                                                         jitnorm_data_type_t data_type);
JITNORM_API jitnorm_status_t jitnorm_post_ops_get_params_sum(const_jitnorm_post_ops_t post_ops, int index, float *scale,
                                                             int32_t *zero_point, jitnorm_data_type_t *data_type);

/* y = alg(y). jitnorm_alg_kind_t gives the formulas.
 * invalid_arguments: alg_kind is not an eltwise algorithm. */
JITNORM_API jitnorm_status_t jitnorm_post_ops_append_eltwise(jitnorm_post_ops_t post_ops, jitnorm_alg_kind_t alg_kind,
                                                             float alpha, float beta);
JITNORM_API jitnorm_status_t jitnorm_post_ops_get_params_eltwise(const_jitnorm_post_ops_t post_ops, int index,
                                                                 jitnorm_alg_kind_t *alg_kind, float *alpha,
                                                                 float *beta);

/* y = alg(y, src1). src1 may have any data type but f8_e5m2 and f8_e4m3, and any layout, also with strides of 0. It has
 * as many dimensions as dst. Each dimension has dst's size, or size 1, in which case src1 is broadcast along it. The
 * descriptor is copied. An undecided layout (any) becomes that of dst. An execution needs src1 as the argument
 * JITNORM_ARG_ATTR_MULTIPLE_POST_OP(index) | JITNORM_ARG_SRC_1.
 * invalid_arguments: alg_kind is not a binary algorithm; src1_desc is null or empty. When a primitive descriptor is
 *   created: dimensions that do not fit to dst's. */
JITNORM_API jitnorm_status_t jitnorm_post_ops_append_binary(jitnorm_post_ops_t post_ops, jitnorm_alg_kind_t alg_kind,
                                                            const_jitnorm_memory_desc_t src1_desc);
/* *src1_desc belongs to post_ops. */
JITNORM_API jitnorm_status_t jitnorm_post_ops_get_params_binary(const_jitnorm_post_ops_t post_ops, int index,
                                                                jitnorm_alg_kind_t *alg_kind,
                                                                const_jitnorm_memory_desc_t *src1_desc);

/* The same with a second source. oneDNN's algorithms with two sources are not here, so that src2_desc is null or empty.
 * *src2_desc is empty (0 dimensions). invalid_arguments: as above; src2_desc describes a tensor. */
JITNORM_API jitnorm_status_t jitnorm_post_ops_append_binary_v2(jitnorm_post_ops_t post_ops, jitnorm_alg_kind_t alg_kind,
                                                               const_jitnorm_memory_desc_t src1_desc,
                                                               const_jitnorm_memory_desc_t src2_desc);
JITNORM_API jitnorm_status_t jitnorm_post_ops_get_params_binary_v2(const_jitnorm_post_ops_t post_ops, int index,
                                                                   jitnorm_alg_kind_t *alg_kind,
                                                                   const_jitnorm_memory_desc_t *src1_desc,
                                                                   const_jitnorm_memory_desc_t *src2_desc);

/* y = y > 0 ? y : slope y, with a slope for each index of the dimensions in the mask. Layer normalization does not
 * implement it: creating a primitive descriptor with such a post-op fails with unimplemented.
 * invalid_arguments: a negative mask. */
JITNORM_API jitnorm_status_t jitnorm_post_ops_append_prelu(jitnorm_post_ops_t post_ops, int mask);
JITNORM_API jitnorm_status_t jitnorm_post_ops_get_params_prelu(const_jitnorm_post_ops_t post_ops, int index, int *mask);

#ifdef __cplusplus
}
#endif

#endif
