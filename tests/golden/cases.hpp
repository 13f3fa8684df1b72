// SPDX-License-Identifier: Apache-2.0
// cases: the problems whose bits are kept in digests.inc, and helpers for the parts of their list.
#pragma once

#include <algorithm>
#include <string>
#include <vector>

#include "numbers.hpp"
#include "support/run.hpp"

namespace jitnorm::tests {

struct golden_case {
    setup s;
    content src = content::ordinary;
    bool runtime_sizes = false; // the primitive knows them at execution only
    bool emulated = false;      // small enough for the emulated processor
    std::string name = {};      // unique: the problem in words, and a number where those are the same
};

// ---- for the parts of the list

using impl::post_op;
using impl::layer_norm::statistics_form;

constexpr jitnorm_data_type_t F32 = jitnorm_f32, BF16 = jitnorm_bf16, F16 = jitnorm_f16, F64 = jitnorm_f64;
constexpr jitnorm_data_type_t S8 = jitnorm_s8, U8 = jitnorm_u8;
constexpr unsigned GLOBAL = jitnorm_use_global_stats, USE_SCALE = jitnorm_use_scale, USE_SHIFT = jitnorm_use_shift;
constexpr unsigned RMS = jitnorm_rms_norm;
constexpr auto INFERENCE = jitnorm_forward_inference;
constexpr auto BACKWARD = jitnorm_backward, BACKWARD_DATA = jitnorm_backward_data;

using list = std::vector<golden_case>;

inline setup of_type(setup s, jitnorm_data_type_t type) {
    s.src_type = s.dst_type = s.diff_src_type = type;
    return s;
}
inline setup of_layout(setup s, const char *layout) {
    s.src = s.dst = s.diff_src = layout;
    return s;
}

// Around vectors, groups of lanes, blocks and chunks.
inline const std::vector<dim_t> LENGTHS = {1,   2,    3,    4,    5,    7,    8,    9,    15,   16,   17,   23,   31,
                                           32,  33,   47,   63,   64,   65,   127,  255,  256,  257,  511,  512,  513,
                                           768, 1023, 1024, 1025, 1600, 4095, 4096, 4097, 5000, 8191, 8192, 12289};

// Rows of every length: 1 to 70 of them, fewer where they are long.
inline dim_t rows_for(dim_t columns, size_t turn) {
    const dim_t rows = 1 + dim_t(turn * 29 % 70);
    return std::min(rows, std::max<dim_t>(1, 24000 / columns));
}

struct layouts {
    std::vector<dim_t> dims;
    const char *src, *dst, *statistics;
};

inline const layouts LAYOUTS[] = {
    {{5, 70}, "gap", "gap+7", "gap"},
    {{5, 70}, "spread", "ab", "spread"},
    {{5, 70}, "gap", "spread", "a"},
    {{37, 70}, "ba", "ba", "a"},
    {{37, 33}, "ab", "ba", "a"},
    {{66, 16}, "ba", "gap", "spread"},
    {{5, 70}, "AB16b16a", "aB8b", "a"},
    {{3, 5, 70}, "abc", "bac", "ba"},
    {{3, 5, 70}, "acb", "acb", "ab"},
    {{3, 5, 70}, "bac", "cba", "ba"},
    {{3, 5, 70}, "aBc8b", "aBc16b", "aB8b"},
    {{3, 5, 20}, "aBC8b8c+7", "aBC16b16c+7", "AB16b16a+7"},
    {{2, 3, 5, 20}, "acdb", "aBcd8b", "aBc8b"},
    {{2, 3, 2, 5, 20}, "aBcde8b", "acdeb", "abdc"},
    {{3, 64, 9}, "cba", "cba", "ba"},
    {{2, 4100}, "ba", "spread", "a"},
};

void add_forward(list &cases);
void add_backward(list &cases);
void add_fused(list &cases); // residuals, scales that are found, 8-bit floats, flags of the library's own

} // namespace jitnorm::tests
