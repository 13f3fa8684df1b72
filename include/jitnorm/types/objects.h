/* SPDX-License-Identifier: Apache-2.0 */
/* objects.h: the handles, which are all opaque, and the kinds, flags and thread pools from which engines, streams and
 * memories are made. Included by jitnorm_types.h. */
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

/* A pool of the caller's threads, which executions use instead of the library's threads.
 *
 * parallel_for calls body(argument, index) once for each index = 0 .. count - 1, and returns when all these calls have
 * returned. The calls may run in any order, on any threads, also on the calling thread, several at once or one after
 * the other, because no call waits for another. When parallel_for returns, the caller must see what the bodies have
 * written. The bodies must see what the caller has written before. parallel_for must not throw.
 *
 * The library calls parallel_for only during an execution, on the thread that executes. One execution may
 * call it several times, one after the other, with a count of 2 or more, but never from within a body. Small work is
 * done on the executing thread without a call. If that thread is itself one of the pool's, parallel_for must not wait
 * for threads that wait for it; it may always run some or all bodies on the calling thread.
 *
 * Later versions may add members at the end, for which 0 means that nothing is asked for: set them all, as initializers
 * in braces do. */
typedef struct {
    void (*parallel_for)(void *context, int count, void (*body)(void *argument, int index), void *argument);
    void *context;   /* passed to parallel_for */
    int concurrency; /* how many bodies may run at once, on the executing thread too: 1 or more */
} jitnorm_thread_pool_t;

/* Values for the handle of jitnorm_memory_create: no handle yet; the library allocates the bytes. */
#define JITNORM_MEMORY_NONE (NULL)
#define JITNORM_MEMORY_ALLOCATE ((void *)(size_t)-1)

#ifdef __cplusplus
}
#endif

#endif
