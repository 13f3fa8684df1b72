/* SPDX-License-Identifier: Apache-2.0 */
/* jitnorm_memory.h: engines, streams, memory descriptors and memories. Included by jitnorm.h.
 *
 * Common to all functions: a null pointer where one is needed gives jitnorm_invalid_arguments, a failed allocation
 * jitnorm_out_of_memory; on any error the result is not written. What a *_create or *_clone function returns belongs to
 * the caller, who ends it with the *_destroy function; destroying NULL is fine and does nothing. */
#ifndef JITNORM_MEMORY_H
#define JITNORM_MEMORY_H

#include "jitnorm/jitnorm_types.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ---------------------------------------------------------------- engine: the device that computes */

/* The number of engines of a kind: 1 for jitnorm_cpu and jitnorm_any_engine, 0 for anything else. */
JITNORM_API size_t jitnorm_engine_get_count(jitnorm_engine_kind_t kind);

/* The CPU engine. There is one: every call answers the same handle, so objects made with it work together whatever call
 * they got it from, and it stays valid until the process ends.
 * invalid_arguments: engine is null, an unknown kind, an index that is not below jitnorm_engine_get_count(kind). */
JITNORM_API jitnorm_status_t jitnorm_engine_create(jitnorm_engine_t *engine, jitnorm_engine_kind_t kind, size_t index);

JITNORM_API jitnorm_status_t jitnorm_engine_get_kind(jitnorm_engine_t engine, jitnorm_engine_kind_t *kind);

JITNORM_API jitnorm_status_t jitnorm_engine_destroy(jitnorm_engine_t engine);

/* ---------------------------------------------------------------- stream: where executions are put */

/* flags: jitnorm_stream_in_order or jitnorm_stream_out_of_order. An execution on a CPU stream is complete when
 * jitnorm_primitive_execute returns, so both behave alike. Executions use OpenMP's threads, as many as
 * omp_get_max_threads() says on the executing thread; inside an OpenMP parallel region, and in a library built without
 * OpenMP, the executing thread alone.
 * invalid_arguments: a null pointer, flags that are neither of the two. */
JITNORM_API jitnorm_status_t jitnorm_stream_create(jitnorm_stream_t *stream, jitnorm_engine_t engine, unsigned flags);

/* A stream whose executions run on the caller's threads and start none of the library's. *pool is copied; what its
 * context points to belongs to the caller and must live until the last execution on the stream has returned. The pool
 * of a stream is that stream's alone: streams with different pools, and without, may be used side by side, and several
 * threads may execute on one stream at once if the pool's parallel_for may be called so. Results do not depend on the
 * pool. With a concurrency of 1 everything runs on the executing thread, and parallel_for may be null.
 * invalid_arguments: a null pointer, flags as above, a concurrency below 1, no parallel_for with one above 1. */
JITNORM_API jitnorm_status_t jitnorm_stream_create_with_thread_pool(jitnorm_stream_t *stream, jitnorm_engine_t engine,
                                                                    unsigned flags, const jitnorm_thread_pool_t *pool);

JITNORM_API jitnorm_status_t jitnorm_stream_get_engine(const_jitnorm_stream_t stream, jitnorm_engine_t *engine);

/* Returns when everything put on the stream has been done: on a CPU stream, at once. */
JITNORM_API jitnorm_status_t jitnorm_stream_wait(jitnorm_stream_t stream);

JITNORM_API jitnorm_status_t jitnorm_stream_destroy(jitnorm_stream_t stream);

/* ---------------------------------------------------------------- memory descriptor: type, shape and layout */

/* A tensor of ndims (0 to JITNORM_MAX_NDIMS) dimensions laid out as the tag says. dims are copied; a dimension may be 0
 * (the tensor has no elements). ndims 0 makes an empty descriptor and ignores the other arguments.
 * jitnorm_format_tag_any leaves the layout to the primitive descriptor it is given to. With a dimension of
 * JITNORM_RUNTIME_DIM_VAL, strides that depend on it are run-time strides.
 * invalid_arguments: ndims out of range, a negative dimension that is not JITNORM_RUNTIME_DIM_VAL, an unknown type or
 *   tag, jitnorm_format_tag_undef, a tag of another number of dimensions, a size that cannot be addressed. */
JITNORM_API jitnorm_status_t jitnorm_memory_desc_create_with_tag(jitnorm_memory_desc_t *memory_desc, int ndims,
                                                                 const jitnorm_dims_t dims,
                                                                 jitnorm_data_type_t data_type,
                                                                 jitnorm_format_tag_t tag);

