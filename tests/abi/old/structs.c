/* SPDX-License-Identifier: Apache-2.0 */
/* Each struct that a program fills or has filled, with members of an earlier version, and after it bytes that the
 * library must neither read nor write. Ends with 0 if results are right. */
#include <jitnorm/jitnorm.h>
#include <jitnorm/jitnorm_acl.h>
#include <jitnorm/jitnorm_graph.h>
#include <stdio.h>
#include <string.h>

#define REQUIRE(...)                                                                                                   \
    do {                                                                                                               \
        if (!(__VA_ARGS__)) {                                                                                          \
            fprintf(stderr, "not so: %s\n", #__VA_ARGS__);                                                             \
            return 1;                                                                                                  \
        }                                                                                                              \
    } while (0)
#define OK(call) REQUIRE((call) == jitnorm_success)

enum { ROWS = 512, COLUMNS = 256 }; /* large enough for threads */
static float src[ROWS][COLUMNS], dst[ROWS][COLUMNS];

static void one_after_the_other(void *calls, int count, void (*body)(void *argument, int index), void *argument) {
    ++*(int *)calls;
    for (int i = 0; i < count; ++i) body(argument, i);
}

/* What follows an object in memory. */
static const unsigned char MARK[64] = {0xa5, 0x5a, 0xff, 0x01, 0x80, 0x77, 0x33, 0x11, 0xee, 0x42};

static int normalize_on_a_pool(void) {
    int calls = 0;
    struct {
        jitnorm_thread_pool_t pool;
        unsigned char after[sizeof(MARK)];
    } marked;
    memset(&marked, 0xa5, sizeof(marked));
    marked.pool.parallel_for = one_after_the_other;
    marked.pool.context = &calls;
    marked.pool.concurrency = 4;

    jitnorm_engine_t engine;
    jitnorm_stream_t stream;
    OK(jitnorm_engine_create(&engine, jitnorm_cpu, 0));
    OK(jitnorm_stream_create_with_thread_pool(&stream, engine, jitnorm_stream_default_flags, &marked.pool));

    const jitnorm_dims_t dims = {ROWS, COLUMNS};
    jitnorm_memory_desc_t md;
    jitnorm_primitive_desc_t desc;
    jitnorm_primitive_t norm;
    jitnorm_memory_t from, to;
    OK(jitnorm_memory_desc_create_with_tag(&md, 2, dims, jitnorm_f32, jitnorm_ab));
    OK(jitnorm_layer_normalization_forward_primitive_desc_create(&desc, engine, jitnorm_forward_inference, md, md, NULL,
                                                                 1e-5f, jitnorm_normalization_flags_none, NULL));
    OK(jitnorm_primitive_create(&norm, desc));
    OK(jitnorm_memory_create(&from, md, engine, src));
    OK(jitnorm_memory_create(&to, md, engine, dst));
    for (int i = 0; i < ROWS * COLUMNS; ++i) src[i / COLUMNS][i % COLUMNS] = i % 2 ? 3.0f : -3.0f;
    const jitnorm_exec_arg_t args[] = {{JITNORM_ARG_SRC, from}, {JITNORM_ARG_DST, to}};
    OK(jitnorm_primitive_execute(norm, stream, 2, args));
    REQUIRE(calls > 0);
    REQUIRE(dst[0][0] < -0.99f && dst[0][0] > -1.01f && dst[ROWS - 1][COLUMNS - 1] == -dst[0][0]);

    OK(jitnorm_memory_destroy(to));
    OK(jitnorm_memory_destroy(from));
    OK(jitnorm_primitive_destroy(norm));
    OK(jitnorm_primitive_desc_destroy(desc));
    OK(jitnorm_memory_desc_destroy(md));
    OK(jitnorm_stream_destroy(stream));
    OK(jitnorm_engine_destroy(engine));
    return 0;
}

static int have_structs_filled(void) {
    struct {
        jitnorm_graph_logical_tensor_t tensor;
        unsigned char after[sizeof(MARK)];
    } described;
    const jitnorm_dims_t dims = {3, 5};
    memcpy(described.after, MARK, sizeof(MARK));
    OK(jitnorm_graph_logical_tensor_init_with_dims(&described.tensor, 7, jitnorm_f32, 2, dims,
                                                   jitnorm_graph_layout_type_strided,
                                                   jitnorm_graph_tensor_property_undef));
    REQUIRE(described.tensor.id == 7 && described.tensor.dims[1] == 5 && described.tensor.layout.strides[0] == 5);
    REQUIRE(memcmp(described.after, MARK, sizeof(MARK)) == 0);

    struct {
        jitnorm_acl_tensor_view_t view;
        unsigned char after[sizeof(MARK)];
    } viewed;
    const int64_t shape[] = {3, 5};
    memcpy(viewed.after, MARK, sizeof(MARK));
    jitnorm_acl_tensor_t tensor = jitnorm_acl_tensor_create(shape, 2, 0, NULL, 0, 2, shape, 2, src);
    REQUIRE(jitnorm_acl_tensor_get_view(tensor, &viewed.view) == 0);
    REQUIRE(viewed.view.ndims == 2 && viewed.view.dims[1] == 5 && viewed.view.data == src);
    REQUIRE(memcmp(viewed.after, MARK, sizeof(MARK)) == 0);
    REQUIRE(jitnorm_acl_tensor_destroy(tensor) == 0);

    REQUIRE(jitnorm_version()->major == JITNORM_VERSION_MAJOR && jitnorm_version()->cpu_runtime == JITNORM_CPU_RUNTIME);
    return 0;
}

int main(void) { return normalize_on_a_pool() || have_structs_filled(); }
