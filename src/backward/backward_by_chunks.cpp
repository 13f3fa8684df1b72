// SPDX-License-Identifier: Apache-2.0
// The part of backward_executor that goes by chunks: all rows of some columns, for the sums first and then for
// diff_src.
#include <cstring>

#include "../layout/zero_padding.hpp"
#include "../simd/non_temporal_stores.hpp"
#include "backward_executor.hpp"

namespace jitnorm::impl::layer_norm {

template <typename T, typename Rows>
void backward_executor<T, Rows>::run_by_chunks(const arguments &args, int threads) const {
    auto plan = plan_for(args, threads);
    plan.prefetching = false; // the next row is far away
    if (kernels_->sums)
        parallel_parts(threads, [&](int share) {
            session at(rows_, args, work_.buffer(args[SCRATCHPAD], share), work_.rows());
            const range mine = split(work_.chunks(), threads, share);
            for (dim_t chunk = mine.begin; chunk < mine.end; ++chunk) sum_chunk(args, at, share, chunk);
        });
    if (!problem_.wants_diff_src()) return;
    parallel_parts(threads, [&](int share) {
        session at(rows_, args, work_.buffer(args[SCRATCHPAD], share), work_.rows());
        write_chunks(args, plan, at, split(work_.chunks(), threads, share));
        finish_non_temporal_stores(plan.non_temporal);
        zero_padding(problem_.diff_src, args[DIFF_SRC], share, threads);
    });
}

// The sums of all rows over the columns of one chunk, and the chunk of the gradients.
template <typename T, typename Rows>
void backward_executor<T, Rows>::sum_chunk(const arguments &args, session &at, int share, dim_t chunk) const {
    const range columns = work_.columns_of(chunk);
    const dim_t width = work_.gradients() * backward_work::CHUNK_WIDTH;
    if (width == 0) return sum_chunk_of_rows(args, at, chunk, {0, work_.rows()}, {});
    T *const block_sums = work_.template block_sums<T>(args[SCRATCHPAD], share);
    double *const sums = work_.chunk_part_sums(args[SCRATCHPAD], share);
    double *const total = work_.chunk_total(args[SCRATCHPAD], share);
    for (dim_t part = 0; part < work_.cut().parts(); ++part) {
        const range blocks = work_.cut().part(part);
        for (dim_t block = blocks.begin; block < blocks.end; ++block) {
            std::memset(block_sums, 0, size_t(width) * sizeof(T));
            sum_chunk_of_rows(args, at, chunk, work_.cut().block(block),
                              column_sums_in(block_sums, backward_work::CHUNK_WIDTH));
            add(kernels_->weights->add_block, block == blocks.begin ? nullptr : sums, block_sums, sums, width);
        }
        add(kernels_->weights->add_part, part == 0 ? nullptr : total, sums, total, width);
    }
    finish(args, total, nullptr, 0, backward_work::CHUNK_WIDTH, columns);
}

template <typename T, typename Rows>
void backward_executor<T, Rows>::sum_chunk_of_rows(const arguments &args, session &at, dim_t chunk, range rows,
                                                   const column_sums &to) const {
    const range columns = work_.columns_of(chunk);
    batch b;
    at.for_each_batch(rows, [&](dim_t first, dim_t number) {
        b.rows = number;
        at.read_statistics(b, problem_);
        sum(args, at, b, {0, number}, columns, to.behind(-columns.begin),
            work_.template row_sums<T>(args[SCRATCHPAD], 0, chunk) + first,
            work_.template row_sums<T>(args[SCRATCHPAD], 1, chunk) + first);
    });
}

template <typename T, typename Rows>
void backward_executor<T, Rows>::write_chunks(const arguments &args, const tuning::backward_plan &plan, session &at,
                                              range chunks) const {
    const range columns = {chunks.begin * CHUNK, std::min(chunks.end * CHUNK, work_.columns())};
    const dim_t step = rows_.data_columns();
    batch b;
    at.for_each_batch({0, work_.rows()}, [&](dim_t first, dim_t number) {
        b.rows = number;
        at.read_statistics(b, problem_);
        gather_sums(args, b, first);
        for (dim_t begin = columns.begin; begin < columns.end; begin += step)
            write(args, plan, at, b, {0, number}, {begin, std::min(begin + step, columns.end)});
    });
}

// Each thread adds the chunks of the rows for itself.
template <typename T, typename Rows>
void backward_executor<T, Rows>::gather_sums(const arguments &args, batch &b, dim_t first_row) const {
    const range all = {0, b.rows};
    b.clear_sums(all);
    if (!problem_.has(jitnorm_use_global_stats))
        for (dim_t chunk = 0; chunk < work_.chunks(); ++chunk) {
            const T *const s2 = work_.template row_sums<T>(args[SCRATCHPAD], 1, chunk) + first_row;
            const T *const s1 = work_.template row_sums<T>(args[SCRATCHPAD], 0, chunk) + first_row;
            b.add_chunk(all, problem_.is_rms() ? s2 : s1, s2); // without a mean nobody sets or takes s1
        }
    b.find_slopes(all, 1.0 / double(work_.columns()));
}

template void backward_executor<float, backward_dense_rows>::run_by_chunks(const arguments &, int) const;
template void backward_executor<float, backward_packed_rows>::run_by_chunks(const arguments &, int) const;
template void backward_executor<double, backward_dense_rows>::run_by_chunks(const arguments &, int) const;
template void backward_executor<double, backward_packed_rows>::run_by_chunks(const arguments &, int) const;

} // namespace jitnorm::impl::layer_norm
