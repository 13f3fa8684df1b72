/* SPDX-License-Identifier: Apache-2.0 */
/* tensor.h: dimensions, types of elements and kinds of layouts. Included by jitnorm_types.h. */
#ifndef JITNORM_TYPES_TENSOR_H
#define JITNORM_TYPES_TENSOR_H

#include <stddef.h>
#include <stdint.h>

#include "status.h"

#define JITNORM_MAX_NDIMS 12

/* A dimension, stride or offset, in elements. */
typedef int64_t jitnorm_dim_t;
typedef jitnorm_dim_t jitnorm_dims_t[JITNORM_MAX_NDIMS];

/* A dimension or stride that is known at execution only. Descriptors with it may describe a primitive's tensor, but not
 * a memory ("Run-time sizes" in jitnorm.h). */
#define JITNORM_RUNTIME_DIM_VAL INT64_MIN
/* The size in bytes of a descriptor with such a dimension. */
#define JITNORM_RUNTIME_SIZE_VAL ((size_t)JITNORM_RUNTIME_DIM_VAL)

/* Types of elements. */
typedef enum JITNORM_INT {
    jitnorm_data_type_undef = 0,
    jitnorm_f16 = 1,  /* IEEE binary16 */
    jitnorm_bf16 = 2, /* the upper half of binary32 */
    jitnorm_f32 = 3,
    jitnorm_s32 = 4,
    jitnorm_s8 = 5,
    jitnorm_u8 = 6,
    jitnorm_f64 = 7,
    jitnorm_f8_e5m2 = 9, /* the upper half of binary16 */
    jitnorm_f8_e4m3 = 10 /* 4 bits of exponent, 3 of mantissa, no infinity: up to 448, then NaN */
} jitnorm_data_type_t;

/* Kinds of layouts. */
typedef enum JITNORM_INT {
    jitnorm_format_kind_undef = 0,
    jitnorm_format_kind_any = 1,        /* the primitive descriptor chooses the layout */
    jitnorm_blocked = 2,                /* strides, with optional inner blocks */
    jitnorm_format_kind_host_scalar = 5 /* one value, which the memory itself holds */
} jitnorm_format_kind_t;

#endif
