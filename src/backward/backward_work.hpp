// SPDX-License-Identifier: Apache-2.0
// backward_work: how a backward problem's work is cut, and where its sums are in the scratchpad. By shape and types;
// the number of threads only says who does what.
//
// By rows, each thread takes some parts of the rows (row_blocks.hpp) and reads them once. Where rows are few or too
// long for L2 the work goes by chunks: each thread takes some columns of all rows, for the sums first and then for
// diff_src.
#pragma once

#include <cstddef>

#include "../arithmetic/row_blocks.hpp"
#include "../core/problem.hpp"
#include "../core/tuning.hpp"

namespace jitnorm::impl::layer_norm {

class backward_work {
public:
    // `buffer_bytes` for each thread come first in its share of the scratchpad. keeps_blocks: there is room for the
    // sums of all blocks. prefers_chunks: goes by chunks where there are several, whatever the number of threads.
    backward_work(const problem &p, dim_t buffer_bytes, bool keeps_blocks, bool prefers_chunks);

    dim_t rows() const { return rows_; }
    dim_t columns() const { return columns_; }
    dim_t chunks() const { return (columns_ + CHUNK - 1) / CHUNK; }
    range columns_of(dim_t chunk) const { return {chunk * CHUNK, std::min((chunk + 1) * CHUNK, columns_)}; }
    const row_blocks &cut() const { return cut_; }
    dim_t bytes() const { return bytes_; } // of src, diff_dst and diff_src
    dim_t row_bytes_read() const { return row_bytes_read_; }

    // The gradients of scale and shift: how many, and how many sums a row of them has, with some space behind each.
    int gradients() const { return gradients_; }
    dim_t pitch() const { return pitch_; }
    dim_t width() const { return gradients_ * pitch_; }

    bool goes_by_chunks(int available_threads) const;
    int row_threads(int available) const;   // shares of rows: parts where there are gradients
    int chunk_threads(int available) const; // shares of chunks

    size_t scratchpad_bytes() const;

    // In the scratchpad, for thread `share`:
    std::byte *buffer(void *scratchpad, int share) const;
    // By rows: the sums of a block, of type T and `width` of them, and those of each part.
    template <typename T>
    T *block_sums(void *scratchpad, int share) const {
        return reinterpret_cast<T *>(own(scratchpad, share));
    }
    double *part_sums(void *scratchpad, dim_t part) const;
    // The sums of one of all blocks, where they are kept.
    template <typename T>
    T *kept_block_sums(void *scratchpad, dim_t block) const {
        return reinterpret_cast<T *>(part_sums(scratchpad, cut_.parts())) + block * width();
    }
    // By chunks: the sums of a chunk's block, of its part and of all parts, CHUNK_WIDTH of each for each gradient.
    static constexpr dim_t CHUNK_WIDTH = CHUNK + 16;
    double *chunk_part_sums(void *scratchpad, int share) const;
    double *chunk_total(void *scratchpad, int share) const;
    // By chunks: the two sums of all rows of a chunk.
    template <typename T>
    T *row_sums(void *scratchpad, int sum, dim_t chunk) const {
        return reinterpret_cast<T *>(common(scratchpad)) + (chunk * 2 + sum) * rows_;
    }

private:
    bool always_goes_by_chunks() const;
    bool may_go_by_chunks() const;
    int most_shares() const;
    dim_t own_bytes() const;
    dim_t common_bytes() const;
    std::byte *own(void *scratchpad, int share) const;
    std::byte *common(void *scratchpad) const;

    dim_t rows_, columns_;
    row_blocks cut_;
    int gradients_;
    dim_t bytes_, row_bytes_read_, element_, pitch_;
    bool keeps_blocks_, prefers_chunks_;
    dim_t buffer_bytes_, share_bytes_; // of a thread: the buffer, and all of its share of the scratchpad
    int shares_;                       // threads at the most
};

} // namespace jitnorm::impl::layer_norm
