/* SPDX-License-Identifier: Apache-2.0 */
/* operation.h: propagation kinds, flags and algorithms. Included by jitnorm_types.h. */
#ifndef JITNORM_TYPES_OPERATION_H
#define JITNORM_TYPES_OPERATION_H

#include "status.h"

/* Propagation kinds. */
typedef enum JITNORM_INT {
    jitnorm_prop_kind_undef = 0,
    jitnorm_forward_training = 64, /* also writes the statistics, for backward */
    jitnorm_forward_inference = 96,
    jitnorm_forward = jitnorm_forward_training,
    jitnorm_backward = 128,      /* gradients of src, scale and shift */
    jitnorm_backward_data = 160, /* only the gradient of src */
    /* Kinds of other operations. Layer normalization refuses them with invalid_arguments. */
    jitnorm_backward_weights = 192,
    jitnorm_backward_bias = 193
} jitnorm_prop_kind_t;

/* Operations, and kinds of post-operations. */
typedef enum JITNORM_INT {
    jitnorm_undefined_primitive = 0,
    jitnorm_sum = 4,     /* as a post-op */
    jitnorm_eltwise = 7, /* as a post-op */
    jitnorm_binary = 13, /* as a post-op */
    jitnorm_prelu = 18,  /* as a post-op */
    jitnorm_layer_normalization = 20
} jitnorm_primitive_kind_t;

/* Flags of a normalization, or-ed together. jitnorm.h has the formulas that they change. */
typedef enum JITNORM_INT {
    jitnorm_normalization_flags_none = 0x0,
    jitnorm_use_global_stats = 0x1, /* mean and variance are inputs */
    jitnorm_use_scale = 0x2,
    jitnorm_use_shift = 0x4,
    jitnorm_rms_norm = 0x20, /* the mean is taken as zero: root mean square normalization */
    /* 1 + scale[c] stands in place of scale[c], in backward too, because some models (Gemma) store their weights minus
     * one. This flag needs jitnorm_use_scale. */
    jitnorm_scale_plus_one = 0x10000,
    /* The variance tensor, input or output, holds rstd = 1 / sqrt(variance + epsilon) instead of the variance; PyTorch
     * and Ascend pass that to backward. An rstd that is an input is used as it is, and epsilon is ignored. */
    jitnorm_inverse_deviation = 0x20000,
    /* The normalized value is rounded to src's type before it is scaled and shifted, and the result to the type of both
     * src and scale, f32 if these differ, before anything follows: as a chain of operations that store their results
     * computes it, for example the RMSNorm of Llama. If src and scale differ and one of them is f64, the second type is
     * f64. With an output for the sum with a residual the type of the sum stands in place of that of src. Nothing is
     * rounded to an integer type, and f32 rounds only where another data tensor is f64. In backward, the gradient of
     * scale is computed from the rounded values. docs/arithmetic.md, "Rounded normalized values", has the details. */
    jitnorm_round_normalized = 0x40000
} jitnorm_normalization_flags_t;

/* Algorithms of post-operations. */
typedef enum JITNORM_INT {
    jitnorm_alg_kind_undef = 0,
    jitnorm_eltwise_relu = 0x20,        /* x > 0 ? x : alpha x */
    jitnorm_eltwise_tanh = 0x21,        /* tanh(x) */
    jitnorm_eltwise_elu = 0x22,         /* x > 0 ? x : alpha (exp(x) - 1) */
    jitnorm_eltwise_square = 0x23,      /* x^2 */
    jitnorm_eltwise_abs = 0x24,         /* |x| */
    jitnorm_eltwise_sqrt = 0x25,        /* sqrt(x) */
    jitnorm_eltwise_linear = 0x26,      /* alpha x + beta */
    jitnorm_eltwise_soft_relu = 0x27,   /* log(1 + exp(alpha x)) / alpha */
    jitnorm_eltwise_hardsigmoid = 0x28, /* max(0, min(1, alpha x + beta)) */
    jitnorm_eltwise_logistic = 0x29,    /* 1 / (1 + exp(-x)) */
    jitnorm_eltwise_exp = 0x2a,         /* exp(x) */
    jitnorm_eltwise_gelu_tanh = 0x2b,   /* 0.5 x (1 + tanh(sqrt(2/pi) (x + 0.044715 x^3))) */
    jitnorm_eltwise_swish = 0x2c,       /* x / (1 + exp(-alpha x)) */
    jitnorm_eltwise_log = 0x2d,         /* log(x) */
    jitnorm_eltwise_clip = 0x2e,        /* min(beta, max(alpha, x)) */
    jitnorm_eltwise_clip_v2 = 0x2f,     /* the same as clip in forward */
    jitnorm_eltwise_pow = 0x30,         /* alpha x^beta */
    jitnorm_eltwise_gelu_erf = 0x31,    /* 0.5 x (1 + erf(x / sqrt(2))) */
    jitnorm_eltwise_round = 0x32,       /* to the nearest integer, halves to even */
    jitnorm_eltwise_mish = 0x33,        /* x tanh(log(1 + exp(x))) */
    jitnorm_eltwise_hardswish = 0x34,   /* x max(0, min(1, alpha x + beta)) */
    jitnorm_binary_add = 0x1fff0,       /* x + src1; the following ones alike */
    jitnorm_binary_mul = 0x1fff1,
    jitnorm_binary_max = 0x1fff2,
    jitnorm_binary_min = 0x1fff3,
    jitnorm_binary_div = 0x1fff4,
    jitnorm_binary_sub = 0x1fff5,
    jitnorm_binary_ge = 0x1fff6, /* comparisons give 1 or 0 */
    jitnorm_binary_gt = 0x1fff7,
    jitnorm_binary_le = 0x1fff8,
    jitnorm_binary_lt = 0x1fff9,
    jitnorm_binary_eq = 0x1fffa,
    jitnorm_binary_ne = 0x1fffb,
    jitnorm_binary_mul_silu = 0x7fff0,    /* x * src1 / (1 + exp(-src1)), the gate of gated RMSNorm; not in oneDNN */
    jitnorm_binary_mul_plus_one = 0x7fff1 /* x * (1 + src1), the modulation of AdaLN; not in oneDNN */
} jitnorm_alg_kind_t;

#endif
