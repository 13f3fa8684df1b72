// SPDX-License-Identifier: Apache-2.0
// residual_setup: problems that add a residual, of every length that matters.
#pragma once

#include "rig/equality.hpp"

namespace jitnorm::tests {

inline constexpr unsigned RESIDUAL_FLAGS[] = {jitnorm_use_scale | jitnorm_use_shift,
                                              jitnorm_rms_norm | jitnorm_use_scale, jitnorm_use_global_stats, 0};

// Around the widths of vectors, lanes, blocks and chunks.
inline constexpr dim_t RESIDUAL_LENGTHS[] = {1,  3,  4,  7,   8,   9,   15,   16,   17,   31,  32,
                                             33, 37, 64, 100, 511, 513, 4095, 4096, 4097, 9000};

inline setup setup_of_sum(dim_t rows, dim_t columns, jitnorm_data_type_t type, jitnorm_data_type_t sum_type) {
    return {.flags = RESIDUAL_FLAGS[size_t(columns) % std::size(RESIDUAL_FLAGS)],
            .dims = {rows, columns},
            .src_type = type,
            .dst_type = type,
            .side = columns % 2 == 0 ? guard_side::before : guard_side::after,
            .mean = 3,
            .seed = unsigned(columns),
            .residual = {.added = "dense", .sum = "dense", .type = type, .sum_type = sum_type}};
}

} // namespace jitnorm::tests
