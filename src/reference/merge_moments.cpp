// SPDX-License-Identifier: Apache-2.0
#include "merge_moments.hpp"

#include "../base/bytes.hpp"
#include "../math/moments.hpp"

namespace jitnorm::impl::layer_norm::reference {

namespace {

template <typename T>
moments<T> merge_row(std::span<const column_range_moments> ranges, dim_t row) {
    moments<T> all = {};
    bool is_first = true;
    for (const auto &range : ranges)
        for (dim_t i = 0; i < range.chunks; ++i) {
            const auto chunk = load<moments<T>>(range.chunked, row * range.chunks + i);
            all = is_first ? chunk : merge(all, chunk);
            is_first = false;
        }
    return all;
}

} // namespace

void merge_moments(std::span<const column_range_moments> ranges, dim_t rows, bool in_double, double *merged) {
    for (dim_t row = 0; row < rows; ++row)
        in_double ? store(merge_row<double>(ranges, row), merged, row)
                  : store(merge_row<float>(ranges, row), merged, row);
}

} // namespace jitnorm::impl::layer_norm::reference
