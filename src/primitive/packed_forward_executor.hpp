// SPDX-License-Identifier: Apache-2.0
// packed_forward_executor: forward on tensors of any other layout: tiles of rows are gathered into dense buffers,
// normalized there by the same kernels and scattered, as are post-op operands. The bits are those of dense rows.
#pragma once

#include "../core/parallel.hpp"
#include "forward_rows.hpp"
#include "row_packer.hpp"

namespace jitnorm::impl::layer_norm {

template <typename T> // the compute type
class packed_forward_executor final : public executor {
public:
    packed_forward_executor(const problem &p, std::shared_ptr<const forward_kernels<T>> kernels);

    jitnorm_status_t execute(const arguments &args) const override;

    // A pair of tiles for each of the parts that the work could be cut into.
    static size_t scratchpad_bytes(const problem &p);

private:
    // One part's buffers and the rows it is at.
    struct tile {
        std::byte *src, *dst;
        dim_t first, rows;
        float mean[tuning::MAX_BATCH_ROWS], variance[tuning::MAX_BATCH_ROWS]; // room for narrower types too
    };

    dense_rows<T> rows_in(tile &t, const arguments &args) const;
    void run_part(const arguments &args, range rows, std::byte *buffers) const;
    void run_tile(const arguments &args, tile &t) const;
    void run_tile_by_chunks(const arguments &args, tile &t) const;
    void find_long_statistics(const arguments &args, tile &t, const dense_rows<T> &rows, row_batch<T> &batch) const;
    void gather_statistics(const arguments &args, tile &t) const;
    void scatter_statistics(const arguments &args, const tile &t) const;

    problem problem_; // rows in the order in which src has them in memory
    bool reads_dst_;  // for a sum post-op
    forward_rows<T> kernels_;
    row_packer src_, dst_, statistics_;
};

} // namespace jitnorm::impl::layer_norm
