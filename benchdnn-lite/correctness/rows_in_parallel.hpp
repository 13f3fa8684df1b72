// SPDX-License-Identifier: Apache-2.0
// rows_in_parallel: does work on rows with several threads, each with a range of rows.
#pragma once

#include <algorithm>
#include <vector>

#include "../problem/data_type.hpp"
#include "../problem/threads.hpp"

namespace benchdnn_lite {

// The number of ranges for `rows` rows of `columns` elements: at most one for each row and each thread.
inline dim_t ranges_for(dim_t rows, dim_t columns) {
    constexpr dim_t ELEMENTS = 32768; // in a range; for fewer, a thread costs more than it gains
    return std::clamp<dim_t>(rows * std::max<dim_t>(columns, 1) / ELEMENTS, 1,
                             std::min<dim_t>(thread_count(), std::max<dim_t>(rows, 1)));
}

// Calls body(range, first row, row after the last) for every range. The body must not throw.
template <typename Body>
void rows_in_parallel(dim_t rows, dim_t ranges, const Body &body) {
    const auto edge = [&](dim_t range) { return rows / ranges * range + std::min(range, rows % ranges); };
#ifdef _OPENMP
#pragma omp parallel for num_threads(int(ranges)) schedule(static, 1) if (ranges > 1)
#endif
    for (dim_t range = 0; range < ranges; ++range) body(range, edge(range), edge(range + 1));
}

} // namespace benchdnn_lite
