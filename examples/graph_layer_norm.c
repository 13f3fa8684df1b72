/* SPDX-License-Identifier: Apache-2.0 */
/* Layer normalization as an operation of a graph: the rows of a 2 x 4 tensor are normalized, then the gradient of a
 * loss flows back through them. The library infers the shapes of results. */
#include <jitnorm/jitnorm.h>
#include <jitnorm/jitnorm_graph.h>
#include <stdio.h>
#include <stdlib.h>

enum { SRC, GAMMA, BETA, DST, MEAN, VARIANCE, DIFF_DST, DIFF_SRC, DIFF_GAMMA, DIFF_BETA, TENSORS };

static void check(jitnorm_status_t status) {
    if (status == jitnorm_success) return;
    fprintf(stderr, "jitnorm: %s: %s\n", jitnorm_status2str(status), jitnorm_get_last_error());
    exit(1);
}

static jitnorm_engine_t engine;
static jitnorm_stream_t stream;
static jitnorm_graph_logical_tensor_t described[TENSORS]; /* index: the id */
static jitnorm_graph_tensor_t tensors[TENSORS];

static void describe(size_t id, int ndims, const jitnorm_dims_t dims) {
    check(jitnorm_graph_logical_tensor_init_with_dims(&described[id], id, jitnorm_f32, ndims, dims,
                                                      jitnorm_graph_layout_type_strided,
                                                      jitnorm_graph_tensor_property_undef));
}

/* Describes a tensor whose shape and layout compilation decides. */
static void leave_open(size_t id) {
    check(jitnorm_graph_logical_tensor_init(&described[id], id, jitnorm_f32, JITNORM_GRAPH_UNKNOWN_NDIMS,
                                            jitnorm_graph_layout_type_any, jitnorm_graph_tensor_property_undef));
}

static void bind(size_t id, void *data) {
    check(jitnorm_graph_tensor_create(&tensors[id], &described[id], engine, data));
}

/* Adds an operation to the graph. The lists of ids end with TENSORS. */
static void add_op(jitnorm_graph_graph_t graph, size_t id, jitnorm_graph_op_kind_t kind, const char *name,
                   const size_t *inputs, const size_t *outputs) {
    const float epsilon = 0;
    jitnorm_graph_op_t op;
    check(jitnorm_graph_op_create(&op, id, kind, name));
    for (; *inputs != TENSORS; ++inputs) check(jitnorm_graph_op_add_input(op, &described[*inputs]));
    for (; *outputs != TENSORS; ++outputs) check(jitnorm_graph_op_add_output(op, &described[*outputs]));
    check(jitnorm_graph_op_set_attr_f32(op, jitnorm_graph_op_attr_epsilon, &epsilon, 1));
    check(jitnorm_graph_add_op(graph, op));
    check(jitnorm_graph_op_destroy(op));
}

/* Compiles a partition for the tensors as described so far, allocates memory for its outputs, and executes it. */
static void run(jitnorm_graph_partition_t partition) {
    jitnorm_graph_logical_tensor_t ports[TENSORS];
    const jitnorm_graph_logical_tensor_t *in[TENSORS], *out[TENSORS];
    const_jitnorm_graph_tensor_t from[TENSORS], to[TENSORS];
    jitnorm_graph_compiled_partition_t compiled;
    size_t ins, outs;
    check(jitnorm_graph_partition_get_input_ports_num(partition, &ins));
    check(jitnorm_graph_partition_get_input_ports(partition, ins, ports));
    for (size_t i = 0; i < ins; ++i) {
        in[i] = &described[ports[i].id];
        from[i] = tensors[ports[i].id];
    }
    check(jitnorm_graph_partition_get_output_ports_num(partition, &outs));
    check(jitnorm_graph_partition_get_output_ports(partition, outs, ports));
    for (size_t i = 0; i < outs; ++i) out[i] = &described[ports[i].id];
    check(jitnorm_graph_compiled_partition_create(&compiled, partition));
    check(jitnorm_graph_partition_compile(partition, compiled, ins, in, outs, out, engine));
    for (size_t i = 0; i < outs; ++i) {
        const size_t id = ports[i].id;
        check(jitnorm_graph_compiled_partition_query_logical_tensor(compiled, id, &described[id]));
        bind(id, JITNORM_MEMORY_ALLOCATE);
        to[i] = tensors[id];
    }
    check(jitnorm_graph_compiled_partition_execute(compiled, stream, ins, from, outs, to));
    check(jitnorm_graph_compiled_partition_destroy(compiled));
}

static void print(const char *name, size_t id, int count) {
    void *data;
    check(jitnorm_graph_tensor_get_data_handle(tensors[id], &data));
    printf("%-10s", name);
    for (int i = 0; i < count; ++i) printf(" %7.3f", ((const float *)data)[i] + 0.F); /* no -0 */
    printf("\n");
}

int main(void) {
    float src[] = {1, 2, 3, 4, 10, 20, 30, 40}, diff_dst[] = {1, 0, 0, 0, 0, 0, 0, 1};
    float gamma[] = {1, 1, 1, 2}, beta[] = {0, 0, 0, 0};
    const jitnorm_dims_t rows = {2, 4}, columns = {4};
    const size_t forward_in[] = {SRC, GAMMA, BETA, TENSORS}, forward_out[] = {DST, MEAN, VARIANCE, TENSORS};
    const size_t backward_in[] = {SRC, DIFF_DST, MEAN, VARIANCE, GAMMA, TENSORS};
    const size_t backward_out[] = {DIFF_SRC, DIFF_GAMMA, DIFF_BETA, TENSORS};
    check(jitnorm_engine_create(&engine, jitnorm_cpu, 0));
    check(jitnorm_stream_create(&stream, engine, jitnorm_stream_default_flags));
    for (size_t id = 0; id < TENSORS; ++id) leave_open(id);
    describe(SRC, 2, rows);
    describe(DIFF_DST, 2, rows);
    describe(GAMMA, 1, columns);
    describe(BETA, 1, columns);
    bind(SRC, src);
    bind(DIFF_DST, diff_dst);
    bind(GAMMA, gamma);
    bind(BETA, beta);

    jitnorm_graph_graph_t graph;
    jitnorm_graph_partition_t partitions[2];
    check(jitnorm_graph_graph_create(&graph, jitnorm_cpu));
    add_op(graph, 1, jitnorm_graph_op_layer_norm_backward, "backward", backward_in, backward_out);
    add_op(graph, 0, jitnorm_graph_op_layer_norm, "forward", forward_in, forward_out);
    check(jitnorm_graph_graph_finalize(graph));
    check(jitnorm_graph_graph_filter(graph, jitnorm_graph_partition_policy_fusion));
    check(jitnorm_graph_graph_get_partitions(graph, 2, partitions)); /* forward first, since backward needs it */
    check(jitnorm_graph_graph_destroy(graph));
    for (int i = 0; i < 2; ++i) {
        run(partitions[i]);
        check(jitnorm_graph_partition_destroy(partitions[i]));
    }

    print("dst", DST, 8);
    print("variance", VARIANCE, 2);
    print("diff_src", DIFF_SRC, 8);
    print("diff_gamma", DIFF_GAMMA, 4);
    print("diff_beta", DIFF_BETA, 4);
    for (size_t id = 0; id < TENSORS; ++id) check(jitnorm_graph_tensor_destroy(tensors[id]));
    check(jitnorm_stream_destroy(stream));
    return jitnorm_engine_destroy(engine);
}
