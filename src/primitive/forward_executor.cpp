// SPDX-License-Identifier: Apache-2.0
#include "forward_executor.hpp"

#include <utility>

#include "../core/parallel.hpp"

namespace jitnorm::impl::layer_norm {

namespace {

constexpr int SRC = 0, DST = 1, STATISTICS = 2; // tensors of the row space

row_space rows_of(const problem &p) {
    const memory_desc *tensors[] = {&p.src, &p.dst, &p.statistics};
    return {std::span(tensors, p.uses_variance() ? 3 : 2), p.src.ndims - 1};
}

const float *scale_or_shift(const void *values) { return static_cast<const float *>(values); }

} // namespace

forward_executor::forward_executor(const problem &p, jit::isa vectors)
    : problem_(p), space_(rows_of(p)), sweep_({vectors, !p.is_rms(), false}), repeat_({vectors, !p.is_rms(), true}),
      normalize_({vectors, p.uses_scale(), p.uses_shift()}), C_(p.row_length()),
      batch_rows_(C_ > CHUNK ? 1 : tuning::batch_rows(C_ * dim_t(sizeof(float)))), src_stride_(space_.stride(SRC)),
      dst_stride_(space_.stride(DST)), statistics_stride_(p.uses_variance() ? space_.stride(STATISTICS) : 0),
      inv_C_(1.0 / double(C_)) {}

jitnorm_status_t forward_executor::execute(const arguments &args) const {
    const dim_t rows = space_.rows();
    if (rows == 0 || C_ == 0) return jitnorm_success;
    const int parts = tuning::threads(rows * C_ * dim_t(2 * sizeof(float)), rows, max_threads());
    parallel_parts(parts, [&](int part) {
        const range mine = split(rows, parts, part);
        space_.for_each_run(mine.begin, mine.end, [&](const row_space::run &run) {
            const auto statistic = [&](void *values) {
                return values ? static_cast<float *>(values) + run.offset[STATISTICS] : nullptr;
            };
            normalize_run({static_cast<const float *>(args.src) + run.offset[SRC],
                           static_cast<float *>(args.dst) + run.offset[DST], statistic(args.mean),
                           statistic(args.variance), scale_or_shift(args.scale), scale_or_shift(args.shift)},
                          run.count);
        });
    });
    return jitnorm_success;
}

// The statistics of a batch are found before the batch in front of it is normalized: the scalar steps, a long chain of
// few instructions, then run beside that batch's stores.
void forward_executor::normalize_run(const rows_in_memory &rows, dim_t count) const {
    row_batch batches[2];
    row_batch *ready = nullptr, *next = &batches[0];
    for (dim_t first = 0; first < count; first += batch_rows_) {
        next->first = first;
        next->rows = std::min(batch_rows_, count - first);
        find_statistics(rows, *next);
        if (ready) normalize(rows, *ready);
        ready = std::exchange(next, ready ? ready : &batches[1]);
    }
    normalize(rows, *ready);
}

void forward_executor::find_statistics(const rows_in_memory &rows, row_batch &batch) const {
    if (problem_.statistics_are_inputs())
        load_statistics(rows, batch);
    else if (C_ > CHUNK)
        sweep_long_row(rows, batch);
    else
        sweep(rows, batch);
}

void forward_executor::load_statistics(const rows_in_memory &rows, row_batch &batch) const {
    for (dim_t r = 0; r < batch.rows; ++r) {
        const dim_t at = (batch.first + r) * statistics_stride_;
        batch.set(r, {rows.mean ? rows.mean[at] : 0.0F, 0.0F, double(rows.variance[at])}, problem_.epsilon);
    }
}

void forward_executor::sweep(const rows_in_memory &rows, row_batch &batch) const {
    const float *src = rows.src + batch.first * src_stride_;
    sweep_({src, src_stride_ * dim_t(sizeof(float)), batch.rows, C_, batch.p, batch.s, batch.q, 1});
    for (dim_t r = 0; r < batch.rows; ++r) {
        const auto row = settle_chunk(src + r * src_stride_, C_, batch.p[r], {batch.s[r], batch.q[r]});
        keep(rows, batch, r, finish(row, inv_C_));
    }
}

// A row of several chunks: the kernel takes them as rows, MAX_BATCH_ROWS at a time.
void forward_executor::sweep_long_row(const rows_in_memory &rows, row_batch &batch) const {
    const float *src = rows.src + batch.first * src_stride_;
    moments<float> row{};
    for (dim_t begin = 0; begin < C_;) {
        const dim_t count = std::min(CHUNK, C_ - begin);
        const dim_t chunks = std::clamp<dim_t>((C_ - begin) / CHUNK, 1, tuning::MAX_BATCH_ROWS);
        sweep_({src + begin, CHUNK * dim_t(sizeof(float)), chunks, count, batch.p, batch.s, batch.q, 1});
        for (dim_t k = 0; k < chunks; ++k, begin += count) {
            const auto chunk = settle_chunk(src + begin, count, batch.p[k], {batch.s[k], batch.q[k]});
            row = begin == 0 ? chunk : merge(row, chunk);
        }
    }
    keep(rows, batch, 0, finish(row, inv_C_));
}

moments<float> forward_executor::settle_chunk(const float *src, dim_t count, float p, const sums<float> &first) const {
    const auto sweep_again = [&](float pivot, float factor) {
        sums<float> again{0, 0};
        repeat_({src, 0, 1, count, &pivot, &again.s, &again.q, factor});
        return again;
    };
    return problem_.is_rms() ? settle_squares(first, count, sweep_again) : settle(p, first, count, sweep_again);
}

void forward_executor::keep(const rows_in_memory &rows, row_batch &batch, dim_t row,
                            const row_statistics<float> &statistics) const {
    batch.set(row, statistics, problem_.epsilon);
    const dim_t at = (batch.first + row) * statistics_stride_;
    if (rows.mean) rows.mean[at] = statistics.hi;
    if (rows.variance) rows.variance[at] = float(statistics.variance);
}

void forward_executor::normalize(const rows_in_memory &rows, const row_batch &batch) const {
    normalize_({rows.src + batch.first * src_stride_, rows.dst + batch.first * dst_stride_,
                src_stride_ * dim_t(sizeof(float)), dst_stride_ * dim_t(sizeof(float)), batch.rows, C_, batch.hi,
                batch.rstd, batch.neg, rows.scale, rows.shift});
}

} // namespace jitnorm::impl::layer_norm
