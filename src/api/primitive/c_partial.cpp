// SPDX-License-Identifier: Apache-2.0
// C interface: where rows may be cut into ranges, and the gradients that the sums of all ranges make; the same of
// ranges of columns and their sums over rows.
#include <algorithm>
#include <span>
#include <vector>

#include "../../base/boundary.hpp"
#include "../../reference/merge_parts.hpp"
#include "../../tensor/memory_desc.hpp"
#include "../../tensor/names.hpp"
#include "jitnorm/jitnorm_partial.h"
#include "primitive_desc.hpp"

namespace jitnorm::impl::api {

using layer_norm::CHUNK;
using layer_norm::row_blocks;
using layer_norm::reference::column_range_moments;
using layer_norm::reference::row_range_sums;

namespace {

status check_sizes(std::initializer_list<std::pair<const char *, dim_t>> sizes) {
    for (const auto &[name, size] : sizes)
        if (size < 0 || size > MOST_ELEMENTS)
            return invalid(explain("%s is %lld; 0 to 2^53 are possible", name, as_number(size)));
    return {};
}

} // namespace

status check_row_range(const memory_desc &src, dim_t first, dim_t all) {
    JITNORM_TRY(check_sizes({{"first_row", first}, {"all_rows", all}}));
    if (src.ndims < 2 || has_runtime_dims(src)) return {}; // another check refuses these
    layer_norm::problem rows;
    rows[SRC] = src;
    if (first > all - rows.rows())
        return invalid(explain("src has %lld rows from first_row %lld on; all_rows is %lld", as_number(rows.rows()),
                               as_number(first), as_number(all)));
    const row_blocks blocks(all, rows.row_length());
    if (blocks.may_cut_at(first) && blocks.may_cut_at(first + rows.rows())) return {};
    return invalid(explain("the rows of src are not whole row blocks of %lld rows", as_number(blocks.block_rows())));
}

status check_column_range(const memory_desc &src, dim_t first, dim_t all) {
    JITNORM_TRY(check_sizes({{"first_column", first}, {"all_columns", all}}));
    if (src.ndims < 2 || has_runtime_dims(src)) return {}; // another check refuses these
    const dim_t columns = src.dims[src.ndims - 1];
    if (columns < 1 || first > all - columns)
        return invalid(explain("src has %lld columns from first_column %lld on; all_columns is %lld",
                               as_number(columns), as_number(first), as_number(all)));
    const dim_t end = first + columns;
    if (first % CHUNK == 0 && (end % CHUNK == 0 || end == all)) return {};
    return invalid(explain("columns %lld to %lld of src are not whole chunks of %lld columns", as_number(first),
                           as_number(end - 1), as_number(CHUNK)));
}

} // namespace jitnorm::impl::api

using namespace jitnorm::impl;
using namespace jitnorm::impl::api;

namespace {

// Checks the arguments of functions that merge: `to` has `count` elements, `sizes` and `sums` one for each range.
status check_lists(const char *names, const void *to, dim_t count, int ranges, const dim_t *sizes,
                   const double *const *sums) {
    if (ranges < 0) return invalid(explain("ranges is %d, which is negative", ranges));
    const void *const merged = array_of(size_t(count), to);
    const void *const of_sizes = array_of(size_t(ranges), sizes), *const of_sums = array_of(size_t(ranges), sums);
    return any_null(merged, of_sizes, of_sums) ? null_among(names, {merged, of_sizes, of_sums}) : ACCEPTED;
}

// Checks that the ranges, one after the other, are all `what` (rows or columns) and begin where cuts may be: between
// `pieces`. Calls add(i, number of the range's first one) for each. Ranges without any may begin anywhere.
template <typename MayCutAt, typename Add>
status find_ranges(const char *what, const char *piece, dim_t all, std::span<const dim_t> sizes, bool have_sums,
                   const double *const *sums, MayCutAt &&may_cut_at, Add &&add) {
    dim_t first = 0;
    for (size_t i = 0; i < sizes.size(); first += sizes[i++]) {
        if (sizes[i] < 0 || sizes[i] > all - first)
            return invalid(explain("%s[%zu] is %lld; %lld %s are left", what, i, as_number(sizes[i]),
                                   as_number(all - first), what));
        if (sizes[i] > 0 && !may_cut_at(first)) return invalid(explain("range %zu begins within a %s", i, piece));
        if (sizes[i] > 0 && have_sums && sums[i] == nullptr) return invalid(explain("sums[%zu] is null", i));
        add(i, first);
    }
    if (first == all) return {};
    return invalid(explain("the ranges have %lld %s; all_%s is %lld", as_number(first), what, what, as_number(all)));
}

status check_range(dim_t all, dim_t columns, dim_t first, dim_t rows) {
    JITNORM_TRY(check_sizes({{"all_rows", all}, {"columns", columns}}));
    if (first < 0 || rows < 0 || rows > all - first)
        return invalid(explain("rows is %lld and first_row %lld; together they exceed all_rows, %lld", as_number(rows),
                               as_number(first), as_number(all)));
    const row_blocks blocks(all, columns);
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
        return invalid(explain("count is %lld; there are %lld columns", as_number(count), as_number(columns)));
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
    if (const status v = check_sizes({{"all_rows", all_rows}, {"columns", columns}}); v.failed())
        return report(__func__, v);
    *block_rows = row_blocks(all_rows, columns).block_rows();
    return jitnorm_success;
}

jitnorm_status_t jitnorm_layer_normalization_merge_gradients(void *gradient, jitnorm_data_type_t data_type,
                                                             jitnorm_dim_t all_rows, jitnorm_dim_t columns, int ranges,
                                                             const jitnorm_dim_t *rows, const double *const *sums) {
    return guarded(__func__, [&] {
        JITNORM_TRY(check_sizes({{"all_rows", all_rows}, {"columns", columns}}));
        JITNORM_TRY(check_lists("gradient, rows, sums", gradient, columns, ranges, rows, sums));
        if (!is_float(data_type))
            return invalid(explain("data_type is %d; a gradient is f32, bf16, f16 or f64", int(data_type)));
        std::vector<row_range_sums> found;
        const row_blocks blocks(all_rows, columns);
        JITNORM_TRY(find_ranges(
            "rows", "row block", all_rows, {rows, size_t(ranges)}, columns > 0, sums,
            [&](dim_t row) { return blocks.may_cut_at(row); },
            [&](size_t i, dim_t first) {
                found.push_back({row_blocks(rows[i], columns, first, all_rows), sums[i]});
            }));
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
    return guarded(__func__, [&] {
        JITNORM_TRY(check_sizes({{"rows", rows}, {"all_columns", all_columns}}));
        JITNORM_TRY(check_lists("merged, columns, sums", merged, rows, ranges, columns, sums));
        if (size_of(data_type) == 0) return unknown_data_type(data_type);
        std::vector<column_range_moments> found;
        JITNORM_TRY(find_ranges(
            "columns", "chunk", all_columns, {columns, size_t(ranges)}, rows > 0, sums,
            [](dim_t column) { return column % CHUNK == 0; },
            [&](size_t i, dim_t) {
                found.push_back({divide_up(columns[i], CHUNK), sums[i]});
            }));
        layer_norm::reference::merge_moments(found, rows, data_type == jitnorm_f64, merged);
        return status{};
    });
}
