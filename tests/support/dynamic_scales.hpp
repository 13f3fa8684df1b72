// SPDX-License-Identifier: Apache-2.0
// dynamic_scales: problems for which the library finds scales of dst, and inputs that reach their quantization
// unchanged.
#pragma once

#include <vector>

#include "equality.hpp"

namespace jitnorm::tests {

inline setup quantizing(const std::vector<dim_t> &dims, dim_t per_row = 1, jitnorm_data_type_t dst = jitnorm_s8) {
    const unsigned other = dims.back() % 2 == 0 ? jitnorm_rms_norm : jitnorm_use_shift;
    return {.flags = jitnorm_use_scale | other,
            .dims = dims,
            .dst_type = dst,
            .dynamic_scales = scales_of(dims, per_row),
            .side = dims.back() % 2 == 0 ? guard_side::before : guard_side::after,
            .seed = unsigned(dims.back())};
}

// A problem whose given statistics, those that holding() writes, let every value of src through unchanged.
inline setup letting_through(dim_t rows, dim_t columns, dim_t per_row = 1) {
    setup s = quantizing({rows, columns}, per_row);
    s.kind = jitnorm_forward_inference;
    s.flags = jitnorm_use_global_stats;
    return s;
}

// With mean 0, the variance and no epsilon; no values: src stays as it is.
inline preparation holding(const std::vector<double> &src, double variance = 1) {
    return [=](run &r) {
        r.p.epsilon = 0;
        r[SRC].fill(src);
        r[MEAN].fill(std::vector<double>(size_t(r.p.rows()), 0));
        r[VARIANCE].fill(std::vector<double>(size_t(r.p.rows()), variance));
    };
}

} // namespace jitnorm::tests
