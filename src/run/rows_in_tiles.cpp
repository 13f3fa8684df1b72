// SPDX-License-Identifier: Apache-2.0
#include "rows_in_tiles.hpp"

namespace jitnorm::impl::layer_norm {

rows_in_tiles::rows_in_tiles(const row_tensors &tensors, const plan &planned) : tensors_(tensors), planned_(planned) {
    for (size_t i = 0; i < size_t(tensors.count); ++i)
        packers_[i].emplace(*tensors.data[i].md, tensors.row_ndims, far_apart_in_tiles(planned));
    if (tensors.statistics != nullptr) statistics_.emplace(*tensors.statistics, tensors.row_ndims);
}

const row_packer &rows_in_tiles::leading() const {
    for (size_t i = 0; i < size_t(tensors_.count); ++i)
        if (planned_.pitch[i] != 0) return *packers_[i];
    return *packers_[0];
}

rows_in_tiles::cursor::cursor(const rows_in_tiles &rows, const arguments &args, std::byte *tiles)
    : rows_(rows), args_(args), tiles_(tiles_in(tiles, rows.tensors_, rows.planned_)),
      statistics_(rows.tensors_, rows.statistics_ ? &*rows.statistics_ : nullptr, args) {}

void rows_in_tiles::cursor::move_to(dim_t first, dim_t end, dim_t most, dim_t same_columns_until) {
    if (first < tiled_.begin || first >= tiled_.end) {
        const bool gathers_ahead = same_columns_until > first;
        begin_tile(first, gathers_ahead ? std::max(same_columns_until, end) : end,
                   gathers_ahead ? rows_.planned_.tile_rows : std::min(most, rows_.planned_.tile_rows));
    }
    first_ = first;
    number_ = find_rows_in_place(std::min({tiled_.end - first, end - first, most}));
}

void rows_in_tiles::cursor::begin_tile(dim_t first, dim_t end, dim_t most) {
    scatter();
    tiled_ = {first, first + rows_.leading().tile_rows(first, end, most)};
    gathered_ = {0, 0};
}

// Finds the batch's first row in each tensor that has no tile. Returns how many rows from it on, at most `most`, are
// evenly spaced in all these tensors.
dim_t rows_in_tiles::cursor::find_rows_in_place(dim_t most) {
    for (size_t i = 0; i < size_t(rows_.tensors_.count); ++i) {
        if (rows_.planned_.pitch[i] != 0) continue;
        const auto [offset, count] = rows_.packers_[i]->run_from(first_, most);
        in_place_[i] = static_cast<std::byte *>(args_[rows_.tensors_.data[i].place]) + offset;
        most = count;
    }
    return most;
}

strip rows_in_tiles::cursor::where_it_is(size_t tensor, dim_t column) const {
    return {in_place_[tensor] + column * element_size(*rows_.tensors_.data[tensor].md),
            rows_.packers_[tensor]->row_step()};
}

panel rows_in_tiles::cursor::open(range columns) {
    if (gathered_.begin != columns.begin || gathered_.end != columns.end) gather(columns);
    panel result;
    for (size_t i = 0; i < size_t(rows_.tensors_.count); ++i) {
        const row_tensor &t = rows_.tensors_.data[i];
        const strip &tile = t.of(tiles_);
        t.of(result) = rows_.planned_.pitch[i] == 0 ? where_it_is(i, columns.begin)
                                                    : strip{tile.row(first_ - tiled_.begin), tile.stride};
    }
    return result;
}

void rows_in_tiles::cursor::close() {
    if (written_.begin == written_.end) written_.begin = first_;
    written_.end = first_ + number_;
}

// The tile begins anew at the current batch, since rows before the batch will not be opened with these columns.
void rows_in_tiles::cursor::gather(range columns) {
    scatter();
    tiled_.begin = first_;
    gathered_ = columns;
    for (size_t i = 0; i < size_t(rows_.tensors_.count); ++i) {
        const row_tensor &t = rows_.tensors_.data[i];
        if (rows_.planned_.pitch[i] == 0 || !t.is_read) continue;
        const strip &tile = t.of(tiles_);
        rows_.packers_[i]->gather(args_[t.place], tiled_.begin, tiled_.end - tiled_.begin, columns.begin,
                                  columns.end - columns.begin, tile.first, tile.stride);
    }
}

void rows_in_tiles::cursor::scatter() {
    if (written_.begin == written_.end) return;
    for (size_t i = 0; i < size_t(rows_.tensors_.count); ++i) {
        const row_tensor &t = rows_.tensors_.data[i];
        if (rows_.planned_.pitch[i] == 0 || !t.is_written) continue;
        const strip &tile = t.of(tiles_);
        rows_.packers_[i]->scatter(tile.row(written_.begin - tiled_.begin), tile.stride, written_.begin,
                                   written_.end - written_.begin, gathered_.begin, gathered_.end - gathered_.begin,
                                   args_[t.place]);
    }
    written_ = {0, 0};
}

void rows_in_tiles::cursor::finish(int share, int shares) {
    scatter();
    zero_padding(rows_.tensors_, args_, share, shares);
}

} // namespace jitnorm::impl::layer_norm
