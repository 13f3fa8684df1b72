/* SPDX-License-Identifier: Apache-2.0 */
/* A plain C program that needs every public function from libjitnorm.so: it does not link if one is missing, and
 * names_every_function checks that none of the headers' is forgotten here. */
#include "jitnorm/jitnorm.h"

#include <stdio.h>

typedef void (*function)(void);

static const function functions[] = {
    (function)jitnorm_alg_kind2str,
    (function)jitnorm_cpu_isa2str,
    (function)jitnorm_data_type_size,
    (function)jitnorm_dt2str,
    (function)jitnorm_engine_create,
    (function)jitnorm_engine_destroy,
    (function)jitnorm_engine_get_count,
    (function)jitnorm_engine_get_kind,
    (function)jitnorm_engine_kind2str,
    (function)jitnorm_fmt_kind2str,
    (function)jitnorm_fmt_tag2str,
    (function)jitnorm_get_effective_cpu_isa,
    (function)jitnorm_get_primitive_cache_capacity,
    (function)jitnorm_layer_normalization_backward_primitive_desc_create,
    (function)jitnorm_layer_normalization_backward_primitive_desc_create_v2,
    (function)jitnorm_layer_normalization_forward_primitive_desc_create,
    (function)jitnorm_layer_normalization_forward_primitive_desc_create_v2,
    (function)jitnorm_memory_create,
    (function)jitnorm_memory_desc_clone,
    (function)jitnorm_memory_desc_create_with_strides,
    (function)jitnorm_memory_desc_create_with_tag,
    (function)jitnorm_memory_desc_destroy,
    (function)jitnorm_memory_desc_equal,
    (function)jitnorm_memory_desc_get_size,
    (function)jitnorm_memory_desc_query,
    (function)jitnorm_memory_destroy,
    (function)jitnorm_memory_get_data_handle,
    (function)jitnorm_memory_get_engine,
    (function)jitnorm_memory_get_memory_desc,
    (function)jitnorm_memory_map_data,
    (function)jitnorm_memory_set_data_handle,
    (function)jitnorm_memory_unmap_data,
    (function)jitnorm_post_ops_append_binary,
    (function)jitnorm_post_ops_append_eltwise,
    (function)jitnorm_post_ops_append_sum,
    (function)jitnorm_post_ops_clone,
    (function)jitnorm_post_ops_create,
    (function)jitnorm_post_ops_destroy,
    (function)jitnorm_post_ops_get_kind,
    (function)jitnorm_post_ops_get_params_binary,
    (function)jitnorm_post_ops_get_params_eltwise,
    (function)jitnorm_post_ops_get_params_sum,
    (function)jitnorm_post_ops_len,
    (function)jitnorm_prim_kind2str,
    (function)jitnorm_primitive_attr_clone,
    (function)jitnorm_primitive_attr_create,
    (function)jitnorm_primitive_attr_destroy,
    (function)jitnorm_primitive_attr_get_post_ops,
    (function)jitnorm_primitive_attr_get_scratchpad_mode,
    (function)jitnorm_primitive_attr_set_post_ops,
    (function)jitnorm_primitive_attr_set_scales_mask,
    (function)jitnorm_primitive_attr_set_scratchpad_mode,
    (function)jitnorm_primitive_create,
    (function)jitnorm_primitive_desc_clone,
    (function)jitnorm_primitive_desc_destroy,
    (function)jitnorm_primitive_desc_get_attr,
    (function)jitnorm_primitive_desc_next_impl,
    (function)jitnorm_primitive_desc_query,
    (function)jitnorm_primitive_desc_query_md,
    (function)jitnorm_primitive_desc_query_s32,
    (function)jitnorm_primitive_destroy,
    (function)jitnorm_primitive_execute,
    (function)jitnorm_primitive_get_primitive_desc,
    (function)jitnorm_prop_kind2str,
    (function)jitnorm_runtime2str,
    (function)jitnorm_scratchpad_mode2str,
    (function)jitnorm_set_max_cpu_isa,
    (function)jitnorm_set_primitive_cache_capacity,
    (function)jitnorm_set_verbose,
    (function)jitnorm_status2str,
    (function)jitnorm_stream_create,
    (function)jitnorm_stream_create_with_thread_pool,
    (function)jitnorm_stream_destroy,
    (function)jitnorm_stream_get_engine,
    (function)jitnorm_stream_wait,
    (function)jitnorm_version,
};

int main(void) {
    const jitnorm_version_t *version = jitnorm_version();
    if (version->major != JITNORM_VERSION_MAJOR || version->minor != JITNORM_VERSION_MINOR) {
        fprintf(stderr, "headers of %d.%d, library of %d.%d\n", JITNORM_VERSION_MAJOR, JITNORM_VERSION_MINOR,
                version->major, version->minor);
        return 1;
    }
    for (size_t i = 0; i < sizeof functions / sizeof *functions; ++i)
        if (functions[i] == NULL) return 1;
    printf("%zu functions\n", sizeof functions / sizeof *functions);
    return 0;
}
