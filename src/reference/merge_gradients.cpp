// SPDX-License-Identifier: Apache-2.0
#include "merge_gradients.hpp"

#include "../arithmetic/convert.hpp"
#include "../core/unaligned.hpp"

namespace jitnorm::impl::layer_norm::reference {

namespace {

constexpr dim_t COLUMNS = 128; // that are added up together, on the stack

// Parts in double, and their total, in the order of the rows.
struct column_totals {
    double part[COLUMNS] = {}, total[COLUMNS] = {};

    void add(const double *sums, dim_t first, dim_t count, bool begins_part) {
        if (begins_part) end_part(count);
        for (dim_t c = 0; c < count; ++c) part[c] += load<double>(sums, first + c);
    }
    void end_part(dim_t count) {
        for (dim_t c = 0; c < count; ++c) {
            total[c] += part[c];
            part[c] = 0;
        }
    }
};

// By way of the compute type, which is double where the gradient is: from double to float is the one rounding to both.
void write(const double *total, dim_t first, dim_t count, jitnorm_data_type_t type, void *gradient) {
    visit_data_type(type, [&]<typename Stored>(stored_as<Stored>) {
        for (dim_t c = 0; c < count; ++c) {
            if constexpr (std::is_same_v<Stored, double>)
                store(total[c], gradient, first + c);
            else
                store(narrow<Stored>(float(total[c])), gradient, first + c);
        }
    });
}

} // namespace

void merge_gradients(std::span<const row_range_sums> ranges, dim_t columns, jitnorm_data_type_t type, void *gradient) {
    for (dim_t first = 0; first < columns; first += COLUMNS) {
        const dim_t count = std::min(COLUMNS, columns - first);
        column_totals sums;
        for (const row_range_sums &range : ranges)
            for (dim_t part = 0; part < range.cut.parts(); ++part)
                sums.add(range.parts, part * columns + first, count, range.cut.begins_part(part));
        sums.end_part(count);
        write(sums.total, first, count, type, gradient);
    }
}

} // namespace jitnorm::impl::layer_norm::reference
