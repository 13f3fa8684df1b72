// SPDX-License-Identifier: Apache-2.0
#include "quantizer.hpp"

#include "../base/bytes.hpp"
#include "../math/dynamic_scale.hpp"

namespace jitnorm::impl::layer_norm {

namespace {

// A group longer than the tile of values goes in pieces. If rows are gathered, the panels are not cut into smaller ones
// for this, because each of them would be gathered again.
constexpr dim_t MOST_VALUES = SMALL_TILE / dim_t(sizeof(float));

dim_t value_columns_of(const problem &p, const plan &planned) {
    const dim_t in_panel = planned.panel_columns;
    return std::min(columns_per_scale(p),
                    planned.rows == row_access::in_place ? std::min(in_panel, MOST_VALUES) : in_panel);
}

// How many rows, or groups of a row, the tile has values of.
dim_t rows_of_values(const problem &p, const plan &planned) {
    return batch_of(SMALL_TILE, value_columns_of(p, planned) * dim_t(sizeof(float)));
}

// If a row has more groups than a batch has rows, there are fewer calls of kernels if each takes groups of one row; but
// operands of post-ops are found for whole rows.
dim_t groups_of_row(const problem &p, const plan &planned) {
    const bool has_operands = std::ranges::any_of(
        p.attr.post_ops.entries, [](const post_op &entry) { return std::holds_alternative<binary_post_op>(entry); });
    const bool in_pieces = columns_per_scale(p) > value_columns_of(p, planned);
    if (in_pieces || has_operands || scales_per_row(p) <= planned.batch_rows) return 0;
    return rows_of_values(p, planned);
}

} // namespace

dim_t quantizer::batch_rows(const problem &p, const plan &planned) {
    const bool whole_rows = planned.panel_columns == p.row_length();
    return whole_rows ? std::min(planned.batch_rows, rows_of_values(p, planned)) : planned.batch_rows;
}

bool quantizer::takes_one_kernel(const problem &p, const plan &planned) {
    return !p.computes_in_double() && columns_per_scale(p) <= value_columns_of(p, planned);
}

quantizer::quantizer(const problem &p, const plan &planned)
    : scales_(p[DST_SCALE], p.row_ndims()), width_(columns_per_scale(p)), groups_(scales_per_row(p)),
      value_columns_(value_columns_of(p, planned)),
      groups_of_panel_(goes_in_pieces() ? 1 : planned.panel_columns / width_),
      groups_of_row_(groups_of_row(p, planned)), tile_rows_(planned.band_rows != 0 ? planned.band_rows
                                                            : groups_of_row_ != 0  ? groups_of_row_
                                                                                   : planned.batch_rows),
      largest_(largest_number(p[DST].data_type)), row_size_(dim_t(size_of(p.row_type()))),
      dst_size_(element_size(p[DST])), pre_quantization_size_(element_size(p[PRE_QUANTIZATION])),
      scale_size_(dim_t(size_of(p.scale_shift_type))) {}

void quantizer::find_scales(const unit &u, float *magnitudes, float *factors) const {
    for (dim_t i = 0; i < u.scales(); ++i) {
        const dynamic_scale found = find_scale(magnitudes[i], largest_);
        magnitudes[i] = found.scale;
        factors[i] = found.factor;
    }
}

void quantizer::store_scales(const unit &u, dim_t first, const float *scales, void *tensor) const {
    const dim_t number = u.number_of_groups(), row = first + u.rows.begin, rows = u.rows.end - u.rows.begin;
    if (groups_ != 1)
        return scales_.scatter(scales, number * dim_t(sizeof(float)), row, rows, u.groups.begin, number, tensor);
    scales_.for_each_row(row, rows, [&](dim_t offset) { store(*scales++, static_cast<std::byte *>(tensor) + offset); });
}

} // namespace jitnorm::impl::layer_norm
