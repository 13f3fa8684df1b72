/* SPDX-License-Identifier: Apache-2.0 */
/* jitnorm_graph_types.h: the types of the graph interface (jitnorm_graph.h). Names and values equal those of oneDNN
 * Graph (dnnl_graph_types.h); what only this library has is above oneDNN's ranges, from 0x10000 on. */
#ifndef JITNORM_GRAPH_TYPES_H
#define JITNORM_GRAPH_TYPES_H

#include "jitnorm/jitnorm_types.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ---------------------------------------------------------------- logical tensors */

/* An unknown number of dimensions, and an unknown dimension or stride. */
#define JITNORM_GRAPH_UNKNOWN_NDIMS -1
#define JITNORM_GRAPH_UNKNOWN_DIM INT64_MIN

typedef enum JITNORM_INT {
    jitnorm_graph_layout_type_undef = 0,
    jitnorm_graph_layout_type_any = 1,     /* compilation chooses: strides without gaps */
    jitnorm_graph_layout_type_strided = 2, /* as the strides say */
    jitnorm_graph_layout_type_opaque = 3   /* a layout that only the library knows: this library has none */
} jitnorm_graph_layout_type_t;

/* How a tensor's values change between executions. This library treats all properties alike. */
typedef enum JITNORM_INT {
    jitnorm_graph_tensor_property_undef = 0,
    jitnorm_graph_tensor_property_variable = 1,
    jitnorm_graph_tensor_property_constant = 2,
    jitnorm_graph_tensor_property_host_scalar = 3
} jitnorm_graph_tensor_property_t;

/* The description of a tensor, a plain value. The functions jitnorm_graph_logical_tensor_* fill it. */
typedef struct {
    size_t id;           /* the same id means the same tensor; this connects operations */
    int ndims;           /* 0: a scalar; JITNORM_GRAPH_UNKNOWN_NDIMS; at most JITNORM_MAX_NDIMS */
    jitnorm_dims_t dims; /* a dimension may be 0 or JITNORM_GRAPH_UNKNOWN_DIM */
    jitnorm_data_type_t data_type;
    jitnorm_graph_tensor_property_t property;
    jitnorm_graph_layout_type_t layout_type;
    union {
        jitnorm_dims_t strides; /* strided: in elements, not negative, or JITNORM_GRAPH_UNKNOWN_DIM */
        size_t layout_id;       /* opaque */
    } layout;
} jitnorm_graph_logical_tensor_t;

/* ---------------------------------------------------------------- partitions */

/* How a graph is cut into partitions. fusion: a normalization and the operations around it are one partition
 * (jitnorm_graph.h says which). debug: each operation is a partition. */
typedef enum JITNORM_INT {
    jitnorm_graph_partition_policy_fusion = 1,
    jitnorm_graph_partition_policy_debug = 2
} jitnorm_graph_partition_policy_t;

/* An input and an output that may share memory, by the ids of their logical tensors. */
typedef struct {
    size_t input_id;
    size_t output_id;
} jitnorm_graph_inplace_pair_t;

/* ---------------------------------------------------------------- operations */

