/* SPDX-License-Identifier: Apache-2.0 */
/* queries.h: the properties of descriptors that can be queried. Included by jitnorm_types.h. */
#ifndef JITNORM_TYPES_QUERIES_H
#define JITNORM_TYPES_QUERIES_H

#include "status.h"

/* Properties of a primitive descriptor or a memory descriptor. Comments give the type that the result pointer points
 * to. */
typedef enum JITNORM_INT {
    jitnorm_query_undef = 0,
    jitnorm_query_engine = 1,                  /* jitnorm_engine_t */
    jitnorm_query_primitive_kind = 2,          /* jitnorm_primitive_kind_t */
    jitnorm_query_num_of_inputs_s32 = 3,       /* int; scales do not count */
    jitnorm_query_num_of_outputs_s32 = 4,      /* int; the scratchpad does not count */
    jitnorm_query_time_estimate_f64 = 5,       /* double; 0: not estimated */
    jitnorm_query_memory_consumption_s64 = 6,  /* int64_t: bytes of the library's scratchpad;
                                                  JITNORM_RUNTIME_DIM_VAL: known at execution only */
    jitnorm_query_scratchpad_engine = 7,       /* jitnorm_engine_t */
    jitnorm_query_impl_info_str = 8,           /* const char *, owned by the library */
    jitnorm_query_prop_kind = 11,              /* jitnorm_prop_kind_t */
    jitnorm_query_cache_blob_id_size_s64 = 12, /* int64_t: 0, there is no blob */
    jitnorm_query_cache_blob_id = 13,          /* const uint8_t *: null */
    jitnorm_query_epsilon_f32 = 18,            /* float */
    jitnorm_query_flags = 19,                  /* unsigned */

    /* memory descriptors of a primitive: const_jitnorm_memory_desc_t, owned by the primitive descriptor */
    jitnorm_query_some_md = 128,
    jitnorm_query_src_md = 129,
    jitnorm_query_diff_src_md = 130,
    jitnorm_query_weights_md = 131, /* scale and shift */
    jitnorm_query_diff_weights_md = 132,
    jitnorm_query_dst_md = 133,
    jitnorm_query_diff_dst_md = 134,
    jitnorm_query_workspace_md = 135,
    jitnorm_query_scratchpad_md = 136,
    jitnorm_query_exec_arg_md = 255, /* index is JITNORM_ARG_* */

    /* properties of a memory descriptor */
    jitnorm_query_ndims_s32 = 256,            /* int */
    jitnorm_query_dims = 257,                 /* const jitnorm_dim_t *, owned by the descriptor */
    jitnorm_query_data_type = 258,            /* jitnorm_data_type_t */
    jitnorm_query_submemory_offset_s64 = 259, /* int64_t, in elements */
    jitnorm_query_padded_dims = 260,          /* const jitnorm_dim_t * */
    jitnorm_query_padded_offsets = 261,       /* const jitnorm_dim_t *: zeros, there is no padding before the data */
    jitnorm_query_format_kind = 262,          /* jitnorm_format_kind_t */
    jitnorm_query_strides = 14,               /* const jitnorm_dim_t *: between outer blocks, in elements */
    jitnorm_query_inner_nblks_s32 = 263,      /* int */
    jitnorm_query_inner_blks = 264,           /* const jitnorm_dim_t * */
    jitnorm_query_inner_idxs = 265,           /* const jitnorm_dim_t * */
    jitnorm_query_num_handles_s32 = 268       /* int: the number of buffers, 1 */
} jitnorm_query_t;

#endif
