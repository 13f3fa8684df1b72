/* SPDX-License-Identifier: Apache-2.0 */
/* acl/acl_rt.h: CANN's device, context, stream and memory functions over the host's memory. Each
 * one calls a function of jitnorm_acl.h, which says what it returns. */
#ifndef JITNORM_ASCEND_ACL_RT_H
#define JITNORM_ASCEND_ACL_RT_H

#include "acl_base.h"

typedef enum JITNORM_INT { ACL_DEVICE = 0, ACL_HOST = 1 } aclrtRunMode;

typedef enum JITNORM_INT {
    ACL_MEM_MALLOC_HUGE_FIRST = 0,
    ACL_MEM_MALLOC_HUGE_ONLY = 1,
    ACL_MEM_MALLOC_NORMAL_ONLY = 2,
    ACL_MEM_MALLOC_HUGE_FIRST_P2P = 3,
    ACL_MEM_MALLOC_HUGE_ONLY_P2P = 4,
    ACL_MEM_MALLOC_NORMAL_ONLY_P2P = 5,
    ACL_MEM_MALLOC_HUGE1G_ONLY = 6,
    ACL_MEM_MALLOC_HUGE1G_ONLY_P2P = 7,
    ACL_MEM_TYPE_LOW_BAND_WIDTH = 0x0100,
    ACL_MEM_TYPE_HIGH_BAND_WIDTH = 0x1000,
    ACL_MEM_ACCESS_USER_SPACE_READONLY = 0x100000
} aclrtMemMallocPolicy;

typedef enum JITNORM_INT {
    ACL_MEMCPY_HOST_TO_HOST = 0,
    ACL_MEMCPY_HOST_TO_DEVICE = 1,
    ACL_MEMCPY_DEVICE_TO_HOST = 2,
    ACL_MEMCPY_DEVICE_TO_DEVICE = 3,
    ACL_MEMCPY_DEFAULT = 4,
    ACL_MEMCPY_HOST_TO_BUF_TO_DEVICE = 5,
    ACL_MEMCPY_INNER_DEVICE_TO_DEVICE = 6,
    ACL_MEMCPY_INTER_DEVICE_TO_DEVICE = 7
} aclrtMemcpyKind;

/* ---------------------------------------------------------------- devices */

static inline aclError aclrtSetDevice(int32_t deviceId) { return jitnorm_acl_check_device(deviceId); }
static inline aclError aclrtResetDevice(int32_t deviceId) { return jitnorm_acl_check_device(deviceId); }
static inline aclError aclrtSynchronizeDevice(void) { return ACL_SUCCESS; }

static inline aclError aclrtGetDevice(int32_t *deviceId) {
    if (deviceId == 0) return jitnorm_acl_fail(ACL_ERROR_INVALID_PARAM, "aclrtGetDevice", "deviceId is null");
    *deviceId = 0;
    return ACL_SUCCESS;
}

static inline aclError aclrtGetDeviceCount(uint32_t *count) {
    if (count == 0) return jitnorm_acl_fail(ACL_ERROR_INVALID_PARAM, "aclrtGetDeviceCount", "count is null");
    *count = 1;
    return ACL_SUCCESS;
}

/* The program runs on the host (CANN's word for a program that copies to and from device memory). */
static inline aclError aclrtGetRunMode(aclrtRunMode *runMode) {
    if (runMode == 0) return jitnorm_acl_fail(ACL_ERROR_INVALID_PARAM, "aclrtGetRunMode", "runMode is null");
    *runMode = ACL_HOST;
    return ACL_SUCCESS;
}

/* ---------------------------------------------------------------- contexts, streams */

static inline aclError aclrtCreateContext(aclrtContext *context, int32_t deviceId) {
    return jitnorm_acl_context_create(context, deviceId);
}
static inline aclError aclrtDestroyContext(aclrtContext context) { return jitnorm_acl_context_destroy(context); }
static inline aclError aclrtSetCurrentContext(aclrtContext context) { return jitnorm_acl_context_set_current(context); }
static inline aclError aclrtGetCurrentContext(aclrtContext *context) {
    return jitnorm_acl_context_get_current(context);
}

static inline aclError aclrtCreateStream(aclrtStream *stream) { return jitnorm_acl_stream_create(stream); }
static inline aclError aclrtDestroyStream(aclrtStream stream) { return jitnorm_acl_stream_destroy(stream); }
static inline aclError aclrtSynchronizeStream(aclrtStream stream) {
    (void)stream;
    return ACL_SUCCESS;
}

/* ---------------------------------------------------------------- memory */

static inline aclError aclrtMalloc(void **devPtr, size_t size, aclrtMemMallocPolicy policy) {
    (void)policy;
    return jitnorm_acl_malloc(devPtr, size);
}
static inline aclError aclrtFree(void *devPtr) { return jitnorm_acl_free(devPtr); }
static inline aclError aclrtMallocHost(void **hostPtr, size_t size) { return jitnorm_acl_malloc(hostPtr, size); }
static inline aclError aclrtFreeHost(void *hostPtr) { return jitnorm_acl_free(hostPtr); }

static inline aclError aclrtMemcpy(void *dst, size_t destMax, const void *src, size_t count, aclrtMemcpyKind kind) {
    return jitnorm_acl_memcpy(dst, destMax, src, count, (int)kind);
}
static inline aclError aclrtMemcpyAsync(void *dst, size_t destMax, const void *src, size_t count, aclrtMemcpyKind kind,
                                        aclrtStream stream) {
    (void)stream;
    return jitnorm_acl_memcpy(dst, destMax, src, count, (int)kind);
}
static inline aclError aclrtMemset(void *devPtr, size_t maxCount, int32_t value, size_t count) {
    return jitnorm_acl_memset(devPtr, maxCount, value, count);
}
static inline aclError aclrtMemsetAsync(void *devPtr, size_t maxCount, int32_t value, size_t count,
                                        aclrtStream stream) {
    (void)stream;
    return jitnorm_acl_memset(devPtr, maxCount, value, count);
}

#endif
