/* SPDX-License-Identifier: Apache-2.0 */
/* jitnorm.h: the C interface of jitnorm, layer normalization on CPUs. It is the only header that
 * programs for primitives include; graphs have jitnorm_graph.h.
 *
 * The functions mirror those of oneDNN v3, with the prefix jitnorm_ instead of dnnl_. Most programs can be moved over
 * by replacing the prefix. One normalization has these steps (examples/layer_norm.c is a complete program):
 *   1. Create an engine and a stream: jitnorm_engine_create, jitnorm_stream_create.
 *   2. Describe each tensor, its type, shape and layout: jitnorm_memory_desc_create_with_tag.
 *   3. Describe the operation on these tensors by a primitive descriptor:
 *      jitnorm_layer_normalization_forward_primitive_desc_create.
 *   4. Create a primitive, which has the code for the operation: jitnorm_primitive_create.
 *   5. Create a memory for each tensor, from a descriptor and a pointer: jitnorm_memory_create.
 *   6. Execute the primitive, as often as wanted: jitnorm_primitive_execute.
 *
 * Errors: if a required pointer is null, a function returns jitnorm_invalid_arguments. If an allocation fails, it
 * returns jitnorm_out_of_memory. After any error no result and no output tensor has been written, and
 * jitnorm_get_last_error says what was wrong.
 *
 * Ownership: what a *_create or *_clone function returns belongs to the caller, who destroys it with the matching
 * *_destroy function. Destroying NULL does nothing. An object keeps copies of what it was made from (descriptors,
 * attributes), so the caller may destroy these at once.
 *
 * Threads: different threads may use different objects without restrictions. Several threads may use one object as long
 * as none of them changes it (set, append, next_impl, destroy). jitnorm_primitive_execute does not change the
 * primitive.
 *
 * No function of this interface throws an exception, aborts or exits. The library prints a line for each error, unless
 * that is switched off (jitnorm_set_verbose). It prints nothing else unless it is asked to. */
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
 * src has 2 to 5 dimensions. Its last logical dimension, of length C, is normalized (Ba, Kiros, Hinton, Layer
 * Normalization, 2016, arXiv:1607.06450; oneDNN's page on layer normalization). For each row x of C elements:
 *
 *     mean     = sum_c x[c] / C
 *     variance = sum_c (x[c] - mean)^2 / C
 *     dst[c]   = scale[c] * (x[c] - mean) / sqrt(variance + epsilon) + shift[c]
 *
 * With jitnorm_rms_norm (Zhang, Sennrich, Root Mean Square Layer Normalization, 2019, arXiv:1910.07467) the mean is
 * zero by definition, and is neither input nor output, and the variance tensor holds the mean of the squares:
 *
 *     variance = sum_c x[c]^2 / C
 *     dst[c]   = scale[c] * x[c] / sqrt(variance + epsilon) + shift[c]
 *
 * Backward, with rstd = 1 / sqrt(variance + epsilon), xhat[c] = (x[c] - mean) * rstd, g[c] = diff_dst[c] * scale[c]:
 *
 *     diff_src[c]   = rstd * (g[c] - sum_k g[k] / C - xhat[c] * sum_k (g[k] * xhat[k]) / C)
 *     diff_scale[c] = sum over rows of diff_dst[c] * xhat[c]
 *     diff_shift[c] = sum over rows of diff_dst[c]
 *
 * With jitnorm_use_global_stats the statistics are constants, so both sums in diff_src are left out. With
 * jitnorm_rms_norm the first sum is left out. jitnorm/types/operation.h has the changes of these formulas by the flags
 * that oneDNN does not have.
 *
 * Tensors, with the argument (JITNORM_ARG_*) by which each is given to an execution. + input, - output, blank: the
 * tensor must be absent. "+ if A" means: an input if condition A holds, otherwise absent.
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
 *     SRC_1                       + if N              + if N          + if E       + if E
 *     SRC_2                       + if E              + if E          + if E       + if E
 *     DST_1                       - if N and X        - if N and X
 *     DST_2                       - if P              - if P
 *     BIAS                        + if N and set      + if N and set
 *     DIFF_DST_1                                                      + if X       + if X
 *     DIFF_SRC_1                                                      - if E       - if E
 *     DIFF_SRC_2                                                      - if E
 *     SCRATCHPAD           - in user mode (optional if its size is 0), any kind
 *     ATTR_SCALES|SRC, |DST       + if set            + if set          (DST: - if the scales are dynamic)
 *     ATTR_MULTIPLE_POST_OP(i)|SRC_1  + for each binary post-op i, forward
 *
 *     G use_global_stats, A use_scale, B use_shift, R rms_norm; (+): may be given and is not read
 *     N the attribute has a residual (jitnorm_primitive_attr_set_residual), X and this residual has a sum_desc
 *     E it has a residual and a gate (jitnorm_primitive_attr_set_residual_gate)
 *     P the attribute has a pre-quantization output (jitnorm_primitive_attr_set_pre_quantization_dst)
 *
 * Types and shapes:
 *     src, dst             forward: f32, bf16, f16, f64, s8 or u8, in any combination; dst also f8_e5m2 or f8_e4m3;
 *                          SRC_1 and DST_1 like src; DST_2 f32, bf16, f16 or f64
 *     src, diff_dst, diff_src   backward: f32, bf16, f16 or f64, in any combination; DIFF_DST_1, SRC_1 and DIFF_SRC_1
 *                          likewise
 *                          All tensors of these two lines have src's shape.
 *     mean, variance       f32; src's shape without the last dimension; any layout. A variance beyond the range of
 *                          float is written as infinity or 0, which backward cannot use; for such rows there is
 *                          jitnorm_inverse_deviation (docs/arithmetic.md, "Limits")
 *     scale, shift, and their gradients   f32, bf16 or f16, and also f64 if data is f64; one dimension of C elements,
 *                          dense, unless they have row dimensions (jitnorm_primitive_attr_set_scale_shift_descs)
 *
 * src, dst and their gradients may each have any layout: any strides, any blocked tag. An output (dst, diff_src,
 * statistics that are outputs) must not have a stride of 0, unless it has no elements. An input may have strides of 0.
 *
 * Tensors without elements may have any strides. An execution with them succeeds and writes the outputs that have
 * elements: if C > 0 and there are no rows, diff_scale = diff_shift = 0; if there are rows and C = 0, forward training
 * writes a mean of 0 and a variance of NaN.
 *
 * Undecided layouts (jitnorm_format_tag_any): dst, diff_dst and diff_src get src's order of dimensions and src's
 * blocks, without gaps. The statistics get the same without the last dimension; if src's last dimension is split into
 * blocks, they are row major. jitnorm_primitive_desc_query_md returns the resulting layouts. src itself must have a
 * decided layout.
 *
 * Run-time sizes: any dimension (the last one too) and any stride of src, dst, their gradients, the statistics and src1
 * of binary post-ops may be JITNORM_RUNTIME_DIM_VAL. If one tensor has a dimension of run-time size, every tensor with
 * that dimension must have it so. (scale and shift have no descriptor of their own and follow src; src1 of a binary
 * post-op may have 1 instead, for a broadcast.) The strides of tensors are independent. Undecided layouts become
 * row major. At execution each memory must have what the primitive's descriptor says, and may have any value where that
 * says JITNORM_RUNTIME_DIM_VAL. All memories must make one problem as described above, with equal descriptors
 * for mean and variance. The results have the same bits as with a descriptor of these sizes. The user's scratchpad that
 * a descriptor asks for is enough for all sizes. The library's scratchpad grows with the sizes; backward uses the
 * library's scratchpad in both modes.
 *
 * Errors of all four functions:
 *   invalid_arguments  a null pointer that is not said to be optional; a prop_kind of the other direction; unknown
 *                      flags; src with less than 2 or more than 5 dimensions or with an undecided layout; shapes that
 *                      do not match; statistics of the wrong shape; an unknown data type; an output with a
 *                      stride of 0; a tensor of more than 2^53 elements (dimensions of 0 count as 1) or 2^56 bytes; an
 *                      epsilon that is negative or not finite; a post-op that does not match dst
 *   unimplemented      a legal request that no implementation supports: a data type or an attribute that is not named
 *                      above
 *   out_of_memory
 *   runtime_error      an environment variable has an unknown value: JITNORM_IMPL no implementation (jit:avx512,
 *                      jit:avx2, ref:any), or JITNORM_MAX_CPU_ISA no instruction set */

/* Creates a primitive descriptor of forward. prop_kind: jitnorm_forward_training or jitnorm_forward_inference.
 * stat_desc describes mean and variance; if it is null, they are f32 in the layout of src. scale and shift are f32.
 * epsilon, which is finite and not negative, is added to the variance; jitnorm_primitive_attr_set_epsilon gives a
 * double in its place. flags: values of jitnorm_normalization_flags_t, or-ed. attr may be null, which means default
 * attributes.
 *
 * Only statistics: with jitnorm_forward_training and without jitnorm_use_global_stats, dst_desc may have no dimensions
 * (jitnorm_memory_desc_create_with_strides with 0 of them). Then the primitive has no dst. It reads src once, and
 * writes the statistics with the bits of forward with a dst of src's type, and a residual's sum if attr has one. Flags
 * for scale and shift and attributes that apply to dst are invalid_arguments.
 * jitnorm_layer_normalization_forward_primitive_desc_create_v2 accepts the same. */
JITNORM_API jitnorm_status_t jitnorm_layer_normalization_forward_primitive_desc_create(
    jitnorm_primitive_desc_t *primitive_desc, jitnorm_engine_t engine, jitnorm_prop_kind_t prop_kind,
    const_jitnorm_memory_desc_t src_desc, const_jitnorm_memory_desc_t dst_desc, const_jitnorm_memory_desc_t stat_desc,
    float epsilon, unsigned flags, const_jitnorm_primitive_attr_t attr);

/* Like jitnorm_layer_normalization_forward_primitive_desc_create, with the data type of scale and shift, one of those
 * above. It is ignored if flags ask for neither scale nor shift. */
JITNORM_API jitnorm_status_t jitnorm_layer_normalization_forward_primitive_desc_create_v2(
    jitnorm_primitive_desc_t *primitive_desc, jitnorm_engine_t engine, jitnorm_prop_kind_t prop_kind,
    const_jitnorm_memory_desc_t src_desc, const_jitnorm_memory_desc_t dst_desc, const_jitnorm_memory_desc_t stat_desc,
    jitnorm_data_type_t scale_shift_data_type, float epsilon, unsigned flags, const_jitnorm_primitive_attr_t attr);

/* Creates a primitive descriptor of backward. prop_kind: jitnorm_backward, or jitnorm_backward_data, which computes no
 * diff_scale and no diff_shift. stat_desc may be null as in forward. scale, shift and their gradients are f32.
 * hint_fwd_pd: null, or the forward primitive descriptor to which these gradients belong. If it is not null, it must be
 * a forward one whose src has the same shape (otherwise invalid_arguments); it has no other effect. */
JITNORM_API jitnorm_status_t jitnorm_layer_normalization_backward_primitive_desc_create(
    jitnorm_primitive_desc_t *primitive_desc, jitnorm_engine_t engine, jitnorm_prop_kind_t prop_kind,
    const_jitnorm_memory_desc_t diff_src_desc, const_jitnorm_memory_desc_t diff_dst_desc,
    const_jitnorm_memory_desc_t src_desc, const_jitnorm_memory_desc_t stat_desc, float epsilon, unsigned flags,
    const_jitnorm_primitive_desc_t hint_fwd_pd, const_jitnorm_primitive_attr_t attr);

/* Like jitnorm_layer_normalization_backward_primitive_desc_create, with two data types, which may differ: one for the
 * gradients of scale and shift, one for scale and shift. */
JITNORM_API jitnorm_status_t jitnorm_layer_normalization_backward_primitive_desc_create_v2(
    jitnorm_primitive_desc_t *primitive_desc, jitnorm_engine_t engine, jitnorm_prop_kind_t prop_kind,
    const_jitnorm_memory_desc_t diff_src_desc, const_jitnorm_memory_desc_t diff_dst_desc,
    const_jitnorm_memory_desc_t src_desc, const_jitnorm_memory_desc_t stat_desc,
    jitnorm_data_type_t diff_scale_shift_data_type, jitnorm_data_type_t scale_shift_data_type, float epsilon,
    unsigned flags, const_jitnorm_primitive_desc_t hint_fwd_pd, const_jitnorm_primitive_attr_t attr);

/* ---------------------------------------------------------------- primitive descriptors */

/* Changes the descriptor to the next implementation that supports the operation.
 * last_impl_reached: there is no further implementation; the descriptor is unchanged. */
JITNORM_API jitnorm_status_t jitnorm_primitive_desc_next_impl(jitnorm_primitive_desc_t primitive_desc);

JITNORM_API jitnorm_status_t jitnorm_primitive_desc_clone(jitnorm_primitive_desc_t *primitive_desc,
                                                          const_jitnorm_primitive_desc_t existing);

/* *attr belongs to primitive_desc and lives as long as primitive_desc. */
JITNORM_API jitnorm_status_t jitnorm_primitive_desc_get_attr(const_jitnorm_primitive_desc_t primitive_desc,
                                                             const_jitnorm_primitive_attr_t *attr);

JITNORM_API jitnorm_status_t jitnorm_primitive_desc_destroy(jitnorm_primitive_desc_t primitive_desc);

/* Writes the property `what` to *result, whose type the comment at jitnorm_query_t gives. Strings and descriptors
 * belong to primitive_desc; a descriptor is valid until jitnorm_primitive_desc_next_impl.
 *
 * For memory descriptors, index is the number of a tensor of the queried kind, from 0. For jitnorm_query_exec_arg_md it
 * is a JITNORM_ARG_*. Other queries ignore index.
 *     src            0 src; 1 mean and 2 variance, if they are inputs (with rms_norm 1 has the descriptor of 2)
 *     dst            0 dst; 1 mean and 2 variance, if they are outputs (with rms_norm as above)
 *     weights        0 scale, 1 shift; both the same if the primitive has one of them
 *     diff_weights   0 and 1 the gradients of scale and shift, likewise
 * If the primitive does not have the tensor, the descriptor is empty (0 dimensions).
 *
 * unimplemented: a query that is not about primitive descriptors. */
JITNORM_API jitnorm_status_t jitnorm_primitive_desc_query(const_jitnorm_primitive_desc_t primitive_desc,
                                                          jitnorm_query_t what, int index, void *result);

/* Returns the memory descriptor that jitnorm_primitive_desc_query writes; null on any error. */
JITNORM_API const_jitnorm_memory_desc_t jitnorm_primitive_desc_query_md(const_jitnorm_primitive_desc_t primitive_desc,
                                                                        jitnorm_query_t what, int index);

/* Returns the int that jitnorm_primitive_desc_query writes; 0 on any error. */
JITNORM_API int jitnorm_primitive_desc_query_s32(const_jitnorm_primitive_desc_t primitive_desc, jitnorm_query_t what,
                                                 int index);

/* ---------------------------------------------------------------- primitives */

/* Creates a primitive: generates the code, or reuses code that was generated before. If the system refuses memory for
 * code, the primitive uses the next implementation, and the verbose log has a line about it;
 * jitnorm_primitive_get_primitive_desc says which implementation is used.
 * runtime_error: the system refused memory for code, and no other implementation supports the operation. */
JITNORM_API jitnorm_status_t jitnorm_primitive_create(jitnorm_primitive_t *primitive,
                                                      const_jitnorm_primitive_desc_t primitive_desc);

/* For programs that keep oneDNN's cache blobs on a disk, in order to create primitives from them later. Here a blob is
 * empty, since generating the code takes less time than reading it. *size becomes 0. cache_blob may be null; nothing is
 * written to it. */
JITNORM_API jitnorm_status_t jitnorm_primitive_get_cache_blob(const_jitnorm_primitive_t primitive, size_t *size,
                                                              uint8_t *cache_blob);

/* Like jitnorm_primitive_create, for programs that have kept the blob of jitnorm_primitive_get_cache_blob.
 * invalid_arguments: also if size is not 0. */
JITNORM_API jitnorm_status_t jitnorm_primitive_create_from_cache_blob(jitnorm_primitive_t *primitive,
                                                                      const_jitnorm_primitive_desc_t primitive_desc,
                                                                      size_t size, const uint8_t *cache_blob);

/* Executes the primitive, and returns when the results are written. args: nargs pairs of an argument and a memory, in
 * any order, as the table above says. A pair with a null memory is skipped. Each memory must have exactly the
 * descriptor that the primitive descriptor has for the argument (a scale that is set by an attribute: one f32), except
 * for run-time sizes. The stream says whose threads do the work.
 *
 * In place: dst may have src's handle, and diff_src may have diff_dst's, if the two descriptors are equal; the input is
 * then overwritten. Under the same condition DST_1 may have SRC_1's handle, diff_src may have DIFF_DST_1's, and
 * DIFF_SRC_1 may have that of diff_dst or of DIFF_DST_1. No other output may have the handle of another tensor, and
 * tensors must not overlap partly.
 *
 * invalid_arguments: a null pointer; an argument that is missing, given twice or not one of this primitive; a memory
 *   with another descriptor; run-time sizes that no primitive accepts; a null handle of a tensor with elements; an
 *   output with the handle of another tensor, except as above.
 * out_of_memory: the library could not allocate its scratchpad.
 *
 * After an error nothing has been written. The function holds no lock. It allocates memory in these cases only: the
 * thread has no scratchpad yet, or none that is large enough; the caller's pool begins the execution on a thread that
 * is in the middle of another execution, or on a thread that is ending, so that it needs a scratchpad of its own; with
 * run-time sizes, the plain C++ implementation (ref:any) or post-ops need memory for one execution. */
JITNORM_API jitnorm_status_t jitnorm_primitive_execute(const_jitnorm_primitive_t primitive, jitnorm_stream_t stream,
                                                       int nargs, const jitnorm_exec_arg_t *args);

/* *primitive_desc belongs to primitive and lives as long as primitive. */
JITNORM_API jitnorm_status_t jitnorm_primitive_get_primitive_desc(const_jitnorm_primitive_t primitive,
                                                                  const_jitnorm_primitive_desc_t *primitive_desc);

/* Must not be called while the primitive is executing. */
JITNORM_API jitnorm_status_t jitnorm_primitive_destroy(jitnorm_primitive_t primitive);

/* ---------------------------------------------------------------- service
 *
 * The library reads the environment once, at its first use (creating the first engine is one). Later changes of the
 * environment have no effect. Settings made by these functions take precedence over the environment, whenever they are
 * made. In programs that run with the rights of another user or group (setuid, setgid, capabilities) the environment
 * has no effect at all. All of these functions may be called at any time and from any thread. They apply to what begins
 * after they return. */

/* Says which events are printed on standard output, one line each, instead of what the environment variable
 * JITNORM_VERBOSE says. 0: none. 1: errors, executions, and the implementation that was used because memory for code
 * was refused. 2: also creations, and why implementations were refused. Times are in milliseconds. If neither this
 * function nor the variable has set a level, a line is printed on standard error for each call that fails, except for
 * calls that return jitnorm_unimplemented, because a program may call a function in order to learn whether something is
 * implemented. The variable may also contain oneDNN's words, separated by commas: none (0), error (the same calls, on
 * standard output), check and profile_exec (1), profile_create, profile, dispatch and all (2).
 * invalid_arguments: another level. */
JITNORM_API jitnorm_status_t jitnorm_set_verbose(int level);

/* Prints the lines that are printed if no level is set on standard output, as oneDNN does. The header with oneDNN's
 * names (dnnl.h) calls this when a program begins. */
JITNORM_API void jitnorm_print_errors_as_onednn(void);

/* Sets the highest instruction set for code that is generated from now on. The environment variable JITNORM_MAX_CPU_ISA
 * does the same (values DEFAULT, SSE41, AVX2, AVX512_CORE and oneDNN's other names). Existing primitives stay as they
 * are.
 * invalid_arguments: an unknown value. */
JITNORM_API jitnorm_status_t jitnorm_set_max_cpu_isa(jitnorm_cpu_isa_t isa);

/* Returns the highest instruction set for which code is generated: the highest one that the processor has and the cap
 * allows. */
JITNORM_API jitnorm_cpu_isa_t jitnorm_get_effective_cpu_isa(void);

/* Hints about the instruction set. They are kept for the getter and have no other effect.
 * invalid_arguments: an unknown value. */
JITNORM_API jitnorm_status_t jitnorm_set_cpu_isa_hints(jitnorm_cpu_isa_hints_t hints);
JITNORM_API jitnorm_cpu_isa_hints_t jitnorm_get_cpu_isa_hints(void);

/* The floating-point mode of attributes that are created from now on, as long as these are not given another mode.
 * invalid_arguments: a null pointer, an unknown mode. */
JITNORM_API jitnorm_status_t jitnorm_set_default_fpmath_mode(jitnorm_fpmath_mode_t mode);
JITNORM_API jitnorm_status_t jitnorm_get_default_fpmath_mode(jitnorm_fpmath_mode_t *mode);

/* Restricts descriptors that are created from now on to the implementation of this name (jit:avx512, jit:avx2,
 * ref:any). null or "": all implementations. The environment variable JITNORM_IMPL does the same. Existing descriptors
 * and primitives stay as they are.
 * invalid_arguments: no implementation has this name; nothing changes. */
JITNORM_API jitnorm_status_t jitnorm_set_implementation(const char *name);

/* Says which profilers are notified of code that is generated from now on. flags: JITNORM_JIT_PROFILE_*, or-ed. The
 * environment variable JITNORM_JIT_PROFILE may contain the same number, or 1, which means
 * JITNORM_JIT_PROFILE_LINUX_PERFMAP. The file jit-PID.dump is in the folder of jitnorm_set_jit_dump_folder(). Only this
 * user can read or write this file and the map.
 * unimplemented: a profiler of oneDNN that this library does not support.
 * invalid_arguments: unknown flags. */
JITNORM_API jitnorm_status_t jitnorm_set_jit_profiling_flags(unsigned flags);

/* Says whether each kernel that is generated from now on is written to a file NAME.bin. 0: no; anything else: yes. The
 * environment variable JITNORM_JIT_DUMP=FOLDER has the same effect. Only this user can read or write the files (mode
 * 0600). A file of this name that belongs to another user, or is a link, is left unchanged. If a file cannot be
 * written, the verbose log has a line about it, and that is no error. */
JITNORM_API jitnorm_status_t jitnorm_set_jit_dump(int enable);

/* Sets the folder of the files NAME.bin and jit-PID.dump, instead of the folder in JITNORM_JIT_DUMP. The folder must
 * exist. The text is copied. null or "": the working folder, which is also the default if JITNORM_JIT_DUMP is not
 * set. */
JITNORM_API jitnorm_status_t jitnorm_set_jit_dump_folder(const char *folder);

/* Frees the scratchpad that the library keeps for the calling thread. A later execution on this thread allocates it
 * again if it needs one. This is for threads that will not execute any more, or only smaller problems. During an
 * execution on this thread (when the caller's pool runs another body on it) the function does nothing. It always
 * succeeds. */
JITNORM_API jitnorm_status_t jitnorm_free_thread_scratchpad(void);

/* How many generated kernels, and how many primitives made of them, the library keeps for primitives that are created
 * later. 0 keeps none.
 * invalid_arguments: a null pointer, a negative capacity. */
JITNORM_API jitnorm_status_t jitnorm_get_primitive_cache_capacity(int *capacity);
JITNORM_API jitnorm_status_t jitnorm_set_primitive_cache_capacity(int capacity);

/* Returns the version of the library at run time. JITNORM_VERSION_MAJOR, _MINOR and _PATCH are the version of the
 * headers. */
JITNORM_API const jitnorm_version_t *jitnorm_version(void);

#ifdef __cplusplus
}
#endif

#endif
