// SPDX-License-Identifier: Apache-2.0
#include "backward_executor.hpp"

#include <cstring>

#include "../layout/zero_padding.hpp"
#include "../simd/non_temporal_stores.hpp"

namespace jitnorm::impl::layer_norm {

namespace {

const void *behind(const void *values, dim_t count, dim_t size) {
    return values ? static_cast<const std::byte *>(values) + count * size : nullptr;
}

} // namespace

template <typename T, typename Rows>
backward_executor<T, Rows>::backward_executor(const problem &p, std::shared_ptr<const backward_kernels<T>> kernels)
    : problem_(p), kernels_(std::move(kernels)), rows_(p), work_(work_of(p)) {}

template <typename T, typename Rows>
size_t backward_executor<T, Rows>::scratchpad_bytes(const problem &p) {
    return work_of(p).scratchpad_bytes();
}

template <typename T, typename Rows>
jitnorm_status_t backward_executor<T, Rows>::execute(const arguments &args) const {
    if (!has_outputs()) return jitnorm_success;
    const int available = max_threads();
    if (work_.goes_by_chunks(available))
        run_by_chunks(args, work_.chunk_threads(available));
    else if (sums_are_gradients())
        run_one_block(args);
    else if (rows_.units() > 0)
        run_by_units(args, work_.row_threads(available));
    else
        run_by_rows(args, work_.row_threads(available));
    return jitnorm_success;
}

template <typename T, typename Rows>
void backward_executor<T, Rows>::zero_gradients(const arguments &args) const {
    const size_t bytes = size_t(work_.columns()) * size_of(problem_.diff_scale_shift_type);
    if (problem_.wants_diff_scale()) std::memset(args[DIFF_SCALE], 0, bytes);
    if (problem_.wants_diff_shift()) std::memset(args[DIFF_SHIFT], 0, bytes);
}

// Bypassing stores need every row of diff_src at the start of a cache line, and elements of at least half the compute
// type's size.
template <typename T, typename Rows>
tuning::backward_plan backward_executor<T, Rows>::plan_for(const arguments &args, int threads) const {
    auto plan = tuning::backward_plan_for(work_.bytes() / threads, work_.bytes(), work_.row_bytes_read());
    plan.non_temporal = plan.non_temporal && problem_.wants_diff_src() && rows_.has_rows_in_lines(args[DIFF_SRC]) &&
                        2 * size_of(problem_.diff_src.data_type) >= sizeof(T);
    return plan;
}

template <typename T, typename Rows>
typename backward_executor<T, Rows>::column_sums backward_executor<T, Rows>::column_sums_in(T *sums,
                                                                                            dim_t pitch) const {
    T *const shift = problem_.wants_diff_scale() ? sums + pitch : sums;
    return {problem_.wants_diff_scale() ? sums : nullptr, problem_.wants_diff_shift() ? shift : nullptr};
}

// ---------------------------------------------------------------- by rows

// A single block's sums are the gradients, and are added up where those go.
template <typename T, typename Rows>
bool backward_executor<T, Rows>::sums_are_gradients() const {
    return std::is_same_v<T, float> && problem_.diff_scale_shift_type == jitnorm_f32 && work_.gradients() > 0 &&
           work_.cut().blocks() == 1;
}

template <typename T, typename Rows>
void backward_executor<T, Rows>::run_one_block(const arguments &args) const {
    const auto plan = plan_for(args, 1);
    session at(rows_, args, work_.buffer(args[SCRATCHPAD], 0), rows_to_read(work_.rows()));
    zero_gradients(args);
    run_rows(args, plan, at, {0, work_.rows()},
             {static_cast<T *>(args[DIFF_SCALE]), static_cast<T *>(args[DIFF_SHIFT])});
    finish_non_temporal_stores(plan.non_temporal);
    if (problem_.wants_diff_src()) zero_padding(problem_.diff_src, args[DIFF_SRC], 0, 1);
}

template <typename T, typename Rows>
void backward_executor<T, Rows>::run_by_rows(const arguments &args, int threads) const {
    const auto plan = plan_for(args, threads);
    const dim_t parts = work_.cut().parts();
    parallel_parts(threads, [&](int share) {
        if (work_.gradients() > 0) {
            run_parts(args, plan, share, split(parts, threads, share));
        } else {
            const range even = split(work_.rows(), threads, share);
            const range mine = {rows_.cut_at(even.begin), rows_.cut_at(even.end)};
            session at(rows_, args, work_.buffer(args[SCRATCHPAD], share), rows_to_read(mine.end));
            run_rows(args, plan, at, mine, {});
        }
        finish_non_temporal_stores(plan.non_temporal);
        if (problem_.wants_diff_src()) zero_padding(problem_.diff_src, args[DIFF_SRC], share, threads);
    });
    if (work_.gradients() > 0) finish_parts(args, split(parts, threads, 0).end);
}

// Until where rows are gathered together: long ones go chunk by chunk and come one batch at a time.
template <typename T, typename Rows>
dim_t backward_executor<T, Rows>::rows_to_read(dim_t end) const {
    return work_.columns() <= CHUNK ? end : 0;
}

// The end of the last row of some parts.
template <typename T, typename Rows>
dim_t backward_executor<T, Rows>::end_of(range parts) const {
    return parts.begin == parts.end ? 0 : work_.cut().block(work_.cut().part(parts.end - 1).end - 1).end;
}

// The first thread adds its parts up as it goes, in part 0's place: they are the first in the order of the total, so no
// bit differs from adding them up later. A part of one block is that block in double, and needs no place of its own.
template <typename T, typename Rows>
void backward_executor<T, Rows>::run_parts(const arguments &args, const tuning::backward_plan &plan, int share,
                                           range parts) const {
    session at(rows_, args, work_.buffer(args[SCRATCHPAD], share), rows_to_read(end_of(parts)));
    double *const total = work_.part_sums(args[SCRATCHPAD], 0);
    for (dim_t part = parts.begin; part < parts.end; ++part) {
        const bool joins = parts.begin == 0 && part > 0;
        if (joins && work_.cut().blocks_per_part() == 1) {
            run_part(args, plan, at, share, part, total, total);
            continue;
        }
        double *const sums = work_.part_sums(args[SCRATCHPAD], joins ? 1 : part);
        run_part(args, plan, at, share, part, nullptr, sums);
        if (joins) add(kernels_->weights->add_part, total, sums, total, work_.width());
    }
}

// sums = start, or zero, + the part's blocks
template <typename T, typename Rows>
void backward_executor<T, Rows>::run_part(const arguments &args, const tuning::backward_plan &plan, session &at,
                                          int share, dim_t part, const double *start, double *sums) const {
    T *const block_sums = work_.template block_sums<T>(args[SCRATCHPAD], share);
    const range blocks = work_.cut().part(part);
    for (dim_t block = blocks.begin; block < blocks.end; ++block) {
        std::memset(block_sums, 0, size_t(work_.width()) * sizeof(T));
        run_rows(args, plan, at, work_.cut().block(block), column_sums_in(block_sums, work_.pitch()));
        add(kernels_->weights->add_block, block == blocks.begin ? start : sums, block_sums, sums, work_.width());
    }
}

template <typename T, typename Rows>
void backward_executor<T, Rows>::run_rows(const arguments &args, const tuning::backward_plan &plan, session &at,
                                          range rows, const column_sums &to) const {
    const dim_t together = rows_.together(plan);
    batch b;
    at.for_each_batch(rows, [&](dim_t, dim_t number) {
        b.rows = number;
        at.read_statistics(b, problem_);
        for (dim_t first = 0; first < number; first += together)
            run_together(args, plan, at, b, {first, std::min(first + together, number)}, to);
    });
}

// A few rows that stay in L1 from their sums to diff_src.
template <typename T, typename Rows>
void backward_executor<T, Rows>::run_together(const arguments &args, const tuning::backward_plan &plan, session &at,
                                              batch &b, range rows, const column_sums &to) const {
    const dim_t columns = work_.columns();
    b.clear_sums(rows);
    if (kernels_->sums)
        for (dim_t chunk = 0; chunk < work_.chunks(); ++chunk) {
            sum(args, at, b, rows, work_.columns_of(chunk), to, b.chunk_s1, b.chunk_s2);
            b.add_chunk(rows, b.chunk_s1, b.chunk_s2);
        }
    if (!problem_.wants_diff_src()) return;
    b.find_slopes(rows, 1.0 / double(columns));
    const dim_t step = rows_.data_columns();
    for (dim_t begin = 0; begin < columns; begin += step)
        write(args, plan, at, b, rows, {begin, std::min(begin + step, columns)});
}

// All parts but the first `added`, which the first one has taken in.
template <typename T, typename Rows>
void backward_executor<T, Rows>::finish_parts(const arguments &args, dim_t added) const {
    const dim_t left = work_.cut().parts() - added, columns = work_.columns(), lines = (columns + 63) / 64;
    const int threads = tuning::backward_threads(left * work_.width() * dim_t(sizeof(double)), lines, max_threads());
    parallel_parts(threads, [&](int share) {
        const range mine = split(lines, threads, share);
        const range which = {mine.begin * 64, std::min(mine.end * 64, columns)};
        finish(args, work_.part_sums(args[SCRATCHPAD], 0) + which.begin,
               work_.part_sums(args[SCRATCHPAD], added) + which.begin, left, work_.pitch(), which);
    });
}

// ---------------------------------------------------------------- by units of rows near each other in memory

template <typename T, typename Rows>
void backward_executor<T, Rows>::run_by_units(const arguments &args, int threads) const {
    const auto plan = plan_for(args, threads);
    const dim_t units = rows_.units(), parts = work_.cut().parts();
    parallel_parts(threads, [&](int share) {
        run_units(args, plan, share, split(units, threads, share));
        if (problem_.wants_diff_src()) zero_padding(problem_.diff_src, args[DIFF_SRC], share, threads);
    });
    parallel_parts(threads, [&](int share) {
        const range mine = split(parts, threads, share);
        for (dim_t part = mine.begin; part < mine.end; ++part) add_blocks(args, part);
    });
    finish_parts(args, 1);
}

template <typename T, typename Rows>
void backward_executor<T, Rows>::run_units(const arguments &args, const tuning::backward_plan &plan, int share,
                                           range units) const {
    session at(rows_, args, work_.buffer(args[SCRATCHPAD], share), 0);
    const dim_t block_rows = work_.cut().block_rows();
    batch b;
    for (dim_t unit = units.begin; unit < units.end; ++unit)
        at.for_each_batch_of_unit(unit, [&](dim_t first, dim_t number) {
            T *const sums = work_.template kept_block_sums<T>(args[SCRATCHPAD], first / block_rows);
            if (first % block_rows == 0) std::memset(sums, 0, size_t(work_.width()) * sizeof(T));
            b.rows = number;
            at.read_statistics(b, problem_);
            run_together(args, plan, at, b, {0, number}, column_sums_in(sums, work_.pitch()));
        });
}

template <typename T, typename Rows>
void backward_executor<T, Rows>::add_blocks(const arguments &args, dim_t part) const {
    double *const sums = work_.part_sums(args[SCRATCHPAD], part);
    const range blocks = work_.cut().part(part);
    for (dim_t block = blocks.begin; block < blocks.end; ++block)
        add(kernels_->weights->add_block, block == blocks.begin ? nullptr : sums,
            work_.template kept_block_sums<T>(args[SCRATCHPAD], block), sums, work_.width());
}

// ---------------------------------------------------------------- some columns of a batch's rows

// `to` is where the sums of the row's first column go.
template <typename T, typename Rows>
void backward_executor<T, Rows>::sum(const arguments &args, session &at, const batch &b, range rows, range columns,
                                     const column_sums &to, T *s1, T *s2) const {
    const dim_t number = rows.end - rows.begin, count = columns.end - columns.begin;
    const backward_panel panel = at.open(rows.begin, number, columns.begin, count);
    const column_sums here = to.behind(columns.begin);
    (*kernels_->sums)({panel.src, panel.diff_dst, panel.src_stride, panel.diff_dst_stride, number, count,
                       b.mean + rows.begin, b.factor + rows.begin,
                       behind(args[SCALE], columns.begin, dim_t(size_of(problem_.scale_shift_type))), here.scale,
                       here.shift, s1, s2});
}

template <typename T, typename Rows>
void backward_executor<T, Rows>::write(const arguments &args, const tuning::backward_plan &plan, session &at,
                                       const batch &b, range rows, range columns) const {
    const dim_t number = rows.end - rows.begin, count = columns.end - columns.begin;
    const backward_panel panel = at.open(rows.begin, number, columns.begin, count);
    const auto &kernels = *kernels_->data;
    const auto &kernel = plan.non_temporal  ? kernels.non_temporal
                         : plan.prefetching ? kernels.prefetching
                                            : kernels.ordinary;
    kernel({panel.src, panel.diff_dst, panel.diff_src, panel.src_stride, panel.diff_dst_stride, panel.diff_src_stride,
            number, count, b.mean + rows.begin, b.rstd + rows.begin, b.m1 + rows.begin, b.k + rows.begin,
            behind(args[SCALE], columns.begin, dim_t(size_of(problem_.scale_shift_type))), number});
    at.close(rows.begin, number, columns.begin, count);
}

// ---------------------------------------------------------------- sums over columns

template <typename T, typename Rows>
void backward_executor<T, Rows>::add(const jit::backward_weights_kernel &kernel, const double *start, const void *sums,
                                     double *to, dim_t count) {
    kernel({start, sums, 0, 1, count, to});
}

template <typename T, typename Rows>
void backward_executor<T, Rows>::finish(const arguments &args, const double *start, const double *sums, dim_t number,
                                        dim_t pitch, range columns) const {
    const dim_t stride = work_.gradients() * pitch * dim_t(sizeof(double)), count = columns.end - columns.begin;
    const dim_t at = columns.begin * dim_t(size_of(problem_.diff_scale_shift_type));
    dim_t place = 0;
    const auto finish_one = [&](void *gradient) {
        kernels_->weights->finish({start + place, number == 0 ? nullptr : sums + place, stride, number, count,
                                   static_cast<std::byte *>(gradient) + at});
        place += pitch;
    };
    if (problem_.wants_diff_scale()) finish_one(args[DIFF_SCALE]);
    if (problem_.wants_diff_shift()) finish_one(args[DIFF_SHIFT]);
}

template class backward_executor<float, backward_dense_rows>;
template class backward_executor<float, backward_packed_rows>;
template class backward_executor<double, backward_dense_rows>;
template class backward_executor<double, backward_packed_rows>;

} // namespace jitnorm::impl::layer_norm
