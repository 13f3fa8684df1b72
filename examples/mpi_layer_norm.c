/* SPDX-License-Identifier: Apache-2.0 */
/* Gradients of scale and shift over rows that MPI processes share: mpirun -n 4 mpi_layer_norm prints the same line as
 * mpirun -n 1, to the last bit. Each process runs backward on its rows and gets the sums of their parts; a running sum
 * goes from rank to rank, each adds its own, and the last one has the gradients of all rows and sends them to all. */
#include <jitnorm/jitnorm.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

enum { ROWS = 1200, COLUMNS = 96 };

static void check(jitnorm_status_t status) {
    if (status == jitnorm_success) return;
    fprintf(stderr, "jitnorm: %s: %s\n", jitnorm_status2str(status), jitnorm_get_last_error());
    MPI_Abort(MPI_COMM_WORLD, 1);
}

static void *allocate(size_t count, size_t size) {
    void *memory = calloc(count == 0 ? 1 : count, size);
    if (memory == NULL) MPI_Abort(MPI_COMM_WORLD, 1);
    return memory;
}

/* The value of an element, from -1 to 1. It does not depend on which process has the row. */
static float value(long row, long column, unsigned which) {
    unsigned x = (unsigned)(row * COLUMNS + column) * 2654435761u + which * 40503u;
    x ^= x >> 15;
    x *= 2246822519u;
    x ^= x >> 13;
    return (float)(x >> 8) / (float)(1 << 23) - 1.0f;
}

/* The first row of a rank: a multiple of the row block. Ranks have nearly the same number of rows. */
static jitnorm_dim_t first_row(int rank, int ranks) {
    jitnorm_dim_t block;
    check(jitnorm_layer_normalization_row_block(&block, ROWS, COLUMNS));
    const jitnorm_dim_t blocks = (ROWS + block - 1) / block, first = blocks * rank / ranks * block;
    return first < ROWS ? first : ROWS;
}

/* The descriptor of backward on the rows of a rank. */
static jitnorm_primitive_desc_t describe(jitnorm_engine_t engine, int rank, int ranks) {
    const jitnorm_dim_t first = first_row(rank, ranks);
    const jitnorm_dims_t dims = {first_row(rank + 1, ranks) - first, COLUMNS};
    jitnorm_memory_desc_t rows;
    jitnorm_primitive_desc_t desc;
    check(jitnorm_memory_desc_create_with_tag(&rows, 2, dims, jitnorm_f32, jitnorm_ab));
    check(jitnorm_layer_normalization_partial_backward_primitive_desc_create(
        &desc, engine, rows, rows, rows, NULL, jitnorm_f32, 1e-5f, jitnorm_use_scale | jitnorm_use_shift, first, ROWS,
        NULL));
    check(jitnorm_memory_desc_destroy(rows));
    return desc;
}

/* The number of doubles that backward on the rows of a rank gives for each gradient. */
static size_t count_sums(const_jitnorm_primitive_desc_t desc) {
    const_jitnorm_memory_desc_t sums = jitnorm_primitive_desc_query_md(desc, jitnorm_query_diff_weights_md, 0);
    return jitnorm_memory_desc_get_size(sums) / sizeof(double);
}

