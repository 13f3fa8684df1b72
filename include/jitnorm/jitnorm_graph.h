/* SPDX-License-Identifier: Apache-2.0 */
/* jitnorm_graph.h: layer normalization as operations of a graph, in the shape of oneDNN Graph (v3): code moves over by
 * exchanging the prefix dnnl_ for jitnorm_. docs/graph.md is its manual, examples/graph_layer_norm.c a complete
 * program.
 *
 *   1. logical tensors, the tensors' ids, types, shapes and layouts: jitnorm_graph_logical_tensor_init_with_dims
 *   2. operations on them: jitnorm_graph_op_create, jitnorm_graph_op_add_input, ..._add_output, ..._set_attr_f32
 *   3. a graph of operations: jitnorm_graph_graph_create, jitnorm_graph_add_op, jitnorm_graph_graph_finalize
 *   4. its partitions, an operation or several: jitnorm_graph_graph_filter, jitnorm_graph_graph_get_partitions
 *   5. compilation for given shapes: jitnorm_graph_compiled_partition_create, jitnorm_graph_partition_compile
 *   6. execution with tensors: jitnorm_graph_tensor_create, jitnorm_graph_compiled_partition_execute
 *
 * What jitnorm.h says of errors, ownership, threads and the verbose log holds here too. Engines and streams are those
 * of jitnorm_memory.h. */
#ifndef JITNORM_GRAPH_H
#define JITNORM_GRAPH_H