/* Kinds of operations. A graph may have any of them. Only partitions with a normalization are supported. */
typedef enum JITNORM_INT {
    jitnorm_graph_op_abs = 0,
    jitnorm_graph_op_abs_backward = 1,
    jitnorm_graph_op_add = 2,
    jitnorm_graph_op_avg_pool = 3,
    jitnorm_graph_op_avg_pool_backward = 4,
    jitnorm_graph_op_batch_norm_backward = 5,
    jitnorm_graph_op_batch_norm_forward_training = 6,
    jitnorm_graph_op_batch_norm_inference = 7,
    jitnorm_graph_op_bias_add = 8,
    jitnorm_graph_op_bias_add_backward = 9,
    jitnorm_graph_op_clamp = 10,
    jitnorm_graph_op_clamp_backward = 11,
    jitnorm_graph_op_concat = 12,
    jitnorm_graph_op_convolution = 13,
    jitnorm_graph_op_convolution_backward_data = 14,
    jitnorm_graph_op_convolution_backward_weights = 15,
    jitnorm_graph_op_conv_transpose = 16,
    jitnorm_graph_op_conv_transpose_backward_data = 17,
    jitnorm_graph_op_conv_transpose_backward_weights = 18,
    jitnorm_graph_op_dequantize = 19,
    jitnorm_graph_op_divide = 20,
    jitnorm_graph_op_dynamic_dequantize = 21,
    jitnorm_graph_op_dynamic_quantize = 22,
    jitnorm_graph_op_elu = 23,
    jitnorm_graph_op_elu_backward = 24,
    jitnorm_graph_op_end = 25,
    jitnorm_graph_op_exp = 26,
    jitnorm_graph_op_gelu = 27,
    jitnorm_graph_op_gelu_backward = 28,
    jitnorm_graph_op_hard_swish = 29,
    jitnorm_graph_op_hard_swish_backward = 30,
    jitnorm_graph_op_interpolate = 31,
    jitnorm_graph_op_interpolate_backward = 32,
    jitnorm_graph_op_layer_norm = 33,
    jitnorm_graph_op_layer_norm_backward = 34,
    jitnorm_graph_op_leaky_relu = 35,
    jitnorm_graph_op_log = 36,
    jitnorm_graph_op_log_softmax = 37,
    jitnorm_graph_op_log_softmax_backward = 38,
    jitnorm_graph_op_matmul = 39,
    jitnorm_graph_op_maximum = 40,
    jitnorm_graph_op_max_pool = 41,
    jitnorm_graph_op_max_pool_backward = 42,
    jitnorm_graph_op_minimum = 43,
    jitnorm_graph_op_mish = 44,
    jitnorm_graph_op_mish_backward = 45,
    jitnorm_graph_op_multiply = 46,
    jitnorm_graph_op_prelu = 47,
    jitnorm_graph_op_prelu_backward = 48,
    jitnorm_graph_op_quantize = 49,
    jitnorm_graph_op_reciprocal = 50,
    jitnorm_graph_op_reduce_l1 = 51,
    jitnorm_graph_op_reduce_l2 = 52,
    jitnorm_graph_op_reduce_max = 53,
    jitnorm_graph_op_reduce_mean = 54,
    jitnorm_graph_op_reduce_min = 55,
    jitnorm_graph_op_reduce_prod = 56,
    jitnorm_graph_op_reduce_sum = 57,
    jitnorm_graph_op_relu = 58,
    jitnorm_graph_op_relu_backward = 59,
    jitnorm_graph_op_reorder = 60,
    jitnorm_graph_op_round = 61,
    jitnorm_graph_op_sigmoid = 62,
    jitnorm_graph_op_sigmoid_backward = 63,
    jitnorm_graph_op_softmax = 64,
    jitnorm_graph_op_softmax_backward = 65,
    jitnorm_graph_op_softplus = 66,
    jitnorm_graph_op_softplus_backward = 67,
    jitnorm_graph_op_sqrt = 68,
    jitnorm_graph_op_sqrt_backward = 69,
    jitnorm_graph_op_square = 70,
    jitnorm_graph_op_squared_difference = 71,
    jitnorm_graph_op_static_reshape = 72,
    jitnorm_graph_op_static_transpose = 73,
    jitnorm_graph_op_subtract = 74,
    jitnorm_graph_op_tanh = 75,
    jitnorm_graph_op_tanh_backward = 76,
    jitnorm_graph_op_type_cast = 77,
    jitnorm_graph_op_wildcard = 78,
    jitnorm_graph_op_hard_sigmoid = 79,
    jitnorm_graph_op_hard_sigmoid_backward = 80,
    jitnorm_graph_op_select = 81,
    jitnorm_graph_op_pow = 82,
    jitnorm_graph_op_group_norm = 83,
    jitnorm_graph_op_gen_index = 84,
    jitnorm_graph_op_greater_equal = 85,
    jitnorm_graph_op_rms_norm = 86,
    jitnorm_graph_op_last_symbol = 87, /* one past oneDNN's kinds */

    /* This library's own: oneDNN has no values for these. */
    jitnorm_graph_op_layer_norm_backprop = 0x10000, /* LayerNormBackprop of older operation sets */
    jitnorm_graph_op_layer_norm_grad = 0x10001      /* LayerNormGrad of the Ascend IR */
} jitnorm_graph_op_kind_t;

