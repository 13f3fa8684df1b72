// SPDX-License-Identifier: Apache-2.0
// packed_forward_executor: forward on tensors of any other layout: tiles of rows are gathered into dense buffers,
// normalized by the same kernels and scattered, as are post-op operands. Where only src or only dst needs it the other
// one is read or written where it is. The bits are those of dense rows.
#pragma once

#include "../core/parallel.hpp"
#include "../layout/row_packer.hpp"
#include "forward_rows.hpp"

namespace jitnorm::impl::layer_norm {

template <typename T> // the compute type
class packed_forward_executor final : public executor {
public:
    packed_forward_executor(const problem &p, std::shared_ptr<const forward_kernels<T>> kernels);

    jitnorm_status_t execute(const arguments &args) const override;

    // Tiles for each of the parts that the work could be cut into.
    static size_t scratchpad_bytes(const problem &p);

private:
    // The rows that one part is at, where they are packed, and their statistics (room for narrower types too).
    struct tile {
        std::byte *buffer;
        dim_t first, rows;
        float mean[tuning::MAX_TILE_ROWS], variance[tuning::MAX_TILE_ROWS];
    };

    void run_part(const arguments &args, range rows, std::byte *buffer) const;
    dim_t rows_of_tile(dim_t first, dim_t end) const;
    dense_rows<T> packed_rows(tile &t, const arguments &args) const;
    template <typename Body> // void(const dense_rows<T> &, dim_t count)
    void for_each_run(const arguments &args, tile &t, Body &&body) const;
    dense_rows<T> at_column(const dense_rows<T> &rows, dim_t column) const;
    void gather_src(const arguments &args, const tile &t, range columns) const;
    void gather_dst(const arguments &args, const tile &t, range columns) const;
    void scatter_dst(const arguments &args, const tile &t, range columns) const;
    void run_tile(const arguments &args, tile &t) const;
    void run_tile_by_chunks(const arguments &args, tile &t) const;
    void find_long_statistics(const arguments &args, const tile &t, const dense_rows<T> &rows,
                              row_batch<T> &batch) const;
    void gather_statistics(const arguments &args, tile &t) const;
    void scatter_statistics(const arguments &args, const tile &t) const;

    problem problem_; // rows in the order in which they lie in memory
    bool by_chunks_;  // tiles have no room for whole rows
    bool packs_src_, packs_dst_;
    bool reads_dst_; // for a sum post-op
    dim_t tile_rows_, src_pitch_, dst_pitch_;
    dim_t src_tile_bytes_, tiles_bytes_, buffer_bytes_; // dst's tile comes next, then post-op operands
    forward_rows<T> kernels_;
    row_packer src_, dst_, statistics_;
};

} // namespace jitnorm::impl::layer_norm
