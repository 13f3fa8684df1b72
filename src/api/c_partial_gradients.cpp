// SPDX-License-Identifier: Apache-2.0
// C interface: how rows may be cut into ranges, and the gradients that the sums of all ranges make; the same of ranges
// of columns and their sums over rows.
#include <algorithm>
#include <vector>

#include "../base/boundary.hpp"
#include "../reference/merge_parts.hpp"
#include "../tensor/names.hpp"
#include "jitnorm/jitnorm_partial.h"

using namespace jitnorm::impl;
using layer_norm::row_blocks;
using layer_norm::reference::column_range_moments;
using layer_norm::reference::row_range_sums;

namespace {

// A tensor cannot have more elements.
constexpr dim_t MOST_ELEMENTS = dim_t(1) << 53;

status check_sizes(std::initializer_list<std::pair<const char *, dim_t>> sizes) {
    for (const auto &[name, size] : sizes)
        if (size < 0 || size > MOST_ELEMENTS)
            return invalid(explain("%s is %lld, a tensor has 0 to 2^53", name, as_number(size)));
    return {};
}

status check_sizes(dim_t all_rows, dim_t columns) {
    return check_sizes({{"all_rows", all_rows}, {"columns", columns}});
}

bool is_gradient_type(jitnorm_data_type_t type) {
    return type == jitnorm_f32 || type == jitnorm_bf16 || type == jitnorm_f16 || type == jitnorm_f64;
}

// Checks that the ranges, one after the other, are all rows and begin with row blocks; appends them to `found`. Ranges
// without rows may begin anywhere.
status find_ranges(dim_t all, dim_t columns, int ranges, const dim_t *rows, const double *const *sums,
                   std::vector<row_range_sums> &found) {
    const row_blocks blocks(all, columns);
    dim_t first = 0;
    for (int i = 0; i < ranges; ++i) {
        if (rows[i] < 0 || rows[i] > all - first)
            return invalid(
                explain("rows[%d] is %lld, %lld rows are left", i, as_number(rows[i]), as_number(all - first)));
        if (rows[i] > 0 && !blocks.may_cut_at(first)) return invalid(explain("range %d begins within a row block", i));
        if (rows[i] > 0 && columns > 0 && sums[i] == nullptr) return invalid(explain("sums[%d] is null", i));
        found.push_back({row_blocks(rows[i], columns, first, all), sums[i]});
        first += rows[i];
    }
    return first == all
               ? status{}
               : invalid(explain("the ranges have %lld rows, all_rows is %lld", as_number(first), as_number(all)));
}

// The same for ranges of columns, which are whole chunks.
status find_column_ranges(dim_t rows, dim_t all, int ranges, const dim_t *columns, const double *const *sums,
                          std::vector<column_range_moments> &found) {
    dim_t first = 0;
    for (int i = 0; i < ranges; ++i) {
        if (columns[i] < 0 || columns[i] > all - first)
            return invalid(explain("columns[%d] is %lld, %lld columns are left", i, as_number(columns[i]),
                                   as_number(all - first)));
        if (columns[i] > 0 && first % layer_norm::CHUNK != 0)
            return invalid(explain("range %d begins within a chunk", i));
        if (columns[i] > 0 && rows > 0 && sums[i] == nullptr) return invalid(explain("sums[%d] is null", i));
        found.push_back({divide_up(columns[i], layer_norm::CHUNK), sums[i]});
        first += columns[i];
    }
    return first == all ? status{}
                        : invalid(explain("the ranges have %lld columns, all_columns is %lld", as_number(first),
                                          as_number(all)));
}

status check_range(dim_t all, dim_t columns, dim_t first, dim_t rows) {
    JITNORM_TRY(check_sizes(all, columns));
    if (first < 0 || rows < 0 || first > all || rows > all - first)
        return invalid(explain("there are %lld rows from first_row %lld on, all_rows is %lld", as_number(rows),
                               as_number(first), as_number(all)));
    const row_blocks blocks(all, columns);
    if (rows == 0) return {};
    for (const dim_t cut : {first, first + rows})
        if (!blocks.may_cut_at(cut))
            return invalid(explain("the rows begin or end at row %lld, within a row block of %lld rows", as_number(cut),
                                   as_number(blocks.block_rows())));
    return {};
}

status add_columns(double *running, dim_t all, dim_t columns, dim_t first, dim_t rows, dim_t count,
                   const double *sums) {
    JITNORM_TRY(check_range(all, columns, first, rows));
    if (count < 0 || count > columns)
        return invalid(explain("count is %lld, there are %lld columns", as_number(count), as_number(columns)));
    const void *const to = array_of(size_t(count), running), *const from =
                                                                 array_of(size_t(std::min(rows, count)), sums);
    if (any_null(to, from)) return null_among("running, sums", {to, from});
    layer_norm::reference::add_partial_gradients({row_blocks(rows, columns, first, all), sums}, first + rows == all,
                                                 count, {running, size_t(2 * count)});
    return {};
}

} // namespace

