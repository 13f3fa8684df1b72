/* SPDX-License-Identifier: Apache-2.0 */
/* jitnorm_partial.h: problems that several processes or several calls share: gradients of scale and shift over rows
 * that are shared, and forward on columns that are shared. The results have the same bits as if one call had all rows
 * and columns. Included by jitnorm.h.
 *
 * Rows that are shared. The gradients are sums over rows. The order in which rows are added depends only on their
 * number and length: first the rows of a row block, then the blocks of a part, then all parts (docs/arithmetic.md). So
 * the work has three steps:
 *   1. The caller cuts the rows into ranges. Each range is a whole number of row blocks long, except for the last one,
 *      which has the rest. jitnorm_layer_normalization_row_block says how many rows a block has.
 *   2. Each process runs backward on its rows, with a primitive that knows their place among all rows. Instead of the
 *      gradients this primitive writes the sums of the parts in these rows:
 *      jitnorm_layer_normalization_partial_backward_primitive_desc_create.
 *   3. The sums are added up in the order of the rows, in one of three ways:
 *      - A running sum goes from process to process, and each process adds its own sums to it:
 *        jitnorm_layer_normalization_add_partial_gradients. Each process sends 2 C doubles for each gradient, where C
 *        is the length of a row, whatever the number of rows and processes.
 *      - Each process gets some of the columns of all sums, adds them up in this order, and all gather the results:
 *        jitnorm_layer_normalization_add_partial_gradients_of_columns. Each process sends about as much as its own sums
 *        are, and no process has to wait for the one before it.
 *      - All sums are collected, and each process merges them for itself: jitnorm_layer_normalization_merge_gradients.
 *        No process has to wait for the one before it. But the sums of each gradient are rows of C doubles: about 16 to
 *        64 of them for all rows, fewer for few rows and for C above 16384 (then at most 8 MiB). In addition,
 *        a range that begins in the middle of a part has one row of sums for each block up to the end of that part.
 * The result has the bits of backward on all rows, wherever the rows are cut. A process cannot add up its parts before
 * it knows the sum of the parts before them, because additions in another order round differently.
 * examples/mpi_layer_norm.c is a complete program.
 *
 * Columns that are shared (tensor parallel). The mean and the variance of a row follow from the moments of its chunks,
 * which are 4096 columns each, but for the row's last chunk (docs/arithmetic.md). So forward has three steps:
 *   1. The caller cuts the columns into ranges, between chunks. Each process computes the moments of the chunks of its
 *      columns: jitnorm_layer_normalization_partial_statistics_primitive_desc_create. These are 4 doubles for each
 *      chunk of each row.
 *   2. The moments of all ranges are collected, and each process merges them for itself:
 *      jitnorm_layer_normalization_merge_row_sums.
 *   3. Each process normalizes its columns: jitnorm_layer_normalization_partial_forward_primitive_desc_create.
 * One exchange is enough, whether there are means or not (rms_norm). A process without columns takes part in the
 * exchange only. There is no backward of shared columns. */
#ifndef JITNORM_PARTIAL_H
#define JITNORM_PARTIAL_H

#include "jitnorm/jitnorm_types.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Writes the number of rows in a row block to *block_rows. A range with rows must begin at a multiple of it. It is 4 to
 * 32, and always 32 if there are 512 or more rows. all_rows: the number of rows of the whole problem. columns: the
 * length of a row.
 * invalid_arguments: a null pointer; a number that is negative or larger than 2^53. */
JITNORM_API jitnorm_status_t jitnorm_layer_normalization_row_block(jitnorm_dim_t *block_rows, jitnorm_dim_t all_rows,
                                                                   jitnorm_dim_t columns);

