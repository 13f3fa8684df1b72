/* SPDX-License-Identifier: Apache-2.0 */
/* jitnorm_memory.h: engines, streams, memory descriptors and memories. Included by jitnorm.h.
 *
 * Errors: if a required pointer is null, a function returns jitnorm_invalid_arguments. If an allocation fails, it
 * returns jitnorm_out_of_memory. After any error the result has not been written.
 *
 * Ownership: what a *_create or *_clone function returns belongs to the caller, who destroys it with the matching
 * *_destroy function. Destroying NULL does nothing. */
#ifndef JITNORM_MEMORY_H
#define JITNORM_MEMORY_H

#include "jitnorm/jitnorm_types.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ---------------------------------------------------------------- engine: the device that computes */

/* Returns the number of engines of a kind: 1 for jitnorm_cpu and jitnorm_any_engine, 0 for anything else. */
JITNORM_API size_t jitnorm_engine_get_count(jitnorm_engine_kind_t kind);

/* Gives the CPU engine. There is one: every call gives the same handle, so objects that are made with different calls'
 * handles work together. The handle stays valid until the process ends, also after jitnorm_engine_destroy.
 * invalid_arguments: engine is null, an unknown kind, an index that is not below jitnorm_engine_get_count(kind). */
JITNORM_API jitnorm_status_t jitnorm_engine_create(jitnorm_engine_t *engine, jitnorm_engine_kind_t kind, size_t index);

JITNORM_API jitnorm_status_t jitnorm_engine_get_kind(jitnorm_engine_t engine, jitnorm_engine_kind_t *kind);

JITNORM_API jitnorm_status_t jitnorm_engine_destroy(jitnorm_engine_t engine);

/* ---------------------------------------------------------------- stream: where executions are put */

/* flags: jitnorm_stream_in_order or jitnorm_stream_out_of_order. Both behave alike, because an execution on a CPU
 * stream is complete when jitnorm_primitive_execute returns. Executions use OpenMP's threads, as many as
 * omp_get_max_threads() says on the executing thread, or as few as OpenMP gives. Inside an OpenMP parallel region of
 * several threads, and in a library that was built without OpenMP, only the executing thread works.
 * invalid_arguments: a null pointer, flags that are neither of the two. */
JITNORM_API jitnorm_status_t jitnorm_stream_create(jitnorm_stream_t *stream, jitnorm_engine_t engine, unsigned flags);

/* Creates a stream whose executions run on the caller's threads and start no threads of the library. *pool is copied.
 * What its context points to belongs to the caller and must live until the last execution on the stream has returned. A
 * stream's pool has no effect on other streams: streams with different pools and streams without a pool may be used at
 * the same time. Several threads may execute on one stream at once if the pool's parallel_for may be called by several
 * threads. Results do not depend on the pool. With a concurrency of 1 everything runs on the executing thread, and
 * parallel_for may be null.
 * invalid_arguments: a null pointer; flags as above; a concurrency below 1; a null parallel_for with a concurrency
 *   above 1. */
JITNORM_API jitnorm_status_t jitnorm_stream_create_with_thread_pool(jitnorm_stream_t *stream, jitnorm_engine_t engine,
                                                                    unsigned flags, const jitnorm_thread_pool_t *pool);

/* The same with the number of bytes that *pool has in the headers that the program was compiled with. Programs in C and
 * C++ need not call it: what they write as a call of the function above becomes a call of this one. The function above
 * reads the three members of version 0.2, which programs that were compiled then have. A pool of a later version, with
 * more members than this version knows, is accepted if they are all 0.
 * invalid_arguments: as above; pool_bytes is less than the three members have, or more than 4096.
 * unimplemented: a member that this version does not know is not 0. */
JITNORM_API jitnorm_status_t jitnorm_stream_create_with_thread_pool_of_size(jitnorm_stream_t *stream,
                                                                            jitnorm_engine_t engine, unsigned flags,
                                                                            const jitnorm_thread_pool_t *pool,
                                                                            size_t pool_bytes);
#define jitnorm_stream_create_with_thread_pool(stream, engine, flags, ...)                                             \
    jitnorm_stream_create_with_thread_pool_of_size(stream, engine, flags, __VA_ARGS__, sizeof(jitnorm_thread_pool_t))

