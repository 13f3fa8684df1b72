// SPDX-License-Identifier: Apache-2.0
// row_batch: the statistics of a few rows side by side, as the kernels write and read them.
#pragma once

#include "../arithmetic/moments.hpp"
#include "tuning.hpp"

namespace jitnorm::impl::layer_norm {

// One value per row. What a sweep leaves (p, s, q), then what normalizing takes (hi, rstd, neg).
struct row_batch {
    dim_t first = 0, rows = 0; // which rows of the run
    alignas(64) float p[tuning::MAX_BATCH_ROWS], s[tuning::MAX_BATCH_ROWS], q[tuning::MAX_BATCH_ROWS];
    alignas(64) float hi[tuning::MAX_BATCH_ROWS], rstd[tuning::MAX_BATCH_ROWS], neg[tuning::MAX_BATCH_ROWS];

    void set(dim_t row, const row_statistics<float> &statistics, float epsilon) {
        const auto n = make_normalizer(statistics, epsilon);
        hi[row] = n.hi;
        rstd[row] = n.rstd;
        neg[row] = n.neg;
    }
};

} // namespace jitnorm::impl::layer_norm