/* Creates a primitive descriptor of jitnorm_backward on some rows. The rows that src_desc has, in row-major order of
 * the dimensions before the last, are the rows first_row, first_row + 1, ... of all_rows rows. Arguments are as in
 * jitnorm_layer_normalization_backward_primitive_desc_create_v2, except that DIFF_SCALE and DIFF_SHIFT, if flags ask
 * for them, are sums: dense f64 tensors with C columns and as many rows as jitnorm_query_diff_weights_md says, which is
 * 0 if src has no rows. DIFF_SRC is the same as without the other rows.
 * invalid_arguments, also: rows that are not among all_rows; rows that begin or end within a row block, also if there
 *   are 0 of them.
 * unimplemented, also: run-time sizes. */
JITNORM_API jitnorm_status_t jitnorm_layer_normalization_partial_backward_primitive_desc_create(
    jitnorm_primitive_desc_t *primitive_desc, jitnorm_engine_t engine, const_jitnorm_memory_desc_t diff_src_desc,
    const_jitnorm_memory_desc_t diff_dst_desc, const_jitnorm_memory_desc_t src_desc,
    const_jitnorm_memory_desc_t stat_desc, jitnorm_data_type_t scale_shift_data_type, float epsilon, unsigned flags,
    jitnorm_dim_t first_row, jitnorm_dim_t all_rows, const_jitnorm_primitive_attr_t attr);

/* Computes one gradient, of scale or of shift, from the sums of all rows. `ranges` is the number of ranges, which are
 * in the order of the rows. rows[i] is the number of rows of range i, and may be 0. sums[i] points to what the
 * primitive of range i wrote to DIFF_SCALE or DIFF_SHIFT (null if the range has no rows). Writes `columns` elements of
 * data_type to gradient: f32, bf16, f16, or f64 if data is f64. Runs on the calling thread.
 * invalid_arguments: a null pointer to something that has elements; a negative number; rows that do not add up to
 *   all_rows; ranges that begin within a row block; another data_type. */
JITNORM_API jitnorm_status_t jitnorm_layer_normalization_merge_gradients(void *gradient, jitnorm_data_type_t data_type,
                                                                         jitnorm_dim_t all_rows, jitnorm_dim_t columns,
                                                                         int ranges, const jitnorm_dim_t *rows,
                                                                         const double *const *sums);

/* Adds the sums of one range to a running sum, which already has the sums of all rows before the range. It is for one
 * gradient, of scale or of shift. running has 2 * columns doubles: the totals of the parts that have ended, then the
 * sums of the part that has not ended. The caller sets them to zero before the first range. first_row and rows say
 * which rows the range has. sums points to what the primitive of this range wrote to DIFF_SCALE or DIFF_SHIFT (null if
 * there are no rows). After the last one of all_rows the first `columns` doubles of running are the gradient. The
 * caller rounds them to the compute type (f32, or f64 if data is f64), and then to a narrower type if wanted. Runs on
 * the calling thread.
 * invalid_arguments: a null pointer to something that has elements; a negative number; rows that are not among
 *   all_rows; rows that begin or end within a row block, also if there are 0 of them. */
JITNORM_API jitnorm_status_t jitnorm_layer_normalization_add_partial_gradients(double *running, jitnorm_dim_t all_rows,
                                                                               jitnorm_dim_t columns,
                                                                               jitnorm_dim_t first_row,
                                                                               jitnorm_dim_t rows, const double *sums);

/* The same for `count` of the columns, which are added as all columns of a row are: running has 2 * count doubles, and
 * sums has these columns of what the primitive wrote, as rows of `count` doubles.
 * invalid_arguments, also: count is negative or larger than columns. */
JITNORM_API jitnorm_status_t jitnorm_layer_normalization_add_partial_gradients_of_columns(
    double *running, jitnorm_dim_t all_rows, jitnorm_dim_t columns, jitnorm_dim_t first_row, jitnorm_dim_t rows,
    jitnorm_dim_t count, const double *sums);