JITNORM_API jitnorm_status_t jitnorm_stream_get_engine(const_jitnorm_stream_t stream, jitnorm_engine_t *engine);

/* Returns when all executions on the stream are complete: on a CPU stream, at once. */
JITNORM_API jitnorm_status_t jitnorm_stream_wait(jitnorm_stream_t stream);

JITNORM_API jitnorm_status_t jitnorm_stream_destroy(jitnorm_stream_t stream);

/* ---------------------------------------------------------------- memory descriptor: type, shape and layout */

/* Describes a tensor of ndims (0 to JITNORM_MAX_NDIMS) dimensions whose layout the tag says. dims are copied. A
 * dimension may be 0; then the tensor has no elements. ndims 0 makes an empty descriptor and ignores the other
 * arguments. With jitnorm_format_tag_any, the primitive descriptor for which the descriptor is used chooses the layout.
 * If a dimension is JITNORM_RUNTIME_DIM_VAL, the strides that depend on it are run-time strides.
 * invalid_arguments: ndims out of range; a negative dimension that is not JITNORM_RUNTIME_DIM_VAL; an unknown type or
 *   tag; jitnorm_format_tag_undef; a tag with another number of dimensions; a size that cannot be addressed. */
JITNORM_API jitnorm_status_t jitnorm_memory_desc_create_with_tag(jitnorm_memory_desc_t *memory_desc, int ndims,
                                                                 const jitnorm_dims_t dims,
                                                                 jitnorm_data_type_t data_type,
                                                                 jitnorm_format_tag_t tag);

/* Describes a tensor with one stride for each dimension, in elements: the element at index i of dimension d is i *
 * strides[d] elements after the one at index 0. If strides is null, the tensor is row major without gaps. A stride of 0
 * puts all indices of a dimension at one place in memory. Inputs may have such a stride, outputs may not. Exceptions
 * are dimensions of size 1 and tensors without elements, whose strides are ignored.
 * invalid_arguments: as for jitnorm_memory_desc_create_with_tag; a negative stride that is not JITNORM_RUNTIME_DIM_VAL;
 *   strides other than 0 with which two elements overlap. Elements may interleave: dimensions {2, 3} with strides
 *   {3, 2} are legal. The check is exact; strides for which it would take too long are refused, too, which takes
 *   three dimensions or more, of tens of thousands of indices, whose offsets interleave. With run-time dimensions or
 *   strides overlaps are not checked. */
JITNORM_API jitnorm_status_t jitnorm_memory_desc_create_with_strides(jitnorm_memory_desc_t *memory_desc, int ndims,
                                                                     const jitnorm_dims_t dims,
                                                                     jitnorm_data_type_t data_type,
                                                                     const jitnorm_dims_t strides);

/* Describes one value that a memory holds itself (jitnorm_memory_create_host_scalar): one dimension of size 1, no
 * layout.
 * invalid_arguments: an unknown data type. */
JITNORM_API jitnorm_status_t jitnorm_memory_desc_create_host_scalar(jitnorm_memory_desc_t *memory_desc,
                                                                    jitnorm_data_type_t data_type);

/* Describes a part of `parent`: the part has the dimensions `dims`, and its first element is parent's element at
 * `offsets`. dims and offsets have as many numbers as parent has dimensions. The part has parent's strides.
 * Its memories have parent's data handle; the part begins jitnorm_query_submemory_offset_s64 elements after it.
 * invalid_arguments: a layout that is not decided, run-time sizes, a negative number, a part that is not within parent.
 * unimplemented: a part that begins within an inner block, or ends within one before parent does. */
JITNORM_API jitnorm_status_t jitnorm_memory_desc_create_submemory(jitnorm_memory_desc_t *memory_desc,
                                                                  const_jitnorm_memory_desc_t parent,
                                                                  const jitnorm_dims_t dims,
                                                                  const jitnorm_dims_t offsets);

