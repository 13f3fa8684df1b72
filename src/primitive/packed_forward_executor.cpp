// SPDX-License-Identifier: Apache-2.0
#include "packed_forward_executor.hpp"

#include "../core/zero_padding.hpp"
#include "row_order.hpp"

namespace jitnorm::impl::layer_norm {

namespace {

problem in_order_of_src(const problem &p) {
    const int row_ndims = p.row_ndims();
    const row_order order = order_in_memory(p.src, row_ndims);
    problem ordered = p;
    for (memory_desc *md : {&ordered.src, &ordered.dst, &ordered.statistics})
        if (md->ndims > 0) *md = with_row_order(*md, row_ndims, order);
    for (post_op &entry : ordered.attr.post_ops.entries)
        if (auto *binary = std::get_if<binary_post_op>(&entry))
            binary->src1 = with_row_order(binary->src1, row_ndims, order);
    return ordered;
}

dim_t element_size(const memory_desc &md) { return dim_t(size_of(md.data_type)); }

// Columns that a tile holds at a time, its rows at the most, and its bytes.
dim_t tile_columns(const problem &p) { return std::min(p.row_length(), CHUNK); }
dim_t pitch_of(const problem &p, const memory_desc &md) {
    return row_packer::pitch_for(tile_columns(p) * element_size(md));
}
dim_t tile_rows(const problem &p) { return tuning::packed_rows(pitch_of(p, p.src), pitch_of(p, p.dst)); }
dim_t tile_bytes(const problem &p, const memory_desc &md) { return tile_rows(p) * pitch_of(p, md); }
template <typename T>
dim_t buffer_bytes(const problem &p) {
    return tile_bytes(p, p.src) + tile_bytes(p, p.dst) +
           post_op_operands<T>::tiles_bytes(p, tile_rows(p), tile_columns(p));
}

int parts_of(const problem &p, int available) {
    return tuning::threads(nelems(p.src) * (element_size(p.src) + element_size(p.dst)), p.rows(),
                           std::min(available, tuning::MAX_PARTS));
}

} // namespace

template <typename T>
packed_forward_executor<T>::packed_forward_executor(const problem &p, std::shared_ptr<const forward_kernels<T>> kernels)
    : problem_(in_order_of_src(p)), reads_dst_(kernels->reads_dst), kernels_(problem_, std::move(kernels)),
      src_(problem_.src, p.row_ndims()), dst_(problem_.dst, p.row_ndims()),
      statistics_(p.uses_statistics() ? problem_.statistics : problem_.src, p.row_ndims()) {}

template <typename T>
size_t packed_forward_executor<T>::scratchpad_bytes(const problem &p) {
    if (nelems(p.src) == 0) return 0;
    return size_t(parts_of(p, tuning::MAX_PARTS) * buffer_bytes<T>(p));
}

template <typename T>
jitnorm_status_t packed_forward_executor<T>::execute(const arguments &args) const {
    if (nelems(problem_.src) == 0) return jitnorm_success;
    const int parts = parts_of(problem_, max_threads());
    const dim_t bytes = buffer_bytes<T>(problem_);
    parallel_parts(parts, [&](int part) {
        const range even = split(src_.rows(), parts, part);
        run_part(args, {dst_.group_begin(even.begin), dst_.group_begin(even.end)},
                 static_cast<std::byte *>(args.scratchpad) + part * bytes);
        zero_padding(problem_.dst, args.dst, part, parts);
        if (problem_.writes_variance()) zero_padding(problem_.statistics, args.variance, part, parts);
        if (problem_.writes_mean()) zero_padding(problem_.statistics, args.mean, part, parts);
    });
    return jitnorm_success;
}

template <typename T>
void packed_forward_executor<T>::run_part(const arguments &args, range rows, std::byte *buffers) const {
    tile t;
    t.src = buffers;
    t.dst = buffers + tile_bytes(problem_, problem_.src);
    for (t.first = rows.begin; t.first < rows.end; t.first += t.rows) {
        t.rows = src_.tile_rows(t.first, rows.end, tile_rows(problem_));
        gather_statistics(args, t);
        if (problem_.row_length() > CHUNK)
            run_tile_by_chunks(args, t);
        else
            run_tile(args, t);
        scatter_statistics(args, t);
    }
}

template <typename T>
dense_rows<T> packed_forward_executor<T>::rows_in(tile &t, const arguments &args) const {
    dense_rows<T> rows = forward_rows<T>::common(args);
    rows.src = t.src;
    rows.dst = t.dst;
    rows.src_stride = pitch_of(problem_, problem_.src);
    rows.dst_stride = pitch_of(problem_, problem_.dst);
    rows.mean = t.mean;
    rows.variance = t.variance;
    rows.statistics_stride = 1;
    rows.plan = tuning::packed_plan(rows.src_stride);
    rows.first_row = t.first;
    rows.operand_tiles = t.dst + tile_bytes(problem_, problem_.dst);
    return rows;
}

template <typename T>
void packed_forward_executor<T>::run_tile(const arguments &args, tile &t) const {
    const dense_rows<T> rows = rows_in(t, args);
    src_.gather(args.src, t.first, t.rows, t.src, rows.src_stride);
    if (reads_dst_) dst_.gather(args.dst, t.first, t.rows, t.dst, rows.dst_stride);
    kernels_.run(rows, t.rows);
    dst_.scatter(t.dst, rows.dst_stride, t.first, t.rows, args.dst);
}

// Long rows do not fit as a whole: their chunks pass through the tile twice, for the statistics and to be normalized.
template <typename T>
void packed_forward_executor<T>::run_tile_by_chunks(const arguments &args, tile &t) const {
    dense_rows<T> rows = rows_in(t, args);
    row_batch<T> batch;
    batch.first = 0;
    batch.rows = t.rows;
    find_long_statistics(args, t, rows, batch);
    const dim_t scale_size = dim_t(size_of(problem_.scale_shift_type));
    const auto behind = [&](const void *values, dim_t columns) -> const void * {
        return values ? static_cast<const std::byte *>(values) + columns * scale_size : nullptr;
    };
    for (dim_t begin = 0; begin < problem_.row_length(); begin += CHUNK) {
        const dim_t columns = std::min(CHUNK, problem_.row_length() - begin);
        src_.gather(args.src, t.first, t.rows, begin, columns, t.src, rows.src_stride);
        if (reads_dst_) dst_.gather(args.dst, t.first, t.rows, begin, columns, t.dst, rows.dst_stride);
        rows.first_column = begin;
        rows.scale = behind(args.scale, begin);
        rows.shift = behind(args.shift, begin);
        kernels_.normalize(rows, batch, columns);
        dst_.scatter(t.dst, rows.dst_stride, t.first, t.rows, begin, columns, args.dst);
    }
}

template <typename T>
void packed_forward_executor<T>::find_long_statistics(const arguments &args, tile &t, const dense_rows<T> &rows,
                                                      row_batch<T> &batch) const {
    if (problem_.statistics_are_inputs()) return kernels_.find_given_statistics(rows, batch);
    moments<T> found[tuning::MAX_BATCH_ROWS];
    for (dim_t begin = 0; begin < problem_.row_length(); begin += CHUNK) {
        const dim_t columns = std::min(CHUNK, problem_.row_length() - begin);
        src_.gather(args.src, t.first, t.rows, begin, columns, t.src, rows.src_stride);
        for (dim_t r = 0; r < t.rows; ++r) {
            const auto chunk = kernels_.chunk_moments(t.src + r * rows.src_stride, columns);
            found[r] = begin == 0 ? chunk : merge(found[r], chunk);
        }
    }
    for (dim_t r = 0; r < t.rows; ++r) kernels_.finish_row(batch, r, found[r]);
    kernels_.store_statistics(rows, batch);
}

template <typename T>
void packed_forward_executor<T>::gather_statistics(const arguments &args, tile &t) const {
    const dim_t size = element_size(problem_.statistics);
    if (problem_.reads_mean()) statistics_.gather(args.mean, t.first, t.rows, t.mean, size);
    if (problem_.statistics_are_inputs()) statistics_.gather(args.variance, t.first, t.rows, t.variance, size);
}

template <typename T>
void packed_forward_executor<T>::scatter_statistics(const arguments &args, const tile &t) const {
    const dim_t size = element_size(problem_.statistics);
    if (problem_.writes_mean()) statistics_.scatter(t.mean, size, t.first, t.rows, args.mean);
    if (problem_.writes_variance()) statistics_.scatter(t.variance, size, t.first, t.rows, args.variance);
}

template class packed_forward_executor<float>;
template class packed_forward_executor<double>;

} // namespace jitnorm::impl::layer_norm
