// SPDX-License-Identifier: Apache-2.0
#include "backward_packed_rows.hpp"

#include "../arithmetic/row_blocks.hpp"
#include "../layout/row_order.hpp"

namespace jitnorm::impl::layer_norm {

namespace {

dim_t pitch_of(const problem &p, const memory_desc &md) {
    const dim_t columns = std::min(p.row_length(), CHUNK);
    return row_packer::pitch_for(columns * dim_t(size_of(md.data_type)));
}

bool shares_tile(const problem &p) {
    return p.wants_diff_src() && size_of(p.diff_src.data_type) == size_of(p.diff_dst.data_type);
}
dim_t own_diff_src_pitch_of(const problem &p) {
    return p.wants_diff_src() && !shares_tile(p) ? pitch_of(p, p.diff_src) : 0;
}
dim_t pitch_together(const problem &p) {
    return pitch_of(p, p.src) + pitch_of(p, p.diff_dst) + own_diff_src_pitch_of(p);
}
// The tensor whose rows are visited as they lie in memory, if they may.
const memory_desc &leading_tensor(const problem &p) {
    const auto is_packed = [&](const memory_desc &md) { return !has_dense_rows(md, p.row_ndims()); };
    if (is_packed(p.src)) return p.src;
    return p.wants_diff_src() && is_packed(p.diff_src) ? p.diff_src : p.diff_dst;
}

// How many rows in their order it takes to use cache lines whole, as far as they fit into tiles; 1: any number will do.
dim_t rows_for_whole_lines(const problem &p) {
    const memory_desc &md = leading_tensor(p);
    const row_order in_memory = order_in_memory(md, p.row_ndims());
    for (int i = p.row_ndims() - 1; i >= 0; --i) {
        const int d = in_memory[size_t(i)];
        dim_t rows = tensor_axis(md, d, d + 1).group_size();
        for (int inner = d + 1; rows > 1 && inner < p.row_ndims(); ++inner) rows *= md.dims[inner];
        if (rows <= tuning::MAX_TILE_ROWS && rows * pitch_together(p) <= tuning::LARGEST_TILE_BYTES) return rows;
    }
    return 1;
}

bool wants_gradients(const problem &p) { return p.wants_diff_scale() || p.wants_diff_shift(); }

} // namespace

// Long rows are gathered by chunks: then lanes would need a tile for each.
interleaved_blocks backward_packed_rows::lanes_of(const problem &p) {
    const bool possible = wants_gradients(p) && p.row_length() <= CHUNK;
    const row_blocks blocks(p.rows(), p.row_length());
    return {leading_tensor(p), possible ? p.row_ndims() : 0, blocks.block_rows()};
}

// Long rows whose blocks end within cache lines are better gathered a chunk of many blocks at a time.
bool backward_packed_rows::prefers_chunks(const problem &p) {
    return wants_gradients(p) && p.row_length() > CHUNK &&
           rows_for_whole_lines(p) > row_blocks(p.rows(), p.row_length()).block_rows();
}

dim_t backward_packed_rows::tile_rows_of(const problem &p) {
    const dim_t rows = tuning::packed_rows(pitch_together(p));
    const interleaved_blocks lanes = lanes_of(p);
    if (!lanes.exist()) return wants_gradients(p) ? std::max(rows, rows_for_whole_lines(p)) : rows;
    const dim_t together = lanes.lanes_together();
    return std::clamp<dim_t>(rows / together, 1, lanes.block_rows()) * together;
}

// Rows in the order in which they lie in memory, where the order changes no result: sums over rows have theirs.
backward_packed_rows::tensors backward_packed_rows::tensors_of(const problem &p) {
    tensors ordered = {p.src, p.diff_dst, p.wants_diff_src() ? p.diff_src : p.diff_dst, p.statistics};
    const int row_ndims = p.row_ndims();
    const auto order_rows = [&](std::initializer_list<memory_desc *> mds, const row_order &order) {
        for (memory_desc *md : mds) *md = with_row_order(*md, row_ndims, order);
    };
    if (!wants_gradients(p))
        order_rows({&ordered.src, &ordered.diff_dst, &ordered.diff_src, &ordered.statistics},
                   order_in_memory(leading_tensor(p), row_ndims));
    else if (const interleaved_blocks lanes = lanes_of(p); lanes.exist())
        order_rows({&ordered.src, &ordered.diff_dst, &ordered.diff_src}, lanes.order());
    return ordered;
}

backward_packed_rows::backward_packed_rows(const problem &p) : backward_packed_rows(tensors_of(p), p) {}

backward_packed_rows::backward_packed_rows(const tensors &ordered, const problem &p)
    : lanes_(lanes_of(p)), src_(ordered.src, p.row_ndims()), diff_dst_(ordered.diff_dst, p.row_ndims()),
      diff_src_(ordered.diff_src, p.row_ndims()), statistics_(ordered.statistics, p.row_ndims()),
      shares_tile_(shares_tile(p)), src_pitch_(pitch_of(p, p.src)), diff_dst_pitch_(pitch_of(p, p.diff_dst)),
      diff_src_pitch_(shares_tile_ ? diff_dst_pitch_ : own_diff_src_pitch_of(p)),
      statistics_size_(dim_t(size_of(p.statistics.data_type))), tile_rows_(tile_rows_of(p)) {}

dim_t backward_packed_rows::buffer_bytes(const problem &p) { return tile_rows_of(p) * pitch_together(p); }

backward_packed_rows::session::session(const backward_packed_rows &rows, const arguments &args, std::byte *buffer,
                                       dim_t end)
    : rows_(rows), args_(args), end_(end) {
    std::byte *const diff_dst = buffer + rows.tile_rows_ * rows.src_pitch_;
    std::byte *const own_diff_src = diff_dst + rows.tile_rows_ * rows.diff_dst_pitch_;
    tile_ = {buffer,
             diff_dst,
             rows.shares_tile_ ? diff_dst : own_diff_src,
             rows.src_pitch_,
             rows.diff_dst_pitch_,
             rows.diff_src_pitch_};
}

// A row of a lane follows the one before behind those of the other lanes.
backward_panel backward_packed_rows::session::open(dim_t, dim_t, dim_t begin, dim_t columns) {
    if (lanes_ > 0)
        return {tile_.src + lane_ * tile_.src_stride,
                tile_.diff_dst + lane_ * tile_.diff_dst_stride,
                tile_.diff_src + lane_ * tile_.diff_src_stride,
                lanes_ * tile_.src_stride,
                lanes_ * tile_.diff_dst_stride,
                lanes_ * tile_.diff_src_stride};
    if (gathered_.begin != begin || gathered_.end != begin + columns) {
        tiled_.begin = first_;
        gather(first_, tiled_.end - first_, begin, columns, 0);
        gathered_ = {begin, begin + columns};
    }
    const dim_t slot = first_ - tiled_.begin;
    return {tile_.src + slot * tile_.src_stride,
            tile_.diff_dst + slot * tile_.diff_dst_stride,
            tile_.diff_src + slot * tile_.diff_src_stride,
            tile_.src_stride,
            tile_.diff_dst_stride,
            tile_.diff_src_stride};
}

void backward_packed_rows::session::close(dim_t, dim_t, dim_t begin, dim_t columns) {
    if (lanes_ > 0) return;
    const dim_t slot = first_ - tiled_.begin;
    rows_.diff_src_.scatter(tile_.diff_src + slot * tile_.diff_src_stride, tile_.diff_src_stride, first_, number_,
                            begin, columns, args_[DIFF_SRC]);
}

void backward_packed_rows::session::begin_tile(dim_t end) {
    tiled_ = {first_, first_ + rows_.src_.tile_rows(first_, end, rows_.tile_rows_)};
    gathered_ = {0, 0};
}

// `slot`: the row of the tiles at which they begin.
void backward_packed_rows::session::gather(dim_t first, dim_t rows, dim_t begin, dim_t columns, dim_t slot) const {
    rows_.src_.gather(args_[SRC], first, rows, begin, columns,
                      const_cast<std::byte *>(tile_.src) + slot * tile_.src_stride, tile_.src_stride);
    rows_.diff_dst_.gather(args_[DIFF_DST], first, rows, begin, columns,
                           const_cast<std::byte *>(tile_.diff_dst) + slot * tile_.diff_dst_stride,
                           tile_.diff_dst_stride);
}

// Rows of all lanes of a unit, `done` rows after its first ones.
void backward_packed_rows::session::gather_unit(const interleaved_blocks::unit &u, dim_t done) {
    lanes_ = u.lanes;
    for_each_piece(u, done,
                   [&](dim_t place, dim_t rows, dim_t slot) { gather(place, rows, 0, rows_.src_.row_length(), slot); });
}

void backward_packed_rows::session::scatter_unit(const interleaved_blocks::unit &u, dim_t done) const {
    if (args_[DIFF_SRC] == nullptr) return;
    for_each_piece(u, done, [&](dim_t place, dim_t rows, dim_t slot) {
        rows_.diff_src_.scatter(tile_.diff_src + slot * tile_.diff_src_stride, tile_.diff_src_stride, place, rows,
                                args_[DIFF_SRC]);
    });
}

// Calls body(first place, rows, slot); a unit of all lanes there are is a single piece.
template <typename Body>
void backward_packed_rows::session::for_each_piece(const interleaved_blocks::unit &u, dim_t done, Body &&body) const {
    const dim_t first = u.place + done * u.from_row;
    if (u.lanes == u.from_row) return body(first, number_ * u.lanes, dim_t(0));
    for (dim_t i = 0; i < number_; ++i) body(first + i * u.from_row, u.lanes, i * u.lanes);
}

} // namespace jitnorm::impl::layer_norm
