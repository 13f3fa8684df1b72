// SPDX-License-Identifier: Apache-2.0
// backward_work: how a backward problem's sums are cut, and where they are in the scratchpad. By shape and types; plan
// and threads only say who does what.
#pragma once

#include <cstddef>

#include "../arithmetic/row_blocks.hpp"
#include "../core/plan.hpp"
#include "../core/problem.hpp"

namespace jitnorm::impl::layer_norm {

class backward_work {
public:
    explicit backward_work(const problem &p);

    dim_t rows() const { return rows_; }
    dim_t columns() const { return columns_; }
    dim_t chunks() const { return (columns_ + CHUNK - 1) / CHUNK; }
    range columns_of(dim_t chunk) const { return {chunk * CHUNK, std::min((chunk + 1) * CHUNK, columns_)}; }
    const row_blocks &cut() const { return cut_; }

    // The gradients of scale and shift: how many, and how many sums a row of them has, with some space behind each.
    int gradients() const { return gradients_; }
    dim_t pitch() const { return pitch_; }
    dim_t width() const { return gradients_ * pitch_; }

    // What a plan's threads have of their own for sums, and what is common to all.
    dim_t own_bytes(const plan &how) const;
    dim_t common_bytes(const plan &how) const;

    // By rows: the sums of a block, of type T and `width` of them, in what a thread has of its own; those of each part
    // in what is common, and behind them, for interleaved rows, those of all blocks.
    template <typename T>
    static T *block_sums(std::byte *own) {
        return reinterpret_cast<T *>(own);
    }
    double *part_sums(std::byte *common, dim_t part) const {
        return reinterpret_cast<double *>(common) + part * width();
    }
    template <typename T>
    T *kept_block_sums(std::byte *common, dim_t block) const {
        return reinterpret_cast<T *>(part_sums(common, cut_.parts())) + block * width();
    }

    // By chunks: the sums of a chunk's block, of its part and of all parts, CHUNK_WIDTH of each for each gradient.
    static constexpr dim_t CHUNK_WIDTH = CHUNK + 16;
    double *chunk_part_sums(std::byte *own) const {
        return reinterpret_cast<double *>(own + gradients_ * CHUNK_WIDTH * element_);
    }
    double *chunk_total(std::byte *own) const { return chunk_part_sums(own) + gradients_ * CHUNK_WIDTH; }
    // By chunks: the two sums of all rows of a chunk.
    template <typename T>
    T *row_sums(std::byte *common, int sum, dim_t chunk) const {
        return reinterpret_cast<T *>(common) + (chunk * 2 + sum) * rows_;
    }

private:
    dim_t rows_, columns_;
    row_blocks cut_;
    int gradients_;
    dim_t element_, pitch_; // bytes of a sum in the compute type; sums
};

} // namespace jitnorm::impl::layer_norm
