// SPDX-License-Identifier: Apache-2.0
#include "backward_packed_rows.hpp"

#include "row_order.hpp"

namespace jitnorm::impl::layer_norm {

namespace {

dim_t pitch_of(const problem &p, const memory_desc &md) {
    const dim_t columns = std::min(p.row_length(), CHUNK);
    return row_packer::pitch_for(columns * dim_t(size_of(md.data_type)));
}

dim_t read_pitch_of(const problem &p) { return pitch_of(p, p.src) + pitch_of(p, p.diff_dst); }
dim_t written_pitch_of(const problem &p) { return p.wants_diff_src() ? pitch_of(p, p.diff_src) : 0; }
dim_t tile_rows_of(const problem &p) {
    return std::min(tuning::packed_rows(read_pitch_of(p) + written_pitch_of(p)), tuning::MAX_BATCH_ROWS);
}

} // namespace

// Rows in the order in which src has them in memory, where the order changes no result: sums over rows have theirs.
backward_packed_rows::tensors backward_packed_rows::tensors_of(const problem &p) {
    tensors ordered = {p.src, p.diff_dst, p.wants_diff_src() ? p.diff_src : p.diff_dst, p.statistics};
    if (p.wants_diff_scale() || p.wants_diff_shift()) return ordered;
    const int row_ndims = p.row_ndims();
    const row_order order = order_in_memory(p.src, row_ndims);
    for (memory_desc *md : {&ordered.src, &ordered.diff_dst, &ordered.diff_src, &ordered.statistics})
        *md = with_row_order(*md, row_ndims, order);
    return ordered;
}

backward_packed_rows::backward_packed_rows(const problem &p) : backward_packed_rows(tensors_of(p), p) {}

backward_packed_rows::backward_packed_rows(const tensors &ordered, const problem &p)
    : src_(ordered.src, p.row_ndims()), diff_dst_(ordered.diff_dst, p.row_ndims()),
      diff_src_(ordered.diff_src, p.row_ndims()), statistics_(ordered.statistics, p.row_ndims()),
      src_pitch_(pitch_of(p, p.src)), diff_dst_pitch_(pitch_of(p, p.diff_dst)), diff_src_pitch_(written_pitch_of(p)),
      statistics_size_(dim_t(size_of(p.statistics.data_type))), tile_rows_(tile_rows_of(p)) {}

dim_t backward_packed_rows::buffer_bytes(const problem &p) {
    return tile_rows_of(p) * (read_pitch_of(p) + written_pitch_of(p));
}

backward_packed_rows::session::session(const backward_packed_rows &rows, const arguments &args, std::byte *buffer)
    : rows_(rows), args_(args) {
    std::byte *diff_dst = buffer + rows.tile_rows_ * rows.src_pitch_;
    tile_ = {buffer,
             diff_dst,
             diff_dst + rows.tile_rows_ * rows.diff_dst_pitch_,
             rows.src_pitch_,
             rows.diff_dst_pitch_,
             rows.diff_src_pitch_};
}

backward_panel backward_packed_rows::session::open(dim_t, dim_t, dim_t begin, dim_t columns) {
    if (gathered_.begin == begin && gathered_.end == begin + columns) return tile_;
    rows_.src_.gather(args_.src, first_, number_, begin, columns, const_cast<std::byte *>(tile_.src), tile_.src_stride);
    rows_.diff_dst_.gather(args_.diff_dst, first_, number_, begin, columns, const_cast<std::byte *>(tile_.diff_dst),
                           tile_.diff_dst_stride);
    gathered_ = {begin, begin + columns};
    return tile_;
}

void backward_packed_rows::session::close(dim_t, dim_t, dim_t begin, dim_t columns) {
    rows_.diff_src_.scatter(tile_.diff_src, tile_.diff_src_stride, first_, number_, begin, columns, args_.diff_src);
}

} // namespace jitnorm::impl::layer_norm
