// SPDX-License-Identifier: Apache-2.0
// row_batch: the statistics of a few rows side by side, as the kernels write and read them, and the scalar steps over
// them in loops that the compiler turns into vectors: of AVX2, which is there wherever kernels run.
#pragma once

#include "../arithmetic/moments.hpp"
#include "../core/problem.hpp"
#include "tuning.hpp"

namespace jitnorm::impl::layer_norm {

// One value per row in each array; T is the compute type.
template <typename T>
struct row_batch {
    using values = T[tuning::MAX_BATCH_ROWS];
    using wide_values = double[tuning::MAX_BATCH_ROWS];

    dim_t first = 0, rows = 0;        // which rows of the run
    alignas(64) values p, s, q;       // pivot and sums: what a sweep leaves
    alignas(64) values hi, rstd, neg; // what normalizing takes
    alignas(64) wide_values lo, wide; // with hi: the mean; the variance before it is rounded
    alignas(64) float mean[tuning::MAX_BATCH_ROWS], variance[tuning::MAX_BATCH_ROWS]; // as they are stored

    void set(dim_t row, const row_statistics<T> &statistics) {
        hi[row] = statistics.hi;
        lo[row] = statistics.lo;
        wide[row] = statistics.variance;
    }

    // Whether one sweep was enough for all rows of n elements.
    [[gnu::target("avx2")]] bool is_settled(double inv_n) const {
        bool settled = true;
        for (dim_t r = 0; r < rows; ++r) settled &= sweep_suffices<T>({s[r], q[r]}, inv_n);
        return settled;
    }

    [[gnu::target("avx2")]] void take_settled(double n, double inv_n) {
        for (dim_t r = 0; r < rows; ++r) set(r, finish(moments_of<T>(p[r], {s[r], q[r]}, n, inv_n, 1.0), inv_n));
    }

    // From statistics to normalizers, and to what is stored in that form.
    [[gnu::target("avx2")]] void complete(float epsilon, statistics_form form) {
        for (dim_t r = 0; r < rows; ++r) {
            const auto n = make_normalizer<T>({hi[r], lo[r], wide[r]}, epsilon);
            rstd[r] = n.rstd;
            neg[r] = n.neg;
            mean[r] = float(hi[r]);
            variance[r] = float(wide[r]);
        }
        if (form == statistics_form::inverse_deviation)
            for (dim_t r = 0; r < rows; ++r) variance[r] = float(rstd[r]);
    }

    // From a given mean and 1 / sqrt(variance + epsilon).
    void set_given(dim_t row, T given_mean, T given_rstd) {
        const auto n = normalizer_of<T>(given_mean, given_rstd);
        hi[row] = n.hi;
        rstd[row] = n.rstd;
        neg[row] = n.neg;
    }
};

} // namespace jitnorm::impl::layer_norm
