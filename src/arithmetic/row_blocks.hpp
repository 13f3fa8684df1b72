// SPDX-License-Identifier: Apache-2.0
// row_blocks: in which order the rows' contributions to diff_scale and diff_shift are added, by the shape alone. Rows
// are cut into blocks, added up in the compute type in row order; consecutive blocks form parts, added up in double in
// block order; parts are added in double in order. The error does not grow with the number of rows, and threads may
// share the parts as they like.
//
// Some of a problem's rows, whole blocks of it, have blocks and parts too: those of the problem, but for the rest of a
// part that began before them, whose blocks are parts of their own here: they are to be added to its sums one by one.
#pragma once

#include <algorithm>

#include "../core/problem.hpp"
#include "../system/parallel.hpp"
#include "constants.hpp"

namespace jitnorm::impl::layer_norm {

class row_blocks {
public:
    constexpr row_blocks(dim_t rows, dim_t columns) : row_blocks(rows, columns, 0, rows) {}

    // The rows first .. first+rows-1 of so many: first is a multiple of block_rows(), and so is the end unless it is
    // that of all.
    constexpr row_blocks(dim_t rows, dim_t columns, dim_t first, dim_t all)
        : rows_(rows), block_rows_(rows_of_block(all, std::max(columns, dim_t(1)))),
          blocks_per_part_(
              std::max(divide_up(divide_up(all, block_rows_), most_parts(std::max(columns, dim_t(1)))), dim_t(1))),
          rest_(std::min(blocks(),
                         divide_up(first / block_rows_, blocks_per_part_) * blocks_per_part_ - first / block_rows_)) {}

    constexpr dim_t blocks() const { return divide_up(rows_, block_rows_); }
    constexpr dim_t parts() const { return rest_ + divide_up(blocks() - rest_, blocks_per_part_); } // of all: MAX_PARTS

    constexpr dim_t block_rows() const { return block_rows_; } // the last block may have fewer
    constexpr bool may_cut_at(dim_t row) const { return row == rows_ || row % block_rows_ == 0; } // no block is parted
    constexpr dim_t blocks_per_part() const { return blocks_per_part_; } // the last part may have fewer

    // The rows of a block, the blocks of a part.
    constexpr range block(dim_t index) const { return cut(rows_, block_rows_, index); }
    constexpr range part(dim_t index) const {
        if (!begins_part(index)) return {index, index + 1};
        const range behind_rest = cut(blocks() - rest_, blocks_per_part_, index - rest_);
        return {rest_ + behind_rest.begin, rest_ + behind_rest.end};
    }

    // Whether it is not the rest of one of the problem's parts.
    constexpr bool begins_part(dim_t index) const { return index >= rest_; }

private:
    static constexpr dim_t divide_up(dim_t count, dim_t size) { return (count + size - 1) / size; }
    static constexpr dim_t rows_of_block(dim_t rows, dim_t columns) {
        const dim_t wanted = std::max(divide_up(rows, MIN_BLOCKS), divide_up(MIN_BLOCK_ELEMENTS, columns));
        return std::clamp(wanted, MIN_BLOCK_ROWS, MAX_BLOCK_ROWS);
    }
    static constexpr dim_t most_parts(dim_t columns) {
        return std::clamp(MAX_PARTS_ELEMENTS / columns, MIN_PARTS, MAX_PARTS);
    }
    static constexpr range cut(dim_t count, dim_t size, dim_t index) {
        return {index * size, std::min((index + 1) * size, count)};
    }

    dim_t rows_, block_rows_, blocks_per_part_;
    dim_t rest_; // blocks at the beginning that belong to a part that began before
};

inline row_blocks row_blocks_of(const problem &p) {
    return p.is_partial() ? row_blocks(p.rows(), p.row_length(), p.first_row, p.all_rows)
                          : row_blocks(p.rows(), p.row_length());
}

} // namespace jitnorm::impl::layer_norm