/* Describes the same elements in the same order with other dimensions, ndims of them. Dimensions of 1 may be added or
 * removed. Neighbouring dimensions that follow each other in memory without gaps may be joined; a dimension may be
 * split. Dimensions of 0 stay: what lies before, between and after them is joined and split separately, and must have
 * the same number of elements as before. An undecided layout stays undecided. invalid_arguments: ndims out of range (1
 * to JITNORM_MAX_NDIMS); another number of elements; run-time sizes; dimensions for which no strides exist; joined or
 * split dimensions with inner blocks or padding; a dimension of 0 that is joined, split, added or removed. */
JITNORM_API jitnorm_status_t jitnorm_memory_desc_reshape(jitnorm_memory_desc_t *memory_desc,
                                                         const_jitnorm_memory_desc_t existing, int ndims,
                                                         const jitnorm_dims_t dims);

/* Describes the same elements with permuted dimensions: dimension d becomes dimension permutation[d], with its strides
 * and blocks. No element moves. permutation has as many numbers as there are dimensions.
 * invalid_arguments: permutation is no permutation of 0, 1, ...; run-time sizes. */
JITNORM_API jitnorm_status_t jitnorm_memory_desc_permute_axes(jitnorm_memory_desc_t *memory_desc,
                                                              const_jitnorm_memory_desc_t existing,
                                                              const int *permutation);

JITNORM_API jitnorm_status_t jitnorm_memory_desc_clone(jitnorm_memory_desc_t *memory_desc,
                                                       const_jitnorm_memory_desc_t existing);

/* Destroys a descriptor that the caller created. Descriptors that queries return belong to the queried object; they
 * must not be destroyed. */
JITNORM_API jitnorm_status_t jitnorm_memory_desc_destroy(jitnorm_memory_desc_t memory_desc);

/* Writes the property `what` to *result, whose type the comment at jitnorm_query_t gives: ndims_s32, dims, data_type,
 * submemory_offset_s64, padded_dims, padded_offsets, format_kind, strides, inner_nblks_s32, inner_blks, inner_idxs,
 * num_handles_s32.
 * Arrays belong to the descriptor and have ndims elements (inner_blks and inner_idxs: inner_nblks elements).
 * not_required: strides or blocks of a descriptor whose layout is not decided.
 * unimplemented: any other query. */
JITNORM_API jitnorm_status_t jitnorm_memory_desc_query(const_jitnorm_memory_desc_t memory_desc, jitnorm_query_t what,
                                                       void *result);

/* The same for the buffer with the given index. There is one buffer, number 0; any other index is invalid_arguments. */
JITNORM_API jitnorm_status_t jitnorm_memory_desc_query_v2(const_jitnorm_memory_desc_t memory_desc, jitnorm_query_t what,
                                                          int index, void *result);

/* Returns 1 if type, shape and layout are equal, otherwise 0. Two null pointers are equal. A null pointer and an empty
 * descriptor are equal. */
JITNORM_API int jitnorm_memory_desc_equal(const_jitnorm_memory_desc_t a, const_jitnorm_memory_desc_t b);

/* Returns the number of bytes from the data handle to the end of the last element, with padding and gaps. It is 0 for
 * null, for a tensor without elements and for an undecided layout, and JITNORM_RUNTIME_SIZE_VAL with run-time
 * dimensions. */
JITNORM_API size_t jitnorm_memory_desc_get_size(const_jitnorm_memory_desc_t memory_desc);

/* Like jitnorm_memory_desc_get_size, for the memory's buffer with this index. There is one buffer, number 0. For any
 * other index the size is 0. */
JITNORM_API size_t jitnorm_memory_desc_get_size_v2(const_jitnorm_memory_desc_t memory_desc, int index);

/* Returns the bytes of one element; 0 for jitnorm_data_type_undef and unknown values. */
JITNORM_API size_t jitnorm_data_type_size(jitnorm_data_type_t data_type);

/* ---------------------------------------------------------------- memory: a descriptor and the place of its data */

/* Creates a memory. handle is one of these:
 *   - a pointer of the caller's, with any alignment, to jitnorm_memory_desc_get_size bytes. They must stay valid as
 *     long as they are used through the memory.
 *   - JITNORM_MEMORY_ALLOCATE: the memory allocates as many bytes itself, aligned to 64 bytes and not initialized, and
 *     frees them when it is destroyed.
 *   - JITNORM_MEMORY_NONE: the memory has no handle yet; jitnorm_memory_set_data_handle sets it.
 * The descriptor is copied. A null descriptor means an empty one.
 * invalid_arguments: a null pointer, a descriptor with an undecided layout or run-time dimensions. */
