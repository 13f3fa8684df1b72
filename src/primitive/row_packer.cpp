// SPDX-License-Identifier: Apache-2.0
#include "row_packer.hpp"

namespace jitnorm::impl::layer_norm {

row_packer::row_packer(const memory_desc &md, const memory_desc &shape, int row_ndims)
    : element_(dim_t(size_of(md.data_type))), offset0_(md.offset0 * element_), rows_(md, shape.dims, 0, row_ndims),
      columns_(md, shape.dims, row_ndims, md.ndims),
      turns_rows_(rows_.step() != element_ && columns_.step() != element_ && columns_.line_step() == element_),
      copy_(choose_rectangle_copy(size_t(element_), turns_rows_ ? element_ : rows_.step(), columns_.step())) {}

template <typename Body>
void row_packer::for_each_rectangle(dim_t first_row, dim_t rows, dim_t first_column, dim_t columns, dim_t pitch,
                                    Body &&body) const {
    if (turns_rows_) return for_each_rectangle_in_rows(first_row, rows, first_column, columns, pitch, body);
    dim_t row = 0;
    rows_.for_each_run(first_row, rows, [&](dim_t row_offset, dim_t row_count) {
        dim_t column = 0;
        columns_.for_each_run(first_column, columns, [&](dim_t column_offset, dim_t column_count) {
            body(rectangle{row_count, column_count, rows_.step(), columns_.step(), pitch},
                 offset0_ + row_offset + column_offset, row * pitch + column * element_);
            column += column_count;
        });
        row += row_count;
    });
}

template <typename Body>
void row_packer::for_each_rectangle_in_rows(dim_t first_row, dim_t rows, dim_t first_column, dim_t columns, dim_t pitch,
                                            Body &&body) const {
    dim_t row_in_tile = 0;
    for_each_row(first_row, rows, [&](dim_t row_offset) {
        dim_t in_tile = row_in_tile;
        columns_.for_each_lines(first_column, columns, [&](dim_t column_offset, dim_t lines, dim_t count) {
            body(rectangle{lines, count, element_, columns_.step(), count * element_}, row_offset + column_offset,
                 in_tile);
            in_tile += lines * count * element_;
        });
        row_in_tile += pitch;
    });
}

void row_packer::gather(const void *tensor, dim_t first_row, dim_t rows, dim_t first_column, dim_t columns, void *tile,
                        dim_t pitch) const {
    for_each_rectangle(
        first_row, rows, first_column, columns, pitch, [&](const rectangle &shape, dim_t in_tensor, dim_t in_tile) {
            copy_.gather(shape, static_cast<const char *>(tensor) + in_tensor, static_cast<char *>(tile) + in_tile);
        });
}

void row_packer::scatter(const void *tile, dim_t pitch, dim_t first_row, dim_t rows, dim_t first_column, dim_t columns,
                         void *tensor) const {
    for_each_rectangle(
        first_row, rows, first_column, columns, pitch, [&](const rectangle &shape, dim_t in_tensor, dim_t in_tile) {
            copy_.scatter(shape, static_cast<char *>(tensor) + in_tensor, static_cast<const char *>(tile) + in_tile);
        });
}

dim_t row_packer::tile_rows(dim_t first, dim_t end, dim_t most) const {
    if (end - first <= most) return end - first;
    const dim_t whole_groups = group_begin(first + most) - first;
    return whole_groups > 0 ? whole_groups : most;
}

} // namespace jitnorm::impl::layer_norm
