/* SPDX-License-Identifier: Apache-2.0 */
/* jitnorm_types.h: the enumerations, handles and argument indices of the C interface.
 *
 * Names and values equal oneDNN's (dnnl_types.h) wherever oneDNN has the notion, so that code moves over by
 * exchanging the prefix. Values are part of the ABI: they are never renumbered and never reused. */
#ifndef JITNORM_TYPES_H
#define JITNORM_TYPES_H

#include <stddef.h>
#include <stdint.h>

/* Marks what the shared library exports; everything else in it is hidden. */
#if defined(__GNUC__) || defined(__clang__)
#define JITNORM_API __attribute__((visibility("default")))
#else
#define JITNORM_API
#endif

/* In C++ every int is a value of these enumerations, as in C: a value that a newer version has, or a mistake, arrives
 * at the library as it is and is refused there. */
#ifdef __cplusplus
#define JITNORM_INT : int
#else
#define JITNORM_INT
#endif

#ifdef __cplusplus
extern "C" {
#endif

/* ---------------------------------------------------------------- status */

/* What every function that can fail returns. On anything but success no output was written. */
typedef enum JITNORM_INT {
    jitnorm_success = 0,
    jitnorm_out_of_memory = 1,     /* an allocation failed */
    jitnorm_invalid_arguments = 2, /* the request has no meaning: a null pointer, inconsistent shapes, unknown flags */
    jitnorm_unimplemented = 3,     /* the request is legal but not implemented */
    jitnorm_last_impl_reached = 4, /* next_impl: the list of implementations is exhausted */
    jitnorm_runtime_error = 5,     /* the system refused something (a mapping, a thread) */
    jitnorm_not_required = 6,      /* the queried entity does not exist for this primitive descriptor */
    jitnorm_invalid_graph = 7,
    jitnorm_invalid_graph_op = 8,
    jitnorm_invalid_shape = 9,
    jitnorm_invalid_data_type = 10
} jitnorm_status_t;

/* ---------------------------------------------------------------- tensors */

#define JITNORM_MAX_NDIMS 12

/* A dimension, stride or offset, in elements. */
typedef int64_t jitnorm_dim_t;
typedef jitnorm_dim_t jitnorm_dims_t[JITNORM_MAX_NDIMS];

/* A dimension or stride that is known at execution only: descriptors of primitives may have such, descriptors of
 * memories not ("Run-time sizes" in jitnorm.h). */
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
    jitnorm_format_kind_host_scalar = 5 /* one value that the memory itself holds */
} jitnorm_format_kind_t;

/* Layouts by name. Letters are logical dimensions from the outermost in memory to the innermost; an upper-case letter
 * is a dimension that is also split into inner blocks, which follow, size and letter. "ab" is row major, "ba" column
 * major, "aBc8b" a three-dimensional tensor whose second dimension is padded to a multiple of 8 and whose innermost
 * memory dimension is a block of 8 of it. The names are oneDNN's, the numbers are this library's own. */
