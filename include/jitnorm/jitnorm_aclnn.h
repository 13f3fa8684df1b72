/* SPDX-License-Identifier: Apache-2.0 */
/* jitnorm_aclnn.h: layer normalization by Ascend's two-phase calls, on CPUs. What jitnorm_acl.h says at its top holds
 * here too. */
#ifndef JITNORM_ACLNN_H
#define JITNORM_ACLNN_H

#include "jitnorm_acl.h" /* in the folder of this header, like those that it includes */

#ifdef __cplusplus
extern "C" {
#endif

/* ---------------------------------------------------------------- layer normalization
 *
 * input has 1 to 8 dimensions [A1..Ai, R1..Rj]. normalized_shape is [R1..Rj]; j is at least 1, i may be 0. Any
 * dimension may be 0. A row is the N elements that share A1..Ai. For each row:
 *
 *     mean = sum x / N    rstd = 1 / sqrt(sum (x - mean)^2 / N + eps)    out = (x - mean) rstd weight + bias
 *
 * and backward, with xhat = (input - mean) rstd and g = grad_out weight:
 *
 *     grad_input  = rstd (g - sum g / N - xhat sum (g xhat) / N)
 *     grad_weight = sum over rows of grad_out xhat            grad_bias = sum over rows of grad_out
 *
 * Types: FLOAT, FLOAT16 and BF16. Each tensor may have any strides and any offset. Inputs may also have strides of 0
 * and overlapping elements. The plain formats (ND, NCHW and the like) all mean the view as it is. A null weight means
 * ones, a null bias means zeros. weight and bias have the shape of normalized_shape. In forward both have the same
 * type, input's or FLOAT; in backward each may have any of the types. mean and rstd may each have any of the types.
 * They have the same shape: [A1..Ai, 1..1], or any shape with as many elements in the same order for which strides
 * exist. The same holds for the gradients of weight and bias, which have N elements.
 *
 * out may be input's memory, and grad_input may be grad_out's, if type and layout are the same. Otherwise outputs must
 * not overlap other tensors. For rows without elements mean_out is 0 and rstd_out NaN.
 *
 * The first call checks all of this. It returns the size of the workspace in bytes (0: no workspace) and an executor.
 * The second call runs the executor. The workspace may have any alignment, and nothing is written beyond its size. */

/* out has input's shape. If mean_out or rstd_out is null, it is not computed.
 *   PARAM_NULLPTR: input, normalized_shape, out, workspace_size or executor is null
 *   PARAM_INVALID: anything above that does not hold; eps negative or not finite; an output with a stride of 0
 *   INNER_CREATE_EXECUTOR: memory is out */
JITNORM_API jitnorm_acl_status_t jitnorm_aclnn_layer_norm_get_workspace_size(
    const_jitnorm_acl_tensor_t input, const_jitnorm_acl_int_array_t normalized_shape, const_jitnorm_acl_tensor_t weight,
    const_jitnorm_acl_tensor_t bias, double eps, jitnorm_acl_tensor_t out, jitnorm_acl_tensor_t mean_out,
    jitnorm_acl_tensor_t rstd_out, uint64_t *workspace_size, jitnorm_acl_op_executor_t *executor);

/* Like jitnorm_aclnn_layer_norm_get_workspace_size, with a choice of accuracy. impl_mode: 0 precise, 1 fast, 2 in
 * FLOAT16, for which input, weight and bias must be FLOAT16 (otherwise PARAM_INVALID). Another number gives
 * PARAM_INVALID. All modes give the results of mode 0. */
JITNORM_API jitnorm_acl_status_t jitnorm_aclnn_layer_norm_with_impl_mode_get_workspace_size(
    const_jitnorm_acl_tensor_t input, const_jitnorm_acl_int_array_t normalized_shape, const_jitnorm_acl_tensor_t weight,
    const_jitnorm_acl_tensor_t bias, double eps, jitnorm_acl_tensor_t out, jitnorm_acl_tensor_t mean_out,
    jitnorm_acl_tensor_t rstd_out, int32_t impl_mode, uint64_t *workspace_size, jitnorm_acl_op_executor_t *executor);

/* Gives the same results as jitnorm_aclnn_layer_norm_get_workspace_size, bit for bit. (On Ascend the two operations add
 * in different orders.)
 *   561103: rows of more than 583705600 elements, as on Ascend */
JITNORM_API jitnorm_acl_status_t jitnorm_aclnn_fast_layer_norm_get_workspace_size(
    const_jitnorm_acl_tensor_t input, const_jitnorm_acl_int_array_t normalized_shape, const_jitnorm_acl_tensor_t weight,
    const_jitnorm_acl_tensor_t bias, double eps, jitnorm_acl_tensor_t out, jitnorm_acl_tensor_t mean_out,
    jitnorm_acl_tensor_t rstd_out, uint64_t *workspace_size, jitnorm_acl_op_executor_t *executor);

/* output_mask has three values, which say whether grad_input, grad_weight and grad_bias are computed. An output that is
 * not computed may be null and is ignored. bias is checked but not read.
 *   PARAM_NULLPTR: grad_out, input, normalized_shape, mean, rstd, output_mask, workspace_size, executor or an output
 *                  that the mask asks for is null
 *   PARAM_INVALID, INNER_CREATE_EXECUTOR: as for jitnorm_aclnn_layer_norm_get_workspace_size; also PARAM_INVALID if
 *                  output_mask does not have three values */
JITNORM_API jitnorm_acl_status_t jitnorm_aclnn_layer_norm_backward_get_workspace_size(
    const_jitnorm_acl_tensor_t grad_out, const_jitnorm_acl_tensor_t input,
    const_jitnorm_acl_int_array_t normalized_shape, const_jitnorm_acl_tensor_t mean, const_jitnorm_acl_tensor_t rstd,
    const_jitnorm_acl_tensor_t weight, const_jitnorm_acl_tensor_t bias, const_jitnorm_acl_bool_array_t output_mask,
    jitnorm_acl_tensor_t grad_input, jitnorm_acl_tensor_t grad_weight, jitnorm_acl_tensor_t grad_bias,
    uint64_t *workspace_size, jitnorm_acl_op_executor_t *executor);

/* ---------------------------------------------------------------- adaptive layer normalization
 *
 *     out = ((x - mean) rstd weight + bias) (1 + scale) + shift
 *
 * over the last axis of x, which has the shape [B..., S, H] with 0 to 6 axes B. scale and shift have the shape
 * [B..., H] or [B..., 1, H], each its own. weight and bias have the shape [H]; a null weight means ones, a null bias
 * means zeros. x, scale, shift and out have one type, FLOAT, FLOAT16 or BF16. No dimension is 0. out has x's shape. All
 * is computed in f32 and rounded once. Gradients: jitnorm_primitive_attr_set_scale_shift_descs. */

/* weight and bias have x's type.
 *   PARAM_NULLPTR: x, scale, shift, out, workspace_size or executor is null
 *   PARAM_INVALID: anything above that does not hold; epsilon negative or not finite; an output with a stride of 0
 *   INNER_CREATE_EXECUTOR: memory is out */
JITNORM_API jitnorm_acl_status_t jitnorm_aclnn_ada_layer_norm_get_workspace_size(
    const_jitnorm_acl_tensor_t x, const_jitnorm_acl_tensor_t scale, const_jitnorm_acl_tensor_t shift,
    const_jitnorm_acl_tensor_t weight, const_jitnorm_acl_tensor_t bias, double epsilon, jitnorm_acl_tensor_t out,
    uint64_t *workspace_size, jitnorm_acl_op_executor_t *executor);

/* Also writes mean_out and rstd_out, of x's type and of the shape [B..., S, 1], unless they are null. weight and bias
 * have one type, x's or FLOAT. Errors as above. */
JITNORM_API jitnorm_acl_status_t jitnorm_aclnn_ada_layer_norm_v2_get_workspace_size(
    const_jitnorm_acl_tensor_t x, const_jitnorm_acl_tensor_t scale, const_jitnorm_acl_tensor_t shift,
    const_jitnorm_acl_tensor_t weight, const_jitnorm_acl_tensor_t bias, double epsilon, jitnorm_acl_tensor_t out,
    jitnorm_acl_tensor_t mean_out, jitnorm_acl_tensor_t rstd_out, uint64_t *workspace_size,
    jitnorm_acl_op_executor_t *executor);

/* ---------------------------------------------------------------- RMS normalization
 *
 * x has 1 to 8 dimensions [A1..Ai, R1..Rj]. gamma is [R1..Rj], where j is at least 1, and must have elements; x may
 * have none. A row is the N elements that share A1..Ai. For each row:
 *
 *     rstd = 1 / sqrt(sum x^2 / N + epsilon)    y = x rstd gamma
 *
 * and in backward, with n = x rstd and g = dy gamma:
 *
 *     dx = rstd (g - n sum (g n) / N)           dgamma = sum over rows of dy n
 *
 * Types: x, y, dy and dx have the same type, FLOAT, FLOAT16 or BF16. gamma has this type or FLOAT. rstd and dgamma are
 * FLOAT. Layouts, sharing of memory and the two calls are as for layer normalization.
 *   PARAM_NULLPTR: any pointer is null
 *   PARAM_INVALID: types other than these
 *   INNER_TILING:  anything else above that does not hold: shapes, numbers of dimensions, views and formats, an output
 *                  whose elements share memory, epsilon negative or not finite
 *   INNER_CREATE_EXECUTOR: memory is out */

/* y_out has x's shape. rstd_out has the shape [A1..Ai, 1..1] with j ones. */
JITNORM_API jitnorm_acl_status_t jitnorm_aclnn_rms_norm_get_workspace_size(
    const_jitnorm_acl_tensor_t x, const_jitnorm_acl_tensor_t gamma, double epsilon, const_jitnorm_acl_tensor_t y_out,
    const_jitnorm_acl_tensor_t rstd_out, uint64_t *workspace_size, jitnorm_acl_op_executor_t *executor);

/* dy and dx_out have x's shape, dgamma_out has gamma's shape. rstd may have any shape with an element for each row, in
 * the order of the rows, for which strides exist: that of forward's rstd_out, [A1..Ai] and others. The order of each
 * sum does not depend on the number of threads, so results are the same from run to run. */
JITNORM_API jitnorm_acl_status_t jitnorm_aclnn_rms_norm_grad_get_workspace_size(
    const_jitnorm_acl_tensor_t dy, const_jitnorm_acl_tensor_t x, const_jitnorm_acl_tensor_t rstd,
    const_jitnorm_acl_tensor_t gamma, const_jitnorm_acl_tensor_t dx_out, const_jitnorm_acl_tensor_t dgamma_out,
    uint64_t *workspace_size, jitnorm_acl_op_executor_t *executor);

/* Like jitnorm_aclnn_rms_norm_get_workspace_size, with 1 + gamma in place of gamma, because models of the Gemma family
 * store their weights minus one. */
JITNORM_API jitnorm_acl_status_t jitnorm_aclnn_gemma_rms_norm_get_workspace_size(
    const_jitnorm_acl_tensor_t x, const_jitnorm_acl_tensor_t gamma, double epsilon, const_jitnorm_acl_tensor_t y_out,
    const_jitnorm_acl_tensor_t rstd_out, uint64_t *workspace_size, jitnorm_acl_op_executor_t *executor);

/* ---------------------------------------------------------------- normalizations of sums
 *
 * The normalized values are x = x1 + x2, computed in f32. x_out receives x rounded to its type. The statistics are
 * those of the unrounded sum. x_out may be x2's memory, and y_out may be x1's, if type and layout are the same.
 * Otherwise outputs must not overlap other tensors. */

/* RMS normalization of x. All tensors have the same type, FLOAT, FLOAT16 or BF16, except rstd_out, which is FLOAT. x2,
 * y_out and x_out have x1's shape; gamma and rstd_out are as for jitnorm_aclnn_rms_norm_get_workspace_size. If tensors
 * have no elements, nothing is written. If rstd_out is null, it is not computed, and x_out may be null too; then the
 * type must be FLOAT16 or BF16 and gamma's shape [1, D].
 *   PARAM_NULLPTR: x1, x2, gamma, y_out, workspace_size or executor is null; x_out is null and rstd_out is not
 *   PARAM_INVALID: anything of this that does not hold; epsilon negative or not finite
 *   INNER_CREATE_EXECUTOR: memory is out */
JITNORM_API jitnorm_acl_status_t jitnorm_aclnn_add_rms_norm_get_workspace_size(
    const_jitnorm_acl_tensor_t x1, const_jitnorm_acl_tensor_t x2, const_jitnorm_acl_tensor_t gamma, double epsilon,
    jitnorm_acl_tensor_t y_out, jitnorm_acl_tensor_t rstd_out, jitnorm_acl_tensor_t x_out, uint64_t *workspace_size,
    jitnorm_acl_op_executor_t *executor);

/* Layer normalization of x = (x1 + x2) + bias, or of x1 + x2 if bias is null. Types are one of these: all tensors have
 * the same type, FLOAT, FLOAT16 or BF16; or gamma and beta are FLOAT and all others FLOAT16 or all others BF16; or x1
 * or x2 is FLOAT16 or BF16 and all others are FLOAT. mean_out and rstd_out are always FLOAT. gamma and beta have the
 * shape of the last axes of x1. x2, y_out and x_out have x1's shape. mean_out and rstd_out have x1's shape with ones
 * for the last axes. bias has gamma's shape or x1's. No dimension is 0, and outputs are contiguous. x_out is written if
 * additional_output is true; otherwise it is ignored.
 *
 * A bias of gamma's shape, or of x1's shape with strides of 0 along the other axes, costs no pass of its own. A bias
 * with a value for each element costs a second pass over the rows and a workspace of 4 bytes for each element; x_out
 * may then also be bias's memory.
 *   PARAM_NULLPTR: a pointer is null other than bias, and other than x_out without additional_output
 *   PARAM_INVALID: types other than these
 *   INNER_TILING:  anything else of this that does not hold; epsilon negative or not finite
 *   INNER_CREATE_EXECUTOR: memory is out */
JITNORM_API jitnorm_acl_status_t jitnorm_aclnn_add_layer_norm_get_workspace_size(
    const_jitnorm_acl_tensor_t x1, const_jitnorm_acl_tensor_t x2, const_jitnorm_acl_tensor_t gamma,
    const_jitnorm_acl_tensor_t beta, const_jitnorm_acl_tensor_t bias, double epsilon, bool additional_output,
    const_jitnorm_acl_tensor_t y_out, const_jitnorm_acl_tensor_t mean_out, const_jitnorm_acl_tensor_t rstd_out,
    const_jitnorm_acl_tensor_t x_out, uint64_t *workspace_size, jitnorm_acl_op_executor_t *executor);

/* ---------------------------------------------------------------- RMS normalization to 8 bits
 *
 *     u = (x rstd gamma + beta) smooth        scale = max |u| / M        y = u (1 / scale), to the nearest
 *
 * in f32, with a scale for each row. y is rounded to the nearest number of its type. beta and smooth may be missing. M
 * is the largest number of y's type: 127 for INT8, 57344 for FLOAT8_E5M2, 448 for FLOAT8_E4M3FN. For a row of zeros the
 * scale is 0 and y is 0. Types: x, gamma, beta and smooth have the same type, FLOAT16 or BF16; scale is FLOAT. x has 2
 * to 8 dimensions, and its last axis is normalized. gamma, beta and smooth have the length of this axis. */

/* dst_type is 2. y_out is INT8 and has x's shape. scale_out has x's shape without the last axis.
 *   PARAM_NULLPTR: x, gamma, y_out, scale_out, workspace_size or executor is null
 *   INNER_TILING:  anything of this that does not hold; x without elements; epsilon not positive or not finite
 *   INNER_CREATE_EXECUTOR: memory is out */
JITNORM_API jitnorm_acl_status_t jitnorm_aclnn_rms_norm_dynamic_quant_get_workspace_size(
    const_jitnorm_acl_tensor_t x, const_jitnorm_acl_tensor_t gamma, const_jitnorm_acl_tensor_t smooth_scales,
    const_jitnorm_acl_tensor_t beta, double epsilon, int64_t dst_type, const_jitnorm_acl_tensor_t y_out,
    const_jitnorm_acl_tensor_t scale_out, uint64_t *workspace_size, jitnorm_acl_op_executor_t *executor);

/* Normalizes and quantizes x = x1 + x2, without beta. x_out receives x rounded; the statistics are those of the
 * unrounded sum. y1 and scale1 are quantized after a multiplication by smooth_scale1 (null: ones), y2 and scale2 after
 * one by smooth_scale2. If smooth_scale2 is null, y2 and scale2 are ignored, but must not be null. y1_out and y2_out
 * have the same type, INT8, FLOAT8_E5M2 or FLOAT8_E4M3FN, and x1's shape or [rows, D]. scale1_out and scale2_out are
 * contiguous and have x1's shape without the last axis or [rows]. x_out has x1's shape and type. If x1 has no elements,
 * nothing is written.
 *   PARAM_NULLPTR: a pointer is null other than smooth_scale1 and smooth_scale2
 *   PARAM_INVALID: types other than these
 *   INNER_TILING:  anything else of this that does not hold; smooth_scale2 without smooth_scale1; epsilon negative or
 *                  not finite
 *   INNER_CREATE_EXECUTOR: memory is out */
JITNORM_API jitnorm_acl_status_t jitnorm_aclnn_add_rms_norm_dynamic_quant_get_workspace_size(
    const_jitnorm_acl_tensor_t x1, const_jitnorm_acl_tensor_t x2, const_jitnorm_acl_tensor_t gamma,
    const_jitnorm_acl_tensor_t smooth_scale1, const_jitnorm_acl_tensor_t smooth_scale2, double epsilon,
    jitnorm_acl_tensor_t y1_out, jitnorm_acl_tensor_t y2_out, jitnorm_acl_tensor_t x_out,
    jitnorm_acl_tensor_t scale1_out, jitnorm_acl_tensor_t scale2_out, uint64_t *workspace_size,
    jitnorm_acl_op_executor_t *executor);

/* ---------------------------------------------------------------- the second calls */

/* The second call of each operation.
 *   PARAM_NULLPTR: executor is null; workspace is null although its size is not 0; the address of a tensor that has
 *                  elements is null
 *   PARAM_INVALID: the executor has ended or belongs to another operation; workspace_size is less than the first call
 *                  asked for; the first element of an output is at the address of another tensor's first element, and
 *                  the two may not share memory as said above; a tensor that is used begins in the workspace */
JITNORM_API jitnorm_acl_status_t jitnorm_aclnn_layer_norm(void *workspace, uint64_t workspace_size,
                                                          jitnorm_acl_op_executor_t executor, void *stream);
JITNORM_API jitnorm_acl_status_t jitnorm_aclnn_layer_norm_with_impl_mode(void *workspace, uint64_t workspace_size,
                                                                         jitnorm_acl_op_executor_t executor,
                                                                         void *stream);
JITNORM_API jitnorm_acl_status_t jitnorm_aclnn_fast_layer_norm(void *workspace, uint64_t workspace_size,
                                                               jitnorm_acl_op_executor_t executor, void *stream);
JITNORM_API jitnorm_acl_status_t jitnorm_aclnn_layer_norm_backward(void *workspace, uint64_t workspace_size,
                                                                   jitnorm_acl_op_executor_t executor, void *stream);
JITNORM_API jitnorm_acl_status_t jitnorm_aclnn_ada_layer_norm(void *workspace, uint64_t workspace_size,
                                                              jitnorm_acl_op_executor_t executor, void *stream);
JITNORM_API jitnorm_acl_status_t jitnorm_aclnn_ada_layer_norm_v2(void *workspace, uint64_t workspace_size,
                                                                 jitnorm_acl_op_executor_t executor, void *stream);
JITNORM_API jitnorm_acl_status_t jitnorm_aclnn_rms_norm(void *workspace, uint64_t workspace_size,
                                                        jitnorm_acl_op_executor_t executor, void *stream);
JITNORM_API jitnorm_acl_status_t jitnorm_aclnn_rms_norm_grad(void *workspace, uint64_t workspace_size,
                                                             jitnorm_acl_op_executor_t executor, void *stream);
JITNORM_API jitnorm_acl_status_t jitnorm_aclnn_gemma_rms_norm(void *workspace, uint64_t workspace_size,
                                                              jitnorm_acl_op_executor_t executor, void *stream);
JITNORM_API jitnorm_acl_status_t jitnorm_aclnn_add_rms_norm(void *workspace, uint64_t workspace_size,
                                                            jitnorm_acl_op_executor_t executor, void *stream);
JITNORM_API jitnorm_acl_status_t jitnorm_aclnn_add_layer_norm(void *workspace, uint64_t workspace_size,
                                                              jitnorm_acl_op_executor_t executor, void *stream);
JITNORM_API jitnorm_acl_status_t jitnorm_aclnn_rms_norm_dynamic_quant(void *workspace, uint64_t workspace_size,
                                                                      jitnorm_acl_op_executor_t executor, void *stream);
JITNORM_API jitnorm_acl_status_t jitnorm_aclnn_add_rms_norm_dynamic_quant(void *workspace, uint64_t workspace_size,
                                                                          jitnorm_acl_op_executor_t executor,
                                                                          void *stream);

#ifdef __cplusplus
}
#endif

#endif