#include "jitnorm/jitnorm_graph_types.h"
#include "jitnorm/jitnorm_memory.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ---------------------------------------------------------------- the operations
 *
 * LayerNorm (jitnorm_graph_op_layer_norm), with jitnorm.h's formulas; a row is what the normalized axes span:
 *   inputs     src, gamma?, beta?             (one that is left out is ones, or zeros)
 *   outputs    dst, mean?, variance?          (both with keep_stats, neither without)
 *   attributes keep_stats (bool, true)        write the statistics
 *              begin_norm_axis (s64, -1)      the first normalized axis, from -r to r - 1 with r dimensions of src; all
 *                                             after it are normalized too
 *              use_affine (bool, true)        false: gamma and beta, if given, are not looked at
 *              epsilon (f32, 1e-5)            finite, not negative
 *
 * RMSNorm (jitnorm_graph_op_rms_norm): dst = src / sqrt(mean of src^2 + epsilon) * gamma, for each row:
 *   inputs     src, gamma?                    (without one: ones)
 *   outputs    dst
 *   attributes begin_norm_axis, epsilon as above. Other axes than the last one, and more than 5 dimensions or less than
 *              2, are not supported, as with oneDNN: the partition says so. Where the number of dimensions is unknown,
 *              the axis must be -1.
 * Data types: src and dst are of one type, f32, bf16 or f16. gamma is of any of these, of bf16 only where src is bf16.
 * gamma may have dimensions of 1 that are broadcast, and ones before those of a row.
 *
 * LayerNormBackward (jitnorm_graph_op_layer_norm_backward) and, an older name of the same operation, LayerNormBackprop
 * (jitnorm_graph_op_layer_norm_backprop):
 *   inputs     src, diff_dst, mean, variance, gamma?, beta?           (beta is not looked at)
 *   outputs    diff_src, diff_gamma?, diff_beta?         (all three with use_affine, else the first or all three:
 *                                                         diff_gamma then is the gradient of ones)
 *   attributes begin_norm_axis, use_affine, epsilon as above
 *
 * Data types of LayerNorm and its backward: src, dst and their gradients are of one type, f32, bf16 or f16. gamma,
 * beta, mean, variance and the gradients of gamma and beta are of one type, f32, or bf16 where src is bf16.
 *
 * LayerNormGrad (jitnorm_graph_op_layer_norm_grad), of the Ascend IR:
 *   inputs     dy, x, variance, mean, gamma
 *   outputs    pd_x, pd_gamma, pd_beta        (always all three; those masked out are not looked at)
 *   attributes output_mask (three s64s, 1 1 1) which outputs are written, 1 or 0 for each
 *              epsilon (f32, 1e-5)
 * Data types: dy, x and pd_x are of one type, f32, bf16 or f16. variance, mean, gamma, pd_gamma and pd_beta are each of
 * any of these, variance and mean of one at least as wide as x. The normalized axes are as many as gamma has.
 *
 * LayerNorm or RMSNorm with operations around it become one partition (policy fusion), which reads and writes each
 * element once: at most one Add before it, and behind it at most one TypeCast, then up to 19 operations of one or two
 * tensors, then at most one Quantize:
 *   of one tensor  Abs, Clamp (min, max), Elu (alpha), Exp, GELU (mode: "gelu_erf", the default, or "gelu_tanh"),
 *                  HardSigmoid (alpha, beta), HardSwish, LeakyReLU (alpha), Log, Mish, ReLU, Round, Sigmoid, SoftPlus
 *                  (beta, 1), Sqrt, Square, Tanh
 *   of two         Add, Multiply, Maximum, Minimum, Divide, Subtract (auto_broadcast: "numpy", the default, or "none").
 *                  The first operand is what comes from the normalization; of the first four it may be the second one.
 *                  The other is broadcast to it, and both shapes are known when the graph is filtered
 *   TypeCast       from f32 to bf16 or f16, or to f32 from these
 *   Quantize       from f32 to s8 or u8, with scales (one number, not 0), zps (one, 0), qtype "per_tensor" (default);
 *                  to f8_e5m2 or f8_e4m3 without zps
 *   Add before     whose sum is src: of tensors of known shapes, one of them that of the sum, the other broadcast to it
 *                  (this one is the library's own)
 *
 * The normalization normalizes the last of 2 to 5 dimensions (an unknown number: axis -1); where operations follow,
 * gamma and beta are f32. What passes between the operations is read by nobody else: to keep such a tensor, give it to
 * an operation of the kind End. A sum that others read is an output of the partition. Types are those that oneDNN has
 * for each: one type, or with two operands f32 and bf16 or f16, which give f32. Everything else stays in partitions of
 * its own, which are not supported.
 *
 * Everything is computed in f32 and rounded once, to the type of the last tensor: with f32 between the operations, each
 * result is that of its operations one by one. A sum that is an output is rounded to its type, and what is normalized
 * is what it holds. Quantize is round(value * (1 / scale) + zero point), the quotient, the product and the sum each
 * rounded to f32, halves to even, saturated.
 *
 * Shapes: gamma, beta and their gradients have the normalized axes of src. mean and variance have the axes before them,
 * [A1..Ai], optionally followed by as many ones, [A1..Ai,1..1]. The variance tensor always holds the variance. src
 * may have 1 to 11 dimensions, sizes of 0, and any strides; so may all other tensors, each its own. What is written
 * (dst, gradients, statistics of LayerNorm) has no stride of 0 but for a size of 1 or where it has no elements; what is
 * read may have. Of rows without elements the mean is 0 and the variance NaN.
 *
 * dst may share src's memory, a sum that of the tensor that is added, and diff_src (pd_x) that of diff_dst (dy) where
 * jitnorm_graph_compiled_partition_get_inplace_ports says so. No other output may be at the handle of another tensor,
 * nor may tensors overlap partly; inputs may be one. */

/* Every function that takes a logical tensor answers invalid_arguments where its ndims is below -1 or above
 * JITNORM_MAX_NDIMS, whoever wrote it there. */

/* ---------------------------------------------------------------- logical tensors */

/* A logical tensor of unknown dimensions, ndims of them, or JITNORM_GRAPH_UNKNOWN_NDIMS; 0: a scalar.
 * invalid_arguments: logical_tensor is null; ndims is below -1 or above JITNORM_MAX_NDIMS. */
JITNORM_API jitnorm_status_t jitnorm_graph_logical_tensor_init(jitnorm_graph_logical_tensor_t *logical_tensor,
                                                               size_t tid, jitnorm_data_type_t dtype, int32_t ndims,
                                                               jitnorm_graph_layout_type_t ltype,
                                                               jitnorm_graph_tensor_property_t ptype);

/* One of the given dimensions. Strided and all dimensions known: row-major strides without gaps.
 * invalid_arguments: a null pointer (dims may be null for a scalar); ndims is not from 0 to JITNORM_MAX_NDIMS. */
JITNORM_API jitnorm_status_t jitnorm_graph_logical_tensor_init_with_dims(jitnorm_graph_logical_tensor_t *logical_tensor,
                                                                         size_t tid, jitnorm_data_type_t dtype,
                                                                         int32_t ndims, const jitnorm_dims_t dims,
                                                                         jitnorm_graph_layout_type_t ltype,
                                                                         jitnorm_graph_tensor_property_t ptype);

/* A strided one of the given dimensions and strides (in elements). invalid_arguments: as above. */
JITNORM_API jitnorm_status_t jitnorm_graph_logical_tensor_init_with_strides(
    jitnorm_graph_logical_tensor_t *logical_tensor, size_t tid, jitnorm_data_type_t dtype, int32_t ndims,
    const jitnorm_dims_t dims, const jitnorm_dims_t strides, jitnorm_graph_tensor_property_t ptype);

/* Bytes from a tensor's first element to the end of its last one; (size_t)-1 where shape, strides or type are unknown,
 * or make no tensor (jitnorm_memory_desc_create_with_strides says which do). invalid_arguments: a null pointer, an
 * ndims out of range. */
JITNORM_API jitnorm_status_t
jitnorm_graph_logical_tensor_get_mem_size(const jitnorm_graph_logical_tensor_t *logical_tensor, size_t *size);

/* Whether all fields are equal, as far as the number of dimensions and the layout type give them a meaning.
 * invalid_arguments: a null pointer, an ndims out of range. */
JITNORM_API jitnorm_status_t jitnorm_graph_logical_tensor_is_equal(const jitnorm_graph_logical_tensor_t *lt1,
                                                                   const jitnorm_graph_logical_tensor_t *lt2,
                                                                   uint8_t *is_equal);

/* ---------------------------------------------------------------- operations */

/* An operation without inputs, outputs and attributes. kind: any number, though partitions of others than the above are
 * not supported. id: one for each operation of a graph. verbose_name: for the log, not null; it is copied. */
JITNORM_API jitnorm_status_t jitnorm_graph_op_create(jitnorm_graph_op_t *op, size_t id, jitnorm_graph_op_kind_t kind,
                                                     const char *verbose_name);
JITNORM_API jitnorm_status_t jitnorm_graph_op_destroy(jitnorm_graph_op_t op);

/* The next input or output, in the order above. The logical tensor is copied. invalid_arguments: a null pointer, an
 * ndims out of range. */
JITNORM_API jitnorm_status_t jitnorm_graph_op_add_input(jitnorm_graph_op_t op,
                                                        const jitnorm_graph_logical_tensor_t *input);
JITNORM_API jitnorm_status_t jitnorm_graph_op_add_output(jitnorm_graph_op_t op,
                                                         const jitnorm_graph_logical_tensor_t *output);

/* Sets an attribute, again if need be. Whether the operation has it, of this type, and whether the value is legal is
 * found out when the operation is added to a graph. value_len: the number of values, 1 where the attribute is a single
 * one; of a string, its characters. A set of booleans, as output_mask, is set as s64s of 0 and 1:
 *     const int64_t mask[3] = {1, 0, 1};
 *     jitnorm_graph_op_set_attr_s64(op, jitnorm_graph_op_attr_output_mask, mask, 3);
 * invalid_arguments: a null pointer; a value_len other than 1 for a single value, 0 for a string. */
JITNORM_API jitnorm_status_t jitnorm_graph_op_set_attr_f32(jitnorm_graph_op_t op, jitnorm_graph_op_attr_t name,
                                                           const float *value, size_t value_len);
JITNORM_API jitnorm_status_t jitnorm_graph_op_set_attr_bool(jitnorm_graph_op_t op, jitnorm_graph_op_attr_t name,
                                                            const uint8_t *value, size_t value_len);
JITNORM_API jitnorm_status_t jitnorm_graph_op_set_attr_s64(jitnorm_graph_op_t op, jitnorm_graph_op_attr_t name,
                                                           const int64_t *value, size_t value_len);
JITNORM_API jitnorm_status_t jitnorm_graph_op_set_attr_str(jitnorm_graph_op_t op, jitnorm_graph_op_attr_t name,
                                                           const char *value, size_t value_len);

JITNORM_API jitnorm_status_t jitnorm_graph_op_get_id(const_jitnorm_graph_op_t op, size_t *id);
JITNORM_API jitnorm_status_t jitnorm_graph_op_get_kind(const_jitnorm_graph_op_t op, jitnorm_graph_op_kind_t *kind);

/* ---------------------------------------------------------------- graphs */

/* An empty graph for engines of a kind. invalid_arguments: a null pointer; a kind other than jitnorm_cpu; an unknown
 * mode. */
JITNORM_API jitnorm_status_t jitnorm_graph_graph_create(jitnorm_graph_graph_t *graph,
                                                        jitnorm_engine_kind_t engine_kind);
JITNORM_API jitnorm_status_t jitnorm_graph_graph_create_with_fpmath_mode(jitnorm_graph_graph_t *graph,
                                                                         jitnorm_engine_kind_t engine_kind,
                                                                         jitnorm_fpmath_mode_t mode);
JITNORM_API jitnorm_status_t jitnorm_graph_graph_destroy(jitnorm_graph_graph_t graph);

/* The floating-point mode; apply_to_int: 0 or 1. Neither changes a result. The getter writes what is not null.
 * invalid_arguments: graph is null, an unknown mode; invalid_graph: the graph is finalized. */
JITNORM_API jitnorm_status_t jitnorm_graph_graph_set_fpmath_mode(jitnorm_graph_graph_t graph,
                                                                 jitnorm_fpmath_mode_t mode, int apply_to_int);
JITNORM_API jitnorm_status_t jitnorm_graph_graph_get_fpmath_mode(jitnorm_graph_graph_t graph,
                                                                 jitnorm_fpmath_mode_t *mode, int *apply_to_int);

/* Adds a copy of the operation.
 * invalid_graph:    the graph is finalized
 * invalid_graph_op: an operation of this id is in the graph; a number of inputs or outputs, a data type, an attribute
 * or its value that is not said above; an output that would not be written; begin_norm_axis out of range, where the
 * number of dimensions is known (else compilation finds out) */
JITNORM_API jitnorm_status_t jitnorm_graph_add_op(jitnorm_graph_graph_t graph, jitnorm_graph_op_t op);

/* Ends the adding of operations. Doing it again is fine.
 * invalid_graph: two descriptions of one tensor that differ; a tensor that two operations write; a circle. */
JITNORM_API jitnorm_status_t jitnorm_graph_graph_finalize(jitnorm_graph_graph_t graph);
JITNORM_API jitnorm_status_t jitnorm_graph_graph_is_finalized(jitnorm_graph_graph_t graph, uint8_t *finalized);

/* Makes the partitions: with the policy debug one for each operation, with fusion fewer. invalid_graph: graph is null
 * or not finalized; invalid_arguments: an unknown policy. */
JITNORM_API jitnorm_status_t jitnorm_graph_graph_filter(jitnorm_graph_graph_t graph,
                                                        jitnorm_graph_partition_policy_t policy);

/* How many there are; 0 before the graph is filtered. invalid_graph: graph is null. */
JITNORM_API jitnorm_status_t jitnorm_graph_graph_get_partition_num(const_jitnorm_graph_graph_t graph, size_t *num);

/* All num partitions, the caller's from now on, in an order in which they may be executed.
 * invalid_graph: a null pointer, 0 partitions; invalid_arguments: num is not the number of partitions. */
JITNORM_API jitnorm_status_t jitnorm_graph_graph_get_partitions(jitnorm_graph_graph_t graph, size_t num,
                                                                jitnorm_graph_partition_t *partitions);

/* ---------------------------------------------------------------- partitions */

/* The partition of a single operation, without a graph. invalid_graph_op: as jitnorm_graph_add_op;
 * invalid_graph: as jitnorm_graph_graph_finalize; invalid_arguments: a null pointer, a kind other than jitnorm_cpu. */
JITNORM_API jitnorm_status_t jitnorm_graph_partition_create_with_op(jitnorm_graph_partition_t *partition,
                                                                    const_jitnorm_graph_op_t op,
                                                                    jitnorm_engine_kind_t ekind);
JITNORM_API jitnorm_status_t jitnorm_graph_partition_destroy(jitnorm_graph_partition_t partition);

/* The number and the ids of its operations, in an order to execute them; an id of its own, the graph's engine kind, and
 * whether it can be compiled: 1 or 0. invalid_arguments: a null pointer, a num other than the number of operations. */
JITNORM_API jitnorm_status_t jitnorm_graph_partition_get_op_num(const_jitnorm_graph_partition_t partition, size_t *num);
JITNORM_API jitnorm_status_t jitnorm_graph_partition_get_ops(jitnorm_graph_partition_t partition, size_t num,
                                                             size_t *ids);
JITNORM_API jitnorm_status_t jitnorm_graph_partition_get_id(const_jitnorm_graph_partition_t partition, size_t *id);
JITNORM_API jitnorm_status_t jitnorm_graph_partition_get_engine_kind(const_jitnorm_graph_partition_t partition,
                                                                     jitnorm_engine_kind_t *kind);
JITNORM_API jitnorm_status_t jitnorm_graph_partition_is_supported(const_jitnorm_graph_partition_t partition,
                                                                  uint8_t *is_supported);

/* The logical tensors that its operations read and write, as they were given them, but for those that pass from one to
 * the next. invalid_arguments: a null pointer, a num that is not theirs. */
JITNORM_API jitnorm_status_t jitnorm_graph_partition_get_input_ports_num(const_jitnorm_graph_partition_t partition,
                                                                         size_t *num);
JITNORM_API jitnorm_status_t jitnorm_graph_partition_get_input_ports(const_jitnorm_graph_partition_t partition,
                                                                     size_t num,
                                                                     jitnorm_graph_logical_tensor_t *inputs);
JITNORM_API jitnorm_status_t jitnorm_graph_partition_get_output_ports_num(const_jitnorm_graph_partition_t partition,
                                                                          size_t *num);
JITNORM_API jitnorm_status_t jitnorm_graph_partition_get_output_ports(const_jitnorm_graph_partition_t partition,
                                                                      size_t num,
                                                                      jitnorm_graph_logical_tensor_t *outputs);

/* Compiles the partition, for tensors that have the given descriptions, into a compiled partition that was created from
 * it; doing it again replaces what was compiled. Tensors are told apart by their ids, in any order; what an operation
 * does not look at may be left out. Inputs have known shapes and are strided, or any (row major without gaps). Outputs
 * may be of unknown shape and strides, which are then inferred (statistics get [A1..Ai]), or any: without gaps, dst and
 * diff_src in the order of src's dimensions.
 * invalid_arguments: a null pointer; an unsupported partition; a compiled partition of another one; a tensor that is
 *                    missing, of type undef, of an unknown shape, or of a layout not said here; strides with overlaps,
 *                    a size that cannot be addressed, a written tensor with a stride of 0
 * invalid_data_type: a type that is not the operation's
 * invalid_shape:     shapes that do not fit together; begin_norm_axis out of range
 * unimplemented:     more than 11 dimensions
 * runtime_error:     as jitnorm_layer_normalization_forward_primitive_desc_create */
JITNORM_API jitnorm_status_t jitnorm_graph_partition_compile(
    jitnorm_graph_partition_t partition, jitnorm_graph_compiled_partition_t compiled_partition, size_t in_num,
    const jitnorm_graph_logical_tensor_t **inputs, size_t out_num, const jitnorm_graph_logical_tensor_t **outputs,
    jitnorm_engine_t engine);

/* ---------------------------------------------------------------- compiled partitions */

/* One to compile the partition into. The partition may be destroyed before it. */
JITNORM_API jitnorm_status_t jitnorm_graph_compiled_partition_create(
    jitnorm_graph_compiled_partition_t *compiled_partition, jitnorm_graph_partition_t partition);
JITNORM_API jitnorm_status_t
jitnorm_graph_compiled_partition_destroy(jitnorm_graph_compiled_partition_t compiled_partition);

/* Executes; what jitnorm_primitive_execute says of threads and memory holds. Tensors are told apart by their ids, in
 * any order, and are described as compilation was told or has inferred; what the operation does not look at may be left
 * out. invalid_arguments: a null pointer; nothing compiled; a tensor that is missing, given twice, described otherwise,
 * or without memory although it has elements; an output at the handle of another tensor that it may not share. */
JITNORM_API jitnorm_status_t jitnorm_graph_compiled_partition_execute(
    const_jitnorm_graph_compiled_partition_t compiled_partition, jitnorm_stream_t stream, size_t num_inputs,
    const_jitnorm_graph_tensor_t *inputs, size_t num_outputs, const_jitnorm_graph_tensor_t *outputs);

/* The description of a tensor as compiled: shape known, strided. One that the operation does not look at is described
 * as compilation was told. invalid_arguments: a null pointer; nothing compiled; a tensor that is not the operation's,
 * or that compilation was not told of. */
JITNORM_API jitnorm_status_t jitnorm_graph_compiled_partition_query_logical_tensor(
    const_jitnorm_graph_compiled_partition_t compiled_partition, size_t tid, jitnorm_graph_logical_tensor_t *lt);

/* Which tensors may share memory: at most one pair, the compiled partition's until it is compiled again or destroyed.
 */
JITNORM_API jitnorm_status_t jitnorm_graph_compiled_partition_get_inplace_ports(
    const_jitnorm_graph_compiled_partition_t compiled_partition, size_t *num_inplace_pairs,
    const jitnorm_graph_inplace_pair_t **inplace_pairs);

/* ---------------------------------------------------------------- tensors */

/* A tensor at the caller's memory, at memory of its own (JITNORM_MEMORY_ALLOCATE), or at none yet
 * (JITNORM_MEMORY_NONE). invalid_arguments: a null pointer; an ndims out of range; memory of its own, with an unknown
 * size. */
JITNORM_API jitnorm_status_t jitnorm_graph_tensor_create(jitnorm_graph_tensor_t *tensor,
                                                         const jitnorm_graph_logical_tensor_t *logical_tensor,
                                                         jitnorm_engine_t engine, void *handle);
JITNORM_API jitnorm_status_t jitnorm_graph_tensor_destroy(jitnorm_graph_tensor_t tensor);

JITNORM_API jitnorm_status_t jitnorm_graph_tensor_get_data_handle(const_jitnorm_graph_tensor_t tensor, void **handle);
/* Memory of the tensor's own is freed, unless it is what is set. */
JITNORM_API jitnorm_status_t jitnorm_graph_tensor_set_data_handle(jitnorm_graph_tensor_t tensor, void *handle);
JITNORM_API jitnorm_status_t jitnorm_graph_tensor_get_engine(const_jitnorm_graph_tensor_t tensor,
                                                             jitnorm_engine_t *engine);
JITNORM_API jitnorm_status_t jitnorm_graph_tensor_get_logical_tensor(const_jitnorm_graph_tensor_t tensor,
                                                                     jitnorm_graph_logical_tensor_t *logical_tensor);

#ifdef __cplusplus
}
#endif

#endif
