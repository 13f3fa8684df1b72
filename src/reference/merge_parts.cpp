// SPDX-License-Identifier: Apache-2.0
#include "merge_parts.hpp"

#include "../base/bytes.hpp"
#include "../math/moments.hpp"
#include "tensor_rows.hpp"

namespace jitnorm::impl::layer_norm::reference {

namespace {

// The running sums of some columns, to which parts are added in the order of the rows.
struct running_columns {
    double *total, *part; // the sum of all parts that have ended, and the sum of the part that has not
    dim_t first, count;   // the columns: the first one, and how many

    void add(const row_range_sums &range, dim_t columns) const {
        for (dim_t i = 0; i < range.cut.parts(); ++i) {
            if (range.cut.begins_part(i)) end_part();
            for (dim_t c = 0; c < count; ++c) part[c] += load<double>(range.parts, i * columns + first + c);
        }
    }
    void end_part() const {
        for (dim_t c = 0; c < count; ++c) {
            total[c] += part[c];
            part[c] = 0;
        }
    }
};

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

void merge_gradients(std::span<const row_range_sums> ranges, dim_t columns, jitnorm_data_type_t type, void *gradient) {
    const tensor_rows to = vector_of(columns, type);
    constexpr dim_t AT_ONCE = 128; // columns that are added up at a time, so that the sums fit on the stack
    for (dim_t first = 0; first < columns; first += AT_ONCE) {
        double part[AT_ONCE] = {}, total[AT_ONCE] = {};
        const running_columns sums = {total, part, first, std::min(AT_ONCE, columns - first)};
        for (const row_range_sums &range : ranges) sums.add(range, columns);
        sums.end_part();
        to.write(gradient, 0, first, sums.count, total);
    }
}

void add_partial_gradients(const row_range_sums &range, bool is_last, dim_t columns, std::span<double> running) {
    const running_columns sums = {running.data(), running.data() + columns, 0, columns};
    sums.add(range, columns);
    if (is_last) sums.end_part();
}

void merge_moments(std::span<const column_range_moments> ranges, dim_t rows, bool in_double, double *merged) {
    for (dim_t row = 0; row < rows; ++row)
        in_double ? store(merge_row<double>(ranges, row), merged, row)
                  : store(merge_row<float>(ranges, row), merged, row);
}

} // namespace jitnorm::impl::layer_norm::reference
