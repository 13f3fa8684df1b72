// SPDX-License-Identifier: Apache-2.0
#include "quantizer.hpp"

#include "../base/bytes.hpp"

namespace jitnorm::impl::layer_norm {

namespace {

// If a row has more groups than a batch has rows, there are fewer calls of kernels if each takes groups of one row; but
// operands of post-ops are found for whole rows.
dim_t groups_of_row(const problem &p, const plan &planned) {
    const bool has_operands = std::ranges::any_of(
        p.attr.post_ops.entries, [](const post_op &entry) { return std::holds_alternative<binary_post_op>(entry); });
    return has_operands || scales_per_row(p) <= planned.batch_rows ? 0 : quantizer::groups_of_tile(p);
}

} // namespace

dim_t quantizer::groups_of_tile(const problem &p) {
    return batch_of(SMALL_TILE, columns_per_scale(p) * dim_t(sizeof(float)));
}

quantizer::quantizer(const problem &p, const plan &planned)
    : scales_(p[DST_SCALE], p.row_ndims()), width_(columns_per_scale(p)), groups_(scales_per_row(p)),
      groups_of_row_(groups_of_row(p, planned)), tile_groups_(planned.band_rows != 0 ? planned.band_rows
                                                              : groups_of_row_ != 0  ? groups_of_row_
                                                                                     : planned.batch_rows),
      row_size_(dim_t(size_of(p.row_type()))), dst_size_(element_size(p[DST])),
      pre_quantization_size_(element_size(p[PRE_QUANTIZATION])), scale_size_(dim_t(size_of(p.scale_shift_type))) {}

void quantizer::store_scales(const unit &u, dim_t first, const float *scales, void *tensor) const {
    const dim_t number = u.number_of_groups(), row = first + u.rows.begin, rows = u.rows.end - u.rows.begin;
    if (groups_ != 1)
        return scales_.scatter(scales, number * dim_t(sizeof(float)), row, rows, u.groups.begin, number, tensor);
    scales_.for_each_row(row, rows, [&](dim_t offset) { store(*scales++, static_cast<std::byte *>(tensor) + offset); });
}

} // namespace jitnorm::impl::layer_norm
