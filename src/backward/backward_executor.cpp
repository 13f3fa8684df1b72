// SPDX-License-Identifier: Apache-2.0
#include "backward_executor.hpp"

#include <cstdint>
#include <cstring>

#include "../simd/non_temporal_stores.hpp"
#include "backward_plan.hpp"

namespace jitnorm::impl::layer_norm {

namespace {

template <typename Rows>
constexpr bool IN_LANES = std::is_same_v<Rows, rows_in_lanes>;

} // namespace

template <typename T, typename Rows>
backward_executor<T, Rows>::backward_executor(const problem &p, const plan &how,
                                              std::shared_ptr<const backward_kernels<T>> kernels)
    : problem_(p), plan_(how), rows_(row_tensors_of(problem_), plan_), work_(problem_), batches_(problem_, kernels),
      gradients_(problem_, kernels) {}

template <typename T, typename Rows>
bool backward_executor<T, Rows>::stores_begin_at_line(const arguments &args) const {
    const dim_t offset = problem_.diff_src.offset0 * element_size(problem_.diff_src);
    return (reinterpret_cast<uintptr_t>(args[DIFF_SRC]) + uintptr_t(offset)) % CACHE_LINE == 0;
}

template <typename T, typename Rows>
jitnorm_status_t backward_executor<T, Rows>::execute(const arguments &args) const {
    if (!has_outputs()) return jitnorm_success;
    const walk how = plan_.on(max_threads(), stores_begin_at_line(args));
    if constexpr (IN_LANES<Rows>)
        run_by_units(args, how);
    else if (how.by_chunks)
        run_by_chunks(args, how);
    else if (sums_are_gradients())
        run_one_block(args, how);
    else
        run_by_rows(args, how);
    return jitnorm_success;
}

template <typename T, typename Rows>
template <typename Body>
void backward_executor<T, Rows>::share_out(const arguments &args, const walk &how, dim_t items, bool writes,
                                           Body &&body) const {
    parallel_parts(how.threads, [&](int share) {
        cursor at(rows_, args, plan_.scratchpad.tiles(args[SCRATCHPAD], share));
        share_of_work work = {args, how, at, plan_.scratchpad.own(args[SCRATCHPAD], share), 0};
        body(work, split(items, how.threads, share));
        if (!writes) return;
        at.finish(share, how.threads);
        finish_non_temporal_stores(how.non_temporal);
    });
}

template <typename T, typename Rows>
template <typename Body>
void backward_executor<T, Rows>::for_each_batch(share_of_work &work, range items, Body &&body) const {
    batch b;
    const auto use = [&](dim_t first, dim_t number) {
        b.rows = number;
        b.read_statistics(problem_, work.at.open_statistics());
        body(b, first);
    };
    if constexpr (IN_LANES<Rows>)
        work.at.for_each_batch(items, use);
    else
        work.at.for_each_batch(items, MAX_BATCH_ROWS, work.same_columns_until, use);
}

// ---------------------------------------------------------------- by rows

// A single block's sums are the gradients, and are added up where those go.
template <typename T, typename Rows>
bool backward_executor<T, Rows>::sums_are_gradients() const {
    return gradients_.have_type_of_gradients() && gradients_.count() > 0 && work_.cut().blocks() == 1;
}

template <typename T, typename Rows>
void backward_executor<T, Rows>::run_one_block(const arguments &args, const walk &how) const {
    gradients_.zero_gradients(args, work_.columns());
    share_out(args, how, work_.rows(), true, [&](share_of_work &work, range rows) {
        work.same_columns_until = work_.chunks() == 1 ? rows.end : 0;
        run_rows(work, rows, {static_cast<T *>(args[DIFF_SCALE]), static_cast<T *>(args[DIFF_SHIFT])});
    });
}

// Rows that go chunk by chunk are not gathered before their batch comes.
template <typename T, typename Rows>
void backward_executor<T, Rows>::run_by_rows(const arguments &args, const walk &how) const {
    const bool whole_rows = work_.chunks() == 1;
    if (gradients_.count() == 0)
        return share_out(args, how, work_.rows(), true, [&](share_of_work &work, range even) {
            const range mine = {rows_.cut_at(even.begin), rows_.cut_at(even.end)};
            work.same_columns_until = whole_rows ? mine.end : 0;
            run_rows(work, mine, {});
        });
    const dim_t parts = work_.cut().parts();
    share_out(args, how, parts, true, [&](share_of_work &work, range mine) {
        work.same_columns_until = whole_rows ? end_of(mine) : 0;
        run_parts(work, mine);
    });
    finish_parts(args, split(parts, how.threads, 0).end);
}

// The end of the last row of some parts.
template <typename T, typename Rows>
dim_t backward_executor<T, Rows>::end_of(range parts) const {
    return parts.begin == parts.end ? 0 : work_.cut().block(work_.cut().part(parts.end - 1).end - 1).end;
}

// The first thread adds its parts up as it goes, in part 0's place: they are the first in the order of the total, so no
// bit differs from adding them up later. A part of one block is that block in double, and needs no place of its own.
template <typename T, typename Rows>
void backward_executor<T, Rows>::run_parts(share_of_work &work, range parts) const {
    double *const total = work_.part_sums(common(work.args), 0);
    for (dim_t part = parts.begin; part < parts.end; ++part) {
        const bool joins = parts.begin == 0 && part > 0;
        if (joins && work_.cut().blocks_per_part() == 1) {
            run_part(work, part, total, total);
            continue;
        }
        double *const sums = work_.part_sums(common(work.args), joins ? 1 : part);
        run_part(work, part, nullptr, sums);
        if (joins) gradients_.add_part(total, sums, total, work_.width());
    }
}

// sums = start, or zero, + the part's blocks
template <typename T, typename Rows>
void backward_executor<T, Rows>::run_part(share_of_work &work, dim_t part, const double *start, double *sums) const {
    T *const block_sums = work_.template block_sums<T>(work.own);
    const range blocks = work_.cut().part(part);
    for (dim_t block = blocks.begin; block < blocks.end; ++block) {
        std::memset(block_sums, 0, size_t(work_.width()) * sizeof(T));
        run_rows(work, work_.cut().block(block), gradients_.begin(block_sums, work_.pitch()));
        gradients_.add_block(block == blocks.begin ? start : sums, block_sums, sums, work_.width());
    }
}

template <typename T, typename Rows>
void backward_executor<T, Rows>::run_rows(share_of_work &work, range rows, const column_sums<T> &to) const {
    for_each_batch(work, rows, [&](batch &b, dim_t) {
        for (dim_t first = 0; first < b.rows; first += plan_.batch_rows)
            run_batch(work, b, {first, std::min(first + plan_.batch_rows, b.rows)}, to);
    });
}

// A few rows that stay in L1 from their sums to diff_src.
template <typename T, typename Rows>
void backward_executor<T, Rows>::run_batch(share_of_work &work, batch &b, range rows, const column_sums<T> &to) const {
    const dim_t columns = work_.columns(), step = plan_.panel_columns;
    b.clear_sums(rows);
    if (batches_.have_sums())
        for (dim_t chunk = 0; chunk < work_.chunks(); ++chunk) {
            sum(work, b, rows, work_.columns_of(chunk), to, b.chunk_s1, b.chunk_s2);
            b.add_chunk(rows, b.chunk_s1, b.chunk_s2);
        }
    if (!problem_.wants_diff_src()) return;
    b.find_slopes(rows, 1.0 / double(columns));
    for (dim_t begin = 0; begin < columns; begin += step)
        write(work, b, rows, {begin, std::min(begin + step, columns)});
}

// ---------------------------------------------------------------- by units of rows near each other in memory

template <typename T, typename Rows>
void backward_executor<T, Rows>::run_by_units(const arguments &args, const walk &how) const {
    if constexpr (IN_LANES<Rows>) {
        const dim_t parts = work_.cut().parts();
        share_out(args, how, rows_.units(), true, [&](share_of_work &work, range units) { run_units(work, units); });
        parallel_parts(how.threads, [&](int share) {
            const range mine = split(parts, how.threads, share);
            for (dim_t part = mine.begin; part < mine.end; ++part) add_blocks(args, part);
        });
        finish_parts(args, 1);
    }
}

template <typename T, typename Rows>
void backward_executor<T, Rows>::run_units(share_of_work &work, range units) const {
    const dim_t block_rows = work_.cut().block_rows();
    for_each_batch(work, units, [&](batch &b, dim_t first) {
        T *const sums = work_.template kept_block_sums<T>(common(work.args), first / block_rows);
        if (first % block_rows == 0) std::memset(sums, 0, size_t(work_.width()) * sizeof(T));
        run_batch(work, b, {0, b.rows}, gradients_.begin(sums, work_.pitch()));
    });
}

template <typename T, typename Rows>
void backward_executor<T, Rows>::add_blocks(const arguments &args, dim_t part) const {
    double *const sums = work_.part_sums(common(args), part);
    const range blocks = work_.cut().part(part);
    for (dim_t block = blocks.begin; block < blocks.end; ++block)
        gradients_.add_block(block == blocks.begin ? nullptr : sums,
                             work_.template kept_block_sums<T>(common(args), block), sums, work_.width());
}

// All parts but the first `added`, which the first one has taken in.
template <typename T, typename Rows>
void backward_executor<T, Rows>::finish_parts(const arguments &args, dim_t added) const {
    const dim_t left = work_.cut().parts() - added, columns = work_.columns(), lines = (columns + 63) / 64;
    const int threads = std::min(merging_threads(left * work_.width() * dim_t(sizeof(double)), lines), max_threads());
    parallel_parts(threads, [&](int share) {
        const range mine = split(lines, threads, share);
        const range which = {mine.begin * 64, std::min(mine.end * 64, columns)};
        gradients_.finish(args, work_.part_sums(common(args), 0) + which.begin,
                          work_.part_sums(common(args), added) + which.begin, left, work_.pitch(), which);
    });
}

// ---------------------------------------------------------------- by chunks

template <typename T, typename Rows>
void backward_executor<T, Rows>::run_by_chunks(const arguments &args, const walk &how) const {
    if (batches_.have_sums())
        share_out(args, how, work_.chunks(), false, [&](share_of_work &work, range mine) {
            work.same_columns_until = work_.rows();
            for (dim_t chunk = mine.begin; chunk < mine.end; ++chunk) sum_chunk(work, chunk);
        });
    if (!problem_.wants_diff_src()) return;
    share_out(args, how, work_.chunks(), true, [&](share_of_work &work, range mine) {
        work.same_columns_until = work_.rows();
        write_chunks(work, mine);
    });
}

// The sums of all rows over the columns of one chunk, and the chunk of the gradients.
template <typename T, typename Rows>
void backward_executor<T, Rows>::sum_chunk(share_of_work &work, dim_t chunk) const {
    constexpr dim_t PITCH = backward_work::CHUNK_WIDTH;
    const dim_t width = gradients_.count() * PITCH;
    if (width == 0) return sum_chunk_of_rows(work, chunk, {0, work_.rows()}, {});
    T *const block_sums = work_.template block_sums<T>(work.own);
    double *const sums = work_.chunk_part_sums(work.own), *const total = work_.chunk_total(work.own);
    for (dim_t part = 0; part < work_.cut().parts(); ++part) {
        const range blocks = work_.cut().part(part);
        for (dim_t block = blocks.begin; block < blocks.end; ++block) {
            std::memset(block_sums, 0, size_t(width) * sizeof(T));
            sum_chunk_of_rows(work, chunk, work_.cut().block(block), gradients_.begin(block_sums, PITCH));
            gradients_.add_block(block == blocks.begin ? nullptr : sums, block_sums, sums, width);
        }
        gradients_.add_part(part == 0 ? nullptr : total, sums, total, width);
    }
    gradients_.finish(work.args, total, nullptr, 0, PITCH, work_.columns_of(chunk));
}

template <typename T, typename Rows>
void backward_executor<T, Rows>::sum_chunk_of_rows(share_of_work &work, dim_t chunk, range rows,
                                                   const column_sums<T> &to) const {
    const range columns = work_.columns_of(chunk);
    T *const s1 = work_.template row_sums<T>(common(work.args), 0, chunk);
    T *const s2 = work_.template row_sums<T>(common(work.args), 1, chunk);
    for_each_batch(work, rows, [&](batch &b, dim_t first) {
        sum(work, b, {0, b.rows}, columns, to.behind(-columns.begin), s1 + first, s2 + first);
    });
}

template <typename T, typename Rows>
void backward_executor<T, Rows>::write_chunks(share_of_work &work, range chunks) const {
    const dim_t end = std::min(chunks.end * CHUNK, work_.columns()), step = plan_.panel_columns;
    for (dim_t begin = chunks.begin * CHUNK; begin < end; begin += step)
        for_each_batch(work, {0, work_.rows()}, [&](batch &b, dim_t first) {
            take_sums(work.args, b, first);
            write(work, b, {0, b.rows}, {begin, std::min(begin + step, end)});
        });
}

// Each thread adds the chunks of the rows for itself.
template <typename T, typename Rows>
void backward_executor<T, Rows>::take_sums(const arguments &args, batch &b, dim_t first_row) const {
    const range all = {0, b.rows};
    b.clear_sums(all);
    if (!problem_.has(jitnorm_use_global_stats))
        for (dim_t chunk = 0; chunk < work_.chunks(); ++chunk) {
            const T *const s2 = work_.template row_sums<T>(common(args), 1, chunk) + first_row;
            const T *const s1 = work_.template row_sums<T>(common(args), 0, chunk) + first_row;
            b.add_chunk(all, problem_.is_rms() ? s2 : s1, s2); // without a mean nobody sets or takes s1
        }
    b.find_slopes(all, 1.0 / double(work_.columns()));
}

// ---------------------------------------------------------------- some columns of a batch's rows

template <typename T, typename Rows>
void backward_executor<T, Rows>::sum(share_of_work &work, const batch &b, range rows, range columns,
                                     const column_sums<T> &to, T *s1, T *s2) const {
    batches_.sum(work.args, work.at.open(rows, columns), b, rows, columns, to, s1, s2);
}

template <typename T, typename Rows>
void backward_executor<T, Rows>::write(share_of_work &work, const batch &b, range rows, range columns) const {
    batches_.write(work.args, work.how, work.at.open(rows, columns), b, rows, columns);
    work.at.close(rows, columns);
}

// Only what each of them uses: rows in lanes have neither rows without gradients nor chunks.
#define JITNORM_EXECUTOR(T, Rows)                                                                                      \
    template backward_executor<T, Rows>::backward_executor(const problem &, const plan &,                              \
                                                           std::shared_ptr<const backward_kernels<T>>);
JITNORM_EXECUTOR(float, rows_in_place)
JITNORM_EXECUTOR(float, rows_in_tiles)
JITNORM_EXECUTOR(float, rows_in_lanes)
JITNORM_EXECUTOR(double, rows_in_place)
JITNORM_EXECUTOR(double, rows_in_tiles)
JITNORM_EXECUTOR(double, rows_in_lanes)
#undef JITNORM_EXECUTOR

} // namespace jitnorm::impl::layer_norm
