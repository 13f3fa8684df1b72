/* SPDX-License-Identifier: Apache-2.0 */
/* acl/acl_base.h: CANN's basic types and numbers, as far as layer normalization needs them. They are for
 * jitnorm's implementation of aclnn on CPUs (docs/aclnn.md) and must not be mixed with CANN's own headers. */
#ifndef JITNORM_ASCEND_ACL_BASE_H
#define JITNORM_ASCEND_ACL_BASE_H

#include "../../jitnorm_acl.h"

typedef int aclError;
typedef uint16_t aclFloat16;
typedef void *aclrtStream;
typedef void *aclrtContext;

static const aclError ACL_ERROR_NONE = 0;
static const aclError ACL_SUCCESS = 0;
static const aclError ACL_ERROR_INVALID_PARAM = JITNORM_ACL_ERROR_INVALID_PARAM;
static const aclError ACL_ERROR_REPEAT_INITIALIZE = JITNORM_ACL_ERROR_REPEAT_INITIALIZE;
static const aclError ACL_ERROR_REPEAT_FINALIZE = JITNORM_ACL_ERROR_REPEAT_FINALIZE;
static const aclError ACL_ERROR_RT_PARAM_INVALID = JITNORM_ACL_ERROR_RT_PARAM_INVALID;
static const aclError ACL_ERROR_RT_INVALID_DEVICEID = JITNORM_ACL_ERROR_RT_INVALID_DEVICEID;
static const aclError ACL_ERROR_RT_CONTEXT_NULL = JITNORM_ACL_ERROR_RT_CONTEXT_NULL;
static const aclError ACL_ERROR_BAD_ALLOC = JITNORM_ACL_ERROR_BAD_ALLOC;

/* Normalizations take ACL_FLOAT, ACL_FLOAT16 and ACL_BF16; ACL_INT8, ACL_FLOAT8_E5M2 and ACL_FLOAT8_E4M3FN are
 * for quantized outputs only. */
typedef enum JITNORM_INT {
    ACL_DT_UNDEFINED = -1,
    ACL_FLOAT = 0,
    ACL_FLOAT16 = 1,
    ACL_INT8 = 2,
    ACL_INT32 = 3,
    ACL_UINT8 = 4,
    ACL_INT16 = 6,
    ACL_UINT16 = 7,
    ACL_UINT32 = 8,
    ACL_INT64 = 9,
    ACL_UINT64 = 10,
    ACL_DOUBLE = 11,
    ACL_BOOL = 12,
    ACL_STRING = 13,
    ACL_COMPLEX64 = 16,
    ACL_COMPLEX128 = 17,
    ACL_BF16 = 27,
    ACL_INT4 = 29,
    ACL_UINT1 = 30,
    ACL_COMPLEX32 = 33,
    ACL_HIFLOAT8 = 34,
    ACL_FLOAT8_E5M2 = 35,
    ACL_FLOAT8_E4M3FN = 36,
    ACL_FLOAT8_E8M0 = 37
} aclDataType;

/* Layer normalization takes the plain formats. They have no effect: only the view says where elements are. */
typedef enum JITNORM_INT {
    ACL_FORMAT_UNDEFINED = -1,
    ACL_FORMAT_NCHW = 0,
    ACL_FORMAT_NHWC = 1,
    ACL_FORMAT_ND = 2,
    ACL_FORMAT_NC1HWC0 = 3,
    ACL_FORMAT_FRACTAL_Z = 4,
    ACL_FORMAT_NC1HWC0_C04 = 12,
    ACL_FORMAT_HWCN = 16,
    ACL_FORMAT_NDHWC = 27,
    ACL_FORMAT_FRACTAL_NZ = 29,
    ACL_FORMAT_NCDHW = 30,
    ACL_FORMAT_NDC1HWC0 = 32,
    ACL_FRACTAL_Z_3D = 33,
    ACL_FORMAT_NC = 35,
    ACL_FORMAT_NCL = 47
} aclFormat;

static inline size_t aclDataTypeSize(aclDataType dataType) { return jitnorm_acl_data_type_size((int)dataType); }
static inline aclFloat16 aclFloatToFloat16(float value) { return jitnorm_acl_float_to_float16(value); }
static inline float aclFloat16ToFloat(aclFloat16 value) { return jitnorm_acl_float16_to_float(value); }

#endif
