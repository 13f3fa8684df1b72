// SPDX-License-Identifier: Apache-2.0
// rectangle_copy: evenly spaced rows and columns of a tensor to and from dense rows, bytes unchanged.
#pragma once

#include <cstddef>

#include "../core/memory_desc.hpp"

namespace jitnorm::impl::layer_norm {

// Steps are in bytes: in the tensor from row to row and from column to column, in the tile from row to row.
struct rectangle {
    dim_t rows, columns;
    dim_t row_step, column_step;
    dim_t tile_pitch;
};

struct rectangle_copy {
    void (*gather)(const rectangle &shape, const char *tensor, char *tile);
    void (*scatter)(const rectangle &shape, char *tensor, const char *tile);
};

// The fastest way for elements of 1, 2, 4 or 8 bytes at these steps in the tensor.
rectangle_copy choose_rectangle_copy(size_t element_size, dim_t row_step, dim_t column_step);

} // namespace jitnorm::impl::layer_norm
