// SPDX-License-Identifier: Apache-2.0
// forward_executor: forward on tensors whose rows lie dense in memory: rows to threads, threads to runs of evenly
// spaced rows.
#pragma once

#include "../core/row_space.hpp"
#include "forward_rows.hpp"

namespace jitnorm::impl::layer_norm {

class forward_executor final : public executor {
public:
    // Throws what forward_rows throws.
    forward_executor(const problem &p, jit::isa vectors);

    jitnorm_status_t execute(const arguments &args) const override;

private:
    tuning::plan plan_for(const arguments &args, int parts) const;

    forward_rows kernels_;
    row_space space_;
    dim_t C_, src_size_, dst_size_; // sizes in bytes of an element
    dim_t dst_offset_;              // bytes from the data handle of dst to its first element
    dim_t src_stride_, dst_stride_; // from row to row of a run, in bytes
    dim_t statistics_stride_;       // the same in elements
    bool dst_in_lines_;             // every row of dst is whole cache lines from the first
};

} // namespace jitnorm::impl::layer_norm
