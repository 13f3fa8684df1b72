// SPDX-License-Identifier: Apache-2.0
#include "tiles.hpp"

namespace jitnorm::impl::layer_norm {

row_tiles::row_tiles(const problem &p, const row_tensors &tensors, dim_t columns) {
    const auto count = size_t(tensors.count);
    for (size_t i = 0; i < count; ++i) {
        const memory_desc &md = *tensors.data[i].md;
        const bool is_dense = p.is_forward() && has_dense_rows(md, p.row_ndims());
        pitch[i] = is_dense ? 0 : row_packer::pitch_for(md.data_type, columns);
        row_bytes += pitch[i];
    }
    if (count < 2 || (p.is_forward() && count > 2)) return;
    const row_tensor &last = tensors.data[count - 1], &before = tensors.data[count - 2];
    last_has_tile_before = pitch[count - 1] != 0 && pitch[count - 2] != 0 && !last.is_read && last.size == before.size;
    if (last_has_tile_before) row_bytes -= pitch[count - 1];
}

// ---- the base of both row sources

tiled_rows::tiled_rows(const problem &p, const plan &planned, const row_order *order)
    : tensors_(row_tensors_of(p)), tile_rows_(planned.tile_rows), whole_rows_(planned.panel_columns == p.row_length()) {
    const int row_ndims = tensors_.row_ndims;
    const row_tiles layout(p, tensors_, planned.panel_columns);
    for (size_t i = 0; i < size_t(tensors_.count); ++i) {
        const row_tensor &t = tensors_.data[i];
        data_[i] = {t, layout.pitch[i], layout.last_has_tile_before && i + 1 == size_t(tensors_.count),
                    row_packer(order ? with_row_order(*t.md, row_ndims, *order) : *t.md, row_ndims,
                               planned.prefetch == 2 ? PREFETCHED_STEP_IN_MEMORY : PREFETCHED_STEP)};
    }
    if (tensors_.statistics == nullptr) return;
    statistics_.emplace(*tensors_.statistics, row_ndims);
    statistics_size_ = element_size(*tensors_.statistics);
}

// The tiles lie one after the other.
tiled_rows::cursor::cursor(const tiled_rows &rows, const arguments &args, std::byte *tiles) : args_(args), rows_(rows) {
    std::byte *last = nullptr;
    for (const tiled_tensor &t : rows.all()) {
        if (t.pitch == 0) continue;
        if (!t.has_tile_before) {
            last = tiles;
            tiles += rows.tile_rows_ * t.pitch;
        }
        t.of(tiles_) = {last, t.pitch};
    }
}

void tiled_rows::cursor::gather(dim_t first, dim_t rows, range columns, dim_t to) const {
    for (const tiled_tensor &t : rows_.all())
        if (t.pitch != 0 && t.is_read)
            t.packer->gather(args_[t.argument], first, rows, columns.begin, columns.end - columns.begin,
                             t.of(tiles_).row(to), t.pitch);
}

void tiled_rows::cursor::scatter(dim_t first, dim_t rows, range columns, dim_t from) const {
    for (const tiled_tensor &t : rows_.all())
        if (t.pitch != 0 && t.is_written)
            t.packer->scatter(t.of(tiles_).row(from), t.pitch, first, rows, columns.begin, columns.end - columns.begin,
                              args_[t.argument]);
}

void tiled_rows::cursor::zero_padding(int share, int shares) const {
    for (const row_tensor &t : rows_.tensors_.all())
        if (t.is_written) impl::zero_padding(*t.md, args_[t.argument], share, shares);
    for (const slot s : ROW_STATISTICS)
        if ((rows_.tensors_.written_statistics & bit_of(s)) != 0)
            impl::zero_padding(*rows_.tensors_.statistics, args_[s], share, shares);
}

statistics_rows tiled_rows::cursor::open_statistics() const {
    if (!rows_.statistics_) return {};
    const row_packer &rows = *rows_.statistics_;
    return statistics_at(args_, rows.run_from(first_, number_).offset, rows.row_step() / rows_.statistics_size_);
}

// ---- rows in the order of their numbers

const row_packer &rows_in_tiles::leading() const {
    for (const tiled_tensor &t : all())
        if (t.pitch != 0) return *t.packer;
    return *data_[0].packer;
}

void rows_in_tiles::cursor::move_to(dim_t first, dim_t end, dim_t most) {
    if (first < tiled_.begin || first >= tiled_.end) {
        scatter_written();
        const bool gathers_ahead = rows_.whole_rows_ || alike_until_ > first;
        const dim_t last = std::max(alike_until_, end);
        const dim_t rows = gathers_ahead ? rows_.tile_rows_ : std::min(most, rows_.tile_rows_);
        tiled_ = {first, first + rows_.leading().tile_rows(first, last, rows)};
        gathered_ = {0, 0};
    }
    first_ = first;
    // A batch has only rows that are evenly spaced in every tensor without a tile.
    number_ = rows_of_batch(first, std::min({tiled_.end - first, end - first, most}));
    for (const tiled_tensor &t : rows_.all()) {
        if (t.pitch != 0) continue;
        const auto [offset, count] = t.packer->run_from(first_, number_);
        t.of(in_place_) = {static_cast<std::byte *>(args_[t.argument]) + offset, t.packer->row_step()};
        number_ = count;
    }
}

panel rows_in_tiles::cursor::open(range columns) {
    if (gathered_.begin != columns.begin || gathered_.end != columns.end) {
        scatter_written();
        tiled_.begin = first_; // since rows before the batch will not be opened with these columns
        gathered_ = columns;
        gather(tiled_.begin, tiled_.end - tiled_.begin, columns, 0);
    }
    panel result = {};
    for (const tiled_tensor &t : rows_.all()) {
        const strip &own = t.of(in_place_);
        t.of(result) = t.pitch == 0 ? strip{own.first + columns.begin * t.size, own.stride}
                                    : strip{t.of(tiles_).row(first_ - tiled_.begin), t.pitch};
    }
    return result;
}

void rows_in_tiles::cursor::close() {
    if (written_.begin == written_.end) written_.begin = first_;
    written_.end = first_ + number_;
}

void rows_in_tiles::cursor::scatter_written() {
    if (written_.begin == written_.end) return;
    scatter(written_.begin, written_.end - written_.begin, gathered_, written_.begin - tiled_.begin);
    written_ = {0, 0};
}

void rows_in_tiles::cursor::finish(int share, int shares) {
    scatter_written();
    zero_padding(share, shares);
}

} // namespace jitnorm::impl::layer_norm
