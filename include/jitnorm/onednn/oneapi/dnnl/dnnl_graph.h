/* SPDX-License-Identifier: Apache-2.0 */
/* dnnl_graph.h: oneDNN Graph's C interface for layer normalization. Each name is jitnorm's with another prefix.
 * docs/porting.md lists the names. */
#ifndef JITNORM_ONEDNN_GRAPH_H
#define JITNORM_ONEDNN_GRAPH_H

#include "dnnl_common.h"
#include "dnnl_graph_types.h"
#include "jitnorm/jitnorm_graph.h"

/* What compiling a partition makes again and again is kept with what making a primitive does: both have one capacity.
 */
#define dnnl_graph_get_compiled_partition_cache_capacity jitnorm_get_primitive_cache_capacity
#define dnnl_graph_set_compiled_partition_cache_capacity jitnorm_set_primitive_cache_capacity

/* Allocators are accepted and not called: an execution allocates nothing, unless its thread's scratchpad has to grow.
 */
static inline dnnl_status_t dnnl_graph_allocator_create(dnnl_graph_allocator_t *allocator,
                                                        dnnl_graph_host_allocate_f host_malloc,
                                                        dnnl_graph_host_deallocate_f host_free) {
    static struct dnnl_graph_allocator any = {0};
    (void)host_malloc;
    (void)host_free;
    if (allocator == NULL) return dnnl_invalid_arguments;
    *allocator = &any;
    return dnnl_success;
}
static inline dnnl_status_t dnnl_graph_allocator_destroy(dnnl_graph_allocator_t allocator) {
    (void)allocator;
    return dnnl_success;
}
static inline dnnl_status_t dnnl_graph_make_engine_with_allocator(dnnl_engine_t *engine, dnnl_engine_kind_t kind,
                                                                  size_t index, const_dnnl_graph_allocator_t alloc) {
    return alloc == NULL ? dnnl_invalid_arguments : dnnl_engine_create(engine, kind, index);
}

/* No constant tensor is cached: the settings are checked, and the getters answer 0. */
static inline dnnl_status_t dnnl_graph_set_constant_tensor_cache(int flag) {
    return flag < 0 ? dnnl_invalid_arguments : dnnl_success;
}
static inline dnnl_status_t dnnl_graph_get_constant_tensor_cache(int *flag) {
    if (flag == NULL) return dnnl_invalid_arguments;
    *flag = 0;
    return dnnl_success;
}
static inline dnnl_status_t dnnl_graph_set_constant_tensor_cache_capacity(dnnl_engine_kind_t eng_kind, size_t size) {
    (void)size;
    return dnnl_engine_get_count(eng_kind) == 0 ? dnnl_invalid_arguments : dnnl_success;
}
static inline dnnl_status_t dnnl_graph_get_constant_tensor_cache_capacity(dnnl_engine_kind_t eng_kind, size_t *size) {
    if (size == NULL || dnnl_engine_get_count(eng_kind) == 0) return dnnl_invalid_arguments;
    *size = 0;
    return dnnl_success;
}

/* As a oneDNN that was built without dumps of graphs: invalid_arguments if any graph is to be written. */
static inline dnnl_status_t dnnl_graph_set_dump_mode(dnnl_graph_dump_mode_t modes) {
    return modes == dnnl_graph_dump_mode_none ? dnnl_success : dnnl_invalid_arguments;
}

#endif
