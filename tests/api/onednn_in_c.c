/* SPDX-License-Identifier: Apache-2.0 */
/* oneDNN's names in C: every header by both of its paths, and a normalization. */
#include "dnnl.h"
#include "dnnl_config.h"
#include "dnnl_debug.h"
#include "dnnl_graph.h"
#include "dnnl_graph_types.h"
#include "dnnl_types.h"
#include "dnnl_version.h"
#include "oneapi/dnnl/dnnl.h"
#include "oneapi/dnnl/dnnl_common.h"
#include "oneapi/dnnl/dnnl_common_types.h"
#include "oneapi/dnnl/dnnl_config.h"
#include "oneapi/dnnl/dnnl_debug.h"
#include "oneapi/dnnl/dnnl_graph.h"
#include "oneapi/dnnl/dnnl_graph_types.h"
#include "oneapi/dnnl/dnnl_types.h"
#include "oneapi/dnnl/dnnl_version.h"

#include <stdio.h>

/* The numbers of tables/ by oneDNN's names. */
#define IS(value, number) _Static_assert((value) == (number), #value)
#define ELTWISE(name, number) IS(dnnl_eltwise_##name, number);
#include "../../tables/eltwise.inc"
#define BINARY(name, number) IS(dnnl_binary_##name, number);
#define OWN_BINARY(name, number)
#include "../../tables/binary.inc"
#define DATA_TYPE(name, number, ...) IS(dnnl_##name, number);
#include "../../tables/data_types.inc"
#define FLAG(name, number, letter) IS(dnnl_##name, number);
#define AFFINE_FLAG(...)
#define OWN_FLAG(...)
#include "../../tables/normalization_flags.inc"
IS(DNNL_ARG_ATTR_MULTIPLE_POST_OP(2), 98304);
#define FORMAT_TAG(name, number) IS(dnnl_##name, number);
#define FORMAT_TAG_ALIAS(name, tag) IS(dnnl_##name, dnnl_##tag);
#include "../../tables/format_tags.inc"

IS(dnnl_backward_weights, 192);
IS(dnnl_backward_bias, 193);
IS(dnnl_cpu_isa_avx10_2_512, 0x201ff);
IS(dnnl_cpu_isa_avx10_2_512_amx_2, 0x22fff);
IS(dnnl_query_num_handles_s32, 268);

#define CHECK(call)                                                                                                    \
    do {                                                                                                               \
        const dnnl_status_t status = (call);                                                                           \
        if (status != dnnl_success) {                                                                                  \
            fprintf(stderr, "%s: %s\n", #call, dnnl_status2str(status));                                               \
            return 1;                                                                                                  \
        }                                                                                                              \
    } while (0)

int main(void) {
    float data[2][4] = {{1, 2, 3, 4}, {5, 5, 5, 5}};
    const dnnl_dims_t dims = {2, 4};
    dnnl_engine_t engine;
    dnnl_stream_t stream;
    dnnl_memory_desc_t md;
    dnnl_memory_t memory;
    dnnl_primitive_attr_t attr;
    dnnl_post_ops_t ops;
    dnnl_alg_kind_t alg;
    const_dnnl_memory_desc_t src1, src2;
    int buffers;
    dnnl_primitive_desc_t desc;
    dnnl_primitive_t norm;
    CHECK(dnnl_engine_create(&engine, dnnl_cpu, 0));
    CHECK(dnnl_stream_create(&stream, engine, dnnl_stream_default_flags));
    CHECK(dnnl_memory_desc_create_with_tag(&md, 2, dims, dnnl_f32, dnnl_nc));
    CHECK(dnnl_memory_create(&memory, md, engine, data));
    CHECK(dnnl_primitive_attr_create(&attr));
    CHECK(dnnl_primitive_attr_set_fpmath_mode(attr, dnnl_fpmath_mode_any));
    CHECK(dnnl_memory_desc_query_v2(md, dnnl_query_num_handles_s32, 0, &buffers));
    CHECK(dnnl_post_ops_create(&ops));
    CHECK(dnnl_post_ops_append_binary_v2(ops, dnnl_binary_add, md, NULL));
    CHECK(dnnl_post_ops_get_params_binary_v2(ops, 0, &alg, &src1, &src2));
    CHECK(dnnl_post_ops_destroy(ops));
    printf("%d buffer, %s, %s, %s, %s, %s, %s\n", buffers, dnnl_alg_kind2str(alg),
           dnnl_fpmath_mode2str(dnnl_fpmath_mode_any), dnnl_accumulation_mode2str(dnnl_accumulation_mode_strict),
           dnnl_rounding_mode2str(dnnl_rounding_mode_environment),
           dnnl_quantization_mode2str(dnnl_quantization_mode_static_sazp),
           dnnl_cpu_isa_hints2str(dnnl_cpu_isa_no_hints));
    CHECK(dnnl_layer_normalization_forward_primitive_desc_create(&desc, engine, dnnl_forward_inference, md, md, NULL,
                                                                 1e-5f, dnnl_normalization_flags_none, attr));
    CHECK(dnnl_primitive_create(&norm, desc));
    const dnnl_exec_arg_t args[] = {{DNNL_ARG_SRC, memory}, {DNNL_ARG_DST, memory}};
    CHECK(dnnl_primitive_execute(norm, stream, 2, args));
    CHECK(dnnl_stream_wait(stream));
    CHECK(dnnl_primitive_destroy(norm));
    CHECK(dnnl_primitive_desc_destroy(desc));
    CHECK(dnnl_primitive_attr_destroy(attr));
    CHECK(dnnl_memory_destroy(memory));
    CHECK(dnnl_memory_desc_destroy(md));
    CHECK(dnnl_stream_destroy(stream));
    CHECK(dnnl_engine_destroy(engine));
    return data[0][0] < 0 && data[0][3] > 0 && data[1][2] == 0 && dnnl_version()->major == DNNL_VERSION_MAJOR ? 0 : 1;
}
