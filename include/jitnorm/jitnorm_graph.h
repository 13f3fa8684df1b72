/* SPDX-License-Identifier: Apache-2.0 */
/* jitnorm_graph.h: layer normalization as operations of a graph, with the functions of oneDNN Graph (v3). Most programs
 * can be moved over by replacing the prefix dnnl_ with jitnorm_. docs/graph.md is the manual,
 * examples/graph_layer_norm.c is a complete program.
 *
 *   1. Describe tensors by logical tensors, with ids, types, shapes and layouts:
 *      jitnorm_graph_logical_tensor_init_with_dims.
 *   2. Create operations on them: jitnorm_graph_op_create, jitnorm_graph_op_add_input, ..._add_output,
 *      ..._set_attr_f32.
 *   3. Put the operations into a graph: jitnorm_graph_graph_create, jitnorm_graph_add_op, jitnorm_graph_graph_finalize.
 *   4. Get the graph's partitions, each one operation or several: jitnorm_graph_graph_filter,
 *      jitnorm_graph_graph_get_partitions.
 *   5. Compile a partition for given shapes: jitnorm_graph_compiled_partition_create, jitnorm_graph_partition_compile.
 *   6. Execute it with tensors: jitnorm_graph_tensor_create, jitnorm_graph_compiled_partition_execute.
 *
 * What jitnorm.h says about errors, ownership, threads and the verbose log holds here too. jitnorm_memory.h has the
 * functions for engines and streams. */
#ifndef JITNORM_GRAPH_H
#define JITNORM_GRAPH_H

