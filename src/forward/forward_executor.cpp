// SPDX-License-Identifier: Apache-2.0
#include "forward_executor.hpp"

#include <climits>
#include <cstdint>

#include "../simd/non_temporal_stores.hpp"

namespace jitnorm::impl::layer_norm {

namespace {

constexpr int SRC_ROWS = 0, DST_ROWS = 1, STATISTICS = 2; // tensors of the row space

row_space rows_of(const problem &p) {
    const memory_desc *tensors[] = {&p.src, &p.dst, &p.statistics};
    return {std::span(tensors, p.uses_statistics() ? 3 : 2), p.row_ndims()};
}

dim_t chunks_in(dim_t C) { return (C + CHUNK - 1) / CHUNK; }

const void *advance(const void *values, dim_t bytes) {
    return values ? static_cast<const std::byte *>(values) + bytes : nullptr;
}

// Threads there are of those worth starting; nobody is asked for less than two.
int available(int wanted) { return wanted == 1 ? 1 : std::min(wanted, max_threads()); }

} // namespace

template <typename T>
forward_executor<T>::forward_executor(const problem &p, std::shared_ptr<const forward_kernels<T>> kernels,
                                      bool shares_rows)
    : kernels_(p, std::move(kernels)), space_(rows_of(p)), shares_rows_(shares_rows),
      computed_(!p.statistics_are_inputs()), C_(p.row_length()), src_size_(dim_t(size_of(p.src.data_type))),
      dst_size_(dim_t(size_of(p.dst.data_type))), scale_size_(dim_t(size_of(p.scale_shift_type))),
      dst_offset_(p.dst.offset0 * dst_size_), src_stride_(space_.stride(SRC_ROWS) * src_size_),
      dst_stride_(space_.stride(DST_ROWS) * dst_size_), statistics_size_(dim_t(size_of(p.statistics.data_type))),
      statistics_stride_(p.uses_statistics() ? space_.stride(STATISTICS) : 0),
      dst_in_lines_(has_rows_in_lines(p.dst, p.row_ndims())), bytes_(space_.rows() * C_ * (src_size_ + dst_size_)),
      row_threads_(tuning::threads(bytes_, space_.rows(), INT_MAX)),
      chunk_threads_(tuning::threads(bytes_, space_.rows() * chunks_in(C_), tuning::MAX_PARTS)),
      plan_(tuning::plan_for(bytes_, C_ * src_size_, C_ * dst_size_)) {}

template <typename T>
size_t forward_executor<T>::scratchpad_bytes(const problem &p) {
    if (p.row_length() <= CHUNK || p.rows() >= tuning::MAX_PARTS) return 0;
    return size_t(p.rows() * chunks_in(p.row_length())) * sizeof(moments<T>);
}

template <typename T>
jitnorm_status_t forward_executor<T>::execute(const arguments &args) const {
    const int chunk_parts = available(chunk_threads_);
    if (goes_by_chunks(chunk_parts))
        run_chunks(args, chunk_parts);
    else
        run_rows(args, available(row_threads_));
    return jitnorm_success;
}

template <typename T>
dense_rows<T> forward_executor<T>::common_of(const arguments &args) const {
    dense_rows<T> common = forward_rows<T>::common(args);
    common.src_stride = src_stride_;
    common.dst_stride = dst_stride_;
    common.statistics_stride = statistics_stride_;
    common.plan = plan_for(args);
    return common;
}

template <typename T>
void forward_executor<T>::move_to(dense_rows<T> &rows, const arguments &args, const row_space::run &run,
                                  dim_t first_row) const {
    const auto statistic = [&](void *values) {
        return values ? static_cast<std::byte *>(values) + run.offset[STATISTICS] * statistics_size_ : nullptr;
    };
    rows.first_row = first_row;
    rows.src = static_cast<const std::byte *>(args[SRC]) + run.offset[SRC_ROWS] * src_size_;
    rows.dst = static_cast<std::byte *>(args[DST]) + run.offset[DST_ROWS] * dst_size_;
    rows.mean = statistic(args[MEAN]);
    rows.variance = statistic(args[VARIANCE]);
}

template <typename T>
void forward_executor<T>::run_rows(const arguments &args, int parts) const {
    parallel_parts(parts, [&](int part) {
        const range mine = split(space_.rows(), parts, part);
        dense_rows<T> rows = common_of(args);
        dim_t row = mine.begin;
        space_.for_each_run(mine.begin, mine.end, [&](const row_space::run &run) {
            move_to(rows, args, run, row);
            kernels_.run(rows, run.count);
            row += run.count;
        });
        finish_non_temporal_stores(rows.plan.non_temporal);
    });
}

template <typename T>
template <typename Body>
void forward_executor<T>::for_each_piece(const arguments &args, const dense_rows<T> &common, range chunks,
                                         Body &&body) const {
    const dim_t per_row = chunks_in(C_);
    for (dim_t begin = chunks.begin; begin < chunks.end;) {
        const dim_t number = begin / per_row, first = begin % per_row;
        const dim_t last = std::min(per_row, first + chunks.end - begin);
        space_.for_each_run(number, number + 1, [&](const row_space::run &run) {
            piece here = {common, number, first, last};
            move_to(here.row, args, run, number);
            body(static_cast<const piece &>(here));
        });
        begin += last - first;
    }
}

// Twice over all chunks: for their moments, and to normalize them with the row's, which every thread merges for itself.
template <typename T>
void forward_executor<T>::run_chunks(const arguments &args, int parts) const {
    dense_rows<T> common = common_of(args);
    common.plan.prefetch = false;
    auto *found = static_cast<moments<T> *>(args[SCRATCHPAD]);
    const dim_t chunks = space_.rows() * chunks_in(C_);
    if (computed_)
        parallel_parts(parts, [&](int part) {
            for_each_piece(args, common, split(chunks, parts, part),
                           [&](const piece &p) { find_chunk_moments(p, found); });
        });
    parallel_parts(parts, [&](int part) {
        for_each_piece(args, common, split(chunks, parts, part), [&](const piece &p) { normalize_chunks(p, found); });
        finish_non_temporal_stores(common.plan.non_temporal);
    });
}

template <typename T>
void forward_executor<T>::find_chunk_moments(const piece &p, moments<T> *found) const {
    for (dim_t chunk = p.first; chunk < p.last; ++chunk) {
        const dim_t begin = chunk * CHUNK;
        found[p.number * chunks_in(C_) + chunk] =
            kernels_.chunk_moments(p.row.src + begin * src_size_, std::min(CHUNK, C_ - begin));
    }
}

template <typename T>
void forward_executor<T>::normalize_chunks(piece p, const moments<T> *found) const {
    row_batch<T> batch;
    batch.first = 0;
    batch.rows = 1;
    if (computed_) {
        const moments<T> *chunks = found + p.number * chunks_in(C_);
        moments<T> row = chunks[0];
        for (dim_t chunk = 1; chunk < chunks_in(C_); ++chunk) row = merge(row, chunks[chunk]);
        kernels_.finish_row(batch, 0, row);
        if (p.first == 0) kernels_.store_statistics(p.row, batch);
    } else {
        kernels_.find_given_statistics(p.row, batch);
    }
    const dim_t begin = p.first * CHUNK, end = std::min(p.last * CHUNK, C_);
    p.row.first_column = begin;
    p.row.src += begin * src_size_;
    p.row.dst += begin * dst_size_;
    p.row.scale = advance(p.row.scale, begin * scale_size_);
    p.row.shift = advance(p.row.shift, begin * scale_size_);
    kernels_.normalize(p.row, batch, end - begin);
}

// Bypassing stores need every row of dst at the start of a cache line, and elements of at least half the compute type's
// size.
template <typename T>
tuning::plan forward_executor<T>::plan_for(const arguments &args) const {
    tuning::plan plan = plan_;
    const uintptr_t first = reinterpret_cast<uintptr_t>(args[DST]) + uintptr_t(dst_offset_);
    plan.non_temporal =
        plan.non_temporal && first % CACHE_LINE == 0 && dst_in_lines_ && 2 * dst_size_ >= dim_t(sizeof(T));
    return plan;
}

template class forward_executor<float>;
template class forward_executor<double>;

} // namespace jitnorm::impl::layer_norm
