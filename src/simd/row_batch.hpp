// SPDX-License-Identifier: Apache-2.0
// row_batch: the statistics of a few rows side by side, as the kernels write and read them, and the scalar steps over
// them in loops that the compiler turns into vectors: of AVX2, which is there wherever kernels run.
#pragma once

#include "../arithmetic/moments.hpp"
#include "../arithmetic/reciprocal_root.hpp"
#include "../core/plan.hpp"
#include "../core/problem.hpp"
#include "../core/unaligned.hpp"

namespace jitnorm::impl::layer_norm {

// One value per row in each array; T is the compute type.
template <typename T>
struct row_batch {
    using values = T[MAX_BATCH_ROWS];
    using wide_values = double[MAX_BATCH_ROWS];

    dim_t rows = 0;
    alignas(64) values p, s, q;        // pivot and sums: what a sweep leaves
    alignas(64) values hi, rstd, bias; // what normalizing takes
    alignas(64) wide_values lo, wide;  // with hi: the mean; the variance before it is rounded

    void set(dim_t row, const row_statistics<T> &statistics) {
        hi[row] = statistics.hi;
        lo[row] = statistics.lo;
        wide[row] = statistics.variance;
    }

    // Sums of squares are about zero where there is no mean. Zero times the squares stands for the sum: an infinity is
    // NaN in it, as moments_of_squares() has it, and so is all that follows.
    [[gnu::target("avx2,fma")]] void set_no_pivots() {
        for (dim_t r = 0; r < rows; ++r) {
            p[r] = 0;
            s[r] = q[r] * T(0);
        }
    }

    // Statistics from first sweeps; whether those were enough for all rows. Other rows' statistics are not yet right.
    // (What is compared as floats and what as doubles is collected apart, so that no vector has to change its shape.)
    [[gnu::target("avx2,fma")]] bool take_first_sweeps(double n, double inv_n) {
        int32_t out_of_range = 0;
        int64_t poor = 0;
        for (dim_t r = 0; r < rows; ++r) {
            const sums<T> sum = {s[r], q[r]};
            out_of_range |= int32_t(!squares_in_range(sum.q));
            poor |= int64_t(pivot_is_poor(sum, inv_n));
            set(r, finish(moments_of_first_sweep(p[r], sum, n, inv_n), inv_n));
        }
        return out_of_range == 0 && poor == 0;
    }

    // From statistics to normalizers.
    void complete(float epsilon) {
        if constexpr (std::is_same_v<T, float>)
            if (find_normalizers_by_products(epsilon)) return;
        find_normalizers(epsilon);
    }

    // To an array of floats at any address.
    [[gnu::target("avx2,fma")]] void copy_means(void *to) const { copy(hi, to, rows); }
    [[gnu::target("avx2,fma")]] void copy_deviations(statistics_form form, void *to) const {
        form == statistics_form::inverse_deviation ? copy(rstd, to, rows) : copy(wide, to, rows);
    }

    // From a given mean and 1 / sqrt(variance + epsilon).
    void set_given(dim_t row, T given_mean, T given_rstd) {
        const auto n = normalizer_of<T>(given_mean, given_rstd);
        hi[row] = n.hi;
        rstd[row] = n.rstd;
        bias[row] = n.bias;
    }

private:
    // `count` is a copy: the compiler cannot know that no element is stored over the number of rows.
    template <typename Number>
    [[gnu::target("avx2,fma")]] static void copy(const Number *from, void *to, dim_t count) {
        for (dim_t i = 0; i < count; ++i) store(float(from[i]), to, i);
    }

    // Almost always, where variances are neither tiny nor huge.
    [[gnu::target("avx2,fma")]] bool find_normalizers_by_products(float epsilon) {
        int32_t unknown = 0;
        for (dim_t r = 0; r < rows; ++r) {
            const rounded_root root = reciprocal_root(wide[r] + double(epsilon));
            unknown |= is_unknown(root);
            rstd[r] = root.below;
        }
        if (unknown != 0) return false;
        for (dim_t r = 0; r < rows; ++r) bias[r] = bias_of_shift<T>(lo[r] * double(rstd[r]));
        return true;
    }

    [[gnu::target("avx2,fma")]] void find_normalizers(float epsilon) {
        for (dim_t r = 0; r < rows; ++r) {
            const auto n = make_normalizer<T>({hi[r], lo[r], wide[r]}, epsilon);
            rstd[r] = n.rstd;
            bias[r] = n.bias;
        }
    }
};

} // namespace jitnorm::impl::layer_norm
