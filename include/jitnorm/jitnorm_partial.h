/* SPDX-License-Identifier: Apache-2.0 */
/* jitnorm_partial.h: gradients of scale and shift over rows that several processes or calls share, with the bits that
 * they have when one call sees all rows. Included by jitnorm.h.
 *
 * The gradients are sums over rows, and the order in which rows are added depends on their number and length alone:
 * blocks of rows, parts of some blocks, all parts (docs/arithmetic.md). So
 *   1. rows are cut into ranges, each a whole number of row blocks long (the last one takes what is left):
 *      jitnorm_layer_normalization_row_block says how many rows a block has;
 *   2. each process runs backward on its rows, with a primitive that knows where they are among all rows and gives, in
 *      place of the gradients, the sums of the parts in these rows:
 *      jitnorm_layer_normalization_partial_backward_primitive_desc_create;
 *   3. the sums are added up in the order of the rows, in one of two ways:
 *      - a running sum goes from process to process, and each adds its own:
 *        jitnorm_layer_normalization_add_partial_gradients. Each sends 2 C doubles for each gradient, where C is the
 *        length of a row, whatever the number of rows and processes;
 *      - or all sums come together, and each process merges them for itself:
 *        jitnorm_layer_normalization_merge_gradients. That takes no turns, but for each gradient it is rows of C
 *        doubles: some 16 to 64 of them for all rows together, fewer for C above 16384 (then no more than 8 MiB) and
 *        for few rows; and for each range that begins in the middle of a part one for each block up to that part's end.
 * However rows are cut, the result has the bits of backward on all of them. A process cannot add up its parts before it
 * knows the sum of those that come before: additions in another order round differently. examples/mpi_layer_norm.c is a
 * complete program. */
#ifndef JITNORM_PARTIAL_H
#define JITNORM_PARTIAL_H

#include "jitnorm/jitnorm_types.h"

#ifdef __cplusplus
extern "C" {
#endif

/* How many rows belong together: a range begins at a multiple of *block_rows, which is 4 to 32 and, of 512 rows and
 * more, always 32. all_rows: of the whole problem. columns: the length of a row.
 * invalid_arguments: a null pointer, a negative number. */
JITNORM_API jitnorm_status_t jitnorm_layer_normalization_row_block(jitnorm_dim_t *block_rows, jitnorm_dim_t all_rows,
                                                                   jitnorm_dim_t columns);

/* jitnorm_backward on some rows: those that src_desc has are the rows first_row, first_row + 1, ... of all_rows, in
 * row-major order of the dimensions before the last. Arguments as in
 * jitnorm_layer_normalization_backward_primitive_desc_create_v2, but that DIFF_SCALE and DIFF_SHIFT, where flags ask
 * for them, are sums: dense f64 tensors of C columns and as many rows as jitnorm_query_diff_weights_md says, none for
 * no rows. DIFF_SRC is as without the other rows.
 * invalid_arguments, also: rows that are not among all_rows, that do not begin at a multiple of a row block, or end at
 *   none and not with all_rows either.
 * unimplemented, also: run-time sizes. */
JITNORM_API jitnorm_status_t jitnorm_layer_normalization_partial_backward_primitive_desc_create(
    jitnorm_primitive_desc_t *primitive_desc, jitnorm_engine_t engine, const_jitnorm_memory_desc_t diff_src_desc,
    const_jitnorm_memory_desc_t diff_dst_desc, const_jitnorm_memory_desc_t src_desc,
    const_jitnorm_memory_desc_t stat_desc, jitnorm_data_type_t scale_shift_data_type, float epsilon, unsigned flags,
    jitnorm_dim_t first_row, jitnorm_dim_t all_rows, const_jitnorm_primitive_attr_t attr);

/* One gradient, of scale or of shift, from the sums of all rows: `ranges` of them, in the order of the rows. rows[i] is
 * how many range i has, 0 among them, and sums[i] what a primitive of them wrote to DIFF_SCALE or DIFF_SHIFT (null
 * where there are no rows). Writes `columns` elements of data_type: f32, bf16, f16, or f64 where data is f64. Runs on
 * the calling thread.
 * invalid_arguments: a null pointer; a negative number; rows that do not add up to all_rows; ranges that do not begin
 *   at a multiple of a row block; another data_type. */
JITNORM_API jitnorm_status_t jitnorm_layer_normalization_merge_gradients(void *gradient, jitnorm_data_type_t data_type,
                                                                         jitnorm_dim_t all_rows, jitnorm_dim_t columns,
                                                                         int ranges, const jitnorm_dim_t *rows,
                                                                         const double *const *sums);

/* Adds the sums of one range to a running sum, which has those of all rows before it: one gradient, of scale or of
 * shift. running: 2 * columns doubles, zeros before the first range; the total of the parts that have ended, then the
 * part that has not. first_row, rows: the range; sums: what its primitive wrote to DIFF_SCALE or DIFF_SHIFT (null where
 * there are no rows). After the last of all_rows the first `columns` of running are the gradient, to be rounded to the
 * type that is computed in (f32, or f64 where data is f64), and then to a narrower one. Runs on the calling thread.
 * invalid_arguments: a null pointer; a negative number; rows that are not among all_rows, that do not begin at a
 *   multiple of a row block, or end at none and not with all_rows either. */
JITNORM_API jitnorm_status_t jitnorm_layer_normalization_add_partial_gradients(double *running, jitnorm_dim_t all_rows,
                                                                               jitnorm_dim_t columns,
                                                                               jitnorm_dim_t first_row,
                                                                               jitnorm_dim_t rows, const double *sums);

#ifdef __cplusplus
}
#endif

#endif