/* The same with one stride per dimension, in elements: the element at index i of dimension d is i * strides[d] after
 * the one at index 0. strides null: row major without gaps. A stride of 0 makes all positions along its dimension one:
 * an input may be so, an output not (but for a dimension of size 1, whose stride is not looked at, and for a tensor
 * without elements, whose strides are not).
 * invalid_arguments: as above; a negative stride that is not JITNORM_RUNTIME_DIM_VAL; strides other than 0 that let two
 *   elements overlap, which with run-time dimensions or strides cannot be told and is not checked. */
JITNORM_API jitnorm_status_t jitnorm_memory_desc_create_with_strides(jitnorm_memory_desc_t *memory_desc, int ndims,
                                                                     const jitnorm_dims_t dims,
                                                                     jitnorm_data_type_t data_type,
                                                                     const jitnorm_dims_t strides);

/* One value that a memory holds itself (jitnorm_memory_create_host_scalar): one dimension of 1, no layout.
 * invalid_arguments: an unknown data type. */
JITNORM_API jitnorm_status_t jitnorm_memory_desc_create_host_scalar(jitnorm_memory_desc_t *memory_desc,
                                                                    jitnorm_data_type_t data_type);

/* The part of `parent` of dimensions dims whose first element is parent's at `offsets`, both of as many numbers as
 * parent has dimensions: the same strides, and further on from the data handle (jitnorm_query_submemory_offset_s64).
 * invalid_arguments: a layout that is not decided, run-time sizes, a negative number, a part that is not within parent.
 * unimplemented: a part that begins within an inner block, or ends within one before parent does. */
JITNORM_API jitnorm_status_t jitnorm_memory_desc_create_submemory(jitnorm_memory_desc_t *memory_desc,
                                                                  const_jitnorm_memory_desc_t parent,
                                                                  const jitnorm_dims_t dims,
                                                                  const jitnorm_dims_t offsets);

/* The same elements in the same order with other dimensions, ndims of them: dimensions of 1 may come and go, and
 * neighbours that follow each other in memory without gaps may be joined or split. An undecided layout stays so.
 * invalid_arguments: another number of elements, run-time sizes, dimensions for which no strides would do, joined or
 *   split ones with inner blocks or padding. */
JITNORM_API jitnorm_status_t jitnorm_memory_desc_reshape(jitnorm_memory_desc_t *memory_desc,
                                                         const_jitnorm_memory_desc_t existing, int ndims,
                                                         const jitnorm_dims_t dims);

/* Dimension d becomes dimension permutation[d], with its strides and blocks; no element moves.
 * invalid_arguments: the numbers, as many as there are dimensions, are no permutation of 0, 1, ... */
JITNORM_API jitnorm_status_t jitnorm_memory_desc_permute_axes(jitnorm_memory_desc_t *memory_desc,
                                                              const_jitnorm_memory_desc_t existing,
                                                              const int *permutation);

JITNORM_API jitnorm_status_t jitnorm_memory_desc_clone(jitnorm_memory_desc_t *memory_desc,
                                                       const_jitnorm_memory_desc_t existing);

/* Ends a descriptor the caller created. Descriptors that queries answer belong to their owner: not to be destroyed. */
JITNORM_API jitnorm_status_t jitnorm_memory_desc_destroy(jitnorm_memory_desc_t memory_desc);

/* Writes the property `what` to *result, whose type the comment at jitnorm_query_t gives: ndims_s32, dims, data_type,
 * submemory_offset_s64, padded_dims, padded_offsets, format_kind, strides, inner_nblks_s32, inner_blks, inner_idxs.
 * Arrays belong to the descriptor and have ndims (blocks: inner_nblks) elements. not_required: strides or blocks of a
 * descriptor whose layout is not decided yet; unimplemented: any other query. */
JITNORM_API jitnorm_status_t jitnorm_memory_desc_query(const_jitnorm_memory_desc_t memory_desc, jitnorm_query_t what,
                                                       void *result);

/* 1 when type, shape and layout are equal, else 0. Two null pointers are equal; null and an empty descriptor too. */
JITNORM_API int jitnorm_memory_desc_equal(const_jitnorm_memory_desc_t a, const_jitnorm_memory_desc_t b);

/* Bytes from the data handle to the end of the last element, padding and gaps included. 0 for null, for a tensor
 * without elements and for an undecided layout; JITNORM_RUNTIME_SIZE_VAL with run-time dimensions. */
JITNORM_API size_t jitnorm_memory_desc_get_size(const_jitnorm_memory_desc_t memory_desc);

/* The same of one of the memory's buffers. There is one, number 0; 0 for any other. */
JITNORM_API size_t jitnorm_memory_desc_get_size_v2(const_jitnorm_memory_desc_t memory_desc, int index);

