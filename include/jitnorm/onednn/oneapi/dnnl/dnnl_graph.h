/* SPDX-License-Identifier: Apache-2.0 */
/* dnnl_graph.h: oneDNN Graph's C interface for layer normalization. Each name is jitnorm's with another prefix.
 * docs/porting.md lists the names. */
#ifndef JITNORM_ONEDNN_GRAPH_H
#define JITNORM_ONEDNN_GRAPH_H

#include "dnnl_common.h"
#include "dnnl_graph_types.h"
#include "jitnorm/jitnorm_graph.h"

#define dnnl_graph_logical_tensor_init jitnorm_graph_logical_tensor_init
#define dnnl_graph_logical_tensor_init_with_dims jitnorm_graph_logical_tensor_init_with_dims
#define dnnl_graph_logical_tensor_init_with_strides jitnorm_graph_logical_tensor_init_with_strides
#define dnnl_graph_logical_tensor_get_mem_size jitnorm_graph_logical_tensor_get_mem_size
#define dnnl_graph_logical_tensor_is_equal jitnorm_graph_logical_tensor_is_equal
#define dnnl_graph_op_create jitnorm_graph_op_create
#define dnnl_graph_op_destroy jitnorm_graph_op_destroy
#define dnnl_graph_op_add_input jitnorm_graph_op_add_input
#define dnnl_graph_op_add_output jitnorm_graph_op_add_output
#define dnnl_graph_op_set_attr_f32 jitnorm_graph_op_set_attr_f32
#define dnnl_graph_op_set_attr_bool jitnorm_graph_op_set_attr_bool
#define dnnl_graph_op_set_attr_s64 jitnorm_graph_op_set_attr_s64
#define dnnl_graph_op_set_attr_str jitnorm_graph_op_set_attr_str
#define dnnl_graph_op_get_id jitnorm_graph_op_get_id
#define dnnl_graph_op_get_kind jitnorm_graph_op_get_kind
#define dnnl_graph_graph_create jitnorm_graph_graph_create
#define dnnl_graph_graph_create_with_fpmath_mode jitnorm_graph_graph_create_with_fpmath_mode
#define dnnl_graph_graph_destroy jitnorm_graph_graph_destroy
#define dnnl_graph_graph_set_fpmath_mode jitnorm_graph_graph_set_fpmath_mode
#define dnnl_graph_graph_get_fpmath_mode jitnorm_graph_graph_get_fpmath_mode
#define dnnl_graph_add_op jitnorm_graph_add_op
#define dnnl_graph_graph_finalize jitnorm_graph_graph_finalize
#define dnnl_graph_graph_is_finalized jitnorm_graph_graph_is_finalized
#define dnnl_graph_graph_filter jitnorm_graph_graph_filter
#define dnnl_graph_graph_get_partition_num jitnorm_graph_graph_get_partition_num
#define dnnl_graph_graph_get_partitions jitnorm_graph_graph_get_partitions
#define dnnl_graph_partition_create_with_op jitnorm_graph_partition_create_with_op
#define dnnl_graph_partition_destroy jitnorm_graph_partition_destroy
#define dnnl_graph_partition_get_op_num jitnorm_graph_partition_get_op_num
#define dnnl_graph_partition_get_ops jitnorm_graph_partition_get_ops
#define dnnl_graph_partition_get_id jitnorm_graph_partition_get_id
#define dnnl_graph_partition_get_engine_kind jitnorm_graph_partition_get_engine_kind
#define dnnl_graph_partition_is_supported jitnorm_graph_partition_is_supported
#define dnnl_graph_partition_get_input_ports_num jitnorm_graph_partition_get_input_ports_num
#define dnnl_graph_partition_get_input_ports jitnorm_graph_partition_get_input_ports
#define dnnl_graph_partition_get_output_ports_num jitnorm_graph_partition_get_output_ports_num
#define dnnl_graph_partition_get_output_ports jitnorm_graph_partition_get_output_ports
#define dnnl_graph_partition_compile jitnorm_graph_partition_compile
#define dnnl_graph_compiled_partition_create jitnorm_graph_compiled_partition_create
#define dnnl_graph_compiled_partition_destroy jitnorm_graph_compiled_partition_destroy
#define dnnl_graph_compiled_partition_execute jitnorm_graph_compiled_partition_execute
#define dnnl_graph_compiled_partition_execute_v2 jitnorm_graph_compiled_partition_execute_v2
#define dnnl_graph_compiled_partition_get_scratchpad_logical_tensor                                                    \
    jitnorm_graph_compiled_partition_get_scratchpad_logical_tensor
#define dnnl_graph_compiled_partition_query_logical_tensor jitnorm_graph_compiled_partition_query_logical_tensor
#define dnnl_graph_compiled_partition_get_inplace_ports jitnorm_graph_compiled_partition_get_inplace_ports
#define dnnl_graph_tensor_create jitnorm_graph_tensor_create
#define dnnl_graph_tensor_create_scalar jitnorm_graph_tensor_create_scalar
#define dnnl_graph_tensor_destroy jitnorm_graph_tensor_destroy
#define dnnl_graph_tensor_get_data_handle jitnorm_graph_tensor_get_data_handle
#define dnnl_graph_tensor_set_data_handle jitnorm_graph_tensor_set_data_handle
#define dnnl_graph_tensor_get_engine jitnorm_graph_tensor_get_engine
#define dnnl_graph_tensor_get_logical_tensor jitnorm_graph_tensor_get_logical_tensor

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
