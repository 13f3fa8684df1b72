// SPDX-License-Identifier: Apache-2.0
// row_blocks: in which order the rows' contributions to diff_scale and diff_shift are added, by the number of rows
// alone. Rows are cut into blocks, added up in the compute type in row order; consecutive blocks form parts, added up
// in double in block order; parts are added in double in order. The error does not grow with the number of rows, and
// threads may share the parts as they like.
#pragma once

#include <algorithm>

#include "../core/parallel.hpp"
#include "constants.hpp"

namespace jitnorm::impl::layer_norm {

class row_blocks {
public:
    explicit constexpr row_blocks(dim_t rows)
        : rows_(rows), block_rows_(std::clamp(divide_up(rows, MIN_BLOCKS), dim_t(1), MAX_BLOCK_ROWS)),
          blocks_per_part_(std::max(divide_up(blocks(), MAX_PARTS), dim_t(1))) {}

    constexpr dim_t blocks() const { return divide_up(rows_, block_rows_); }
    constexpr dim_t parts() const { return divide_up(blocks(), blocks_per_part_); } // at most MAX_PARTS

    // The rows of a block, the blocks of a part.
    constexpr range block(dim_t index) const { return cut(rows_, block_rows_, index); }
    constexpr range part(dim_t index) const { return cut(blocks(), blocks_per_part_, index); }

private:
    static constexpr dim_t divide_up(dim_t count, dim_t size) { return (count + size - 1) / size; }
    static constexpr range cut(dim_t count, dim_t size, dim_t index) {
        return {index * size, std::min((index + 1) * size, count)};
    }

    dim_t rows_, block_rows_, blocks_per_part_;
};

} // namespace jitnorm::impl::layer_norm
