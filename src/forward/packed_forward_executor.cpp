// SPDX-License-Identifier: Apache-2.0
#include "packed_forward_executor.hpp"

#include "../layout/row_order.hpp"
#include "../layout/row_space.hpp"
#include "../layout/zero_padding.hpp"

namespace jitnorm::impl::layer_norm {

namespace {

// Rows as they lie in memory in the tensor that is packed, or in src where both are.
problem in_order_of_memory(const problem &p) {
    const int row_ndims = p.row_ndims();
    const row_order order = order_in_memory(has_dense_rows(p.src, row_ndims) ? p.dst : p.src, row_ndims);
    problem ordered = p;
    for (memory_desc *md : {&ordered.src, &ordered.dst, &ordered.statistics})
        if (md->ndims > 0) *md = with_row_order(*md, row_ndims, order);
    for (post_op &entry : ordered.attr.post_ops.entries)
        if (auto *binary = std::get_if<binary_post_op>(&entry))
            binary->src1 = with_row_order(binary->src1, row_ndims, order);
    return ordered;
}

dim_t element_size(const memory_desc &md) { return dim_t(size_of(md.data_type)); }

bool has_sum(const problem &p) {
    const auto &entries = p.attr.post_ops.entries;
    return std::any_of(entries.begin(), entries.end(),
                       [](const post_op &entry) { return std::holds_alternative<sum_post_op>(entry); });
}

// ---- which tensors pass through tiles: all but the one, dst if it can be, whose rows kernels can take where they are

bool packs_dst(const problem &p) { return !has_dense_rows(p.dst, p.row_ndims()); }
bool packs_src(const problem &p) { return !packs_dst(p) || !has_dense_rows(p.src, p.row_ndims()); }
// Whether rows are normalized in place: dst needs no tile of its own.
bool shares_tile(const problem &p) {
    return packs_src(p) && packs_dst(p) && !has_sum(p) && element_size(p.src) == element_size(p.dst);
}

// ---- tiles: the columns that they hold at a time, bytes from row to row, rows at the most, and bytes

dim_t pitch_of(const memory_desc &md, dim_t columns) { return row_packer::pitch_for(columns * element_size(md)); }
dim_t pitch_together(const problem &p, dim_t columns) {
    return (packs_src(p) ? pitch_of(p.src, columns) : 0) +
           (packs_dst(p) && !shares_tile(p) ? pitch_of(p.dst, columns) : 0);
}

// Whole rows, unless even those that share cache lines are too long: then chunks, each of them gathered twice. Tiles of
// post-op operands have room for chunks.
dim_t tile_columns(const problem &p) {
    if (p.row_length() <= CHUNK || !p.attr.post_ops.entries.empty()) return std::min(p.row_length(), CHUNK);
    const problem ordered = in_order_of_memory(p);
    const tensor_axis rows(packs_src(p) ? ordered.src : ordered.dst, 0, p.row_ndims());
    const dim_t together = std::min(rows.group_size(), rows.size());
    const bool fits = together * pitch_together(p, p.row_length()) <= tuning::PACKED_TILE_BYTES;
    return fits ? p.row_length() : CHUNK;
}
dim_t src_pitch(const problem &p) { return packs_src(p) ? pitch_of(p.src, tile_columns(p)) : 0; }
dim_t own_dst_pitch(const problem &p) { return packs_dst(p) && !shares_tile(p) ? pitch_of(p.dst, tile_columns(p)) : 0; }
dim_t tile_rows(const problem &p) {
    const dim_t most = tile_columns(p) < p.row_length() ? tuning::MAX_BATCH_ROWS : tuning::MAX_TILE_ROWS;
    return std::min(most, tuning::packed_rows(pitch_together(p, tile_columns(p))));
}
template <typename T>
dim_t buffer_bytes(const problem &p) {
    const dim_t operand_rows = std::min(tile_rows(p), tuning::MAX_BATCH_ROWS);
    return tile_rows(p) * pitch_together(p, tile_columns(p)) +
           post_op_operands<T>::tiles_bytes(p, operand_rows, tile_columns(p));
}

int parts_of(const problem &p, int available) {
    return tuning::threads(nelems(p.src) * (element_size(p.src) + element_size(p.dst)), p.rows(),
                           std::min(available, tuning::MAX_PARTS));
}

} // namespace

template <typename T>
packed_forward_executor<T>::packed_forward_executor(const problem &p, std::shared_ptr<const forward_kernels<T>> kernels)
    : problem_(in_order_of_memory(p)), by_chunks_(tile_columns(p) < p.row_length()), packs_src_(packs_src(p)),
      packs_dst_(packs_dst(p)), reads_dst_(has_sum(p)), tile_rows_(tile_rows(p)), src_pitch_(src_pitch(p)),
      dst_pitch_(shares_tile(p) ? src_pitch_ : own_dst_pitch(p)),
      src_tile_bytes_(shares_tile(p) ? 0 : tile_rows_ * src_pitch_),
      tiles_bytes_(tile_rows_ * pitch_together(p, tile_columns(p))), buffer_bytes_(buffer_bytes<T>(p)),
      kernels_(problem_, std::move(kernels)), src_(problem_.src, p.row_ndims()), dst_(problem_.dst, p.row_ndims()),
      statistics_(p.uses_statistics() ? problem_.statistics : problem_.src, p.row_ndims()) {}

template <typename T>
size_t packed_forward_executor<T>::scratchpad_bytes(const problem &p) {
    return size_t(parts_of(p, tuning::MAX_PARTS) * buffer_bytes<T>(p));
}

template <typename T>
jitnorm_status_t packed_forward_executor<T>::execute(const arguments &args) const {
    const int parts = parts_of(problem_, max_threads());
    parallel_parts(parts, [&](int part) {
        const range even = split(src_.rows(), parts, part);
        run_part(args, {dst_.group_begin(even.begin), dst_.group_begin(even.end)},
                 static_cast<std::byte *>(args[SCRATCHPAD]) + part * buffer_bytes_);
        zero_padding(problem_.dst, args[DST], part, parts);
        if (problem_.writes_variance()) zero_padding(problem_.statistics, args[VARIANCE], part, parts);
        if (problem_.writes_mean()) zero_padding(problem_.statistics, args[MEAN], part, parts);
    });
    return jitnorm_success;
}

template <typename T>
void packed_forward_executor<T>::run_part(const arguments &args, range rows, std::byte *buffer) const {
    tile t;
    t.buffer = buffer;
    for (t.first = rows.begin; t.first < rows.end; t.first += t.rows) {
        t.rows = rows_of_tile(t.first, rows.end);
        gather_statistics(args, t);
        if (by_chunks_)
            run_tile_by_chunks(args, t);
        else
            run_tile(args, t);
        scatter_statistics(args, t);
    }
}

// Rows that go chunk by chunk go together, and have to be evenly spaced.
template <typename T>
dim_t packed_forward_executor<T>::rows_of_tile(dim_t first, dim_t end) const {
    const row_packer &packed = packs_src_ ? src_ : dst_;
    dim_t rows = packed.tile_rows(first, end, tile_rows_);
    if (by_chunks_ && !(packs_src_ && packs_dst_))
        (packs_src_ ? dst_ : src_).for_each_run(first, rows, [&, found = false](dim_t, dim_t run) mutable {
            if (!found) rows = run;
            found = true;
        });
    return rows;
}

// The rows of a tile as if both tensors were packed.
template <typename T>
dense_rows<T> packed_forward_executor<T>::packed_rows(tile &t, const arguments &args) const {
    dense_rows<T> rows = forward_rows<T>::common(args);
    rows.src = t.buffer;
    rows.dst = t.buffer + src_tile_bytes_;
    rows.src_stride = src_pitch_;
    rows.dst_stride = dst_pitch_;
    rows.mean = t.mean;
    rows.variance = t.variance;
    rows.statistics_stride = 1;
    rows.plan = tuning::packed_plan(std::max(src_pitch_, dst_pitch_));
    rows.first_row = t.first;
    rows.operand_tiles = t.buffer + tiles_bytes_;
    return rows;
}

// Calls the body with rows that are evenly spaced where they are read and where they are written.
template <typename T>
template <typename Body>
void packed_forward_executor<T>::for_each_run(const arguments &args, tile &t, Body &&body) const {
    const dense_rows<T> all = packed_rows(t, args);
    if (packs_src_ && packs_dst_) return body(all, t.rows);
    dim_t done = 0;
    (packs_src_ ? dst_ : src_).for_each_run(t.first, t.rows, [&](dim_t offset, dim_t count) {
        dense_rows<T> rows = all;
        const dim_t statistics = done * element_size(problem_.statistics);
        rows.mean = reinterpret_cast<std::byte *>(t.mean) + statistics;
        rows.variance = reinterpret_cast<std::byte *>(t.variance) + statistics;
        rows.first_row += done;
        rows.src = packs_src_ ? all.src + done * src_pitch_ : static_cast<const std::byte *>(args[SRC]) + offset;
        rows.dst = packs_dst_ ? all.dst + done * dst_pitch_ : static_cast<std::byte *>(args[DST]) + offset;
        if (!packs_src_) rows.src_stride = src_.row_step();
        if (!packs_dst_) rows.dst_stride = dst_.row_step();
        body(rows, count);
        done += count;
    });
}

template <typename T>
void packed_forward_executor<T>::gather_src(const arguments &args, const tile &t, range columns) const {
    if (packs_src_)
        src_.gather(args[SRC], t.first, t.rows, columns.begin, columns.end - columns.begin, t.buffer, src_pitch_);
}

template <typename T>
void packed_forward_executor<T>::gather_dst(const arguments &args, const tile &t, range columns) const {
    if (packs_dst_ && reads_dst_)
        dst_.gather(args[DST], t.first, t.rows, columns.begin, columns.end - columns.begin, t.buffer + src_tile_bytes_,
                    dst_pitch_);
}

template <typename T>
void packed_forward_executor<T>::scatter_dst(const arguments &args, const tile &t, range columns) const {
    if (packs_dst_)
        dst_.scatter(t.buffer + src_tile_bytes_, dst_pitch_, t.first, t.rows, columns.begin,
                     columns.end - columns.begin, args[DST]);
}

template <typename T>
void packed_forward_executor<T>::run_tile(const arguments &args, tile &t) const {
    const range columns = {0, problem_.row_length()};
    gather_src(args, t, columns);
    gather_dst(args, t, columns);
    for_each_run(args, t, [&](const dense_rows<T> &rows, dim_t count) { kernels_.run(rows, count); });
    scatter_dst(args, t, columns);
}

// Long rows do not fit as a whole: their chunks pass through the tile twice, for the statistics and to be normalized.
template <typename T>
void packed_forward_executor<T>::run_tile_by_chunks(const arguments &args, tile &t) const {
    for_each_run(args, t, [&](const dense_rows<T> &rows, dim_t) { // one run: rows_of_tile()
        row_batch<T> batch;
        batch.first = 0;
        batch.rows = t.rows;
        find_long_statistics(args, t, rows, batch);
        for (dim_t begin = 0; begin < problem_.row_length(); begin += CHUNK) {
            const range columns = {begin, std::min(begin + CHUNK, problem_.row_length())};
            gather_src(args, t, columns);
            gather_dst(args, t, columns);
            kernels_.normalize(at_column(rows, begin), batch, columns.end - columns.begin);
            scatter_dst(args, t, columns);
        }
    });
}

// Tiles begin with the columns at hand, rows that are where they are do not.
template <typename T>
dense_rows<T> packed_forward_executor<T>::at_column(const dense_rows<T> &rows, dim_t column) const {
    dense_rows<T> moved = rows;
    const dim_t scale_size = dim_t(size_of(problem_.scale_shift_type));
    moved.first_column = column;
    if (!packs_src_) moved.src += column * element_size(problem_.src);
    if (!packs_dst_) moved.dst += column * element_size(problem_.dst);
    if (rows.scale) moved.scale = static_cast<const std::byte *>(rows.scale) + column * scale_size;
    if (rows.shift) moved.shift = static_cast<const std::byte *>(rows.shift) + column * scale_size;
    return moved;
}

template <typename T>
void packed_forward_executor<T>::find_long_statistics(const arguments &args, const tile &t, const dense_rows<T> &rows,
                                                      row_batch<T> &batch) const {
    if (problem_.statistics_are_inputs()) return kernels_.find_given_statistics(rows, batch);
    moments<T> found[tuning::MAX_BATCH_ROWS];
    for (dim_t begin = 0; begin < problem_.row_length(); begin += CHUNK) {
        const range columns = {begin, std::min(begin + CHUNK, problem_.row_length())};
        gather_src(args, t, columns);
        const std::byte *src = at_column(rows, begin).src;
        for (dim_t r = 0; r < t.rows; ++r) {
            const auto chunk = kernels_.chunk_moments(src + r * rows.src_stride, columns.end - columns.begin);
            found[r] = begin == 0 ? chunk : merge(found[r], chunk);
        }
    }
    for (dim_t r = 0; r < t.rows; ++r) kernels_.finish_row(batch, r, found[r]);
    kernels_.store_statistics(rows, batch);
}

template <typename T>
void packed_forward_executor<T>::gather_statistics(const arguments &args, tile &t) const {
    const dim_t size = element_size(problem_.statistics);
    if (problem_.reads_mean()) statistics_.gather(args[MEAN], t.first, t.rows, t.mean, size);
    if (problem_.statistics_are_inputs()) statistics_.gather(args[VARIANCE], t.first, t.rows, t.variance, size);
}

template <typename T>
void packed_forward_executor<T>::scatter_statistics(const arguments &args, const tile &t) const {
    const dim_t size = element_size(problem_.statistics);
    if (problem_.writes_mean()) statistics_.scatter(t.mean, size, t.first, t.rows, args[MEAN]);
    if (problem_.writes_variance()) statistics_.scatter(t.variance, size, t.first, t.rows, args[VARIANCE]);
}

template class packed_forward_executor<float>;
template class packed_forward_executor<double>;

} // namespace jitnorm::impl::layer_norm
