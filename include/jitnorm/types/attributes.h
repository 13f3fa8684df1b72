/* SPDX-License-Identifier: Apache-2.0 */
/* attributes.h: values of a primitive's attributes. Included by jitnorm_types.h. */
#ifndef JITNORM_TYPES_ATTRIBUTES_H
#define JITNORM_TYPES_ATTRIBUTES_H

#include "status.h"

/* Who provides the scratchpad. */
typedef enum JITNORM_INT {
    jitnorm_scratchpad_mode_library = 0, /* the library keeps a scratchpad for each thread */
    jitnorm_scratchpad_mode_user = 1     /* the caller passes JITNORM_ARG_SCRATCHPAD */
} jitnorm_scratchpad_mode_t;

/* How a residual is added (jitnorm_primitive_attr_set_residual). Flags may be or-ed. */
typedef enum JITNORM_INT {
    jitnorm_residual_flags_none = 0x0,
    jitnorm_residual_normalize_rounded = 0x1, /* normalize the sum as it is stored, not as it is computed */
    jitnorm_residual_mul_silu = 0x2           /* multiply src by silu of the residual, instead of adding it; forward */
} jitnorm_residual_flags_t;

/* The type to which floating-point data may be narrowed for computations. This library never narrows it. */
typedef enum JITNORM_INT {
    jitnorm_fpmath_mode_strict = 0,
    jitnorm_fpmath_mode_bf16 = 1,
    jitnorm_fpmath_mode_f16 = 2,
    jitnorm_fpmath_mode_any = 3,
    jitnorm_fpmath_mode_tf32 = 4
} jitnorm_fpmath_mode_t;

/* The type in which sums may be kept. Layer normalization accepts the first three modes. They have no effect: its sums
 * are always kept as docs/arithmetic.md says. */
typedef enum JITNORM_INT {
    jitnorm_accumulation_mode_strict = 0,
    jitnorm_accumulation_mode_relaxed = 1,
    jitnorm_accumulation_mode_any = 2,
    jitnorm_accumulation_mode_s32 = 3,
    jitnorm_accumulation_mode_f32 = 4,
    jitnorm_accumulation_mode_f16 = 5
} jitnorm_accumulation_mode_t;

/* How a result is rounded to the type of its tensor. Layer normalization accepts only the first mode. */
typedef enum JITNORM_INT {
    jitnorm_rounding_mode_environment = 0, /* to the nearest value, halves to even */
    jitnorm_rounding_mode_stochastic = 1
} jitnorm_rounding_mode_t;

/* Where scales come from: the caller gives them (static), or the library computes them from the values (dynamic). Layer
 * normalization has static scales, and dynamic scales of dst with the last mode only. */
typedef enum JITNORM_INT {
    jitnorm_quantization_mode_undef = 0,
    jitnorm_quantization_mode_static_sazp = 1,
    jitnorm_quantization_mode_dynamic_mx = 2,
    jitnorm_quantization_mode_dynamic_fp = 3,

    /* This library's own mode: the library computes f32 scales with which the largest magnitude becomes the largest
     * number of the tensor's type, and writes them to the memory of the scales. */
    jitnorm_quantization_mode_dynamic_amax = 0x1000
} jitnorm_quantization_mode_t;

#endif