jitnorm_status_t jitnorm_layer_normalization_row_block(jitnorm_dim_t *block_rows, jitnorm_dim_t all_rows,
                                                       jitnorm_dim_t columns) {
    JITNORM_REFUSE_NULL(block_rows);
    if (const status v = check_sizes(all_rows, columns); v.failed()) return report(__func__, v);
    *block_rows = row_blocks(all_rows, columns).block_rows();
    return jitnorm_success;
}

jitnorm_status_t jitnorm_layer_normalization_merge_gradients(void *gradient, jitnorm_data_type_t data_type,
                                                             jitnorm_dim_t all_rows, jitnorm_dim_t columns, int ranges,
                                                             const jitnorm_dim_t *rows, const double *const *sums) {
    if (const status v = check_sizes(all_rows, columns); v.failed()) return report(__func__, v);
    if (ranges < 0) return report(__func__, invalid(explain("ranges is %d, which is negative", ranges)));
    const void *const to = array_of(size_t(columns), gradient), *const numbers = array_of(size_t(ranges), rows);
    const void *const parts = array_of(size_t(ranges), sums);
    if (any_null(to, numbers, parts)) return report_null(__func__, "gradient, rows, sums", {to, numbers, parts});
    return guarded(__func__, [&] {
        if (!is_gradient_type(data_type))
            return invalid(explain("data_type is %d, a gradient is f32, bf16, f16 or f64", int(data_type)));
        std::vector<row_range_sums> found;
        JITNORM_TRY(find_ranges(all_rows, columns, ranges, rows, sums, found));
        layer_norm::reference::merge_gradients(found, columns, data_type, gradient);
        return status{};
    });
}

jitnorm_status_t jitnorm_layer_normalization_add_partial_gradients(double *running, jitnorm_dim_t all_rows,
                                                                   jitnorm_dim_t columns, jitnorm_dim_t first_row,
                                                                   jitnorm_dim_t rows, const double *sums) {
    return report(__func__, add_columns(running, all_rows, columns, first_row, rows, columns, sums));
}

jitnorm_status_t jitnorm_layer_normalization_add_partial_gradients_of_columns(double *running, jitnorm_dim_t all_rows,
                                                                              jitnorm_dim_t columns,
                                                                              jitnorm_dim_t first_row,
                                                                              jitnorm_dim_t rows, jitnorm_dim_t count,
                                                                              const double *sums) {
    return report(__func__, add_columns(running, all_rows, columns, first_row, rows, count, sums));
}

jitnorm_status_t jitnorm_layer_normalization_merge_row_sums(double *merged, jitnorm_data_type_t data_type,
                                                            jitnorm_dim_t rows, jitnorm_dim_t all_columns, int ranges,
                                                            const jitnorm_dim_t *columns, const double *const *sums) {
    if (const status v = check_sizes({{"rows", rows}, {"all_columns", all_columns}}); v.failed())
        return report(__func__, v);
    if (ranges < 0) return report(__func__, invalid(explain("ranges is %d, which is negative", ranges)));
    const void *const to = array_of(size_t(rows), merged), *const numbers = array_of(size_t(ranges), columns);
    const void *const parts = array_of(size_t(ranges), sums);
    if (any_null(to, numbers, parts)) return report_null(__func__, "merged, columns, sums", {to, numbers, parts});
    return guarded(__func__, [&] {
        if (size_of(data_type) == 0) return invalid(explain("data_type is %d, which is none", int(data_type)));
        std::vector<column_range_moments> found;
        JITNORM_TRY(find_column_ranges(rows, all_columns, ranges, columns, sums, found));
        layer_norm::reference::merge_moments(found, rows, data_type == jitnorm_f64, merged);
        return status{};
    });
}
