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

// Columns this far apart are a stream each, which processors do not foresee: their lines are fetched ahead.
constexpr dim_t FAR_COLUMNS = 1024; // bytes
constexpr dim_t COLUMNS_AHEAD = 8;

// Whole squares of elements, all rows of a few columns before the next columns, so that cache lines of the tensor are
// used whole.
template <size_t Size, bool to_tile, dim_t EDGE, bool fetch_ahead>
void copy_squares(const rectangle &shape, tensor_pointer<to_tile> tensor, tile_pointer<to_tile> tile) {
    using square = square_transpose<Size, EDGE>;
    const auto [rows, columns, row_step, column_step, tile_pitch] = shape;
    for (dim_t c = 0; c < columns; c += EDGE, tensor += EDGE * column_step, tile += EDGE * dim_t(Size)) {
        if constexpr (fetch_ahead)
            for (dim_t ahead = COLUMNS_AHEAD; ahead < std::min(COLUMNS_AHEAD + EDGE, columns - c); ++ahead)
                for (dim_t byte = 0; byte < rows * dim_t(Size); byte += 64)
                    __builtin_prefetch(tensor + ahead * column_step + byte);
        auto in_tensor = tensor;
        auto in_tile = tile;
        for (dim_t r = 0; r < rows; r += EDGE, in_tensor += EDGE * dim_t(Size), in_tile += EDGE * tile_pitch)
            if constexpr (to_tile)
                square::run(in_tensor, column_step, in_tile, tile_pitch);
            else
                square::run(in_tile, tile_pitch, in_tensor, column_step);
    }
}

// Rows side by side in memory: squares, then what they leave over: columns one by one, rows by smaller squares.
template <size_t Size, bool to_tile, dim_t EDGE = largest_square(Size)>
void copy_transposed(const rectangle &shape, tensor_pointer<to_tile> tensor, tile_pointer<to_tile> tile) {
    if (shape.rows == 0) return;
    rectangle squares = shape, columns = shape, rows = shape;
    squares.rows = columns.rows = shape.rows / EDGE * EDGE;
    squares.columns = shape.columns / EDGE * EDGE;
    if (squares.rows > 0 && EDGE == largest_square(Size) && shape.column_step >= FAR_COLUMNS)
        copy_squares<Size, to_tile, EDGE, true>(squares, tensor, tile);
    else if (squares.rows > 0)
        copy_squares<Size, to_tile, EDGE, false>(squares, tensor, tile);

    columns.columns -= squares.columns;
    copy_strided<Size, to_tile>(columns, tensor + squares.columns * shape.column_step,
                                tile + squares.columns * dim_t(Size));

    rows.rows -= squares.rows;
    const auto rows_in_tensor = tensor + squares.rows * shape.row_step;
    const auto rows_in_tile = tile + squares.rows * shape.tile_pitch;
    if constexpr (EDGE > smallest_square(Size))
        copy_transposed<Size, to_tile, EDGE / 2>(rows, rows_in_tensor, rows_in_tile);
    else
        copy_strided<Size, to_tile>(rows, rows_in_tensor, rows_in_tile);
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
