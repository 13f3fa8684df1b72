/* SPDX-License-Identifier: Apache-2.0 */
/* status.h: the statuses that functions return, and the macros of all declarations. Included by jitnorm_types.h. */
#ifndef JITNORM_TYPES_STATUS_H
#define JITNORM_TYPES_STATUS_H

/* Marks the functions that the shared library exports. All others are hidden. */
#if defined(__GNUC__) || defined(__clang__)
#define JITNORM_API __attribute__((visibility("default")))
#else
#define JITNORM_API
#endif

/* Gives enumerations the underlying type int in C++, so that they may have any value of an int, as in C. A wrong value,
 * or one of a newer version, then reaches the library unchanged and is refused there. */
#ifdef __cplusplus
#define JITNORM_INT : int
#else
#define JITNORM_INT
#endif

/* The status that every function that can fail returns. Unless it is success, no output has been written. */
typedef enum JITNORM_INT {
    jitnorm_success = 0,
    jitnorm_out_of_memory = 1,     /* an allocation failed */
    jitnorm_invalid_arguments = 2, /* the request has no meaning: a null pointer, inconsistent shapes, unknown flags */
    jitnorm_unimplemented = 3,     /* the request is legal but not implemented */
    jitnorm_last_impl_reached = 4, /* next_impl: there is no further implementation */
    jitnorm_runtime_error = 5,     /* the system refused something (a mapping, a thread) */
    jitnorm_not_required = 6,      /* the descriptor does not have the queried property */
    jitnorm_invalid_graph = 7,
    jitnorm_invalid_graph_op = 8,
    jitnorm_invalid_shape = 9,
    jitnorm_invalid_data_type = 10
} jitnorm_status_t;

#endif