/* Creates a primitive descriptor of the moments of some columns, which are the columns first_column,
 * first_column + 1, ... of rows that have all_columns columns; src_desc has these columns as its last dimension. The
 * primitive reads src and writes JITNORM_ARG_ROW_SUMS, a dense f64 tensor with the row dimensions of src and after
 * them 4 numbers for each chunk: the number of its elements, the mean, what the mean has beyond a double (0 unless src
 * is f64), and the sum of squared differences from the mean; with jitnorm_rms_norm the means are 0.
 * jitnorm_query_exec_arg_md returns its descriptor. flags: of all flags only jitnorm_rms_norm matters, and
 * jitnorm_use_scale, jitnorm_use_shift, jitnorm_scale_plus_one and jitnorm_use_global_stats are not allowed. attr may
 * be null. It may have a residual (jitnorm_primitive_attr_set_residual) with a gate, whose sum is then written, and a
 * scratchpad mode. Its epsilon and its descriptors of scale and shift are ignored. invalid_arguments: a null pointer;
 * one of the flags that are not allowed; scales, post-ops or outputs of dst; src without columns; columns that are not
 * among all_columns; columns that do not begin at a multiple of 4096; columns that end neither at such a multiple nor
 * at the end of all_columns. unimplemented: run-time sizes; data types and layouts that forward does not have; a
 * residual or a sum that is f64 while src is not; a gate with row dimensions. */
JITNORM_API jitnorm_status_t jitnorm_layer_normalization_partial_statistics_primitive_desc_create(
    jitnorm_primitive_desc_t *primitive_desc, jitnorm_engine_t engine, const_jitnorm_memory_desc_t src_desc,
    unsigned flags, jitnorm_dim_t first_column, jitnorm_dim_t all_columns, const_jitnorm_primitive_attr_t attr);

/* Computes the moments of rows from the moments of the chunks of all columns. data_type is the type of src. `ranges` is
 * the number of ranges, which are in the order of the columns. columns[i] is the number of columns of range i, and may
 * be 0. sums[i] points to what the primitive of range i wrote to JITNORM_ARG_ROW_SUMS (null for a range without
 * columns). Writes 4 doubles for each row to merged. Runs on the calling thread.
 * invalid_arguments: a null pointer to something that has elements; a negative number; columns that do not add up to
 *   all_columns; ranges that begin within a chunk; an unknown data_type. */
JITNORM_API jitnorm_status_t jitnorm_layer_normalization_merge_row_sums(double *merged, jitnorm_data_type_t data_type,
                                                                        jitnorm_dim_t rows, jitnorm_dim_t all_columns,
                                                                        int ranges, const jitnorm_dim_t *columns,
                                                                        const double *const *sums);

/* Creates a primitive descriptor of forward on some columns of rows that have all_columns columns. Arguments are as in
 * jitnorm_layer_normalization_forward_primitive_desc_create_v2; src, dst, scale, shift and what attributes add have
 * these columns. The primitive does not compute the moments of the rows but reads them: JITNORM_ARG_ROW_SUMS is an
 * input, a dense f64 tensor with the row dimensions of src and after them the 4 numbers that
 * jitnorm_layer_normalization_merge_row_sums wrote. With jitnorm_rms_norm the means are taken as 0, whatever they are.
 * With jitnorm_forward_training it writes the statistics of the whole rows.
 * invalid_arguments, also: jitnorm_use_global_stats; the same columns as above.
 * unimplemented, also: run-time sizes; a tensor that is f64 while src is not, except src1 of a post-op; scale, shift
 *   or a gate with row dimensions; dynamic scales of dst. */
JITNORM_API jitnorm_status_t jitnorm_layer_normalization_partial_forward_primitive_desc_create(
    jitnorm_primitive_desc_t *primitive_desc, jitnorm_engine_t engine, jitnorm_prop_kind_t prop_kind,
    const_jitnorm_memory_desc_t src_desc, const_jitnorm_memory_desc_t dst_desc, const_jitnorm_memory_desc_t stat_desc,
    jitnorm_data_type_t scale_shift_data_type, float epsilon, unsigned flags, jitnorm_dim_t first_column,
    jitnorm_dim_t all_columns, const_jitnorm_primitive_attr_t attr);

#ifdef __cplusplus
}
#endif

#endif