#include "jitnorm/jitnorm_graph_types.h"
#include "jitnorm/jitnorm_memory.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ---------------------------------------------------------------- the operations
 *
 * LayerNorm (jitnorm_graph_op_layer_norm), with jitnorm.h's formulas. A row consists of the elements of the normalized
 * axes. A question mark means: may be left out.
 *   inputs     src, gamma?, beta?             (without gamma: ones; without beta: zeros)
 *   outputs    dst, mean?, variance?          (both with keep_stats, neither without)
 *   attributes keep_stats (bool, true)        write the statistics
 *              begin_norm_axis (s64, -1)      the first normalized axis, from -r to r - 1 if src has r dimensions; all
 *                                             axes after it are normalized too
 *              use_affine (bool, true)        false: gamma and beta, if given, are ignored
 *              epsilon (f32, 1e-5)            finite, not negative
 *
 * RMSNorm (jitnorm_graph_op_rms_norm): dst = src / sqrt(mean of src^2 + epsilon) * gamma, for each row:
 *   inputs     src, gamma?                    (without gamma: ones)
 *   outputs    dst
 *   attributes begin_norm_axis, epsilon as above. begin_norm_axis must be the last axis, and src must have 2 to 5
 *              dimensions; otherwise the partition says that it is not supported, as in oneDNN. If the number of
 *              dimensions is unknown, begin_norm_axis must be -1.
 * Data types: src and dst have the same type, f32, bf16 or f16. gamma has any of these types, but bf16 only if src is
 * bf16. gamma may have dimensions of 1, along which it is broadcast, and further dimensions of 1 before those of a
 * row.
 *
 * LayerNormBackward (jitnorm_graph_op_layer_norm_backward) and LayerNormBackprop
 * (jitnorm_graph_op_layer_norm_backprop), which is an older name of the same operation:
 *   inputs     src, diff_dst, mean, variance, gamma?, beta?           (beta is ignored)
 *   outputs    diff_src, diff_gamma?, diff_beta?         (without gamma or use_affine diff_gamma is the gradient of a
 *                                                         gamma of ones)
 *   attributes begin_norm_axis, use_affine, epsilon as above
 *
 * Data types of LayerNorm and its backward: src, dst and their gradients have the same type, f32, bf16 or f16. gamma,
 * beta, mean, variance and the gradients of gamma and beta have the same type: f32, or bf16 if src is bf16.
 *
 * LayerNormGrad (jitnorm_graph_op_layer_norm_grad), of the Ascend IR:
 *   inputs     dy, x, variance, mean, gamma
 *   outputs    pd_x, pd_gamma, pd_beta        (always all three; those that output_mask leaves out are ignored)
 *   attributes output_mask (three s64s, 1 1 1) which outputs are written, 1 or 0 for each
 *              epsilon (f32; 1e-12 if x is f32, otherwise 1e-5, as Ascend's kernel, which has no such attribute)
 * Data types: dy, x and pd_x have the same type, f32, bf16 or f16. variance, mean, gamma, pd_gamma and pd_beta each
 * have any of these types; variance and mean must have types at least as wide as that of x. The number of normalized
 * axes is the number of gamma's dimensions.
 *
 * A LayerNorm or RMSNorm with operations around it becomes one partition (policy fusion), which reads and writes each
 * element once. Before the normalization there may be one Add. After it there may be one TypeCast, then up to 19
 * operations of one or two tensors, then one Quantize:
 *   of one tensor  Abs, Clamp (min, max), Elu (alpha), Exp, GELU (mode: "gelu_erf", the default, or "gelu_tanh"),
 *                  HardSigmoid (alpha, beta), HardSwish, LeakyReLU (alpha), Log, Mish, ReLU, Round, Sigmoid, SoftPlus
 *                  (beta, 1), Sqrt, Square, Tanh
 *   of two         Add, Multiply, Maximum, Minimum, Divide, Subtract (auto_broadcast: "numpy", the default, or "none").
 *                  The first operand comes from the normalization; in Add, Multiply, Maximum and Minimum it may also be
 *                  the second operand. The other operand is broadcast to it. Both shapes must be known when the graph
 *                  is filtered.
 *                  The other operand of a Multiply may be z * Sigmoid(z), if nobody else reads the results of these
 *                  two operations: then they are in the partition, too.
 *   TypeCast       from f32 to bf16 or f16, or from these to f32
 *   Quantize       from f32 to s8 or u8, with scales (one number, not 0), zps (one, 0), qtype "per_tensor" (default);
 *                  to f8_e5m2 or f8_e4m3 without zps
 *   Add in front   its sum is src. The tensors have known shapes; one of them has the shape of the sum, the other one
 *                  is broadcast to it. (Partitions with an Add in front are this library's own.)
 *
 * The normalization must normalize the last of 2 to 5 dimensions (with an unknown number of dimensions: axis -1). If
 * operations follow, gamma and beta must be f32. No other operation may read a tensor that passes between the
 * operations of a partition. To keep such a tensor, make it an input of an operation of the kind End; then it does not
 * pass within a partition. A sum that other operations read is an output of the partition. The data types are those
 * that oneDNN allows for each operation: one type, or, with two operands, f32 and bf16 or f16, which give f32. All
 * other operations stay in partitions of their own, which are not supported.
 *
 * Everything is computed in f32 and rounded once, to the type of the last tensor. If the tensors between the operations
 * are f32, the results are those of the operations one by one, except for a product and a sum that are one fused
 * multiply-add: a Multiply and an Add that directly follow a normalization without gamma and beta are its scale and
 * its shift, if the last dimension of their other operands is src's, when the graph is filtered. (A single one of
 * the two may be the scale or the shift, too. Compilation refuses such operands with another last dimension:
 * invalid_shape.) A sum that is an output is rounded to its type, and the rounded sum is normalized. Quantize is
 * round(value * (1 / scale) + zero point): the quotient, the product and the sum are each rounded to f32; then the
 * value is rounded to an integer, halves to even, and saturated.
 *
 * Shapes: gamma, beta and their gradients have the normalized axes of src; in LayerNorm and its backward each may also
 * be a vector of as many elements, in row-major order (an output of unknown shape gets the axes). mean and variance
 * have the axes before them, [A1..Ai], optionally followed by a 1 for each normalized axis, [A1..Ai,1..1]. The variance
 * tensor always holds the variance. src may have 1 to 11 dimensions, which may be 0. Each tensor may have any strides.
 * What is written (dst, gradients, statistics of LayerNorm) must not have a stride of 0, except along a dimension of
 * size 1 or if it has no elements. What is read may have strides of 0. For rows without elements the mean is 0 and the
 * variance NaN.
 *
 * If jitnorm_graph_compiled_partition_get_inplace_ports says so, dst may share src's memory, a sum may share the memory
 * of the tensor that is added, and diff_src (pd_x) may share that of diff_dst (dy). No other output may have the handle
 * of another tensor, and tensors must not overlap partly. Inputs may be the same memory. */

/* Every function with a logical tensor as a parameter returns invalid_arguments if its ndims is below -1 or above
 * JITNORM_MAX_NDIMS, also if the caller has written the field itself. */

/* ---------------------------------------------------------------- logical tensors */

/* Makes a logical tensor of unknown dimensions. ndims is their number, or JITNORM_GRAPH_UNKNOWN_NDIMS; 0 means a
 * scalar.
 * invalid_arguments: logical_tensor is null; ndims is below -1 or above JITNORM_MAX_NDIMS. */
JITNORM_API jitnorm_status_t jitnorm_graph_logical_tensor_init(jitnorm_graph_logical_tensor_t *logical_tensor,
                                                               size_t tid, jitnorm_data_type_t dtype, int32_t ndims,
                                                               jitnorm_graph_layout_type_t ltype,
                                                               jitnorm_graph_tensor_property_t ptype);

/* Makes a logical tensor of the given dimensions. If it is strided and all dimensions are known, its strides are row
 * major without gaps.
 * invalid_arguments: a null pointer (dims may be null for a scalar); ndims is not from 0 to JITNORM_MAX_NDIMS. */
JITNORM_API jitnorm_status_t jitnorm_graph_logical_tensor_init_with_dims(jitnorm_graph_logical_tensor_t *logical_tensor,
                                                                         size_t tid, jitnorm_data_type_t dtype,
                                                                         int32_t ndims, const jitnorm_dims_t dims,
                                                                         jitnorm_graph_layout_type_t ltype,
                                                                         jitnorm_graph_tensor_property_t ptype);

/* Makes a strided logical tensor of the given dimensions and strides (in elements).
 * invalid_arguments: as for jitnorm_graph_logical_tensor_init_with_dims. */
JITNORM_API jitnorm_status_t jitnorm_graph_logical_tensor_init_with_strides(
    jitnorm_graph_logical_tensor_t *logical_tensor, size_t tid, jitnorm_data_type_t dtype, int32_t ndims,
    const jitnorm_dims_t dims, const jitnorm_dims_t strides, jitnorm_graph_tensor_property_t ptype);

/* Writes the number of bytes from the tensor's first element to the end of its last one to *size. It is (size_t)-1 if
 * shape, strides or type are unknown, or if they make no tensor (see the errors of
 * jitnorm_memory_desc_create_with_strides).
 * invalid_arguments: a null pointer, an ndims out of range. */
JITNORM_API jitnorm_status_t
jitnorm_graph_logical_tensor_get_mem_size(const jitnorm_graph_logical_tensor_t *logical_tensor, size_t *size);

/* Says whether all fields are equal, except those that have no meaning for this number of dimensions and this layout
 * type.
 * invalid_arguments: a null pointer, an ndims out of range. */
JITNORM_API jitnorm_status_t jitnorm_graph_logical_tensor_is_equal(const jitnorm_graph_logical_tensor_t *lt1,
                                                                   const jitnorm_graph_logical_tensor_t *lt2,
                                                                   uint8_t *is_equal);

/* ---------------------------------------------------------------- operations */

/* Creates an operation without inputs, outputs and attributes. kind may be any number, but partitions of other kinds
 * than those above are not supported. id must be different for each operation of a graph. verbose_name is for the log;
 * it must not be null, and is copied. */
JITNORM_API jitnorm_status_t jitnorm_graph_op_create(jitnorm_graph_op_t *op, size_t id, jitnorm_graph_op_kind_t kind,
                                                     const char *verbose_name);
JITNORM_API jitnorm_status_t jitnorm_graph_op_destroy(jitnorm_graph_op_t op);

/* Adds the next input or output, in the order above. The logical tensor is copied.
 * invalid_arguments: a null pointer, an ndims out of range. */
JITNORM_API jitnorm_status_t jitnorm_graph_op_add_input(jitnorm_graph_op_t op,
                                                        const jitnorm_graph_logical_tensor_t *input);
JITNORM_API jitnorm_status_t jitnorm_graph_op_add_output(jitnorm_graph_op_t op,
                                                         const jitnorm_graph_logical_tensor_t *output);

/* Sets an attribute, or replaces its value. Whether the operation has such an attribute, of this type, and whether the
 * value is legal is checked when the operation is added to a graph. value_len is the number of values, 1 for an
 * attribute of a single value, or the number of characters of a string. A list of booleans, as output_mask, is set as
 * s64s of 0 and 1:
 *     const int64_t mask[3] = {1, 0, 1};
 *     jitnorm_graph_op_set_attr_s64(op, jitnorm_graph_op_attr_output_mask, mask, 3);
 * invalid_arguments: a null pointer; a value_len other than 1 for a single value, or 0 for a string. */
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

/* Creates an empty graph for engines of this kind.
 * invalid_arguments: a null pointer; a kind other than jitnorm_cpu; an unknown mode. */
JITNORM_API jitnorm_status_t jitnorm_graph_graph_create(jitnorm_graph_graph_t *graph,
                                                        jitnorm_engine_kind_t engine_kind);
JITNORM_API jitnorm_status_t jitnorm_graph_graph_create_with_fpmath_mode(jitnorm_graph_graph_t *graph,
                                                                         jitnorm_engine_kind_t engine_kind,
                                                                         jitnorm_fpmath_mode_t mode);
JITNORM_API jitnorm_status_t jitnorm_graph_graph_destroy(jitnorm_graph_graph_t graph);

/* The floating-point mode. apply_to_int is 0 or 1. Neither of them changes a result. The getter's result pointers may
 * be null.
 * invalid_arguments: graph is null, an unknown mode.
 * invalid_graph: the graph is finalized. */
JITNORM_API jitnorm_status_t jitnorm_graph_graph_set_fpmath_mode(jitnorm_graph_graph_t graph,
                                                                 jitnorm_fpmath_mode_t mode, int apply_to_int);
JITNORM_API jitnorm_status_t jitnorm_graph_graph_get_fpmath_mode(jitnorm_graph_graph_t graph,
                                                                 jitnorm_fpmath_mode_t *mode, int *apply_to_int);

/* Adds a copy of the operation to the graph.
 * invalid_graph: the graph is finalized.
 * invalid_graph_op: an operation of this id is already in the graph; a number of inputs or outputs, a data type, an
 *   attribute or a value of an attribute that is not named above; an output that would not be written; begin_norm_axis
 *   out of range. If the number of dimensions is unknown, compilation checks begin_norm_axis. */
JITNORM_API jitnorm_status_t jitnorm_graph_add_op(jitnorm_graph_graph_t graph, jitnorm_graph_op_t op);

/* Says that all operations have been added. It may be called again.
 * invalid_graph: two different descriptions of one tensor; a tensor that two operations write; a cycle. */
JITNORM_API jitnorm_status_t jitnorm_graph_graph_finalize(jitnorm_graph_graph_t graph);
JITNORM_API jitnorm_status_t jitnorm_graph_graph_is_finalized(jitnorm_graph_graph_t graph, uint8_t *finalized);

/* Makes the partitions: with the policy debug one for each operation, with the policy fusion fewer.
 * invalid_graph: graph is null or not finalized.
 * invalid_arguments: an unknown policy. */
JITNORM_API jitnorm_status_t jitnorm_graph_graph_filter(jitnorm_graph_graph_t graph,
                                                        jitnorm_graph_partition_policy_t policy);

/* Writes the number of partitions to *num; 0 before the graph is filtered.
 * invalid_graph: graph is null. */
JITNORM_API jitnorm_status_t jitnorm_graph_graph_get_partition_num(const_jitnorm_graph_graph_t graph, size_t *num);

/* Writes all num partitions to the array, in an order in which they may be executed. They belong to the caller.
 * invalid_graph: a null pointer, 0 partitions.
 * invalid_arguments: num is not the number of partitions. */
JITNORM_API jitnorm_status_t jitnorm_graph_graph_get_partitions(jitnorm_graph_graph_t graph, size_t num,
                                                                jitnorm_graph_partition_t *partitions);

/* ---------------------------------------------------------------- partitions */

/* Creates the partition of a single operation, without a graph.
 * invalid_graph_op: as for jitnorm_graph_add_op.
 * invalid_graph: as for jitnorm_graph_graph_finalize.
 * invalid_arguments: a null pointer, a kind other than jitnorm_cpu. */
JITNORM_API jitnorm_status_t jitnorm_graph_partition_create_with_op(jitnorm_graph_partition_t *partition,
                                                                    const_jitnorm_graph_op_t op,
                                                                    jitnorm_engine_kind_t ekind);
JITNORM_API jitnorm_status_t jitnorm_graph_partition_destroy(jitnorm_graph_partition_t partition);

/* Properties of a partition: the number of its operations, and their ids in an order in which they may be executed; an
 * id of its own; the graph's engine kind; and whether it can be compiled, 1 or 0.
 * invalid_arguments: a null pointer, a num other than the number of operations. */
JITNORM_API jitnorm_status_t jitnorm_graph_partition_get_op_num(const_jitnorm_graph_partition_t partition, size_t *num);
JITNORM_API jitnorm_status_t jitnorm_graph_partition_get_ops(jitnorm_graph_partition_t partition, size_t num,
                                                             size_t *ids);
JITNORM_API jitnorm_status_t jitnorm_graph_partition_get_id(const_jitnorm_graph_partition_t partition, size_t *id);
JITNORM_API jitnorm_status_t jitnorm_graph_partition_get_engine_kind(const_jitnorm_graph_partition_t partition,
                                                                     jitnorm_engine_kind_t *kind);
JITNORM_API jitnorm_status_t jitnorm_graph_partition_is_supported(const_jitnorm_graph_partition_t partition,
                                                                  uint8_t *is_supported);

/* The logical tensors that the partition reads and writes, as its operations were given them. Tensors that pass from
 * one operation of the partition to the next are not among them.
 * invalid_arguments: a null pointer, a num other than the number of ports. */
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

/* Compiles the partition for tensors of the given descriptions. The result is in compiled_partition, which must have
 * been created from this partition; a further call replaces what was compiled before. The tensors may be in any order,
 * since their ids tell which is which. Tensors that an operation ignores may be left out. Inputs must have known shapes
 * and be strided, or any, which means row major without gaps. Outputs may have unknown shapes and strides, which are
 * then inferred (statistics get [A1..Ai]). Outputs may be any: then they have no gaps, and dst and diff_src have the
 * order of src's dimensions.
 * invalid_arguments: a null pointer; an unsupported partition; a compiled partition of another partition; a tensor that
 *                    is missing, of type undef, of an unknown shape, or of a layout not named here; strides with
 *                    overlaps; a size that cannot be addressed; a written tensor with a stride of 0
 * invalid_data_type: a type that the operation does not have
 * invalid_shape:     shapes that do not match; begin_norm_axis out of range
 * unimplemented:     more than 11 dimensions
 * runtime_error:     as for jitnorm_layer_normalization_forward_primitive_desc_create */
JITNORM_API jitnorm_status_t jitnorm_graph_partition_compile(
    jitnorm_graph_partition_t partition, jitnorm_graph_compiled_partition_t compiled_partition, size_t in_num,
    const jitnorm_graph_logical_tensor_t **inputs, size_t out_num, const jitnorm_graph_logical_tensor_t **outputs,
    jitnorm_engine_t engine);

/* ---------------------------------------------------------------- compiled partitions */

/* Creates a compiled partition, into which jitnorm_graph_partition_compile compiles. The partition may be destroyed
 * before the compiled partition. */
JITNORM_API jitnorm_status_t jitnorm_graph_compiled_partition_create(
    jitnorm_graph_compiled_partition_t *compiled_partition, jitnorm_graph_partition_t partition);
JITNORM_API jitnorm_status_t
jitnorm_graph_compiled_partition_destroy(jitnorm_graph_compiled_partition_t compiled_partition);

/* Executes the compiled partition. What jitnorm_primitive_execute says about threads and memory holds here too. The
 * tensors may be in any order, since their ids tell which is which. Each must be described as it was for compilation,
 * or as compilation has inferred. Tensors that the operation ignores may be left out.
 * invalid_arguments: a null pointer; nothing was compiled; a tensor that is missing, given twice, described otherwise,
 *   or without memory although it has elements; an output with the handle of another tensor that it may not share. */
JITNORM_API jitnorm_status_t jitnorm_graph_compiled_partition_execute(
    const_jitnorm_graph_compiled_partition_t compiled_partition, jitnorm_stream_t stream, size_t num_inputs,
    const_jitnorm_graph_tensor_t *inputs, size_t num_outputs, const_jitnorm_graph_tensor_t *outputs);

/* Does the same with a scratchpad of the caller's, which the execution overwrites: a tensor of at least the size that
 * jitnorm_graph_compiled_partition_get_scratchpad_logical_tensor returns. Executions at the same time need one each.
 * The library uses its own scratchpad if this one is null or has no memory.
 * invalid_arguments: as for jitnorm_graph_compiled_partition_execute, to which the scratchpad is an output; a
 * scratchpad that is too small or of unknown size. */
JITNORM_API jitnorm_status_t jitnorm_graph_compiled_partition_execute_v2(
    const_jitnorm_graph_compiled_partition_t compiled_partition, jitnorm_stream_t stream, size_t num_inputs,
    const_jitnorm_graph_tensor_t *inputs, size_t num_outputs, const_jitnorm_graph_tensor_t *outputs,
    const_jitnorm_graph_tensor_t scratchpad);

/* Writes the description of the scratchpad that an execution needs to *lt: a vector of u8, of any alignment, with the
 * id SIZE_MAX. It has no elements if no scratchpad is needed. invalid_arguments: a null pointer; nothing was compiled.
 */
JITNORM_API jitnorm_status_t jitnorm_graph_compiled_partition_get_scratchpad_logical_tensor(
    const_jitnorm_graph_compiled_partition_t compiled_partition, jitnorm_graph_logical_tensor_t *lt);

/* Writes the description of a tensor as compiled, with known shape and strides, to *lt. A tensor that the operation
 * ignores has the description that was given for compilation.
 * invalid_arguments: a null pointer; nothing was compiled; a tensor that the operation does not have, or that was not
 *   given for compilation. */
JITNORM_API jitnorm_status_t jitnorm_graph_compiled_partition_query_logical_tensor(
    const_jitnorm_graph_compiled_partition_t compiled_partition, size_t tid, jitnorm_graph_logical_tensor_t *lt);

/* Says which tensors may share memory: src and dst (or diff_dst and diff_src), and if a sum with a residual is
 * written, the tensor that is added and the sum; so there are 0 to 2 pairs. The array belongs to the compiled partition
 * and lives until that is compiled again or destroyed. */
JITNORM_API jitnorm_status_t jitnorm_graph_compiled_partition_get_inplace_ports(
    const_jitnorm_graph_compiled_partition_t compiled_partition, size_t *num_inplace_pairs,
    const jitnorm_graph_inplace_pair_t **inplace_pairs);

/* ---------------------------------------------------------------- tensors */

/* Creates a tensor. handle: the caller's memory, or JITNORM_MEMORY_ALLOCATE for memory that the tensor allocates and
 * owns, or JITNORM_MEMORY_NONE for no memory yet.
 * invalid_arguments: a null pointer; an ndims out of range; JITNORM_MEMORY_ALLOCATE with an unknown size. */
JITNORM_API jitnorm_status_t jitnorm_graph_tensor_create(jitnorm_graph_tensor_t *tensor,
                                                         const jitnorm_graph_logical_tensor_t *logical_tensor,
                                                         jitnorm_engine_t engine, void *handle);
/* Creates a tensor of one value, which is copied from *scalar to memory that the tensor owns. It belongs to the engine
 * of the CPU.
 * invalid_arguments: a null pointer; a logical tensor that has dimensions, another property than
 *   jitnorm_graph_tensor_property_host_scalar, or no data type. */
JITNORM_API jitnorm_status_t jitnorm_graph_tensor_create_scalar(jitnorm_graph_tensor_t *tensor,
                                                                const jitnorm_graph_logical_tensor_t *logical_tensor,
                                                                const void *scalar);
JITNORM_API jitnorm_status_t jitnorm_graph_tensor_destroy(jitnorm_graph_tensor_t tensor);

JITNORM_API jitnorm_status_t jitnorm_graph_tensor_get_data_handle(const_jitnorm_graph_tensor_t tensor, void **handle);
/* Sets the tensor's handle. Memory that the tensor owns is freed, unless handle is that memory. */
JITNORM_API jitnorm_status_t jitnorm_graph_tensor_set_data_handle(jitnorm_graph_tensor_t tensor, void *handle);
JITNORM_API jitnorm_status_t jitnorm_graph_tensor_get_engine(const_jitnorm_graph_tensor_t tensor,
                                                             jitnorm_engine_t *engine);
JITNORM_API jitnorm_status_t jitnorm_graph_tensor_get_logical_tensor(const_jitnorm_graph_tensor_t tensor,
                                                                     jitnorm_graph_logical_tensor_t *logical_tensor);

#ifdef __cplusplus
}
#endif

#endif
