// SPDX-License-Identifier: Apache-2.0
#include "forward_executor.hpp"

#include <cstdint>

#include "../core/parallel.hpp"

namespace jitnorm::impl::layer_norm {

namespace {

constexpr int SRC = 0, DST = 1, STATISTICS = 2; // tensors of the row space
constexpr dim_t CACHE_LINE = 64;

row_space rows_of(const problem &p) {
    const memory_desc *tensors[] = {&p.src, &p.dst, &p.statistics};
    return {std::span(tensors, p.uses_variance() ? 3 : 2), p.src.ndims - 1};
}

// Whether rows are whole cache lines apart, in every dimension.
bool has_rows_in_lines(const memory_desc &md) {
    for (int d = 0; d + 1 < md.ndims; ++d)
        if (md.dims[d] > 1 && md.strides[d] * dim_t(size_of(md.data_type)) % CACHE_LINE != 0) return false;
    return true;
}

jit::normalize_conf normalize_conf_of(const problem &p, jit::isa vectors, bool streaming) {
    return {vectors,        p.src.data_type,  p.dst.data_type,  p.scale_shift_type, p.uses_scale(),
            p.uses_shift(), p.attr.src_scale, p.attr.dst_scale, streaming};
}

jit::sweep_conf sweep_conf_of(const problem &p, jit::isa vectors, bool repeated) {
    return {vectors, p.src.data_type, !p.is_rms(), repeated};
}

} // namespace

forward_executor::forward_executor(const problem &p, jit::isa vectors)
    : problem_(p), space_(rows_of(p)), sweep_(sweep_conf_of(p, vectors, false)),
      repeat_(sweep_conf_of(p, vectors, true)), normalize_(normalize_conf_of(p, vectors, false)),
      stream_(normalize_conf_of(p, vectors, true)), C_(p.row_length()), src_size_(dim_t(size_of(p.src.data_type))),
      dst_size_(dim_t(size_of(p.dst.data_type))), src_stride_(space_.stride(SRC) * src_size_),
      dst_stride_(space_.stride(DST) * dst_size_),
      statistics_stride_(p.uses_variance() ? space_.stride(STATISTICS) : 0), inv_C_(1.0 / double(C_)),
      dst_in_lines_(has_rows_in_lines(p.dst)) {}

jitnorm_status_t forward_executor::execute(const arguments &args) const {
    const dim_t rows = space_.rows();
    if (rows == 0 || C_ == 0) return jitnorm_success;
    const int parts = tuning::threads(rows * C_ * (src_size_ + dst_size_), rows, max_threads());
    const rows_in_memory tensors = {static_cast<const std::byte *>(args.src),
                                    static_cast<std::byte *>(args.dst),
                                    static_cast<float *>(args.mean),
                                    static_cast<float *>(args.variance),
                                    args.scale,
                                    args.shift,
                                    args.src_scale ? *args.src_scale : 1,
                                    args.dst_scale ? 1 / *args.dst_scale : 1,
                                    plan_for(args, parts)};
    parallel_parts(parts, [&](int part) {
        const range mine = split(rows, parts, part);
        space_.for_each_run(mine.begin, mine.end, [&](const row_space::run &run) {
            rows_in_memory here = tensors;
            here.src += run.offset[SRC] * src_size_;
            here.dst += run.offset[DST] * dst_size_;
            if (here.mean) here.mean += run.offset[STATISTICS];
            if (here.variance) here.variance += run.offset[STATISTICS];
            normalize_run(here, run.count);
        });
    });
    return jitnorm_success;
}

// Bypassing stores need every row of dst at the start of a cache line, and elements of at least two bytes.
tuning::plan forward_executor::plan_for(const arguments &args, int parts) const {
    const dim_t bytes = space_.rows() * C_ * (src_size_ + dst_size_);
    tuning::plan plan = tuning::plan_for(bytes / parts, bytes, C_ * src_size_);
    const auto base = reinterpret_cast<uintptr_t>(args.dst) + uintptr_t(problem_.dst.offset0 * dst_size_);
    plan.streaming = plan.streaming && base % CACHE_LINE == 0 && dst_in_lines_ && dst_size_ >= 2;
    return plan;
}

void forward_executor::normalize_run(const rows_in_memory &rows, dim_t count) const {
    row_batch batch;
    const dim_t batch_rows = C_ > CHUNK ? 1 : rows.plan.batch_rows;
    for (dim_t first = 0; first < count; first += batch_rows) {
        batch.first = first;
        batch.rows = std::min(batch_rows, count - first);
        find_statistics(rows, batch);
        normalize(rows, batch);
    }
}

void forward_executor::find_statistics(const rows_in_memory &rows, row_batch &batch) const {
    const std::byte *src = rows.src + batch.first * src_stride_;
    if (problem_.statistics_are_inputs())
        load_statistics(rows, batch);
    else if (C_ > CHUNK)
        sweep_long_row(src, batch);
    else
        sweep(src, batch);
    batch.complete(problem_.epsilon);
    if (problem_.statistics_are_outputs()) store_statistics(rows, batch);
}

void forward_executor::load_statistics(const rows_in_memory &rows, row_batch &batch) const {
    for (dim_t r = 0; r < batch.rows; ++r) {
        const dim_t at = (batch.first + r) * statistics_stride_;
        batch.set(r, {rows.mean ? rows.mean[at] : 0.0F, 0.0F, double(rows.variance[at])});
    }
}

void forward_executor::store_statistics(const rows_in_memory &rows, const row_batch &batch) const {
    const auto store = [&](float *to, const float *values) {
        if (to == nullptr) return;
        for (dim_t r = 0; r < batch.rows; ++r) to[(batch.first + r) * statistics_stride_] = values[r];
    };
    store(rows.mean, batch.hi);
    store(rows.variance, batch.variance);
}

void forward_executor::sweep(const std::byte *src, row_batch &batch) const {
    sweep_({src, src_stride_, batch.rows, C_, batch.p, batch.s, batch.q, 1});
    if (!problem_.is_rms() && batch.is_settled(inv_C_)) {
        batch.take_settled(double(C_), inv_C_);
        return;
    }
    for (dim_t r = 0; r < batch.rows; ++r)
        batch.set(r, finish(settle_chunk(src + r * src_stride_, C_, batch.p[r], {batch.s[r], batch.q[r]}), inv_C_));
}

// A row of several chunks: the kernel takes them as rows, MAX_BATCH_ROWS at a time.
void forward_executor::sweep_long_row(const std::byte *src, row_batch &batch) const {
    moments<float> row{};
    for (dim_t begin = 0; begin < C_;) {
        const dim_t count = std::min(CHUNK, C_ - begin);
        const dim_t chunks = std::clamp<dim_t>((C_ - begin) / CHUNK, 1, tuning::MAX_BATCH_ROWS);
        sweep_({src + begin * src_size_, CHUNK * src_size_, chunks, count, batch.p, batch.s, batch.q, 1});
        for (dim_t k = 0; k < chunks; ++k, begin += count) {
            const auto chunk = settle_chunk(src + begin * src_size_, count, batch.p[k], {batch.s[k], batch.q[k]});
            row = begin == 0 ? chunk : merge(row, chunk);
        }
    }
    batch.set(0, finish(row, inv_C_));
}

moments<float> forward_executor::settle_chunk(const std::byte *src, dim_t count, float p,
                                              const sums<float> &first) const {
    const auto sweep_again = [&](float pivot, float factor) {
        sums<float> again{0, 0};
        repeat_({src, 0, 1, count, &pivot, &again.s, &again.q, factor});
        return again;
    };
    return problem_.is_rms() ? settle_squares(first, count, sweep_again) : settle(p, first, count, sweep_again);
}

void forward_executor::normalize(const rows_in_memory &rows, const row_batch &batch) const {
    const auto &kernel = rows.plan.streaming ? stream_ : normalize_;
    kernel({rows.src + batch.first * src_stride_, rows.dst + batch.first * dst_stride_, src_stride_, dst_stride_,
            batch.rows, C_, batch.hi, batch.rstd, batch.neg, rows.scale, rows.shift, rows.src_scale,
            rows.inverse_dst_scale, rows.plan.together, rows.plan.prefetch ? batch.rows * src_stride_ : 0});
}

} // namespace jitnorm::impl::layer_norm