JITNORM_API jitnorm_status_t jitnorm_memory_create(jitnorm_memory_t *memory, const_jitnorm_memory_desc_t memory_desc,
                                                   jitnorm_engine_t engine, void *handle);

/* Like jitnorm_memory_create, with a list of handles, one for each buffer. There is one buffer, so nhandles must be 1.
 * invalid_arguments: as for jitnorm_memory_create; another number of handles. */
JITNORM_API jitnorm_status_t jitnorm_memory_create_v2(jitnorm_memory_t *memory, const_jitnorm_memory_desc_t memory_desc,
                                                      jitnorm_engine_t engine, int nhandles, void **handles);

/* Creates a memory that holds one value, a copy of *value. Its descriptor must be one of
 * jitnorm_memory_desc_create_host_scalar. The memory belongs to no engine. No argument of a layer normalization is such
 * a memory.
 * invalid_arguments: a null pointer, another descriptor. */
JITNORM_API jitnorm_status_t jitnorm_memory_create_host_scalar(jitnorm_memory_t *memory,
                                                               const_jitnorm_memory_desc_t memory_desc, void *value);
/* Copy the memory's value to or from *value, which has the descriptor's type.
 * invalid_arguments: a null pointer, a memory of another kind. */
JITNORM_API jitnorm_status_t jitnorm_memory_get_host_scalar_value(const_jitnorm_memory_t memory, void *value);
JITNORM_API jitnorm_status_t jitnorm_memory_set_host_scalar_value(jitnorm_memory_t memory, const void *value);

/* *memory_desc belongs to memory and lives as long as memory. */
JITNORM_API jitnorm_status_t jitnorm_memory_get_memory_desc(const_jitnorm_memory_t memory,
                                                            const_jitnorm_memory_desc_t *memory_desc);

/* *engine is null for a memory that holds its value itself. */
JITNORM_API jitnorm_status_t jitnorm_memory_get_engine(const_jitnorm_memory_t memory, jitnorm_engine_t *engine);

/* *handle becomes null if the memory has none: JITNORM_MEMORY_NONE, allocated with a size of 0, or a memory that holds
 * its value itself.
 * invalid_arguments: a null pointer.
 *
 * The functions *_v2 do the same for the buffer with the given index. There is one buffer, number 0; any other index is
 * invalid_arguments. */
JITNORM_API jitnorm_status_t jitnorm_memory_get_data_handle(const_jitnorm_memory_t memory, void **handle);
JITNORM_API jitnorm_status_t jitnorm_memory_get_data_handle_v2(const_jitnorm_memory_t memory, void **handle, int index);

/* Sets the place of the data to `handle` (null: none). If the memory has allocated its own bytes, they are freed,
 * unless handle points to them. Must not be called while an execution that uses the memory is running.
 * invalid_arguments: a null memory, or one that holds its value itself. */
JITNORM_API jitnorm_status_t jitnorm_memory_set_data_handle(jitnorm_memory_t memory, void *handle);
JITNORM_API jitnorm_status_t jitnorm_memory_set_data_handle_v2(jitnorm_memory_t memory, void *handle, int index);

/* Gives a pointer through which the caller reads and writes the data until the unmap. On a CPU it is the handle itself,
 * or points to the value that the memory holds. It is null for a memory of 0 bytes. */
JITNORM_API jitnorm_status_t jitnorm_memory_map_data(const_jitnorm_memory_t memory, void **mapped);
JITNORM_API jitnorm_status_t jitnorm_memory_map_data_v2(const_jitnorm_memory_t memory, void **mapped, int index);
JITNORM_API jitnorm_status_t jitnorm_memory_unmap_data(const_jitnorm_memory_t memory, void *mapped);
JITNORM_API jitnorm_status_t jitnorm_memory_unmap_data_v2(const_jitnorm_memory_t memory, void *mapped, int index);

JITNORM_API jitnorm_status_t jitnorm_memory_destroy(jitnorm_memory_t memory);

#ifdef __cplusplus
}
#endif

#endif