/* Runs backward on some rows. */
static void run(jitnorm_engine_t engine, const_jitnorm_primitive_desc_t desc, jitnorm_dim_t first, jitnorm_dim_t rows,
                double *diff_scale, double *diff_shift) {
    float *src = allocate((size_t)rows * COLUMNS, sizeof(float)),
          *diff_dst = allocate((size_t)rows * COLUMNS, sizeof(float));
    float *diff_src = allocate((size_t)rows * COLUMNS, sizeof(float)), *mean = allocate((size_t)rows, sizeof(float));
    float *variance = allocate((size_t)rows, sizeof(float)), scale[COLUMNS];
    for (jitnorm_dim_t row = 0; row < rows; ++row) {
        for (jitnorm_dim_t c = 0; c < COLUMNS; ++c) {
            src[row * COLUMNS + c] = value(first + row, c, 0);
            diff_dst[row * COLUMNS + c] = value(first + row, c, 1);
        }
        mean[row] = value(first + row, 0, 2) / 16; /* from a forward pass elsewhere */
        variance[row] = 1.0f / 3;
    }
    for (long c = 0; c < COLUMNS; ++c) scale[c] = 1 + value(0, c, 3) / 8;

    const struct {
        int argument;
        void *data;
    } tensors[] = {{JITNORM_ARG_SRC, src},
                   {JITNORM_ARG_DIFF_DST, diff_dst},
                   {JITNORM_ARG_DIFF_SRC, diff_src},
                   {JITNORM_ARG_MEAN, mean},
                   {JITNORM_ARG_VARIANCE, variance},
                   {JITNORM_ARG_SCALE, scale},
                   {JITNORM_ARG_DIFF_SCALE, diff_scale},
                   {JITNORM_ARG_DIFF_SHIFT, diff_shift}};
    enum { COUNT = sizeof tensors / sizeof tensors[0] };
    jitnorm_exec_arg_t arguments[COUNT];
    jitnorm_primitive_t backward;
    jitnorm_stream_t stream;
    check(jitnorm_primitive_create(&backward, desc));
    check(jitnorm_stream_create(&stream, engine, jitnorm_stream_default_flags));
    for (int i = 0; i < COUNT; ++i) {
        const_jitnorm_memory_desc_t md =
            jitnorm_primitive_desc_query_md(desc, jitnorm_query_exec_arg_md, tensors[i].argument);
        arguments[i].arg = tensors[i].argument;
        check(jitnorm_memory_create(&arguments[i].memory, md, engine, tensors[i].data));
    }
    check(jitnorm_primitive_execute(backward, stream, COUNT, arguments));
    for (int i = 0; i < COUNT; ++i) check(jitnorm_memory_destroy(arguments[i].memory));
    check(jitnorm_stream_destroy(stream));
    check(jitnorm_primitive_destroy(backward));
    free(variance);
    free(mean);
    free(diff_src);
    free(diff_dst);
    free(src);
}

/* Adds this rank's sums to those of the ranks before it. Every rank gets the gradients of scale and shift. */
static void add_up(const double *scale_sums, const double *shift_sums, int rank, int ranks,
                   float gradients[2][COLUMNS]) {
    double running[2][2 * COLUMNS] = {{0}};
    const jitnorm_dim_t first = first_row(rank, ranks), rows = first_row(rank + 1, ranks) - first;
    if (rank > 0) MPI_Recv(running, 4 * COLUMNS, MPI_DOUBLE, rank - 1, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    check(jitnorm_layer_normalization_add_partial_gradients(running[0], ROWS, COLUMNS, first, rows, scale_sums));
    check(jitnorm_layer_normalization_add_partial_gradients(running[1], ROWS, COLUMNS, first, rows, shift_sums));
    if (rank < ranks - 1) MPI_Send(running, 4 * COLUMNS, MPI_DOUBLE, rank + 1, 0, MPI_COMM_WORLD);
    for (int which = 0; which < 2; ++which)
        for (long c = 0; c < COLUMNS; ++c) gradients[which][c] = (float)running[which][c];
    MPI_Bcast(gradients, 2 * COLUMNS, MPI_FLOAT, ranks - 1, MPI_COMM_WORLD);
}

static unsigned long long digest(const unsigned char *bytes, size_t count, unsigned long long hash) {
    for (size_t i = 0; i < count; ++i) hash = (hash ^ bytes[i]) * 1099511628211ull; /* FNV-1a */
    return hash;
}

int main(int argc, char **argv) {
    int rank, ranks;
    jitnorm_engine_t engine;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    check(jitnorm_engine_create(&engine, jitnorm_cpu, 0));

    jitnorm_primitive_desc_t desc = describe(engine, rank, ranks);
    const size_t count = count_sums(desc);
    double *scale_sums = allocate(count, sizeof(double)), *shift_sums = allocate(count, sizeof(double));
    float gradients[2][COLUMNS];
    const jitnorm_dim_t first = first_row(rank, ranks);
    run(engine, desc, first, first_row(rank + 1, ranks) - first, scale_sums, shift_sums);
    add_up(scale_sums, shift_sums, rank, ranks, gradients);

    unsigned long long hash = digest((const unsigned char *)gradients, sizeof gradients, 14695981039346656037ull);
    unsigned long long least, most;
    MPI_Reduce(&hash, &least, 1, MPI_UNSIGNED_LONG_LONG, MPI_MIN, 0, MPI_COMM_WORLD);
    MPI_Reduce(&hash, &most, 1, MPI_UNSIGNED_LONG_LONG, MPI_MAX, 0, MPI_COMM_WORLD);
    if (rank == 0) printf("gradients of %d rows: %016llx%s\n", ROWS, least, least == most ? "" : ", not on all ranks");
    free(shift_sums);
    free(scale_sums);
    check(jitnorm_primitive_desc_destroy(desc));
    check(jitnorm_engine_destroy(engine));
    return MPI_Finalize();
}
