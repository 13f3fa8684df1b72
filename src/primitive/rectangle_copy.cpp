// SPDX-License-Identifier: Apache-2.0
// Gather and scatter are one code each time: `to_tile` says in which direction an element goes.
#include "rectangle_copy.hpp"

#include <algorithm>
#include <cstring>
#include <type_traits>

#include "square_transpose.hpp"

namespace jitnorm::impl::layer_norm {

namespace {

// Where the tensor is read it is const, where it is written the tile is.
template <bool to_tile>
using tensor_pointer = std::conditional_t<to_tile, const char *, char *>;
template <bool to_tile>
using tile_pointer = std::conditional_t<to_tile, char *, const char *>;

template <bool to_tile>
void copy_bytes(tensor_pointer<to_tile> tensor, tile_pointer<to_tile> tile, size_t bytes) {
    if constexpr (to_tile)
        std::memcpy(tile, tensor, bytes);
    else
        std::memcpy(tensor, tile, bytes);
}

// Element by element. Columns go in groups where the next row is nearer in memory than the next column: what lies
// between is then still in the nearest cache.
template <size_t Size, bool to_tile>
void copy_strided(const rectangle &shape, tensor_pointer<to_tile> tensor, tile_pointer<to_tile> tile) {
    const auto [rows, columns, row_step, column_step, tile_pitch] = shape;
    const dim_t group = row_step < column_step ? 8 : columns;
    for (dim_t first = 0; first < columns; first += group) {
        const dim_t count = std::min(group, columns - first);
        for (dim_t r = 0; r < rows; ++r) {
            auto element = tensor + r * row_step + first * column_step;
            auto in_tile = tile + r * tile_pitch + first * dim_t(Size);
            for (dim_t c = 0; c < count; ++c, element += column_step, in_tile += Size)
                copy_bytes<to_tile>(element, in_tile, Size);
        }
    }
}

// Rows that lie as they shall: whole runs.
template <bool to_tile>
void copy_rows(const rectangle &shape, tensor_pointer<to_tile> tensor, tile_pointer<to_tile> tile, auto bytes) {
    const rectangle local = shape; // which no byte written can change
    for (dim_t r = 0; r < local.rows; ++r)
        copy_bytes<to_tile>(tensor + r * local.row_step, tile + r * local.tile_pitch, size_t(bytes));
}

// The same, with the usual lengths of inner blocks known to the compiler.
template <size_t Size, bool to_tile>
void copy_runs(const rectangle &shape, tensor_pointer<to_tile> tensor, tile_pointer<to_tile> tile) {
    const auto copy = [&](auto bytes) { copy_rows<to_tile>(shape, tensor, tile, bytes); };
    const size_t bytes = size_t(shape.columns) * Size;
    switch (bytes) {
    case 8:
        return copy(std::integral_constant<size_t, 8>());
    case 16:
        return copy(std::integral_constant<size_t, 16>());
    case 32:
        return copy(std::integral_constant<size_t, 32>());
    case 64:
        return copy(std::integral_constant<size_t, 64>());
    default:
        return copy(bytes);
    }
}

// Rows side by side in memory: squares of elements, all rows of a few columns before the next columns, so that cache
// lines of the tensor are used whole.
template <size_t Size, bool to_tile>
void copy_transposed(const rectangle &shape, tensor_pointer<to_tile> tensor, tile_pointer<to_tile> tile) {
    using square = square_transpose<Size>;
    constexpr dim_t EDGE = square::EDGE;
    const auto [rows, columns, row_step, column_step, tile_pitch] = shape;
    const dim_t square_rows = rows - rows % EDGE, square_columns = columns - columns % EDGE;
    for (dim_t c = 0; c < square_columns; c += EDGE)
        for (dim_t r = 0; r < square_rows; r += EDGE) {
            const auto in_tensor = tensor + r * row_step + c * column_step;
            const auto in_tile = tile + r * tile_pitch + c * dim_t(Size);
            if constexpr (to_tile)
                square::run(in_tensor, column_step, in_tile, tile_pitch);
            else
                square::run(in_tile, tile_pitch, in_tensor, column_step);
        }
    copy_strided<Size, to_tile>({rows - square_rows, square_columns, row_step, column_step, tile_pitch},
                                tensor + square_rows * row_step, tile + square_rows * tile_pitch);
    copy_strided<Size, to_tile>({rows, columns - square_columns, row_step, column_step, tile_pitch},
                                tensor + square_columns * column_step, tile + square_columns * dim_t(Size));
}

template <size_t Size>
rectangle_copy choose(dim_t row_step, dim_t column_step) {
    if (column_step == dim_t(Size)) return {copy_runs<Size, true>, copy_runs<Size, false>};
    if (row_step == dim_t(Size)) return {copy_transposed<Size, true>, copy_transposed<Size, false>};
    return {copy_strided<Size, true>, copy_strided<Size, false>};
}

} // namespace

rectangle_copy choose_rectangle_copy(size_t element_size, dim_t row_step, dim_t column_step) {
    switch (element_size) {
    case 1:
        return choose<1>(row_step, column_step);
    case 2:
        return choose<2>(row_step, column_step);
    case 4:
        return choose<4>(row_step, column_step);
    default:
        return choose<8>(row_step, column_step);
    }
}

} // namespace jitnorm::impl::layer_norm
