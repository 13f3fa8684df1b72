// SPDX-License-Identifier: Apache-2.0
// backward_work: how the sums of a backward problem are cut, and where they are in the scratchpad. This depends on the
// shape and the types only; plan and threads decide who computes which sums.
#pragma once

#include <cstddef>

#include "../core/plan.hpp"
#include "../math/row_blocks.hpp"
#include "../norm/problem.hpp"

namespace jitnorm::impl::layer_norm {

class backward_work {
public:
    explicit backward_work(const problem &p);

    dim_t rows() const { return rows_; }
    dim_t columns() const { return columns_; }
    dim_t chunks() const { return (columns_ + CHUNK - 1) / CHUNK; }
    range columns_of(dim_t chunk) const { return {chunk * CHUNK, std::min((chunk + 1) * CHUNK, columns_)}; }
    const row_blocks &cut() const { return cut_; }

    // How many of the gradients of scale and shift are computed, how many sums each of them takes with some space
    // behind, and how many sums both take together.
    int gradients() const { return gradients_; }
    dim_t pitch() const { return pitch_; }
    dim_t width() const { return gradients_ * pitch_; }

    // The bytes for sums in the scratchpad of each thread, and in the one that all threads have in common.
    dim_t own_bytes(const plan &how) const;
    dim_t common_bytes(const plan &how) const;

    // If the work goes by rows: width() sums of a row block, of type T, in the scratchpad of a thread; width() sums of
    // each part, and behind them for interleaved rows those of each row block, in the common scratchpad.
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

    // If the work goes by chunks: the sums over the columns of a chunk, of one row block, of one part and of all parts,
    // in the scratchpad of a thread. Each has CHUNK_WIDTH sums for each gradient.
    static constexpr dim_t CHUNK_WIDTH = CHUNK + 16;
    double *chunk_part_sums(std::byte *own) const {
        return reinterpret_cast<double *>(own + gradients_ * CHUNK_WIDTH * element_);
    }
    double *chunk_total(std::byte *own) const { return chunk_part_sums(own) + gradients_ * CHUNK_WIDTH; }
    // If the work goes by chunks: for each row its sum s1 (`sum` is 0) or s2 (1) over the chunk, in the common
    // scratchpad.
    template <typename T>
    T *row_sums(std::byte *common, int sum, dim_t chunk) const {
        return reinterpret_cast<T *>(common) + (chunk * 2 + sum) * rows_;
    }

private:
    dim_t rows_, columns_;
    row_blocks cut_;
    int gradients_;
    dim_t element_, pitch_; // bytes of a number of the compute type; pitch()
};

} // namespace jitnorm::impl::layer_norm
