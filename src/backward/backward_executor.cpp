// SPDX-License-Identifier: Apache-2.0
#include "backward_executor.hpp"

#include <cstring>

namespace jitnorm::impl::layer_norm {

template <typename T, typename Rows>
backward_executor<T, Rows>::backward_executor(const problem &p, const plan &how,
                                              std::shared_ptr<const backward_kernels<T>> kernels)
    : parts_(p, how, kernels), work_(parts_.work), rows_(row_tensors_of(parts_.p), how), gradients_(p, work_, kernels) {
}

template <typename T, typename Rows>
jitnorm_status_t backward_executor<T, Rows>::execute(const arguments &args) const {
    if (!parts_.p.writes(DIFF_SRC) && gradients_.count() == 0) return jitnorm_success;
    const walk how = walk_of(args);
    if (how.by_chunks)
        run_by_chunks(args, how);
    else if (sums_are_gradients())
        run_one_block(args, how);
    else
        run_by_rows(args, how);
    return jitnorm_success;
}

template <typename T, typename Rows>
walk backward_executor<T, Rows>::walk_of(const arguments &args) const {
    const plan &how = parts_.how;
    const bool past_caches =
        how.non_temporal && lies_past_caches(parts_.p[DIFF_SRC], args, DIFF_SRC, {DIFF_DST, DIFF_SUM});
    return how.on(how.takes_one_thread() ? 1 : max_threads(), past_caches);
}

template <typename T, typename Rows>
template <typename Body>
void backward_executor<T, Rows>::share_out(const arguments &args, const walk &how, dim_t items, Body &&body) const {
    parallel_parts(how.threads, [&](int number) {
        share mine(parts_, rows_, args, how, number);
        body(mine, split(items, how.threads, number));
    });
}

// ---------------------------------------------------------------- by rows

// Whether there is a single row block whose sums have the gradients' type. Then its sums are the gradients, and are
// added up in the gradients' memory.
template <typename T, typename Rows>
bool backward_executor<T, Rows>::sums_are_gradients() const {
    return gradients_.have_type_of_gradients() && gradients_.count() > 0 && work_.cut().blocks() == 1;
}

template <typename T, typename Rows>
void backward_executor<T, Rows>::run_one_block(const arguments &args, const walk &how) const {
    gradients_.zero_gradients(args);
    share_out(args, how, work_.rows(), [&](share &mine, range rows) {
        mine.set_same_columns_until(work_.chunks() == 1 ? rows.end : 0);
        run_rows(mine, rows, {static_cast<T *>(args[DIFF_SCALE]), static_cast<T *>(args[DIFF_SHIFT])});
        mine.finish();
    });
}

// If rows go chunk by chunk, they are not opened with the same columns, so tiles take the rows of one batch only.
template <typename T, typename Rows>
void backward_executor<T, Rows>::run_by_rows(const arguments &args, const walk &how) const {
    const bool whole_rows = work_.chunks() == 1;
    if (gradients_.count() == 0)
        return share_out(args, how, work_.rows(), [&](share &mine, range even) {
            const range rows = {rows_.cut_at(even.begin), rows_.cut_at(even.end)};
            mine.set_same_columns_until(whole_rows ? rows.end : 0);
            run_rows(mine, rows, {});
            mine.finish();
        });
    const dim_t parts = work_.cut().parts();
    share_out(args, how, parts, [&](share &mine, range some) {
        mine.set_same_columns_until(whole_rows ? end_of(some) : 0);
        run_parts(mine, some);
        mine.finish();
    });
    gradients_.finish_parts(args, parts_.how.scratchpad.common(args[SCRATCHPAD]), split(parts, how.threads, 0).end);
}

// The number of the row behind the last row of these parts.
template <typename T, typename Rows>
dim_t backward_executor<T, Rows>::end_of(range parts) const {
    return parts.begin == parts.end ? 0 : work_.cut().block(work_.cut().part(parts.end - 1).end - 1).end;
}

// The first thread adds up its parts at once, in the place of part 0. They come first in the order of the total, so the
// bits are the same as if they were added later. If a part has one block, its sum is that of the block in double, and
// is added to the total directly. The parts of a partial problem are not added up.
template <typename T, typename Rows>
void backward_executor<T, Rows>::run_parts(share &mine, range parts) const {
    double *const total = work_.part_sums(mine.common(), 0);
    for (dim_t part = parts.begin; part < parts.end; ++part) {
        const bool joins = parts.begin == 0 && part > 0 && !gradients_.are_partial();
        if (joins && work_.cut().blocks_per_part() == 1) {
            run_part(mine, part, total, total);
            continue;
        }
        double *const sums = work_.part_sums(mine.common(), joins ? 1 : part);
        run_part(mine, part, nullptr, sums);
        if (joins) gradients_.add_part(total, sums, total, work_.width());
    }
}

// sums = start + the sums of the part's blocks; `start` null means zeros.
template <typename T, typename Rows>
void backward_executor<T, Rows>::run_part(share &mine, dim_t part, const double *start, double *sums) const {
    T *const block_sums = work_.template block_sums<T>(mine.own());
    const range blocks = work_.cut().part(part);
    for (dim_t block = blocks.begin; block < blocks.end; ++block) {
        std::memset(block_sums, 0, size_t(work_.width()) * sizeof(T));
        run_rows(mine, work_.cut().block(block), gradients_.begin(block_sums, work_.pitch()));
        gradients_.add_block(block == blocks.begin ? start : sums, block_sums, sums, work_.width());
    }
}

template <typename T, typename Rows>
void backward_executor<T, Rows>::run_rows(share &mine, range rows, const column_sums<T> &to) const {
    const dim_t most = parts_.how.batch_rows;
    mine.for_each_batch(rows, [&](batch &b, dim_t) {
        for (dim_t first = 0; first < b.rows; first += most) mine.run(b, {first, std::min(first + most, b.rows)}, to);
    });
}

// ---------------------------------------------------------------- by chunks

template <typename T, typename Rows>
void backward_executor<T, Rows>::run_by_chunks(const arguments &args, const walk &how) const {
    if (parts_.batches.have_sums())
        share_out(args, how, work_.chunks(), [&](share &mine, range chunks) {
            mine.set_same_columns_until(work_.rows());
            for (dim_t chunk = chunks.begin; chunk < chunks.end; ++chunk) sum_chunk(args, mine, chunk);
        });
    if (!parts_.p.writes(DIFF_SRC)) return;
    share_out(args, how, work_.chunks(), [&](share &mine, range chunks) {
        mine.set_same_columns_until(work_.rows());
        write_chunks(mine, chunks);
        mine.finish();
    });
}

// Computes the sums s1 and s2 of all rows over one chunk, and the gradients of its columns.
template <typename T, typename Rows>
void backward_executor<T, Rows>::sum_chunk(const arguments &args, share &mine, dim_t chunk) const {
    constexpr dim_t PITCH = backward_work::CHUNK_WIDTH;
    const dim_t width = gradients_.count() * PITCH;
    if (width == 0) return sum_chunk_of_rows(mine, chunk, {0, work_.rows()}, {});
    T *const block_sums = work_.template block_sums<T>(mine.own());
    double *const sums = work_.chunk_part_sums(mine.own()), *const total = work_.chunk_total(mine.own());
    for (dim_t part = 0; part < work_.cut().parts(); ++part) {
        const range blocks = work_.cut().part(part);
        for (dim_t block = blocks.begin; block < blocks.end; ++block) {
            std::memset(block_sums, 0, size_t(width) * sizeof(T));
            sum_chunk_of_rows(mine, chunk, work_.cut().block(block), gradients_.begin(block_sums, PITCH));
            gradients_.add_block(block == blocks.begin ? nullptr : sums, block_sums, sums, width);
        }
        if (gradients_.are_partial())
            gradients_.store_part(args, part, sums, PITCH, work_.columns_of(chunk));
        else
            gradients_.add_part(part == 0 ? nullptr : total, sums, total, width);
    }
    if (!gradients_.are_partial()) gradients_.finish(args, total, nullptr, 0, PITCH, work_.columns_of(chunk));
}

template <typename T, typename Rows>
void backward_executor<T, Rows>::sum_chunk_of_rows(share &mine, dim_t chunk, range rows,
                                                   const column_sums<T> &to) const {
    const range columns = work_.columns_of(chunk);
    T *const s1 = work_.template row_sums<T>(mine.common(), 0, chunk);
    T *const s2 = work_.template row_sums<T>(mine.common(), 1, chunk);
    mine.for_each_batch(rows, [&](batch &b, dim_t first) {
        mine.sum(b, {0, b.rows}, columns, to.behind(-columns.begin), s1 + first, s2 + first);
    });
}

template <typename T, typename Rows>
void backward_executor<T, Rows>::write_chunks(share &mine, range chunks) const {
    const dim_t end = std::min(chunks.end * CHUNK, work_.columns()), step = parts_.how.panel_columns;
    for (dim_t begin = chunks.begin * CHUNK; begin < end; begin += step)
        mine.for_each_batch({0, work_.rows()}, [&](batch &b, dim_t first) {
            take_sums(mine.common(), b, first);
            mine.write(b, {0, b.rows}, {begin, std::min(begin + step, end)});
        });
}

// Adds up the sums over the chunks of each row. Each thread does this for all rows.
template <typename T, typename Rows>
void backward_executor<T, Rows>::take_sums(std::byte *common, batch &b, dim_t first_row) const {
    const range all = {0, b.rows};
    b.clear_sums(all);
    if (!parts_.p.has(jitnorm_use_global_stats))
        for (dim_t chunk = 0; chunk < work_.chunks(); ++chunk) {
            const T *const s2 = work_.template row_sums<T>(common, 1, chunk) + first_row;
            const T *const s1 = work_.template row_sums<T>(common, 0, chunk) + first_row;
            b.add_chunk(all, parts_.p.is_rms() ? s2 : s1, s2); // without a mean nobody sets or takes s1
        }
    b.find_slopes(all, 1.0 / double(work_.columns()));
}

template class backward_executor<float, rows_in_place>;
template class backward_executor<float, rows_in_tiles>;
template class backward_executor<double, rows_in_place>;
template class backward_executor<double, rows_in_tiles>;

} // namespace jitnorm::impl::layer_norm
