// SPDX-License-Identifier: Apache-2.0
// row_blocks: the order in which the rows' contributions to diff_scale and diff_shift are added. It depends only on the
// number of rows and columns. The rows of a row block are added in the compute type, in the order of their
// numbers. Consecutive row blocks form a part and are added in double, in order; then the parts are added in double, in
// order. So the error does not grow with the number of rows, and threads may share parts as they like.
//
// The rows of a partial problem are whole row blocks of a larger problem, and so are cut as the larger problem is. If a
// part of the larger problem began before the first of these rows, each row block of the rest of that part is a part of
// its own here: its sums must be added one by one to the sums of the part's beginning, which another problem finds.
#pragma once

#include <algorithm>

#include "../norm/problem.hpp"
#include "constants.hpp"

namespace jitnorm::impl::layer_norm {

class row_blocks {
public:
    constexpr row_blocks(dim_t rows, dim_t columns) : row_blocks(rows, columns, 0, rows) {}

    // The rows first .. first+rows-1 of a larger problem of `all` rows. `first` is a multiple of block_rows(), and
    // first+rows is one, too, or equals `all`.
    constexpr row_blocks(dim_t rows, dim_t columns, dim_t first, dim_t all)
        : rows_(rows), block_rows_(rows_of_block(all, columns)),
          blocks_per_part_(std::max<dim_t>(divide_up(divide_up(all, block_rows_), most_parts(columns)), 1)),
          rest_(std::min(blocks(),
                         divide_up(first / block_rows_, blocks_per_part_) * blocks_per_part_ - first / block_rows_)) {}

    constexpr dim_t blocks() const { return divide_up(rows_, block_rows_); }
    // At most MAX_PARTS for a problem that is not partial.
    constexpr dim_t parts() const { return rest_ + divide_up(blocks() - rest_, blocks_per_part_); }

    constexpr dim_t block_rows() const { return block_rows_; } // the last block may have fewer
    // Whether a cut before `row` leaves all blocks whole.
    constexpr bool may_cut_at(dim_t row) const { return row == rows_ || row % block_rows_ == 0; }
    constexpr dim_t blocks_per_part() const { return blocks_per_part_; } // the last part may have fewer

    // The rows of a block.
    constexpr range block(dim_t index) const { return cut(rows_, block_rows_, index); }
    // The blocks of a part.
    constexpr range part(dim_t index) const {
        if (!begins_part(index)) return {index, index + 1};
        const range after_rest = cut(blocks() - rest_, blocks_per_part_, index - rest_);
        return {rest_ + after_rest.begin, rest_ + after_rest.end};
    }

    // Whether a part of the larger problem begins with the part `index`. If not, the part `index` is a block of the
    // rest of a part that began before these rows.
    constexpr bool begins_part(dim_t index) const { return index >= rest_; }

private:
    static constexpr dim_t rows_of_block(dim_t rows, dim_t columns) {
        const dim_t wanted =
            std::max(divide_up(rows, WANTED_BLOCKS), divide_up(MIN_BLOCK_ELEMENTS, std::max<dim_t>(columns, 1)));
        return std::clamp(wanted, MIN_BLOCK_ROWS, MAX_BLOCK_ROWS);
    }
    static constexpr dim_t most_parts(dim_t columns) {
        return std::clamp(MAX_PARTS_ELEMENTS / std::max<dim_t>(columns, 1), MIN_PARTS, MAX_PARTS);
    }
    static constexpr range cut(dim_t count, dim_t size, dim_t index) {
        return {index * size, std::min((index + 1) * size, count)};
    }

    dim_t rows_, block_rows_, blocks_per_part_;
    dim_t rest_; // the number of blocks at the beginning that belong to a part that began before these rows
};

inline row_blocks row_blocks_of(const problem &p) {
    return p.is_partial() ? row_blocks(p.rows(), p.row_length(), p.first_row, p.all_rows)
                          : row_blocks(p.rows(), p.row_length());
}

} // namespace jitnorm::impl::layer_norm
