/* SPDX-License-Identifier: Apache-2.0 */
/* jitnorm.h: the C interface of jitnorm, layer normalization on CPUs. Include this header alone.
 *
 * The functions mirror oneDNN v3's with the prefix jitnorm_ for dnnl_: code moves over by exchanging the prefix. One
 * normalization takes these steps (examples/layer_norm.c is a complete program):
 *   1. engine and stream: jitnorm_engine_create, jitnorm_stream_create
 *   2. a memory descriptor for each tensor, its type, shape and layout: jitnorm_memory_desc_create_with_tag
 *   3. a primitive descriptor, the operation on such tensors:
 *      jitnorm_layer_normalization_forward_primitive_desc_create
 *   4. a primitive, the descriptor made ready to run: jitnorm_primitive_create
 *   5. a memory for each tensor, a descriptor and a pointer: jitnorm_memory_create
 *   6. execution, as often as wanted: jitnorm_primitive_execute
 *
 * Common to all functions: a null pointer where one is needed gives jitnorm_invalid_arguments, a failed allocation
 * jitnorm_out_of_memory; on any error no result and no output tensor is written, and jitnorm_get_last_error says why.
 * What a
 * *_create or *_clone function returns belongs to the caller, who ends it with the *_destroy function; destroying NULL
 * is fine and does nothing. What an object was made from (descriptors, attributes) may be destroyed right after.
 *
 * Threads: different objects may be used from different threads at will. One object may be used by several threads as
 * long as none changes it (set, append, next_impl, destroy); jitnorm_primitive_execute does not change the primitive.
 *
 * No exception leaves a function of this interface, and none aborts or exits. Errors are printed, one line each, unless
 * that is switched off (jitnorm_set_verbose); nothing else is unless asked for. */
#ifndef JITNORM_H
#define JITNORM_H