/* Attributes of operations. Each attribute has one type, which stands above the names. */
typedef enum JITNORM_INT {
    jitnorm_graph_op_attr_undef = 0,

    /* one f32 */
    jitnorm_graph_op_attr_alpha = 0x1,
    jitnorm_graph_op_attr_beta = 0x2,
    jitnorm_graph_op_attr_epsilon = 0x3,
    jitnorm_graph_op_attr_max = 0x4,
    jitnorm_graph_op_attr_min = 0x5,
    jitnorm_graph_op_attr_momentum = 0x6,

    /* f32s */
    jitnorm_graph_op_attr_scales = 0x20,

    /* one s64 */
    jitnorm_graph_op_attr_axis = 0x30,
    jitnorm_graph_op_attr_begin_norm_axis = 0x31,
    jitnorm_graph_op_attr_groups = 0x32,

    /* s64s */
    jitnorm_graph_op_attr_axes = 0x40,
    jitnorm_graph_op_attr_dilations = 0x41,
    jitnorm_graph_op_attr_dst_shape = 0x42,
    jitnorm_graph_op_attr_kernel = 0x43,
    jitnorm_graph_op_attr_order = 0x44,
    jitnorm_graph_op_attr_output_padding = 0x45,
    jitnorm_graph_op_attr_pads_begin = 0x46,
    jitnorm_graph_op_attr_pads_end = 0x47,
    jitnorm_graph_op_attr_shape = 0x48,
    jitnorm_graph_op_attr_sizes = 0x49,
    jitnorm_graph_op_attr_src_shape = 0x4a,
    jitnorm_graph_op_attr_strides = 0x4b,
    jitnorm_graph_op_attr_weights_shape = 0x4c,
    jitnorm_graph_op_attr_zps = 0x4d,
    jitnorm_graph_op_attr_group_shape = 0x4e,

    /* one bool */
    jitnorm_graph_op_attr_exclude_pad = 0x60,
    jitnorm_graph_op_attr_keep_dims = 0x61,
    jitnorm_graph_op_attr_keep_stats = 0x62,
    jitnorm_graph_op_attr_per_channel_broadcast = 0x63,
    jitnorm_graph_op_attr_special_zero = 0x64,
    jitnorm_graph_op_attr_transpose_a = 0x65,
    jitnorm_graph_op_attr_transpose_b = 0x66,
    jitnorm_graph_op_attr_use_affine = 0x67,
    jitnorm_graph_op_attr_use_dst = 0x68,

    /* a string */
    jitnorm_graph_op_attr_auto_broadcast = 0x80,
    jitnorm_graph_op_attr_auto_pad = 0x81,
    jitnorm_graph_op_attr_coordinate_transformation_mode = 0x82,
    jitnorm_graph_op_attr_data_format = 0x83,
    jitnorm_graph_op_attr_mode = 0x84,
    jitnorm_graph_op_attr_qtype = 0x85,
    jitnorm_graph_op_attr_rounding_type = 0x86,
    jitnorm_graph_op_attr_weights_format = 0x87,
    jitnorm_graph_op_attr_accumulation_mode = 0x88,

    jitnorm_graph_op_attr_end = 0xff, /* above oneDNN's attributes */

    /* This library's own, s64s: three numbers for LayerNormGrad, each 0 or 1. */
    jitnorm_graph_op_attr_output_mask = 0x10000
} jitnorm_graph_op_attr_t;

/* ---------------------------------------------------------------- handles (opaque) */

typedef struct jitnorm_graph_graph *jitnorm_graph_graph_t;
typedef const struct jitnorm_graph_graph *const_jitnorm_graph_graph_t;
typedef struct jitnorm_graph_op *jitnorm_graph_op_t;
typedef const struct jitnorm_graph_op *const_jitnorm_graph_op_t;
typedef struct jitnorm_graph_partition *jitnorm_graph_partition_t;
typedef const struct jitnorm_graph_partition *const_jitnorm_graph_partition_t;
typedef struct jitnorm_graph_compiled_partition *jitnorm_graph_compiled_partition_t;
typedef const struct jitnorm_graph_compiled_partition *const_jitnorm_graph_compiled_partition_t;
typedef struct jitnorm_graph_tensor *jitnorm_graph_tensor_t;
typedef const struct jitnorm_graph_tensor *const_jitnorm_graph_tensor_t;

#ifdef __cplusplus
}
#endif

#endif
