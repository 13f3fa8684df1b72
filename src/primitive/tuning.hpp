// SPDX-License-Identifier: Apache-2.0
// tuning: every decision about speed that depends on sizes, in one place. None of them changes a bit of any result;
// docs/performance.md has the measurements behind them.
#pragma once

#include <algorithm>

#include "../core/memory_desc.hpp"

namespace jitnorm::impl::layer_norm::tuning {

// Rows go through the kernels in batches: swept together, their few scalar steps done together, normalized while the
// next batch is already swept. A batch should stay in L1 beside the next one and the output.
constexpr dim_t MAX_BATCH_ROWS = 32;
constexpr dim_t BATCH_BYTES = 8 * 1024;

constexpr dim_t batch_rows(dim_t row_bytes) {
    return std::clamp<dim_t>(BATCH_BYTES / std::max<dim_t>(row_bytes, 1), 1, MAX_BATCH_ROWS);
}

// A thread is worth starting for this many bytes read and written.
constexpr dim_t BYTES_PER_THREAD = 64 * 1024;

constexpr int threads(dim_t bytes, dim_t rows, int available) {
    return int(std::clamp<dim_t>(std::min(bytes / BYTES_PER_THREAD, rows), 1, available));
}

} // namespace jitnorm::impl::layer_norm::tuning
