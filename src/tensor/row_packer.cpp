// SPDX-License-Identifier: Apache-2.0
#include "row_packer.hpp"

namespace jitnorm::impl::layer_norm {

row_packer::row_packer(const memory_desc &md, const memory_desc &shape, int row_ndims, dim_t prefetched_step)
    : element_(element_size(md)), offset0_(md.offset0 * element_), rows_(md, shape.dims, 0, row_ndims),
      columns_(md, shape.dims, row_ndims, md.ndims), copy_(choose_strided_copy(size_t(element_))),
      prefetched_step_(prefetched_step) {}

void row_packer::copy(box_copy copy_one, const void *tensor, dim_t first_row, dim_t rows, dim_t first_column,
                      dim_t columns, const void *tile, dim_t pitch) const {
    const auto in_tensor = static_cast<char *>(const_cast<void *>(tensor));
    const auto in_tile = static_cast<char *>(const_cast<void *>(tile));
    box start;
    start.tensor_offset = offset0_;
    rows_.for_each_box(start, first_row, rows, pitch, [&](const box &some_rows) {
        columns_.for_each_box(some_rows, first_column, columns, element_,
                              [&](const box &shape) { copy_one(shape, in_tensor, in_tile, prefetched_step_); });
    });
}

dim_t row_packer::tile_rows(dim_t first, dim_t end, dim_t most) const {
    if (end - first <= most) return end - first;
    const dim_t whole_groups = group_begin(first + most) - first;
    return whole_groups > 0 ? whole_groups : most;
}

} // namespace jitnorm::impl::layer_norm
