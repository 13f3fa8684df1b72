/* SPDX-License-Identifier: Apache-2.0 */
/* aclnn/acl_meta.h: CANN's tensors, arrays and executors. Each function calls a function of jitnorm_acl.h, which says
 * what it does and returns. */
#ifndef JITNORM_ASCEND_ACL_META_H
#define JITNORM_ASCEND_ACL_META_H

#ifdef __cplusplus
#include <new>
#else
#include <stdlib.h>
#endif

#include "../acl/acl_base.h"

typedef int32_t aclnnStatus;

static const aclnnStatus ACLNN_SUCCESS = JITNORM_ACLNN_SUCCESS;
static const aclnnStatus ACLNN_ERR_PARAM_NULLPTR = JITNORM_ACLNN_ERR_PARAM_NULLPTR;
static const aclnnStatus ACLNN_ERR_PARAM_INVALID = JITNORM_ACLNN_ERR_PARAM_INVALID;
static const aclnnStatus ACLNN_ERR_RUNTIME_ERROR = JITNORM_ACLNN_ERR_RUNTIME_ERROR;
static const aclnnStatus ACLNN_ERR_INNER = JITNORM_ACLNN_ERR_INNER;
static const aclnnStatus ACLNN_ERR_INNER_TILING_ERROR = JITNORM_ACLNN_ERR_INNER_TILING;
static const aclnnStatus ACLNN_ERR_INNER_CREATE_EXECUTOR = JITNORM_ACLNN_ERR_INNER_CREATE_EXECUTOR;
static const aclnnStatus ACLNN_ERR_INNER_NULLPTR = JITNORM_ACLNN_ERR_INNER_NULLPTR;

typedef struct aclTensor aclTensor;
typedef struct aclIntArray aclIntArray;
typedef struct aclBoolArray aclBoolArray;
typedef struct aclOpExecutor aclOpExecutor;

/* ---------------------------------------------------------------- tensors and arrays */

static inline aclTensor *aclCreateTensor(const int64_t *viewDims, uint64_t viewDimsNum, aclDataType dataType,
                                         const int64_t *stride, int64_t offset, aclFormat format,
                                         const int64_t *storageDims, uint64_t storageDimsNum, void *tensorData) {
    return jitnorm_acl_tensor_create(viewDims, viewDimsNum, (int)dataType, stride, offset, (int)format, storageDims,
                                     storageDimsNum, tensorData);
}
static inline aclnnStatus aclDestroyTensor(const aclTensor *tensor) { return jitnorm_acl_tensor_destroy(tensor); }

static inline aclIntArray *aclCreateIntArray(const int64_t *value, uint64_t size) {
    return jitnorm_acl_int_array_create(value, size);
}
static inline aclnnStatus aclDestroyIntArray(const aclIntArray *array) { return jitnorm_acl_int_array_destroy(array); }
static inline aclnnStatus aclGetIntArraySize(const aclIntArray *array, uint64_t *size) {
    return jitnorm_acl_int_array_get_size(array, size);
}

static inline aclBoolArray *aclCreateBoolArray(const bool *value, uint64_t size) {
    return jitnorm_acl_bool_array_create(value, size);
}
static inline aclnnStatus aclDestroyBoolArray(const aclBoolArray *array) {
    return jitnorm_acl_bool_array_destroy(array);
}
static inline aclnnStatus aclGetBoolArraySize(const aclBoolArray *array, uint64_t *size) {
    return jitnorm_acl_bool_array_get_size(array, size);
}

/* ---------------------------------------------------------------- properties of a tensor */

/* A copy that the caller owns and frees: with delete[] in C++, as with CANN, and with free() in C. */
static inline aclnnStatus jitnorm_acl_give_copy(const int64_t *values, uint64_t count, int64_t **copy,
                                                uint64_t *copied) {
#ifdef __cplusplus
    int64_t *mine = new (std::nothrow) int64_t[count];
#else
    int64_t *mine = (int64_t *)malloc((count == 0 ? 1 : count) * sizeof(int64_t));
#endif
    if (mine == 0) return jitnorm_acl_fail(ACLNN_ERR_INNER_NULLPTR, "acl_meta.h", "out of memory");
    for (uint64_t i = 0; i < count; ++i) mine[i] = values[i];
    *copy = mine;
    *copied = count;
    return ACLNN_SUCCESS;
}