#include "jitnorm/jitnorm_attr.h"
#include "jitnorm/jitnorm_debug.h"
#include "jitnorm/jitnorm_memory.h"
#include "jitnorm/jitnorm_partial.h"
#include "jitnorm/jitnorm_types.h"
#include "jitnorm/version.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ---------------------------------------------------------------- layer normalization
 *
 * src has 2 to 5 dimensions; its last logical dimension, of length C, is normalized (Ba, Kiros, Hinton, Layer
 * Normalization, 2016, arXiv:1607.06450; oneDNN's page on layer normalization). For each row x of C elements:
 *
 *     mean     = sum_c x[c] / C
 *     variance = sum_c (x[c] - mean)^2 / C
 *     dst[c]   = scale[c] * (x[c] - mean) / sqrt(variance + epsilon) + shift[c]
 *
 * with jitnorm_rms_norm (Zhang, Sennrich, Root Mean Square Layer Normalization, 2019, arXiv:1910.07467) the mean is
 * zero, neither input nor output, and the variance tensor holds the mean of squares:
 *
 *     variance = sum_c x[c]^2 / C
 *     dst[c]   = scale[c] * x[c] / sqrt(variance + epsilon) + shift[c]
 *
 * with jitnorm_scale_plus_one, here and in what follows, 1 + scale[c] takes the place of scale[c]: some models (Gemma)
 * store their weights minus one. It needs jitnorm_use_scale.
 *
 * Backward, with rstd = 1 / sqrt(variance + epsilon), xhat[c] = (x[c] - mean) * rstd, g[c] = diff_dst[c] * scale[c]:
 *
 *     diff_src[c]   = rstd * (g[c] - sum_k g[k] / C - xhat[c] * sum_k (g[k] * xhat[k]) / C)
 *     diff_scale[c] = sum over rows of diff_dst[c] * xhat[c]
 *     diff_shift[c] = sum over rows of diff_dst[c]
 *
 * and with jitnorm_inverse_deviation the variance tensor, input or output, holds rstd in the place of the variance, as
 * PyTorch and Ascend hand it from forward to backward; an rstd that is given is taken as it is, without epsilon.
 *
 * With jitnorm_use_global_stats both sums in diff_src are left out (the statistics are constants), and with
 * jitnorm_rms_norm the first one is.
 *
 * Tensors, with the argument (JITNORM_ARG_*) that hands each to an execution; + input, - output, blank: must be absent:
 *
 *     argument             forward_inference   forward_training   backward   backward_data
 *     SRC                         +                   +               +            +
 *     DST                         -                   -
 *     MEAN, VARIANCE              + if G              - or + if G     +            +         (MEAN if R: not read or
 *                                                                                             written, may be given)
 *     SCALE                       + if A              + if A          + if A       + if A
 *     SHIFT                       + if B              + if B          (+ if B)     (+ if B)
 *     DIFF_DST                                                        +            +
 *     DIFF_SRC                                                        -            -
 *     DIFF_SCALE                                                      - if A
 *     DIFF_SHIFT                                                      - if B
 *     SRC_1                       + if N              + if N
 *     DST_1                       - if N and X        - if N and X
 *     DST_2                       - if set            - if set         (jitnorm_primitive_attr_set_unquantized_dst)
 *     BIAS                        + if N and set      + if N and set
 *     DIFF_DST_1                                                      + if X       + if X
 *     SCRATCHPAD           - in user mode (optional if its size is 0), any kind
 *     ATTR_SCALES|SRC, |DST       + if set            + if set          (DST - where scales are found)
 *     ATTR_MULTIPLE_POST_OP(i)|SRC_1  + for each binary post-op i, forward
 *
 *     G use_global_stats, A use_scale, B use_shift, R rms_norm; (+): may be given and is not read
 *     N the attribute has a residual (jitnorm_primitive_attr_set_residual), X and its sum_desc
 *
 * Types and shapes:
 *     src, dst             forward: f32, bf16, f16, f64, s8, u8, mixed freely, dst also f8_e5m2, f8_e4m3; SRC_1 and
 *                          DST_1 as src; DST_2 f32, bf16, f16, f64
 *     src, diff_dst, diff_src   backward: f32, bf16, f16, f64, mixed freely; all of one shape; DIFF_DST_1 likewise
 *     mean, variance       f32; src's shape without the last dimension; any layout
 *     scale, shift, and their gradients   f32, bf16, f16, and f64 where data is; one dimension of C elements, dense
 * Layouts of src, dst and their gradients are free and may differ: any strides, any blocked tag. What is written (dst,
 * diff_src, statistics as outputs) has no stride of 0, unless it has no elements; what is read may have.
 *
 * Tensors without elements: any strides will do; an execution succeeds and writes what there is to write (with C > 0
 * and no rows diff_scale = diff_shift = 0; with rows of C = 0 forward training mean 0 and variance NaN).
 *
 * An undecided layout (jitnorm_format_tag_any): dst, diff_dst and diff_src take src's order of dimensions and blocks,
 * without gaps; so do the statistics, without the last dimension (row major if that one is split into blocks). Ask
 * jitnorm_primitive_desc_query_md for the result. src itself must be decided.
 *
 * Run-time sizes: dimensions and strides of src, dst, their gradients, the statistics and src1 of binary post-ops may
 * be JITNORM_RUNTIME_DIM_VAL, the last dimension too. A dimension left to run time is so in every tensor that has it
 * (scale and shift follow src; src1 of a binary post-op may have 1 there instead, for a broadcast); strides are each
 * tensor's own matter. Layouts that are undecided become row major. At execution each memory has what the primitive's
 * descriptor says and any value where that says JITNORM_RUNTIME_DIM_VAL, together they must make one problem as above
 * (mean and variance of equal descriptors), and results have the bits that they have with a descriptor of those sizes.
 * The user's scratchpad that a descriptor asks for is enough for all sizes; the library's grows with them, and is what
 * backward uses whatever the mode.
 *
 * Errors of all four functions:
 *   invalid_arguments  a null pointer that is not said to be optional; a prop_kind of the other direction; unknown
 *                      flags; src of less than 2 or more than 5 dimensions or of undecided layout; shapes that do not
 *                      fit together; statistics of the wrong shape; an unknown data type; an output with a stride of 0;
 *                      a tensor of more than 2^53 elements (dimensions of 0 count as 1) or 2^56 bytes; epsilon negative
 *                      or not finite; a post-op that does not fit to dst
 *   unimplemented      a legal request that no implementation takes: a data type or an attribute that is not said above
 *   out_of_memory
 *   runtime_error      an environment variable names what there is not: JITNORM_IMPL an implementation (jit:avx512,
 *                      jit:avx2, ref:any), JITNORM_MAX_CPU_ISA an instruction set */

/* prop_kind: jitnorm_forward_training or jitnorm_forward_inference. stat_desc describes mean and variance; null: f32
 * in the layout of src. scale and shift are f32. epsilon, finite and not negative, is added to the variance, in
 * its unit. flags: or-ed jitnorm_normalization_flags_t. attr null: defaults. */
JITNORM_API jitnorm_status_t jitnorm_layer_normalization_forward_primitive_desc_create(
    jitnorm_primitive_desc_t *primitive_desc, jitnorm_engine_t engine, jitnorm_prop_kind_t prop_kind,
    const_jitnorm_memory_desc_t src_desc, const_jitnorm_memory_desc_t dst_desc, const_jitnorm_memory_desc_t stat_desc,
    float epsilon, unsigned flags, const_jitnorm_primitive_attr_t attr);

/* The same with the data type of scale and shift, one of those above. It is ignored when flags ask for neither. */
JITNORM_API jitnorm_status_t jitnorm_layer_normalization_forward_primitive_desc_create_v2(
    jitnorm_primitive_desc_t *primitive_desc, jitnorm_engine_t engine, jitnorm_prop_kind_t prop_kind,
    const_jitnorm_memory_desc_t src_desc, const_jitnorm_memory_desc_t dst_desc, const_jitnorm_memory_desc_t stat_desc,
    jitnorm_data_type_t scale_shift_data_type, float epsilon, unsigned flags, const_jitnorm_primitive_attr_t attr);

/* prop_kind: jitnorm_backward or jitnorm_backward_data (no diff_scale and diff_shift). stat_desc may be null as above.
 * scale, shift and their gradients are f32. hint_fwd_pd: the forward primitive descriptor these gradients belong to,
 * or null; given, it must be a forward one of the same shape (else invalid_arguments) and has no other effect. */
JITNORM_API jitnorm_status_t jitnorm_layer_normalization_backward_primitive_desc_create(
    jitnorm_primitive_desc_t *primitive_desc, jitnorm_engine_t engine, jitnorm_prop_kind_t prop_kind,
    const_jitnorm_memory_desc_t diff_src_desc, const_jitnorm_memory_desc_t diff_dst_desc,
    const_jitnorm_memory_desc_t src_desc, const_jitnorm_memory_desc_t stat_desc, float epsilon, unsigned flags,
    const_jitnorm_primitive_desc_t hint_fwd_pd, const_jitnorm_primitive_attr_t attr);

/* The same with the data types of the gradients of scale and shift, and of scale and shift, which may differ. */
JITNORM_API jitnorm_status_t jitnorm_layer_normalization_backward_primitive_desc_create_v2(
    jitnorm_primitive_desc_t *primitive_desc, jitnorm_engine_t engine, jitnorm_prop_kind_t prop_kind,
    const_jitnorm_memory_desc_t diff_src_desc, const_jitnorm_memory_desc_t diff_dst_desc,
    const_jitnorm_memory_desc_t src_desc, const_jitnorm_memory_desc_t stat_desc,
    jitnorm_data_type_t diff_scale_shift_data_type, jitnorm_data_type_t scale_shift_data_type, float epsilon,
    unsigned flags, const_jitnorm_primitive_desc_t hint_fwd_pd, const_jitnorm_primitive_attr_t attr);

/* ---------------------------------------------------------------- primitive descriptors */

/* Moves to the next implementation that takes the operation.
 * last_impl_reached: there is none; the descriptor is unchanged. */
JITNORM_API jitnorm_status_t jitnorm_primitive_desc_next_impl(jitnorm_primitive_desc_t primitive_desc);

JITNORM_API jitnorm_status_t jitnorm_primitive_desc_clone(jitnorm_primitive_desc_t *primitive_desc,
                                                          const_jitnorm_primitive_desc_t existing);

/* *attr belongs to primitive_desc and lives as long as it. */
JITNORM_API jitnorm_status_t jitnorm_primitive_desc_get_attr(const_jitnorm_primitive_desc_t primitive_desc,
                                                             const_jitnorm_primitive_attr_t *attr);

JITNORM_API jitnorm_status_t jitnorm_primitive_desc_destroy(jitnorm_primitive_desc_t primitive_desc);

/* Writes the answer to `what` to *result, whose type the comment at jitnorm_query_t gives. Strings and descriptors
 * belong to primitive_desc.
 *
 * index counts the memory descriptors of a kind from 0, or is JITNORM_ARG_* for jitnorm_query_exec_arg_md:
 *     src            0 src; 1 mean and 2 variance where they are inputs (with rms_norm 1 is as 2)
 *     dst            0 dst; 1 mean and 2 variance where they are outputs (the same)
 *     weights        0 scale, 1 shift
 *     diff_weights   0 and 1 their gradients
 * Other queries ignore it. Of a tensor that the primitive does not have, the descriptor is empty (0 dimensions).
 *
 * unimplemented: a query that is not about primitive descriptors. */
JITNORM_API jitnorm_status_t jitnorm_primitive_desc_query(const_jitnorm_primitive_desc_t primitive_desc,
                                                          jitnorm_query_t what, int index, void *result);

/* The memory descriptor that jitnorm_primitive_desc_query answers; null on any error. */
JITNORM_API const_jitnorm_memory_desc_t jitnorm_primitive_desc_query_md(const_jitnorm_primitive_desc_t primitive_desc,
                                                                        jitnorm_query_t what, int index);

/* The int that jitnorm_primitive_desc_query answers; 0 on any error. */
JITNORM_API int jitnorm_primitive_desc_query_s32(const_jitnorm_primitive_desc_t primitive_desc, jitnorm_query_t what,
                                                 int index);

/* ---------------------------------------------------------------- primitives */

/* Generates or finds the code. When the system refuses memory for code, the next implementation is taken, with a line
 * in the verbose log; jitnorm_primitive_get_primitive_desc tells which one it is.
 * runtime_error: the system refused, and no other implementation takes the operation. */
JITNORM_API jitnorm_status_t jitnorm_primitive_create(jitnorm_primitive_t *primitive,
                                                      const_jitnorm_primitive_desc_t primitive_desc);

/* What can be kept on a disk to create the primitive from another time: nothing, since generating the code takes less
 * time than reading it. *size becomes 0; cache_blob may be null. */
JITNORM_API jitnorm_status_t jitnorm_primitive_get_cache_blob(const_jitnorm_primitive_t primitive, size_t *size,
                                                              uint8_t *cache_blob);

/* jitnorm_primitive_create for a program that has kept what jitnorm_primitive_get_cache_blob answered.
 * invalid_arguments: also a size that is not 0. */
JITNORM_API jitnorm_status_t jitnorm_primitive_create_from_cache_blob(jitnorm_primitive_t *primitive,
                                                                      const_jitnorm_primitive_desc_t primitive_desc,
                                                                      size_t size, const uint8_t *cache_blob);

/* Computes, and returns when done. args: nargs pairs of argument and memory in any order, as the table above says; a
 * pair with a null memory is skipped. Each memory has exactly the descriptor that the primitive descriptor has for the
 * argument (attribute scales: one f32), but for run-time sizes. The stream says whose threads do the work.
 *
 * In place: dst may have src's handle, and diff_src diff_dst's, when their descriptors are equal; the input is then
 * overwritten. So may DST_1 have SRC_1's, and diff_src DIFF_DST_1's. No other output may have the handle of another
 * tensor, nor may tensors overlap partly.
 *
 * invalid_arguments: a null pointer; an argument that is missing, given twice or not of this primitive; a memory of
 *   another descriptor; run-time sizes that do not fit together; a null handle of a tensor with elements; a forbidden
 *   alias.
 * out_of_memory: the library-owned scratchpad could not be had.
 * Nothing is written on an error. It takes no lock and allocates nothing but a thread's first scratchpad; a scratchpad
 * where the caller's pool begins an execution on a thread that waits in the middle of another, or where a thread is
 * ending; and, with run-time sizes, what the plain C++ implementation (ref:any) or post-ops take for one execution. */
JITNORM_API jitnorm_status_t jitnorm_primitive_execute(const_jitnorm_primitive_t primitive, jitnorm_stream_t stream,
                                                       int nargs, const jitnorm_exec_arg_t *args);

/* *primitive_desc belongs to primitive and lives as long as it. */
JITNORM_API jitnorm_status_t jitnorm_primitive_get_primitive_desc(const_jitnorm_primitive_t primitive,
                                                                  const_jitnorm_primitive_desc_t *primitive_desc);

/* Not to be called while the primitive is executing. */
JITNORM_API jitnorm_status_t jitnorm_primitive_destroy(jitnorm_primitive_t primitive);

/* ---------------------------------------------------------------- service
 *
 * The environment is read once, at the library's first use (the first engine's creation is one); later changes of it
 * have no effect. What these functions set takes precedence over it, whenever they are called. In programs that run
 * with the rights of another user or group (setuid, setgid, capabilities) the environment has no effect at all. All of
 * them may be called at any time from any thread; they count for what begins after they return. */

/* Lines on standard output from now on, in place of what the environment variable JITNORM_VERBOSE said: 0 none, 1
 * errors, executions and what was taken where code pages were refused, 2 also creations and why implementations were
 * refused. Times are in milliseconds. As long as neither was set there is a line for each call that failed, but not for
 * one that was answered with jitnorm_unimplemented, which may have been a question. The variable may also have oneDNN's
 * words, separated by commas: none (0), error (as where it is not set), check and profile_exec (1), profile_create,
 * profile, dispatch and all (2). invalid_arguments: another level. */
JITNORM_API jitnorm_status_t jitnorm_set_verbose(int level);

/* Caps the instruction set of code generated from now on; the environment variable JITNORM_MAX_CPU_ISA does the same
 * from outside (DEFAULT, SSE41, AVX2, AVX512_CORE and oneDNN's other names). Existing primitives stay as they are.
 * invalid_arguments: an unknown value, or the cap can no longer change. */
JITNORM_API jitnorm_status_t jitnorm_set_max_cpu_isa(jitnorm_cpu_isa_t isa);

/* The best instruction set that code is generated for: what the processor has, below the cap. */
JITNORM_API jitnorm_cpu_isa_t jitnorm_get_effective_cpu_isa(void);

/* Wishes concerning the instruction set: none has an effect.
 * invalid_arguments: an unknown value. */
JITNORM_API jitnorm_status_t jitnorm_set_cpu_isa_hints(jitnorm_cpu_isa_hints_t hints);
JITNORM_API jitnorm_cpu_isa_hints_t jitnorm_get_cpu_isa_hints(void);

/* The floating-point mode that attributes have which are created from now on, until they are given another one.
 * invalid_arguments: a null pointer, an unknown mode. */
JITNORM_API jitnorm_status_t jitnorm_set_default_fpmath_mode(jitnorm_fpmath_mode_t mode);
JITNORM_API jitnorm_status_t jitnorm_get_default_fpmath_mode(jitnorm_fpmath_mode_t *mode);

/* Takes only implementations of this name (jit:avx512, jit:avx2, ref:any) for descriptors to come, as the environment
 * variable JITNORM_IMPL does from outside; null or "": any. Existing descriptors and primitives stay as they are.
 * invalid_arguments: no implementation has the name; nothing changes. */
JITNORM_API jitnorm_status_t jitnorm_set_implementation(const char *name);

/* Says who is told of code generated from now on: or-ed JITNORM_JIT_PROFILE_*. The environment variable
 * JITNORM_JIT_PROFILE has the same as a number, and 1 for JITNORM_JIT_PROFILE_LINUX_PERFMAP. The file jit-PID.dump is
 * in the folder of jitnorm_set_jit_dump_folder(), and like the map this user's own. Debuggers need no request.
 * unimplemented: a profiler of oneDNN's that there is not here. invalid_arguments: unknown flags. */
JITNORM_API jitnorm_status_t jitnorm_set_jit_profiling_flags(unsigned flags);

/* Whether each kernel generated from now on is written to a file NAME.bin: 0 no, anything else yes. The environment
 * variable JITNORM_JIT_DUMP=FOLDER asks for it from outside. Files are this user's own (mode 0600); what another user
 * or a link has put in their place is left alone. One that cannot be written is a line in the verbose log and no error.
 */
JITNORM_API jitnorm_status_t jitnorm_set_jit_dump(int enable);

/* The folder, which must exist, of those files and of jit-PID.dump, in place of what JITNORM_JIT_DUMP said; the text is
 * copied. null or "": the working folder, which is also where they go without either. */
JITNORM_API jitnorm_status_t jitnorm_set_jit_dump_folder(const char *folder);

/* Frees the scratchpad that the library keeps for the calling thread; a later execution that needs one allocates it
 * anew. For threads that live on but execute no more, or no more that large. Within an execution on this thread (in a
 * body that the caller's pool runs meanwhile) it does nothing. Always succeeds. */
JITNORM_API jitnorm_status_t jitnorm_free_thread_scratchpad(void);

/* How many generated kernels, and how many primitives made of them, are kept for primitives to come; 0 keeps none.
 * invalid_arguments: a null pointer, a negative capacity. */
JITNORM_API jitnorm_status_t jitnorm_get_primitive_cache_capacity(int *capacity);
JITNORM_API jitnorm_status_t jitnorm_set_primitive_cache_capacity(int capacity);

/* The version of the library at run time; the headers' is in JITNORM_VERSION_MAJOR, _MINOR and _PATCH. */
JITNORM_API const jitnorm_version_t *jitnorm_version(void);

#ifdef __cplusplus
}
#endif

#endif
