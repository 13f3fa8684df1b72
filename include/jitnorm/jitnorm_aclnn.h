/* SPDX-License-Identifier: Apache-2.0 */
/* jitnorm_aclnn.h: layer normalization by Ascend's two-phase calls, on CPUs. What jitnorm_acl.h says at its top holds
 * here. */
#ifndef JITNORM_ACLNN_H
#define JITNORM_ACLNN_H

#include "jitnorm_acl.h" /* beside this header, like those that it includes */

#ifdef __cplusplus
extern "C" {
#endif

/* ---------------------------------------------------------------- layer normalization
 *
 * input has 1 to 8 dimensions [A1..Ai, R1..Rj]; normalized_shape is [R1..Rj], j at least 1, i may be 0. Any dimension
 * may be 0. For each row, the N elements that share A1..Ai:
 *
 *     mean = sum x / N    rstd = 1 / sqrt(sum (x - mean)^2 / N + eps)    out = (x - mean) rstd weight + bias
 *
 * and backward, with xhat = (input - mean) rstd and g = grad_out weight:
 *
 *     grad_input  = rstd (g - sum g / N - xhat sum (g xhat) / N)
 *     grad_weight = sum over rows of grad_out xhat            grad_bias = sum over rows of grad_out
 *
 * Types: FLOAT, FLOAT16 and BF16. Each tensor may have any strides, 0 and overlapping ones included for inputs, and any
 * offset; the plain formats (ND, NCHW and the like) all mean the view as it is. A missing weight means ones, a missing
 * bias zeros. weight and bias have the shape of normalized_shape: forward both of one type, the data's or FLOAT,
 * backward each of any. mean and rstd, each of any type, have one shape, [A1..Ai, 1..1], or any other with as many
 * elements in the same order, if strides can tell the one as the other; so the gradients of weight and bias, each of
 * any type, with N elements.
 *
 * out may be input's memory, and grad_input grad_out's, where type and layout are the same; outputs overlap nothing
 * else. Of rows without elements mean_out is 0 and rstd_out NaN.
 *
 * The first call checks all of it and returns the size of the workspace in bytes (0: none) and an executor. The second
 * call runs it; the workspace may lie at any address and is written within that size only. */

/* out has input's shape; mean_out and rstd_out may be null, and are then not computed.
 *   PARAM_NULLPTR: input, normalized_shape, out, workspace_size or executor is null
 *   PARAM_INVALID: anything above that does not hold; eps negative or not finite; an output with a stride of 0
 *   INNER_CREATE_EXECUTOR: memory is out */
JITNORM_API jitnorm_acl_status_t jitnorm_aclnn_layer_norm_get_workspace_size(
    const_jitnorm_acl_tensor_t input, const_jitnorm_acl_int_array_t normalized_shape, const_jitnorm_acl_tensor_t weight,
    const_jitnorm_acl_tensor_t bias, double eps, jitnorm_acl_tensor_t out, jitnorm_acl_tensor_t mean_out,
    jitnorm_acl_tensor_t rstd_out, uint64_t *workspace_size, jitnorm_acl_op_executor_t *executor);

/* The same with a choice of how exact the computation must be: impl_mode 0 precise, 1 fast, 2 in FLOAT16, for which
 * input, weight and bias must be of that type (PARAM_INVALID, as for another number). The results are those of mode 0
 * in any. */
JITNORM_API jitnorm_acl_status_t jitnorm_aclnn_layer_norm_with_impl_mode_get_workspace_size(
    const_jitnorm_acl_tensor_t input, const_jitnorm_acl_int_array_t normalized_shape, const_jitnorm_acl_tensor_t weight,
    const_jitnorm_acl_tensor_t bias, double eps, jitnorm_acl_tensor_t out, jitnorm_acl_tensor_t mean_out,
    jitnorm_acl_tensor_t rstd_out, int32_t impl_mode, uint64_t *workspace_size, jitnorm_acl_op_executor_t *executor);

/* The same as jitnorm_aclnn_layer_norm_get_workspace_size, bit for bit; Ascend's sums in another order than its own.
 *   561103: rows of more than 583705600 elements, as there */
JITNORM_API jitnorm_acl_status_t jitnorm_aclnn_fast_layer_norm_get_workspace_size(
    const_jitnorm_acl_tensor_t input, const_jitnorm_acl_int_array_t normalized_shape, const_jitnorm_acl_tensor_t weight,
    const_jitnorm_acl_tensor_t bias, double eps, jitnorm_acl_tensor_t out, jitnorm_acl_tensor_t mean_out,
    jitnorm_acl_tensor_t rstd_out, uint64_t *workspace_size, jitnorm_acl_op_executor_t *executor);

/* output_mask has three values: whether grad_input, grad_weight and grad_bias are computed; one that is not may be
 * null, and is not looked at. bias is checked and not read.
 *   PARAM_NULLPTR: grad_out, input, normalized_shape, mean, rstd, output_mask, workspace_size, executor or an output
 *                  that the mask asks for is null
 *   PARAM_INVALID, INNER_CREATE_EXECUTOR: as above; output_mask has not three values */
JITNORM_API jitnorm_acl_status_t jitnorm_aclnn_layer_norm_backward_get_workspace_size(
    const_jitnorm_acl_tensor_t grad_out, const_jitnorm_acl_tensor_t input,
    const_jitnorm_acl_int_array_t normalized_shape, const_jitnorm_acl_tensor_t mean, const_jitnorm_acl_tensor_t rstd,
    const_jitnorm_acl_tensor_t weight, const_jitnorm_acl_tensor_t bias, const_jitnorm_acl_bool_array_t output_mask,
    jitnorm_acl_tensor_t grad_input, jitnorm_acl_tensor_t grad_weight, jitnorm_acl_tensor_t grad_bias,
    uint64_t *workspace_size, jitnorm_acl_op_executor_t *executor);

/* ---------------------------------------------------------------- RMS normalization
 *
 * x has 1 to 8 dimensions [A1..Ai, R1..Rj], gamma is [R1..Rj], j at least 1, and has elements; x may have none. For
 * each row, the N elements that share A1..Ai:
 *
 *     rstd = 1 / sqrt(sum x^2 / N + epsilon)    y = x rstd gamma
 *
 * and backward, with n = x rstd and g = dy gamma:
 *
 *     dx = rstd (g - n sum (g n) / N)           dgamma = sum over rows of dy n
 *
 * Types: x, y, dy and dx of one, FLOAT, FLOAT16 or BF16; gamma of that or FLOAT; rstd and dgamma FLOAT. Layouts, what
 * may be in place, and the two calls are as above.
 *   PARAM_NULLPTR: any pointer is null
 *   PARAM_INVALID: types other than these
 *   INNER_TILING:  anything else that does not hold: shapes, numbers of dimensions, views and formats, an output whose
 *                  elements share memory, epsilon negative or not finite
 *   INNER_CREATE_EXECUTOR: memory is out */

/* y_out has x's shape, rstd_out [A1..Ai, 1..1] with j ones. */
JITNORM_API jitnorm_acl_status_t jitnorm_aclnn_rms_norm_get_workspace_size(
    const_jitnorm_acl_tensor_t x, const_jitnorm_acl_tensor_t gamma, double epsilon, const_jitnorm_acl_tensor_t y_out,
    const_jitnorm_acl_tensor_t rstd_out, uint64_t *workspace_size, jitnorm_acl_op_executor_t *executor);

/* x has at least 2 dimensions; dy and dx_out have its shape, rstd has [A1..Ai] ([1] where i is 0), dgamma_out has
 * gamma's. Each sum has one order, whatever the number of threads: results are the same from run to run. */
JITNORM_API jitnorm_acl_status_t jitnorm_aclnn_rms_norm_grad_get_workspace_size(
    const_jitnorm_acl_tensor_t dy, const_jitnorm_acl_tensor_t x, const_jitnorm_acl_tensor_t rstd,
    const_jitnorm_acl_tensor_t gamma, const_jitnorm_acl_tensor_t dx_out, const_jitnorm_acl_tensor_t dgamma_out,
    uint64_t *workspace_size, jitnorm_acl_op_executor_t *executor);

/* As jitnorm_aclnn_rms_norm_get_workspace_size, with 1 + gamma in gamma's place: models of the Gemma family store their
 * weights minus one. */
JITNORM_API jitnorm_acl_status_t jitnorm_aclnn_gemma_rms_norm_get_workspace_size(
    const_jitnorm_acl_tensor_t x, const_jitnorm_acl_tensor_t gamma, double epsilon, const_jitnorm_acl_tensor_t y_out,
    const_jitnorm_acl_tensor_t rstd_out, uint64_t *workspace_size, jitnorm_acl_op_executor_t *executor);

/* ---------------------------------------------------------------- normalizations of sums
 *
 * What is normalized is x = x1 + x2, in f32; x_out receives it rounded to its type. The statistics are those of the
 * unrounded sum. x_out may be x2's memory, and y_out x1's, where type and layout are the same. */

/* RMS normalization of x. All tensors are of one type, FLOAT, FLOAT16 or BF16, rstd_out FLOAT; x2, y_out and x_out have
 * x1's shape, gamma and rstd_out as for jitnorm_aclnn_rms_norm_get_workspace_size. Tensors without elements are fine;
 * nothing is written then. Without rstd_out, which is then not computed, x_out may be null too; the type is FLOAT16 or
 * BF16 and gamma's shape [1, D].
 *   PARAM_NULLPTR: x1, x2, gamma, y_out, workspace_size or executor is null; x_out is, and rstd_out is not
 *   PARAM_INVALID: anything of this that does not hold; epsilon negative or not finite
 *   INNER_CREATE_EXECUTOR: memory is out */
JITNORM_API jitnorm_acl_status_t jitnorm_aclnn_add_rms_norm_get_workspace_size(
    const_jitnorm_acl_tensor_t x1, const_jitnorm_acl_tensor_t x2, const_jitnorm_acl_tensor_t gamma, double epsilon,
    jitnorm_acl_tensor_t y_out, jitnorm_acl_tensor_t rstd_out, jitnorm_acl_tensor_t x_out, uint64_t *workspace_size,
    jitnorm_acl_op_executor_t *executor);

/* Layer normalization of x = (x1 + x2) + bias, or without a bias (null). Types: all FLOAT, FLOAT16 or BF16; or these of
 * FLOAT16 or BF16 and gamma and beta FLOAT; or x1 or x2 of FLOAT16 or BF16 and all others FLOAT. mean_out and rstd_out
 * are FLOAT. gamma and beta have the shape of the last axes of x1; x2, y_out and x_out that of x1; mean_out and
 * rstd_out that with ones for these axes; bias gamma's or x1's. No dimension is 0, and outputs are contiguous. x_out is
 * written with additional_output, and is not looked at without.
 *
 * A bias of gamma's shape, or of x1's with strides of 0 along the other axes, is added in passing. One with a value for
 * each element costs a second pass over the rows and a workspace of 4 bytes for each element; x_out may then be its
 * memory, too.
 *   PARAM_NULLPTR: a pointer is null other than bias, and x_out without additional_output
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
 * in f32, with a scale for each row; beta and smooth may be missing. M is the largest number of y's type: 127 of INT8,
 * 57344 of FLOAT8_E5M2, 448 of FLOAT8_E4M3FN. A row of zeros has the scale 0 and is 0. Types: x, gamma, beta and smooth
 * of one, FLOAT16 or BF16; scale FLOAT. x has 2 to 8 dimensions and its last axis is normalized, gamma, beta and smooth
 * have its length. */

/* dst_type is 2, and y_out INT8, which has x's shape; scale_out has that without the last axis.
 *   PARAM_NULLPTR: x, gamma, y_out, scale_out, workspace_size or executor is null
 *   INNER_TILING:  anything of this that does not hold; x without elements; epsilon not positive or not finite
 *   INNER_CREATE_EXECUTOR: memory is out */
JITNORM_API jitnorm_acl_status_t jitnorm_aclnn_rms_norm_dynamic_quant_get_workspace_size(
    const_jitnorm_acl_tensor_t x, const_jitnorm_acl_tensor_t gamma, const_jitnorm_acl_tensor_t smooth_scales,
    const_jitnorm_acl_tensor_t beta, double epsilon, int64_t dst_type, const_jitnorm_acl_tensor_t y_out,
    const_jitnorm_acl_tensor_t scale_out, uint64_t *workspace_size, jitnorm_acl_op_executor_t *executor);

/* Of x = x1 + x2, which x_out receives rounded, and the statistics do not see rounded; without beta. y1 and scale1 are
 * quantized after smooth_scale1 (null: ones), y2 and scale2 after smooth_scale2; without it these two are not looked
 * at, but must not be null. y1_out and y2_out are of one type, INT8, FLOAT8_E5M2 or FLOAT8_E4M3FN, and have x1's shape
 * or [rows, D]; scale1_out and scale2_out have x1's without the last axis or [rows], contiguous; x_out has x1's shape
 * and type. x1 may have no elements; nothing is written then.
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

/* The second call, of each.
 *   PARAM_NULLPTR: executor is null, workspace is although its size is not 0, or the address of a tensor that has
 *                  elements
 *   PARAM_INVALID: the executor has ended or is another operation's; workspace_size is less than was asked for; an
 *                  output whose first element is where that of another tensor is, and that is not in place as above */
JITNORM_API jitnorm_acl_status_t jitnorm_aclnn_layer_norm(void *workspace, uint64_t workspace_size,
                                                          jitnorm_acl_op_executor_t executor, void *stream);
JITNORM_API jitnorm_acl_status_t jitnorm_aclnn_layer_norm_with_impl_mode(void *workspace, uint64_t workspace_size,
                                                                         jitnorm_acl_op_executor_t executor,
                                                                         void *stream);
JITNORM_API jitnorm_acl_status_t jitnorm_aclnn_fast_layer_norm(void *workspace, uint64_t workspace_size,
                                                               jitnorm_acl_op_executor_t executor, void *stream);
JITNORM_API jitnorm_acl_status_t jitnorm_aclnn_layer_norm_backward(void *workspace, uint64_t workspace_size,
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