typedef enum JITNORM_INT {
    jitnorm_format_tag_undef = 0,
    jitnorm_format_tag_any = 1,
    jitnorm_a = 2,
    jitnorm_ab = 3,
    jitnorm_ba = 4,
    jitnorm_abc = 5,
    jitnorm_acb = 6,
    jitnorm_bac = 7,
    jitnorm_bca = 8,
    jitnorm_cab = 9,
    jitnorm_cba = 10,
    jitnorm_abcd = 11,
    jitnorm_abdc = 12,
    jitnorm_acbd = 13,
    jitnorm_acdb = 14,
    jitnorm_adbc = 15,
    jitnorm_bacd = 16,
    jitnorm_bcda = 17,
    jitnorm_cdab = 18,
    jitnorm_cdba = 19,
    jitnorm_dabc = 20,
    jitnorm_dcab = 21,
    jitnorm_dcba = 22,
    jitnorm_abcde = 23,
    jitnorm_abced = 24,
    jitnorm_abdec = 25,
    jitnorm_acbde = 26,
    jitnorm_acdeb = 27,
    jitnorm_bacde = 28,
    jitnorm_bcdea = 29,
    jitnorm_cdeba = 30,
    jitnorm_decab = 31,
    jitnorm_eabcd = 32,
    jitnorm_edcba = 33,
    jitnorm_Ab4a = 34,
    jitnorm_Ab8a = 35,
    jitnorm_Ab16a = 36,
    jitnorm_aB4b = 37,
    jitnorm_aB8b = 38,
    jitnorm_aB16b = 39,
    jitnorm_AB8b8a = 40,
    jitnorm_AB16b16a = 41,
    jitnorm_AB16b32a = 42,
    jitnorm_AB16b48a = 43,
    jitnorm_AB16b64a = 44,
    jitnorm_AB48a16b = 45,
    jitnorm_AB8a8b = 46,
    jitnorm_AB16a16b = 47,
    jitnorm_BA16a16b = 48,
    jitnorm_BA16a32b = 49,
    jitnorm_BA16a48b = 50,
    jitnorm_BA16a64b = 51,
    jitnorm_aBc4b = 52,
    jitnorm_aBc8b = 53,
    jitnorm_aBc16b = 54,
    jitnorm_aBC8b8c = 55,
    jitnorm_aBC16b16c = 56,
    jitnorm_ABc16a16b = 57,
    jitnorm_ABc16b16a = 58,
    jitnorm_aBcd4b = 59,
    jitnorm_aBcd8b = 60,
    jitnorm_aBcd16b = 61,
    jitnorm_ABcd16a16b = 62,
    jitnorm_ABcd16b16a = 63,
    jitnorm_aBcde4b = 64,
    jitnorm_aBcde8b = 65,
    jitnorm_aBcde16b = 66,
    jitnorm_ABcde16a16b = 67,
    jitnorm_format_tag_last = 68, /* one past the last tag of this version */

    /* The usual names: t time, n batch, c channels, l layer, d direction, h height, w width. */
    jitnorm_x = jitnorm_a,
    jitnorm_nc = jitnorm_ab,
    jitnorm_cn = jitnorm_ba,
    jitnorm_tn = jitnorm_ab,
    jitnorm_nt = jitnorm_ba,
    jitnorm_ncw = jitnorm_abc,
    jitnorm_nwc = jitnorm_acb,
    jitnorm_tnc = jitnorm_abc,
    jitnorm_ntc = jitnorm_bac,
    jitnorm_nchw = jitnorm_abcd,
    jitnorm_nhwc = jitnorm_acdb,
    jitnorm_chwn = jitnorm_bcda,
    jitnorm_ldnc = jitnorm_abcd,
    jitnorm_ncdhw = jitnorm_abcde,
    jitnorm_ndhwc = jitnorm_acdeb
} jitnorm_format_tag_t;

/* ---------------------------------------------------------------- operations */

