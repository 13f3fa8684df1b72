/* SPDX-License-Identifier: Apache-2.0 */
/* status.h: what functions return, and what every declaration of the interface is made with. Included by
 * jitnorm_types.h. */
#ifndef JITNORM_TYPES_STATUS_H
#define JITNORM_TYPES_STATUS_H

/* Marks what the shared library exports; everything else in it is hidden. */
#if defined(__GNUC__) || defined(__clang__)
#define JITNORM_API __attribute__((visibility("default")))
#else
#define JITNORM_API
#endif

/* In C++ every int is a value of these enumerations, as in C: a value that a newer version has, or a mistake, arrives
 * at the library as it is and is refused there. */
#ifdef __cplusplus
#define JITNORM_INT : int
#else
#define JITNORM_INT
#endif

/* What every function that can fail returns. On anything but success no output was written. */
typedef enum JITNORM_INT {
    jitnorm_success = 0,
    jitnorm_out_of_memory = 1,     /* an allocation failed */
    jitnorm_invalid_arguments = 2, /* the request has no meaning: a null pointer, inconsistent shapes, unknown flags */
    jitnorm_unimplemented = 3,     /* the request is legal but not implemented */
    jitnorm_last_impl_reached = 4, /* next_impl: the list of implementations is exhausted */
    jitnorm_runtime_error = 5,     /* the system refused something (a mapping, a thread) */
    jitnorm_not_required = 6,      /* the queried entity does not exist for this primitive descriptor */
    jitnorm_invalid_graph = 7,
    jitnorm_invalid_graph_op = 8,
    jitnorm_invalid_shape = 9,
    jitnorm_invalid_data_type = 10
} jitnorm_status_t;

#endif
