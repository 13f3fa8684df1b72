/* SPDX-License-Identifier: Apache-2.0 */
#include <jitnorm/jitnorm.h>
#include <stdio.h>
#include <stdlib.h>

static void check(jitnorm_status_t status) {
    if (status == jitnorm_success) return;
    fprintf(stderr, "%s: %s\n", jitnorm_status2str(status), jitnorm_get_last_error());
    exit(1);
}

int main(void) {
    float src[2][4] = {{1, 2, 3, 4}, {10, 20, 30, 40}}, dst[2][4];
    const jitnorm_dims_t dims = {2, 4};
    jitnorm_engine_t engine;
    jitnorm_stream_t stream;
    jitnorm_memory_desc_t rows;
    jitnorm_primitive_desc_t desc;
    jitnorm_primitive_t layer_norm;
    jitnorm_memory_t from, to;
    check(jitnorm_engine_create(&engine, jitnorm_cpu, 0));
    check(jitnorm_stream_create(&stream, engine, jitnorm_stream_default_flags));
    check(jitnorm_memory_desc_create_with_tag(&rows, 2, dims, jitnorm_f32, jitnorm_ab));
    check(jitnorm_layer_normalization_forward_primitive_desc_create(
        &desc, engine, jitnorm_forward_inference, rows, rows, NULL, 1e-5f, jitnorm_normalization_flags_none, NULL));
    check(jitnorm_primitive_create(&layer_norm, desc));
    check(jitnorm_memory_create(&from, rows, engine, src));
    check(jitnorm_memory_create(&to, rows, engine, dst));
    const jitnorm_exec_arg_t args[] = {{JITNORM_ARG_SRC, from}, {JITNORM_ARG_DST, to}};
    check(jitnorm_primitive_execute(layer_norm, stream, 2, args));
    for (int i = 0; i < 2; ++i) printf("%6.3f %6.3f %6.3f %6.3f\n", dst[i][0], dst[i][1], dst[i][2], dst[i][3]);
    jitnorm_memory_destroy(to), jitnorm_memory_destroy(from);
    jitnorm_primitive_destroy(layer_norm), jitnorm_primitive_desc_destroy(desc);
    jitnorm_memory_desc_destroy(rows), jitnorm_stream_destroy(stream), jitnorm_engine_destroy(engine);
}