/* The view of the tensor, for a function that writes its answer to `result`. */
static inline aclnnStatus jitnorm_acl_look_at(const aclTensor *tensor, const void *result, const char *function,
                                              jitnorm_acl_tensor_view_t *view) {
    if (result != 0) return jitnorm_acl_tensor_get_view(tensor, view);
    (void)jitnorm_acl_fail(ACLNN_ERR_PARAM_NULLPTR, function, "a null pointer for a result");
    return ACLNN_ERR_PARAM_NULLPTR;
}

static inline aclnnStatus aclGetViewShape(const aclTensor *tensor, int64_t **viewDims, uint64_t *viewDimsNum) {
    jitnorm_acl_tensor_view_t view;
    const void *results = viewDims == 0 ? (const void *)0 : (const void *)viewDimsNum;
    const aclnnStatus status = jitnorm_acl_look_at(tensor, results, "aclGetViewShape", &view);
    return status != ACLNN_SUCCESS ? status : jitnorm_acl_give_copy(view.dims, view.ndims, viewDims, viewDimsNum);
}

static inline aclnnStatus aclGetViewStrides(const aclTensor *tensor, int64_t **stridesValue, uint64_t *stridesNum) {
    jitnorm_acl_tensor_view_t view;
    const void *results = stridesValue == 0 ? (const void *)0 : (const void *)stridesNum;
    const aclnnStatus status = jitnorm_acl_look_at(tensor, results, "aclGetViewStrides", &view);
    return status != ACLNN_SUCCESS ? status : jitnorm_acl_give_copy(view.strides, view.ndims, stridesValue, stridesNum);
}

static inline aclnnStatus aclGetStorageShape(const aclTensor *tensor, int64_t **storageDims, uint64_t *storageDimsNum) {
    jitnorm_acl_tensor_view_t view;
    const void *results = storageDims == 0 ? (const void *)0 : (const void *)storageDimsNum;
    const aclnnStatus status = jitnorm_acl_look_at(tensor, results, "aclGetStorageShape", &view);
    return status != ACLNN_SUCCESS
               ? status
               : jitnorm_acl_give_copy(view.storage_dims, view.storage_ndims, storageDims, storageDimsNum);
}

static inline aclnnStatus aclGetViewOffset(const aclTensor *tensor, int64_t *offset) {
    jitnorm_acl_tensor_view_t view;
    const aclnnStatus status = jitnorm_acl_look_at(tensor, offset, "aclGetViewOffset", &view);
    if (status == ACLNN_SUCCESS) *offset = view.offset;
    return status;
}

static inline aclnnStatus aclGetFormat(const aclTensor *tensor, aclFormat *format) {
    jitnorm_acl_tensor_view_t view;
    const aclnnStatus status = jitnorm_acl_look_at(tensor, format, "aclGetFormat", &view);
    if (status == ACLNN_SUCCESS) *format = (aclFormat)view.format;
    return status;
}

static inline aclnnStatus aclGetDataType(const aclTensor *tensor, aclDataType *dataType) {
    jitnorm_acl_tensor_view_t view;
    const aclnnStatus status = jitnorm_acl_look_at(tensor, dataType, "aclGetDataType", &view);
    if (status == ACLNN_SUCCESS) *dataType = (aclDataType)view.data_type;
    return status;
}

/* ---------------------------------------------------------------- executors */

static inline aclnnStatus aclSetAclOpExecutorRepeatable(aclOpExecutor *executor) {
    return jitnorm_acl_op_executor_set_repeatable(executor);
}
static inline aclnnStatus aclDestroyAclOpExecutor(aclOpExecutor *executor) {
    return jitnorm_acl_op_executor_destroy(executor);
}
static inline aclnnStatus aclSetInputTensorAddr(aclOpExecutor *executor, const size_t index, aclTensor *tensor,
                                                void *addr) {
    return jitnorm_acl_op_executor_set_address(executor, jitnorm_acl_inputs, index, tensor, addr);
}
static inline aclnnStatus aclSetOutputTensorAddr(aclOpExecutor *executor, const size_t index, aclTensor *tensor,
                                                 void *addr) {
    return jitnorm_acl_op_executor_set_address(executor, jitnorm_acl_outputs, index, tensor, addr);
}
static inline aclnnStatus aclSetTensorAddr(aclOpExecutor *executor, const size_t index, aclTensor *tensor, void *addr) {
    return jitnorm_acl_op_executor_set_address(executor, jitnorm_acl_tensors, index, tensor, addr);
}

#endif
