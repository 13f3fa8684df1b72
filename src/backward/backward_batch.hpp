// SPDX-License-Identifier: Apache-2.0
// backward_batch: the numbers of a batch's rows in backward, in the arrays that kernels write and read, and the scalar
// steps between kernels, as loops over the rows that the compiler turns into vector code.
#pragma once

#include "../layout/row_tensors.hpp"
#include "../layout/statistics_io.hpp"
#include "../math/moments.hpp"
#include "../math/row_sums.hpp"
#include "../norm/problem.hpp"

namespace jitnorm::impl::layer_norm {

// One value per row in each array; T is the compute type.
template <typename T>
struct backward_batch {
    static constexpr dim_t MAX_ROWS = MAX_BATCH_ROWS;

    dim_t rows = 0;
    alignas(64) T mean[MAX_ROWS], rstd[MAX_ROWS];
    alignas(64) T factor[MAX_ROWS];                       // backward_sums_arguments::factor
    alignas(64) T chunk_s1[MAX_ROWS], chunk_s2[MAX_ROWS]; // the sums over one chunk
    alignas(64) double s1[MAX_ROWS], s2[MAX_ROWS];        // the sums over the rows
    alignas(64) T m1[MAX_ROWS], k[MAX_ROWS];              // row_slopes

    void read_statistics(const problem &p, const statistics_rows &from) {
        const auto read = [&](const void *tensor, auto &&take) {
            layer_norm::read_statistics(tensor, p[VARIANCE].data_type, 0, from.stride, rows, take);
        };
        if (p.is_rms())
            for (dim_t r = 0; r < rows; ++r) mean[r] = 0;
        else
            read(from.mean, [&](dim_t r, float value) { mean[r] = T(value); });
        if (p.form == statistics_form::variance)
            read(from.variance,
                 [&](dim_t r, float value) { rstd[r] = reciprocal_deviation<T>(double(value), p.epsilon); });
        else
            read(from.variance, [&](dim_t r, float value) { rstd[r] = T(value); });
        for (dim_t r = 0; r < rows; ++r) factor[r] = p.is_rms() ? rstd[r] : -rstd[r];
    }

    void clear_sums(range which) {
        for (dim_t r = which.begin; r < which.end; ++r) s1[r] = s2[r] = 0;
    }
    // Adds the sums over a chunk to those over the rows; each array has one value for each of these rows.
    void add_chunk(range which, const T *chunk1, const T *chunk2) {
        for (dim_t r = which.begin; r < which.end; ++r) s1[r] += double(chunk1[r - which.begin]);
        for (dim_t r = which.begin; r < which.end; ++r) s2[r] += double(chunk2[r - which.begin]);
    }
    void find_slopes(range which, double inv_count) {
        for (dim_t r = which.begin; r < which.end; ++r) {
            const row_slopes<T> slopes = slopes_of<T>({s1[r], s2[r]}, inv_count, rstd[r]);
            m1[r] = slopes.m1;
            k[r] = slopes.k;
        }
    }
};

} // namespace jitnorm::impl::layer_norm