/* Bytes of one element; 0 for jitnorm_data_type_undef and unknown values. */
JITNORM_API size_t jitnorm_data_type_size(jitnorm_data_type_t data_type);

/* ---------------------------------------------------------------- memory: a descriptor and where its data is */

/* handle: a pointer of the caller's, any alignment, jitnorm_memory_desc_get_size bytes, which must live as long as it
 * is used through the memory; JITNORM_MEMORY_ALLOCATE: the memory allocates that much itself, aligned to 64 bytes, not
 * initialized, freed with it; JITNORM_MEMORY_NONE: none yet, to be set by jitnorm_memory_set_data_handle. The
 * descriptor is copied; null means an empty one.
 * invalid_arguments: a null pointer, a descriptor with an undecided layout or run-time dimensions. */
JITNORM_API jitnorm_status_t jitnorm_memory_create(jitnorm_memory_t *memory, const_jitnorm_memory_desc_t memory_desc,
                                                   jitnorm_engine_t engine, void *handle);

/* The same with a list of handles, one for each buffer: nhandles is 1.
 * invalid_arguments: as above; another number of handles. */
JITNORM_API jitnorm_status_t jitnorm_memory_create_v2(jitnorm_memory_t *memory, const_jitnorm_memory_desc_t memory_desc,
                                                      jitnorm_engine_t engine, int nhandles, void **handles);

/* A memory that holds one value, a copy of *value, of a descriptor by jitnorm_memory_desc_create_host_scalar. It
 * belongs to no engine. No argument of a layer normalization is such a memory. invalid_arguments: a null pointer,
 * another descriptor. */
JITNORM_API jitnorm_status_t jitnorm_memory_create_host_scalar(jitnorm_memory_t *memory,
                                                               const_jitnorm_memory_desc_t memory_desc, void *value);
/* *value is of the descriptor's type, and copied.
 * invalid_arguments: a null pointer, a memory of another kind. */
JITNORM_API jitnorm_status_t jitnorm_memory_get_host_scalar_value(const_jitnorm_memory_t memory, void *value);
JITNORM_API jitnorm_status_t jitnorm_memory_set_host_scalar_value(jitnorm_memory_t memory, const void *value);

/* *memory_desc belongs to the memory and lives as long as it. */
JITNORM_API jitnorm_status_t jitnorm_memory_get_memory_desc(const_jitnorm_memory_t memory,
                                                            const_jitnorm_memory_desc_t *memory_desc);

/* *engine is null for a memory that holds its value itself. */
JITNORM_API jitnorm_status_t jitnorm_memory_get_engine(const_jitnorm_memory_t memory, jitnorm_engine_t *engine);

/* *handle is null where there is none (JITNORM_MEMORY_NONE, or allocated with a size of 0).
 * invalid_arguments: a null pointer, a memory that holds its value itself. The functions *_v2 do the same with a
 * buffer's index; there is one buffer, number 0, and any other index is invalid_arguments. */
JITNORM_API jitnorm_status_t jitnorm_memory_get_data_handle(const_jitnorm_memory_t memory, void **handle);
JITNORM_API jitnorm_status_t jitnorm_memory_get_data_handle_v2(const_jitnorm_memory_t memory, void **handle, int index);

/* From now on the data is at `handle` (null: none). An allocation of the memory's own is freed, unless handle points to
 * it. Not to be called while an execution that uses the memory is running. */
JITNORM_API jitnorm_status_t jitnorm_memory_set_data_handle(jitnorm_memory_t memory, void *handle);
JITNORM_API jitnorm_status_t jitnorm_memory_set_data_handle_v2(jitnorm_memory_t memory, void *handle, int index);

/* A pointer through which the host reads and writes the data until the unmap: on a CPU, the handle itself, or the value
 * that the memory holds; null for a memory of no bytes. */
JITNORM_API jitnorm_status_t jitnorm_memory_map_data(const_jitnorm_memory_t memory, void **mapped);
JITNORM_API jitnorm_status_t jitnorm_memory_map_data_v2(const_jitnorm_memory_t memory, void **mapped, int index);
JITNORM_API jitnorm_status_t jitnorm_memory_unmap_data(const_jitnorm_memory_t memory, void *mapped);
JITNORM_API jitnorm_status_t jitnorm_memory_unmap_data_v2(const_jitnorm_memory_t memory, void *mapped, int index);

JITNORM_API jitnorm_status_t jitnorm_memory_destroy(jitnorm_memory_t memory);

#ifdef __cplusplus
}
#endif

#endif
