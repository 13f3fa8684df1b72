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

} // namespace

forward_executor::forward_executor(const problem &p, jit::isa vectors)
    : kernels_(p, vectors), space_(rows_of(p)), C_(p.row_length()), src_size_(dim_t(size_of(p.src.data_type))),
      dst_size_(dim_t(size_of(p.dst.data_type))), dst_offset_(p.dst.offset0 * dst_size_),
      src_stride_(space_.stride(SRC) * src_size_), dst_stride_(space_.stride(DST) * dst_size_),
      statistics_stride_(p.uses_variance() ? space_.stride(STATISTICS) : 0), dst_in_lines_(has_rows_in_lines(p.dst)) {}

jitnorm_status_t forward_executor::execute(const arguments &args) const {
    const dim_t rows = space_.rows();
    if (rows == 0 || C_ == 0) return jitnorm_success;
    const int parts = tuning::threads(rows * C_ * (src_size_ + dst_size_), rows, max_threads());
    dense_rows common = forward_rows::common(args);
    common.src_stride = src_stride_;
    common.dst_stride = dst_stride_;
    common.statistics_stride = statistics_stride_;
    common.plan = plan_for(args, parts);
    parallel_parts(parts, [&](int part) {
        const range mine = split(rows, parts, part);
        space_.for_each_run(mine.begin, mine.end, [&](const row_space::run &run) {
            dense_rows here = common;
            const auto statistic = [&](void *values) {
                return values ? static_cast<float *>(values) + run.offset[STATISTICS] : nullptr;
            };
            here.src = static_cast<const std::byte *>(args.src) + run.offset[SRC] * src_size_;
            here.dst = static_cast<std::byte *>(args.dst) + run.offset[DST] * dst_size_;
            here.mean = statistic(args.mean);
            here.variance = statistic(args.variance);
            kernels_.run(here, run.count);
        });
    });
    return jitnorm_success;
}

// Bypassing stores need every row of dst at the start of a cache line, and elements of at least two bytes.
tuning::plan forward_executor::plan_for(const arguments &args, int parts) const {
    const dim_t bytes = space_.rows() * C_ * (src_size_ + dst_size_);
    tuning::plan plan = tuning::plan_for(bytes / parts, bytes, C_ * src_size_);
    const uintptr_t first = reinterpret_cast<uintptr_t>(args.dst) + uintptr_t(dst_offset_);
    plan.streaming = plan.streaming && first % CACHE_LINE == 0 && dst_in_lines_ && dst_size_ >= 2;
    return plan;
}

} // namespace jitnorm::impl::layer_norm
