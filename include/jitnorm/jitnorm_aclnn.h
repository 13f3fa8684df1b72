/* SPDX-License-Identifier: Apache-2.0 */
/* jitnorm_aclnn.h: layer normalization by Ascend's two-phase call, on CPUs.
 *
 * Programs written for Ascend do not include this header: the headers in jitnorm/ascend/ (acl/acl.h, aclnnop/...) give
 * these functions the names that CANN has for them, as inline functions. docs/aclnn.md is the guide.
 *
 * "Device memory" is the host's. Work is done in the call that asks for it, so a stream never has anything pending.
 *
 * Every function that returns jitnorm_acl_status_t returns 0 or one of Ascend's numbers below; on an error no output
 * was written, and jitnorm_acl_recent_error says why. Different objects may be used from different threads at will; one
 * object from several threads as long as none changes or destroys it. No exception leaves a function. */
#ifndef JITNORM_ACLNN_H
#define JITNORM_ACLNN_H

#include <stdbool.h>

#include "jitnorm_types.h" /* beside this header: a program for Ascend needs a single include directory */

#ifdef __cplusplus
extern "C" {
#endif

/* ---------------------------------------------------------------- numbers */

typedef int32_t jitnorm_acl_status_t;

/* Of the two-phase calls and their objects. */
#define JITNORM_ACLNN_SUCCESS 0
#define JITNORM_ACLNN_ERR_PARAM_NULLPTR 161001         /* a null pointer where something is needed */
#define JITNORM_ACLNN_ERR_PARAM_INVALID 161002         /* a type, a shape, a layout or a value that is not taken */
#define JITNORM_ACLNN_ERR_RUNTIME_ERROR 361001         /* the system refused something */
#define JITNORM_ACLNN_ERR_INNER 561000                 /* anything else */
#define JITNORM_ACLNN_ERR_INNER_TILING 561002          /* the same as 161002, of operations where CANN says this */
#define JITNORM_ACLNN_ERR_INNER_CREATE_EXECUTOR 561101 /* memory is out */
#define JITNORM_ACLNN_ERR_INNER_NULLPTR 561103         /* a null executor or tensor, where CANN says so */

/* Of the runtime. */
#define JITNORM_ACL_ERROR_INVALID_PARAM 100000
#define JITNORM_ACL_ERROR_REPEAT_INITIALIZE 100002
#define JITNORM_ACL_ERROR_REPEAT_FINALIZE 100037
#define JITNORM_ACL_ERROR_RT_PARAM_INVALID 107000
#define JITNORM_ACL_ERROR_RT_INVALID_DEVICEID 107001
#define JITNORM_ACL_ERROR_RT_CONTEXT_NULL 107002
#define JITNORM_ACL_ERROR_BAD_ALLOC 200000

/* Why the last function of this header that failed on this thread did so, as one line; null if none has failed since
 * this was asked before. The text stays as it is until a function fails on this thread. */
JITNORM_API const char *jitnorm_acl_recent_error(void);
/* Records such a failure and returns the status: for the inline functions of the headers over this one. The reason is
 * copied. */
JITNORM_API jitnorm_acl_status_t jitnorm_acl_fail(jitnorm_acl_status_t status, const char *function,
                                                  const char *reason);

/* ---------------------------------------------------------------- runtime */

/* Nothing needs to be initialized; these count, for programs that look at what CANN answers. A second init without a
 * finalize in between gives REPEAT_INITIALIZE, a finalize without an init REPEAT_FINALIZE. */
JITNORM_API jitnorm_acl_status_t jitnorm_acl_init(void);
JITNORM_API jitnorm_acl_status_t jitnorm_acl_finalize(void);

/* There is one device, 0; for any other RT_INVALID_DEVICEID. */
JITNORM_API jitnorm_acl_status_t jitnorm_acl_check_device(int32_t device);

/* Contexts carry nothing. Each thread has one current context or none (null); to destroy it makes it none. A null
 * pointer gives INVALID_PARAM; get_current without a current context RT_CONTEXT_NULL. */
JITNORM_API jitnorm_acl_status_t jitnorm_acl_context_create(void **context, int32_t device);
JITNORM_API jitnorm_acl_status_t jitnorm_acl_context_destroy(void *context);
JITNORM_API jitnorm_acl_status_t jitnorm_acl_context_set_current(void *context);
JITNORM_API jitnorm_acl_status_t jitnorm_acl_context_get_current(void **context);

/* Streams. Null is a stream too, the default one, which cannot be destroyed (INVALID_PARAM). A stream is a
 * jitnorm_stream_t: one that jitnorm_stream_create_with_thread_pool made runs the work on the caller's threads. */
JITNORM_API jitnorm_acl_status_t jitnorm_acl_stream_create(void **stream);
JITNORM_API jitnorm_acl_status_t jitnorm_acl_stream_destroy(void *stream);

/* Memory, aligned to 64 bytes. No bytes, or a null pointer, gives INVALID_PARAM; no memory BAD_ALLOC. */
JITNORM_API jitnorm_acl_status_t jitnorm_acl_malloc(void **address, size_t bytes);
JITNORM_API jitnorm_acl_status_t jitnorm_acl_free(void *address);

/* capacity: bytes that there are at `to`; fewer than `bytes` gives RT_PARAM_INVALID and copies nothing. kind: 0 to 7,
 * as aclrtMemcpyKind; all mean the same. A null pointer or another kind gives INVALID_PARAM. */
JITNORM_API jitnorm_acl_status_t jitnorm_acl_memcpy(void *to, size_t capacity, const void *from, size_t bytes,
                                                    int kind);
JITNORM_API jitnorm_acl_status_t jitnorm_acl_memset(void *to, size_t capacity, int32_t value, size_t bytes);

/* Bytes of an element of an aclDataType; 0 for those that have none, or less than one byte. */
JITNORM_API size_t jitnorm_acl_data_type_size(int data_type);
/* IEEE binary16; rounds to nearest even. */
JITNORM_API uint16_t jitnorm_acl_float_to_float16(float value);
JITNORM_API float jitnorm_acl_float16_to_float(uint16_t value);

/* ---------------------------------------------------------------- tensors and arrays
 *
 * Ascend's handles, under Ascend's tags. */

typedef struct aclTensor *jitnorm_acl_tensor_t;
typedef const struct aclTensor *const_jitnorm_acl_tensor_t;
typedef struct aclIntArray *jitnorm_acl_int_array_t;
typedef const struct aclIntArray *const_jitnorm_acl_int_array_t;
typedef struct aclBoolArray *jitnorm_acl_bool_array_t;
typedef const struct aclBoolArray *const_jitnorm_acl_bool_array_t;
typedef struct aclOpExecutor *jitnorm_acl_op_executor_t;

/* What a tensor is: element i, j, ... of the view lies (offset + i * strides[0] + j * strides[1] + ...) elements behind
 * data. The storage's shape is kept and asked for by nothing. */
typedef struct {
    const int64_t *dims; /* ndims of them, as of strides; these arrays belong to the tensor */
    const int64_t *strides;
    uint64_t ndims;
    int64_t offset;
    int data_type; /* aclDataType */
    int format;    /* aclFormat */
    const int64_t *storage_dims;
    uint64_t storage_ndims;
    void *data;
} jitnorm_acl_tensor_view_t;

/* The caller's arrays are copied, the data is not. Null strides: row major. Null for a null array that should have
 * elements, or where memory is out. What operations do not take (too many dimensions, a negative one, an unknown type)
 * they refuse. Destroying null is fine and does nothing. */
JITNORM_API jitnorm_acl_tensor_t jitnorm_acl_tensor_create(const int64_t *dims, uint64_t ndims, int data_type,
                                                           const int64_t *strides, int64_t offset, int format,
                                                           const int64_t *storage_dims, uint64_t storage_ndims,
                                                           void *data);
JITNORM_API jitnorm_acl_status_t jitnorm_acl_tensor_destroy(const_jitnorm_acl_tensor_t tensor);
JITNORM_API jitnorm_acl_status_t jitnorm_acl_tensor_get_view(const_jitnorm_acl_tensor_t tensor,
                                                             jitnorm_acl_tensor_view_t *view);

JITNORM_API jitnorm_acl_int_array_t jitnorm_acl_int_array_create(const int64_t *values, uint64_t count);
JITNORM_API jitnorm_acl_status_t jitnorm_acl_int_array_destroy(const_jitnorm_acl_int_array_t array);
JITNORM_API jitnorm_acl_status_t jitnorm_acl_int_array_get_size(const_jitnorm_acl_int_array_t array, uint64_t *count);

JITNORM_API jitnorm_acl_bool_array_t jitnorm_acl_bool_array_create(const bool *values, uint64_t count);
JITNORM_API jitnorm_acl_status_t jitnorm_acl_bool_array_destroy(const_jitnorm_acl_bool_array_t array);
JITNORM_API jitnorm_acl_status_t jitnorm_acl_bool_array_get_size(const_jitnorm_acl_bool_array_t array, uint64_t *count);

/* ---------------------------------------------------------------- executors
 *
 * The first call of an operation makes an executor, the second one runs it. It keeps what the first call learned of the
 * tensors, their addresses included: the tensors may be destroyed in between, the memory may not.
 *
 * An executor runs once: a second call that succeeds ends it. Made repeatable it runs any number of times, one after
 * the other since all of them write the same outputs, until it is destroyed. A second call that is refused (a workspace
 * too small, an address missing) changes nothing: the executor can be run after all, or be destroyed. A handle whose
 * executor has ended is recognized and refused with PARAM_INVALID; of several threads that run or destroy one, one
 * succeeds. */

/* A null executor gives INNER_NULLPTR, as CANN has it. */
JITNORM_API jitnorm_acl_status_t jitnorm_acl_op_executor_set_repeatable(jitnorm_acl_op_executor_t executor);
JITNORM_API jitnorm_acl_status_t jitnorm_acl_op_executor_destroy(jitnorm_acl_op_executor_t executor);

/* Which numbering an index of jitnorm_acl_op_executor_set_address follows: the order of the operation's parameters,
 * those that were null included. */
typedef enum JITNORM_INT {
    jitnorm_acl_inputs = 0,  /* the inputs alone */
    jitnorm_acl_outputs = 1, /* the outputs alone */
    jitnorm_acl_tensors = 2  /* the inputs, then the outputs */
} jitnorm_acl_numbering_t;

/* From now on the executor, and the tensor, use this address. Not while the executor runs. A null executor or tensor
 * gives INNER_NULLPTR; an index out of range, or of a tensor that was null in the first call, PARAM_INVALID. */
JITNORM_API jitnorm_acl_status_t jitnorm_acl_op_executor_set_address(jitnorm_acl_op_executor_t executor,
                                                                     jitnorm_acl_numbering_t numbering, size_t index,
                                                                     jitnorm_acl_tensor_t tensor, void *address);

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
