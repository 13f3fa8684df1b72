// SPDX-License-Identifier: Apache-2.0
// The same code gathers and scatters: the template parameter `to_tile` says in which direction elements are copied.
//
// The axes are walked in the order in which they lie in the tensor's memory, so that its cache lines are visited one
// after the other and each is used whole. The exception is the columns, the tile's fastest axis, where they are not
// also the tensor's: the walk takes a few columns at a time, as many as registers can transpose against the tensor's
// fastest axis ("turn").
#include "strided_copy.hpp"

#include <algorithm>
#include <cstring>
#include <type_traits>

#include "../base/bytes.hpp"
#include "../simd/transpose.hpp"

namespace jitnorm::impl::layer_norm {

namespace {

// The two innermost axes of a walk.
struct leaf_shape {
    box_axis rows, columns;
    dim_t ahead = 0; // the tensor's cache lines are prefetched so many bytes ahead; 0: they are not
};

// Copies between the tensor and the tile; writes only one of them.
using leaf_run = void (*)(const leaf_shape &shape, char *tensor, char *tile);

// ---------------------------------------------------------------- columns that are the tensor's fastest axis

template <bool to_tile>
void copy_bytes(char *tensor, char *tile, size_t bytes) {
    std::memcpy(to_tile ? tile : tensor, to_tile ? tensor : tile, bytes);
}

// Copies rows whose elements are adjacent in the tensor and in the tile.
template <bool to_tile>
void copy_rows(const box_axis &rows, char *tensor, char *tile, auto bytes) {
    const box_axis local = rows; // so that the compiler knows that no store can change it
    for (dim_t r = 0; r < local.size; ++r)
        copy_bytes<to_tile>(tensor + r * local.in_tensor, tile + r * local.in_tile, size_t(bytes));
}

// The same. The usual lengths of inner blocks are constants, for which the compiler makes faster copies.
template <size_t Size, bool to_tile>
void copy_runs(const leaf_shape &shape, char *tensor, char *tile) {
    const auto copy = [&](auto bytes) { copy_rows<to_tile>(shape.rows, tensor, tile, bytes); };
    const size_t bytes = size_t(shape.columns.size) * Size;
    if (bytes == Size) return copy(std::integral_constant<size_t, Size>());
    switch (bytes) {
    case 4:
        return copy(std::integral_constant<size_t, 4>());
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

// Copies rows whose elements are not adjacent in the tensor, 8 bytes of the tile at a time.
template <size_t Size, bool to_tile>
void copy_spread(const leaf_shape &shape, char *tensor, char *tile) {
    const auto [rows, columns, ahead] = shape;
    constexpr dim_t AT_ONCE = 8 / dim_t(Size);
    for (dim_t r = 0; r < rows.size; ++r, tensor += rows.in_tensor, tile += rows.in_tile) {
        dim_t c = 0;
        for (; c + AT_ONCE <= columns.size; c += AT_ONCE) {
            const auto in_tensor = tensor + c * columns.in_tensor;
            if constexpr (to_tile)
                store(spread_line::collect<Size, 8>(in_tensor, columns.in_tensor), tile + c * dim_t(Size));
            else
                spread_line::spread<Size, 8>(load<uint64_t>(tile + c * dim_t(Size)), in_tensor, columns.in_tensor);
        }
        for (; c < columns.size; ++c) copy_bytes<to_tile>(tensor + c * columns.in_tensor, tile + c * dim_t(Size), Size);
    }
}

// ---------------------------------------------------------------- rows that are the tensor's fastest axis

// Transposes rectangles of the size of `Turn`, all rows of a few columns before the next columns, so that cache lines
// of the tensor are used whole. An axis' last rectangle begins where it still fits and overlaps the one before it.
template <typename Turn, bool to_tile>
JITNORM_INLINES_SIMD void copy_turned(const leaf_shape &shape, char *tensor, char *tile) {
    const auto [rows, columns, ahead] = shape;
    constexpr dim_t ROWS = to_tile ? Turn::FROM_ELEMENTS : Turn::FROM_LINES;
    constexpr dim_t COLUMNS = to_tile ? Turn::FROM_LINES : Turn::FROM_ELEMENTS;
    for (dim_t c = 0; c < columns.size; c += COLUMNS) {
        const dim_t column = std::min(c, columns.size - COLUMNS);
        const auto tensor_columns = tensor + column * columns.in_tensor;
        const auto tile_columns = tile + column * columns.in_tile;
        if (ahead > 0)
            for (dim_t i = 0; i < COLUMNS; ++i)
                for (dim_t byte = 0; byte < rows.size * rows.in_tensor; byte += CACHE_LINE)
                    __builtin_prefetch(tensor_columns + i * columns.in_tensor + ahead + byte, 0, 2);
        for (dim_t r = 0; r < rows.size; r += ROWS) {
            const dim_t row = std::min(r, rows.size - ROWS);
            const auto in_tensor = tensor_columns + row * rows.in_tensor;
            const auto in_tile = tile_columns + row * rows.in_tile;
            if constexpr (to_tile)
                Turn::run(in_tensor, columns.in_tensor, rows.in_tensor, in_tile, rows.in_tile, columns.in_tile);
            else
                Turn::run(in_tile, rows.in_tile, columns.in_tile, in_tensor, columns.in_tensor, rows.in_tensor);
        }
    }
}

struct turned_leaf {
    leaf_run run;
    dim_t columns; // how many of them `run` takes at a time
};

template <typename Turn, bool to_tile>
turned_leaf turned() {
    return {copy_turned<Turn, to_tile>, to_tile ? Turn::FROM_LINES : Turn::FROM_ELEMENTS};
}

constexpr dim_t LARGEST_EDGE = 16; // bytes of a square's line

// Turns by the largest squares that fit. Both axes have at least two indices.
template <size_t Size, bool to_tile, typename Line, int Edge = LARGEST_EDGE / int(Size)>
turned_leaf choose_square(dim_t rows, dim_t columns) {
    using square = std::conditional_t<to_tile, square_transpose<Size, Edge, Line, dense_line>,
                                      square_transpose<Size, Edge, dense_line, Line>>;
    if constexpr (Edge > 2)
        if (std::min(rows, columns) < Edge) return choose_square<Size, to_tile, Line, Edge / 2>(rows, columns);
    return turned<square, to_tile>();
}

template <size_t Size, bool to_tile>
turned_leaf choose_turned(const leaf_shape &shape) {
    using wide = wide_transpose<Size>;
    const dim_t rows = shape.rows.size, columns = shape.columns.size;
    if (shape.rows.in_tensor != dim_t(Size)) return choose_square<Size, to_tile, spread_line>(rows, columns);
    if ((to_tile ? columns : rows) >= wide::FROM_LINES && (to_tile ? rows : columns) >= wide::FROM_ELEMENTS)
        return turned<wide, to_tile>();
    return choose_square<Size, to_tile, dense_line>(rows, columns);
}

// ---------------------------------------------------------------- all axes

// The leaves for one direction and one size of elements; each of these has its own code.
struct leaves {
    dim_t size;
    leaf_run runs, spread; // columns that are adjacent in the tensor, and others
    turned_leaf (*choose_turned)(const leaf_shape &);
};
template <size_t Size, bool to_tile>
constexpr leaves LEAVES = {Size, copy_runs<Size, to_tile>, copy_spread<Size, to_tile>, choose_turned<Size, to_tile>};

class walk {
public:
    walk(const leaves &with, const box &shape, dim_t prefetched_step) : leaf_{{1, 0, 0}, {1, with.size, with.size}, 0} {
        for (const box_axis &axis : shape) {
            if (axis.in_tile == with.size)
                leaf_.columns = axis;
            else
                loops_[size_t(count_++)] = axis;
        }
        std::sort(loops_.begin(), loops_.begin() + count_, [](const box_axis &a, const box_axis &b) {
            return a.in_tensor != b.in_tensor ? a.in_tensor > b.in_tensor : a.in_tile > b.in_tile;
        });
        put_rows_last(with.size);
        if (count_ > 0) leaf_.rows = loops_[size_t(--count_)];
        if (leaf_.columns.size > 1 && leaf_.rows.size > 1 && leaf_.rows.in_tensor < leaf_.columns.in_tensor)
            turn(with.choose_turned(leaf_), prefetched_step);
        else
            run_ = leaf_.columns.in_tensor == with.size ? with.runs : with.spread;
    }

    // Runs the loops from `loop` on. The loop over columns takes as many at a time as the leaf needs; the last ones
    // begin where that many still fit, and overlap.
    void run(char *tensor, char *tile, int loop = 0) const {
        if (loop == count_) return run_(leaf_, tensor, tile);
        const box_axis &axis = loops_[size_t(loop)];
        const dim_t at_once = loop == columns_at_ ? leaf_.columns.size : 1;
        for (dim_t i = 0; i < axis.size; i += at_once) {
            const dim_t first = std::min(i, axis.size - at_once);
            run(tensor + first * axis.in_tensor, tile + first * axis.in_tile, loop + 1);
        }
    }

private:
    // Moves to the end of the loops the axis that becomes the leaf's rows. Usually this is the tensor's fastest axis.
    // If its elements are not adjacent and too few for the largest square, it is the longest of the axes that have a
    // smaller step in the tensor than the columns; the cache lines of these axes are all in the caches.
    void put_rows_last(dim_t size) {
        const auto end = loops_.begin() + count_;
        const auto nearer = std::find_if(
            loops_.begin(), end, [&](const box_axis &axis) { return axis.in_tensor < leaf_.columns.in_tensor; });
        if (nearer == end || end[-1].in_tensor == size || end[-1].size * size >= LARGEST_EDGE) return;
        const auto longest = std::ranges::max_element(nearer, end, {}, &box_axis::size);
        std::rotate(longest, longest + 1, end);
    }

    // Chooses a leaf that turns rectangles. It takes all columns at once, unless there are loops with a smaller step in
    // the tensor. Then the columns become a loop outside those, and the leaf takes as many as a rectangle has.
    void turn(const turned_leaf &turned, dim_t prefetched_step) {
        run_ = turned.run;
        const int outside = int(std::count_if(loops_.begin(), loops_.begin() + count_, [&](const box_axis &axis) {
            return axis.in_tensor >= leaf_.columns.in_tensor;
        }));
        dim_t next = turned.columns * leaf_.columns.in_tensor;
        if (outside < count_) {
            columns_at_ = outside;
            std::copy_backward(loops_.begin() + outside, loops_.begin() + count_, loops_.begin() + count_ + 1);
            loops_[size_t(outside)] = leaf_.columns;
            leaf_.columns.size = turned.columns;
            next = loops_[size_t(count_++)].in_tensor;
        }
        if (leaf_.rows.in_tensor <= CACHE_LINE && std::min(leaf_.columns.in_tensor, next) >= prefetched_step)
            leaf_.ahead = 2 * next;
    }

    leaf_shape leaf_;
    leaf_run run_;
    std::array<box_axis, size_t(box::MAX_AXES) + 1> loops_; // outermost first
    int count_ = 0, columns_at_ = -1; // how many loops there are, and which one has the columns (-1: none)
};

template <size_t Size, bool to_tile>
void copy_box(const box &shape, char *tensor, char *tile, dim_t prefetched_step) {
    walk(LEAVES<Size, to_tile>, shape, prefetched_step).run(tensor + shape.tensor_offset, tile + shape.tile_offset);
}
template <size_t Size>
constexpr strided_copy COPY = {copy_box<Size, true>, copy_box<Size, false>};

} // namespace

strided_copy choose_strided_copy(size_t element_size) {
    return element_size == 1 ? COPY<1> : element_size == 2 ? COPY<2> : element_size == 4 ? COPY<4> : COPY<8>;
}

} // namespace jitnorm::impl::layer_norm