/* Propagation kinds. */
typedef enum JITNORM_INT {
    jitnorm_prop_kind_undef = 0,
    jitnorm_forward_training = 64, /* also writes the statistics, for backward */
    jitnorm_forward_inference = 96,
    jitnorm_forward = jitnorm_forward_training,
    jitnorm_backward = 128,     /* gradients of src, scale and shift */
    jitnorm_backward_data = 160 /* gradient of src alone */
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

/* Flags of a normalization, or-ed together. */
typedef enum JITNORM_INT {
    jitnorm_normalization_flags_none = 0x0,
    jitnorm_use_global_stats = 0x1, /* mean and variance are inputs */
    jitnorm_use_scale = 0x2,
    jitnorm_use_shift = 0x4,
    jitnorm_rms_norm = 0x20,            /* the mean is taken as zero: root mean square normalization */
    jitnorm_scale_plus_one = 0x10000,   /* with use_scale: 1 + scale[c] is used where the tensor holds scale[c] */
    jitnorm_inverse_deviation = 0x20000 /* the variance tensor holds 1 / sqrt(variance + epsilon) in its place */
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
    jitnorm_eltwise_clip_v2 = 0x2f,     /* the same as clip forward */
    jitnorm_eltwise_pow = 0x30,         /* alpha x^beta */
    jitnorm_eltwise_gelu_erf = 0x31,    /* 0.5 x (1 + erf(x / sqrt(2))) */
    jitnorm_eltwise_round = 0x32,       /* to the nearest integer, halves to even */
    jitnorm_eltwise_mish = 0x33,        /* x tanh(log(1 + exp(x))) */
    jitnorm_eltwise_hardswish = 0x34,   /* x max(0, min(1, alpha x + beta)) */
    jitnorm_binary_add = 0x1fff0,       /* x + src1, and so on */
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
    jitnorm_binary_ne = 0x1fffb
} jitnorm_alg_kind_t;

/* ---------------------------------------------------------------- handles (opaque) */

typedef struct jitnorm_engine *jitnorm_engine_t;
typedef struct jitnorm_stream *jitnorm_stream_t;
typedef const struct jitnorm_stream *const_jitnorm_stream_t;
typedef struct jitnorm_memory_desc *jitnorm_memory_desc_t;
typedef const struct jitnorm_memory_desc *const_jitnorm_memory_desc_t;
typedef struct jitnorm_memory *jitnorm_memory_t;
typedef const struct jitnorm_memory *const_jitnorm_memory_t;
typedef struct jitnorm_primitive_attr *jitnorm_primitive_attr_t;
typedef const struct jitnorm_primitive_attr *const_jitnorm_primitive_attr_t;
typedef struct jitnorm_post_ops *jitnorm_post_ops_t;
typedef const struct jitnorm_post_ops *const_jitnorm_post_ops_t;
typedef struct jitnorm_primitive_desc *jitnorm_primitive_desc_t;
typedef const struct jitnorm_primitive_desc *const_jitnorm_primitive_desc_t;
typedef struct jitnorm_primitive *jitnorm_primitive_t;
typedef const struct jitnorm_primitive *const_jitnorm_primitive_t;

typedef enum JITNORM_INT {
    jitnorm_any_engine = 0,
    jitnorm_cpu = 1,
    jitnorm_gpu = 2 /* there is none */
} jitnorm_engine_kind_t;

typedef enum JITNORM_INT {
    jitnorm_stream_in_order = 0x1,
    jitnorm_stream_out_of_order = 0x2,
    jitnorm_stream_default_flags = jitnorm_stream_in_order
} jitnorm_stream_flags_t;

/* A pool of threads that the caller has and executions are to use in place of the library's own.
 *
 * parallel_for calls body(argument, index) for index = 0 .. count - 1, each exactly once, and returns when all these
 * calls have returned. They may run in any order, on any threads, the calling one included, several at once or one
 * after the other: none waits for another. Whatever a body has written must be visible to the caller on return, and
 * whatever the caller has written before, to the bodies. parallel_for must not throw.
 *
 * The library calls it during jitnorm_primitive_execute only, on the thread that executes; several times in one
 * execution if need be, one after the other; with a count of 2 or more; never from within a body. Small work is done on
 * the executing thread without a call. When that thread is itself one of the pool's, parallel_for must not wait for
 * threads that wait for it: running some or all bodies in place is always right. */
typedef struct {
    void (*parallel_for)(void *context, int count, void (*body)(void *argument, int index), void *argument);
    void *context;   /* handed to parallel_for */
    int concurrency; /* how many bodies may run at once, the executing thread's included: 1 or more */
} jitnorm_thread_pool_t;

/* Values of the handle argument of jitnorm_memory_create: no memory yet; memory of the library's own. */
#define JITNORM_MEMORY_NONE (NULL)
#define JITNORM_MEMORY_ALLOCATE ((void *)(size_t)-1)

/* Who provides the scratchpad. */
typedef enum JITNORM_INT {
    jitnorm_scratchpad_mode_library = 0, /* the primitive owns its scratchpad */
    jitnorm_scratchpad_mode_user = 1     /* the caller passes JITNORM_ARG_SCRATCHPAD */
} jitnorm_scratchpad_mode_t;

/* How a residual is added (jitnorm_primitive_attr_set_residual); may be or-ed. */
typedef enum JITNORM_INT {
    jitnorm_residual_flags_none = 0x0,
    jitnorm_residual_normalize_rounded = 0x1 /* the sum as it is stored, and not as it is computed */
} jitnorm_residual_flags_t;

/* How floating-point data may be narrowed for computations: not at all here, whatever is allowed. */
typedef enum JITNORM_INT {
    jitnorm_fpmath_mode_strict = 0,
    jitnorm_fpmath_mode_bf16 = 1,
    jitnorm_fpmath_mode_f16 = 2,
    jitnorm_fpmath_mode_any = 3,
    jitnorm_fpmath_mode_tf32 = 4
} jitnorm_fpmath_mode_t;

/* In which type sums may be kept. Layer normalization takes the first three, and keeps its sums as docs/arithmetic.md
 * says whichever it is. */
typedef enum JITNORM_INT {
    jitnorm_accumulation_mode_strict = 0,
    jitnorm_accumulation_mode_relaxed = 1,
    jitnorm_accumulation_mode_any = 2,
    jitnorm_accumulation_mode_s32 = 3,
    jitnorm_accumulation_mode_f32 = 4,
    jitnorm_accumulation_mode_f16 = 5
} jitnorm_accumulation_mode_t;

/* How a result is rounded to the type of its tensor. Layer normalization takes the first. */
typedef enum JITNORM_INT {
    jitnorm_rounding_mode_environment = 0, /* to the nearest value, halves to even */
    jitnorm_rounding_mode_stochastic = 1
} jitnorm_rounding_mode_t;

/* Who knows a scale: the caller beforehand, or the library from the values. Layer normalization takes the last one as
 * it says, with scales of dst; oneDNN's it does not look at. */
typedef enum JITNORM_INT {
    jitnorm_quantization_mode_undef = 0,
    jitnorm_quantization_mode_static_sazp = 1,
    jitnorm_quantization_mode_dynamic_mx = 2,
    jitnorm_quantization_mode_dynamic_fp = 3,

    /* Not oneDNN's: the library finds f32 scales with which the largest magnitude becomes the largest number of the
     * tensor's type, and writes them to the memory of the scales. */
    jitnorm_quantization_mode_dynamic_amax = 0x1000
} jitnorm_quantization_mode_t;

/* The instruction sets that generated code may be capped to: all that oneDNN has, as far as they make a difference
 * here. A machine without AVX2, or a cap below it, runs the plain C++ reference; what lies between AVX2 and AVX-512
 * counts as AVX2, and what lies above AVX-512 with its F, BW, DQ and VL parts as that. */
typedef enum JITNORM_INT {
    jitnorm_cpu_isa_default = 0x0, /* whatever the processor has */
    jitnorm_cpu_isa_sse41 = 0x1,   /* no generated code: the reference */
    jitnorm_cpu_isa_avx = 0x3,     /* the same */
    jitnorm_cpu_isa_avx2 = 0x7,
    jitnorm_cpu_isa_avx2_vnni = 0xf,
    jitnorm_cpu_isa_avx2_vnni_2 = 0x1f,
    jitnorm_cpu_isa_avx512_core = 0x27,
    jitnorm_cpu_isa_avx512_core_vnni = 0x67,
    jitnorm_cpu_isa_avx512_core_bf16 = 0xe7,
    jitnorm_cpu_isa_avx10_1_512 = 0x1ef,
    jitnorm_cpu_isa_avx512_core_fp16 = jitnorm_cpu_isa_avx10_1_512,
    jitnorm_cpu_isa_avx10_1_512_amx = 0xfef,
    jitnorm_cpu_isa_avx512_core_amx = jitnorm_cpu_isa_avx10_1_512_amx,
    jitnorm_cpu_isa_avx10_1_512_amx_fp16 = 0x1fef,
    jitnorm_cpu_isa_avx512_core_amx_fp16 = jitnorm_cpu_isa_avx10_1_512_amx_fp16
} jitnorm_cpu_isa_t;

/* Wishes concerning the instruction set, without an effect here. */
typedef enum JITNORM_INT { jitnorm_cpu_isa_no_hints = 0x0, jitnorm_cpu_isa_prefer_ymm = 0x1 } jitnorm_cpu_isa_hints_t;

/* ---------------------------------------------------------------- profiling */

/* Who is told the names of generated code; values as in oneDNN, of whose other profilers there is none. */
#define JITNORM_JIT_PROFILE_NONE 0u
#define JITNORM_JIT_PROFILE_LINUX_PERFMAP 2u /* Linux perf, by /tmp/perf-PID.map: names */
#define JITNORM_JIT_PROFILE_LINUX_JITDUMP 4u /* Linux perf, by jit-PID.dump: names, instructions and frames */
#define JITNORM_JIT_PROFILE_LINUX_PERF (JITNORM_JIT_PROFILE_LINUX_JITDUMP | JITNORM_JIT_PROFILE_LINUX_PERFMAP)

/* ---------------------------------------------------------------- queries */

/* What to ask a primitive descriptor or a memory descriptor for. Comments give the type behind the result pointer. */
typedef enum JITNORM_INT {
    jitnorm_query_undef = 0,
    jitnorm_query_engine = 1,                  /* jitnorm_engine_t */
    jitnorm_query_primitive_kind = 2,          /* jitnorm_primitive_kind_t */
    jitnorm_query_num_of_inputs_s32 = 3,       /* int; scales do not count */
    jitnorm_query_num_of_outputs_s32 = 4,      /* int; the scratchpad does not count */
    jitnorm_query_time_estimate_f64 = 5,       /* double; 0: not estimated */
    jitnorm_query_memory_consumption_s64 = 6,  /* int64_t: bytes of scratchpad the library owns;
                                                  JITNORM_RUNTIME_DIM_VAL: known at execution only */
    jitnorm_query_scratchpad_engine = 7,       /* jitnorm_engine_t */
    jitnorm_query_impl_info_str = 8,           /* const char *, owned by the library */
    jitnorm_query_prop_kind = 11,              /* jitnorm_prop_kind_t */
    jitnorm_query_cache_blob_id_size_s64 = 12, /* int64_t: 0, there is none */
    jitnorm_query_cache_blob_id = 13,          /* const uint8_t *: null */
    jitnorm_query_epsilon_f32 = 18,            /* float */
    jitnorm_query_flags = 19,                  /* unsigned */

    /* memory descriptors of a primitive: const_jitnorm_memory_desc_t, owned by the primitive descriptor */
    jitnorm_query_some_md = 128,
    jitnorm_query_src_md = 129,
    jitnorm_query_diff_src_md = 130,
    jitnorm_query_weights_md = 131, /* scale and shift */
    jitnorm_query_diff_weights_md = 132,
    jitnorm_query_dst_md = 133,
    jitnorm_query_diff_dst_md = 134,
    jitnorm_query_workspace_md = 135,
    jitnorm_query_scratchpad_md = 136,
    jitnorm_query_exec_arg_md = 255, /* by JITNORM_ARG_* */

    /* properties of a memory descriptor */
    jitnorm_query_ndims_s32 = 256,            /* int */
    jitnorm_query_dims = 257,                 /* const jitnorm_dim_t *, owned by the descriptor */
    jitnorm_query_data_type = 258,            /* jitnorm_data_type_t */
    jitnorm_query_submemory_offset_s64 = 259, /* int64_t, in elements */
    jitnorm_query_padded_dims = 260,          /* const jitnorm_dim_t * */
    jitnorm_query_padded_offsets = 261,       /* const jitnorm_dim_t *: zeros, there is no padding before the data */
    jitnorm_query_format_kind = 262,          /* jitnorm_format_kind_t */
    jitnorm_query_strides = 14,               /* const jitnorm_dim_t *: of the outer blocks, in elements */
    jitnorm_query_inner_nblks_s32 = 263,      /* int */
    jitnorm_query_inner_blks = 264,           /* const jitnorm_dim_t * */
    jitnorm_query_inner_idxs = 265            /* const jitnorm_dim_t * */
} jitnorm_query_t;

/* ---------------------------------------------------------------- execution arguments */

/* One entry of an execution's argument list: which tensor, and the memory that holds it. */
typedef struct {
    int arg; /* JITNORM_ARG_* */
    jitnorm_memory_t memory;
} jitnorm_exec_arg_t;

#define JITNORM_ARG_SRC 1
#define JITNORM_ARG_SRC_1 2
#define JITNORM_ARG_DST 17
#define JITNORM_ARG_DST_1 18
#define JITNORM_ARG_DST_2 19
#define JITNORM_ARG_BIAS 41
#define JITNORM_ARG_MEAN 49
#define JITNORM_ARG_VARIANCE 50
#define JITNORM_ARG_SCALE 51
#define JITNORM_ARG_SHIFT 52
#define JITNORM_ARG_WORKSPACE 64
#define JITNORM_ARG_SCRATCHPAD 80
#define JITNORM_ARG_DIFF_SRC 129
#define JITNORM_ARG_DIFF_DST 145
#define JITNORM_ARG_DIFF_DST_1 146
#define JITNORM_ARG_DIFF_SCALE 255
#define JITNORM_ARG_DIFF_SHIFT 256
#define JITNORM_ARG_ATTR_SCALES 4096
#define JITNORM_ARG_ATTR_ZERO_POINTS 8192
#define JITNORM_ARG_ATTR_MULTIPLE_POST_OP_BASE 32768
#define JITNORM_ARG_ATTR_MULTIPLE_POST_OP(index) (JITNORM_ARG_ATTR_MULTIPLE_POST_OP_BASE * ((index) + 1))

/* ---------------------------------------------------------------- version */

/* How the library uses threads. */
#define JITNORM_RUNTIME_SEQ 1u /* not at all */
#define JITNORM_RUNTIME_OMP 2u /* OpenMP */

typedef struct {
    int major;
    int minor;
    int patch;
    const char *hash;     /* of the commit the library was built from; "unknown" where that was not under git */
    unsigned cpu_runtime; /* JITNORM_RUNTIME_* */
} jitnorm_version_t;

#ifdef __cplusplus
}
#endif

#endif
