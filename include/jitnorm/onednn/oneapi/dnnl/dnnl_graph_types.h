/* SPDX-License-Identifier: Apache-2.0 */
/* dnnl_graph_types.h: oneDNN Graph's names of the types and values in jitnorm_graph_types.h. */
#ifndef JITNORM_ONEDNN_GRAPH_TYPES_H
#define JITNORM_ONEDNN_GRAPH_TYPES_H

#include "dnnl_types.h"
#include "jitnorm/jitnorm_graph_types.h"

/* What only oneDNN has. The functions of dnnl_graph.h take it and make no use of it. */

typedef void *(*dnnl_graph_host_allocate_f)(size_t size, size_t alignment);
typedef void (*dnnl_graph_host_deallocate_f)(void *);
struct dnnl_graph_allocator {
    char nothing;
};
typedef struct dnnl_graph_allocator *dnnl_graph_allocator_t;
typedef const struct dnnl_graph_allocator *const_dnnl_graph_allocator_t;

/* Which graphs are written to files: this library writes none. */
typedef enum {
    dnnl_graph_dump_mode_none = 0x0,
    dnnl_graph_dump_mode_subgraph = 0x1,
    dnnl_graph_dump_mode_graph = 0x2
} dnnl_graph_dump_mode_t;

#endif
