// SPDX-License-Identifier: Apache-2.0
// row_blocks: in which order the rows' contributions to diff_scale and diff_shift are added, by the shape alone. Rows
// are cut into blocks, added up in the compute type in row order; consecutive blocks form parts, added up in double in
// block order; parts are added in double in order. The error does not grow with the number of rows, and threads may
// share the parts as they like.
#pragma once

#include <algorithm>

#include "../core/parallel.hpp"
#include "constants.hpp"

namespace jitnorm::impl::layer_norm {

class row_blocks {
public:
    constexpr row_blocks(dim_t rows, dim_t columns)
        : rows_(rows), block_rows_(rows_of_block(rows, std::max(columns, dim_t(1)))),
          blocks_per_part_(std::max(divide_up(blocks(), most_parts(std::max(columns, dim_t(1)))), dim_t(1))) {}

    constexpr dim_t blocks() const { return divide_up(rows_, block_rows_); }
    constexpr dim_t parts() const { return divide_up(blocks(), blocks_per_part_); } // at most MAX_PARTS

    constexpr dim_t block_rows() const { return block_rows_; }           // the last block may have fewer
    constexpr dim_t blocks_per_part() const { return blocks_per_part_; } // the last part may have fewer

    // The rows of a block, the blocks of a part.
    constexpr range block(dim_t index) const { return cut(rows_, block_rows_, index); }
    constexpr range part(dim_t index) const { return cut(blocks(), blocks_per_part_, index); }

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
};

} // namespace jitnorm::impl::layer_norm
