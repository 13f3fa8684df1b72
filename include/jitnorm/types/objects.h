/* SPDX-License-Identifier: Apache-2.0 */
/* objects.h: the handles, all opaque, and what engines, streams and memories are made with. Included by
 * jitnorm_types.h. */
#ifndef JITNORM_TYPES_OBJECTS_H
#define JITNORM_TYPES_OBJECTS_H

#include <stddef.h>

#include "status.h"

#ifdef __cplusplus
extern "C" {
#endif

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

#ifdef __cplusplus
}
#endif

#endif
