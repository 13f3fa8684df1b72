/* SPDX-License-Identifier: Apache-2.0 */
/* jitnorm_acl.h: the status numbers, runtime, tensors and executors that Ascend's two-phase calls work with. Included
 * by jitnorm_aclnn.h, which has the calls.
 *
 * Programs written for Ascend do not include this header: the headers in jitnorm/ascend/ (acl/acl.h, aclnnop/...) give
 * these functions their names in CANN, as inline functions. docs/aclnn.md is the guide.
 *
 * "Device memory" is the host's memory. Each call returns when its work is done, so a stream never has pending work.
 *
 * Every function that returns jitnorm_acl_status_t returns 0 or one of Ascend's numbers below. After an error no output
 * has been written, and jitnorm_acl_recent_error says what was wrong. Different threads may use different objects
 * without restrictions. Several threads may use one object as long as none of them changes or destroys it. No function
 * throws an exception. */
#ifndef JITNORM_ACL_H
#define JITNORM_ACL_H

#include <stdbool.h>

#include "jitnorm_types.h" /* beside this header: a program for Ascend needs a single include directory */

#ifdef __cplusplus
extern "C" {
#endif

/* ---------------------------------------------------------------- numbers */

typedef int32_t jitnorm_acl_status_t;

/* Numbers of the two-phase calls and their objects. */
#define JITNORM_ACLNN_SUCCESS 0
#define JITNORM_ACLNN_ERR_PARAM_NULLPTR 161001         /* a null pointer where something is needed */
#define JITNORM_ACLNN_ERR_PARAM_INVALID 161002         /* a type, a shape, a layout or a value that is refused */
#define JITNORM_ACLNN_ERR_RUNTIME_ERROR 361001         /* the system refused something */
#define JITNORM_ACLNN_ERR_INNER 561000                 /* anything else */
#define JITNORM_ACLNN_ERR_INNER_TILING 561002          /* the same as 161002, of operations where CANN says this */
#define JITNORM_ACLNN_ERR_INNER_CREATE_EXECUTOR 561101 /* memory is out */
#define JITNORM_ACLNN_ERR_INNER_NULLPTR 561103         /* a null executor or tensor, where CANN says so */

/* Numbers of the runtime. */
#define JITNORM_ACL_ERROR_INVALID_PARAM 100000
#define JITNORM_ACL_ERROR_REPEAT_INITIALIZE 100002
#define JITNORM_ACL_ERROR_REPEAT_FINALIZE 100037
#define JITNORM_ACL_ERROR_RT_PARAM_INVALID 107000
#define JITNORM_ACL_ERROR_RT_INVALID_DEVICEID 107001
#define JITNORM_ACL_ERROR_RT_CONTEXT_NULL 107002
#define JITNORM_ACL_ERROR_BAD_ALLOC 200000

/* Says in one line why the last function of this library that failed on this thread did so. Returns null if none has
 * failed since the last call of this function. The text stays as it is until a function fails on this thread. */
JITNORM_API const char *jitnorm_acl_recent_error(void);
/* Records a failure for jitnorm_acl_recent_error and returns the status. It is for the inline functions of the headers
 * in jitnorm/ascend/. The reason is copied. */
JITNORM_API jitnorm_acl_status_t jitnorm_acl_fail(jitnorm_acl_status_t status, const char *function,
                                                  const char *reason);

/* ---------------------------------------------------------------- runtime */

/* Nothing needs to be initialized. These functions only count, for programs that check what CANN returns: a second init
 * without a finalize in between gives REPEAT_INITIALIZE, a finalize without an init gives REPEAT_FINALIZE. */
JITNORM_API jitnorm_acl_status_t jitnorm_acl_init(void);
JITNORM_API jitnorm_acl_status_t jitnorm_acl_finalize(void);

/* There is one device, number 0. Any other number gives RT_INVALID_DEVICEID. */
JITNORM_API jitnorm_acl_status_t jitnorm_acl_check_device(int32_t device);

/* Contexts have no content. Each thread has one current context or none (null). Destroying its current context leaves
 * the thread without one. A null pointer gives INVALID_PARAM; get_current without a current context gives
 * RT_CONTEXT_NULL. */
JITNORM_API jitnorm_acl_status_t jitnorm_acl_context_create(void **context, int32_t device);
JITNORM_API jitnorm_acl_status_t jitnorm_acl_context_destroy(void *context);
JITNORM_API jitnorm_acl_status_t jitnorm_acl_context_set_current(void *context);
JITNORM_API jitnorm_acl_status_t jitnorm_acl_context_get_current(void **context);

/* Streams. Null is a stream too, the default one, which cannot be destroyed (INVALID_PARAM). A stream is a
 * jitnorm_stream_t. A stream of jitnorm_stream_create_with_thread_pool makes the calls work on the caller's threads. */
JITNORM_API jitnorm_acl_status_t jitnorm_acl_stream_create(void **stream);
JITNORM_API jitnorm_acl_status_t jitnorm_acl_stream_destroy(void *stream);

/* Memory, aligned to 64 bytes. A size of 0 or a null pointer gives INVALID_PARAM; if memory is out, BAD_ALLOC. */
JITNORM_API jitnorm_acl_status_t jitnorm_acl_malloc(void **address, size_t bytes);
JITNORM_API jitnorm_acl_status_t jitnorm_acl_free(void *address);

/* capacity: the number of bytes at `to`. If it is less than `bytes`, nothing is written and the result is
 * RT_PARAM_INVALID. kind: 0 to 7, as aclrtMemcpyKind; all kinds mean the same. A null pointer or another kind gives
 * INVALID_PARAM. */
JITNORM_API jitnorm_acl_status_t jitnorm_acl_memcpy(void *to, size_t capacity, const void *from, size_t bytes,
                                                    int kind);
JITNORM_API jitnorm_acl_status_t jitnorm_acl_memset(void *to, size_t capacity, int32_t value, size_t bytes);

/* Returns the bytes of an element of an aclDataType; 0 for types without a size, or with less than one byte. */
JITNORM_API size_t jitnorm_acl_data_type_size(int data_type);
/* Conversions to and from IEEE binary16. The first one rounds to nearest, halves to even. */
JITNORM_API uint16_t jitnorm_acl_float_to_float16(float value);
JITNORM_API float jitnorm_acl_float16_to_float(uint16_t value);

/* ---------------------------------------------------------------- tensors and arrays
 *
 * Ascend's handles, with the names of structures that Ascend's headers have. */

typedef struct aclTensor *jitnorm_acl_tensor_t;
typedef const struct aclTensor *const_jitnorm_acl_tensor_t;
typedef struct aclIntArray *jitnorm_acl_int_array_t;
typedef const struct aclIntArray *const_jitnorm_acl_int_array_t;
typedef struct aclBoolArray *jitnorm_acl_bool_array_t;
typedef const struct aclBoolArray *const_jitnorm_acl_bool_array_t;
typedef struct aclOpExecutor *jitnorm_acl_op_executor_t;

/* A view of a tensor: element i, j, ... lies (offset + i * strides[0] + j * strides[1] + ...) elements after data. The
 * storage's shape is kept, but no function uses it. */
typedef struct {
    const int64_t *dims; /* dims and strides have ndims numbers; these arrays belong to the tensor */
    const int64_t *strides;
    uint64_t ndims;
    int64_t offset;
    int data_type; /* aclDataType */
    int format;    /* aclFormat */
    const int64_t *storage_dims;
    uint64_t storage_ndims;
    void *data;
} jitnorm_acl_tensor_view_t;

/* Create functions copy the caller's arrays, but not a tensor's data. If strides is null, the tensor is row major. The
 * result is null if an array that should have elements is null or would have 2^60 of them or more, or if memory is
 * out. Properties that operations do not accept (too many dimensions, a negative dimension, an unknown type) are
 * refused by the operations, not here. Destroying null does nothing. */
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
 * The first call of an operation makes an executor, the second call runs it. The executor keeps what the first call
 * read from the tensors, including their addresses. So the tensors may be destroyed between the calls, but their
 * memory must stay.
 *
 * An executor runs once: a second call that succeeds ends it. An executor that was made repeatable runs any number of
 * times, until it is destroyed; its runs must come one after the other, since they all write the same outputs. A second
 * call that is refused (a workspace too small, an address missing) changes nothing: the executor can still be run or
 * destroyed. The handle of an executor that has ended is recognized and refused with PARAM_INVALID. If several threads
 * run or destroy one executor, one of them succeeds. */

/* A null executor gives INNER_NULLPTR, as in CANN. */
JITNORM_API jitnorm_acl_status_t jitnorm_acl_op_executor_set_repeatable(jitnorm_acl_op_executor_t executor);
JITNORM_API jitnorm_acl_status_t jitnorm_acl_op_executor_destroy(jitnorm_acl_op_executor_t executor);

/* The tensors that an index of jitnorm_acl_op_executor_set_address counts. They are counted in the order of the
 * operation's parameters, and parameters that were null count too. */
typedef enum JITNORM_INT {
    jitnorm_acl_inputs = 0,  /* only the inputs */
    jitnorm_acl_outputs = 1, /* only the outputs */
    jitnorm_acl_tensors = 2  /* the inputs, then the outputs */
} jitnorm_acl_numbering_t;

/* Sets the address that the executor, and the tensor, use from now on. Must not be called while the executor runs. A
 * null executor or tensor gives INNER_NULLPTR. An index that is out of range, or of a tensor that was null in the first
 * call, gives PARAM_INVALID. */
JITNORM_API jitnorm_acl_status_t jitnorm_acl_op_executor_set_address(jitnorm_acl_op_executor_t executor,
                                                                     jitnorm_acl_numbering_t numbering, size_t index,
                                                                     jitnorm_acl_tensor_t tensor, void *address);

#ifdef __cplusplus
}
#endif

#endif
