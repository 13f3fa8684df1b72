// SPDX-License-Identifier: Apache-2.0
#include "quantizer.hpp"

#include <algorithm>

#include "../base/bytes.hpp"
#include "../math/dynamic_scale.hpp"

namespace jitnorm::impl::layer_norm {

quantizer::quantizer(const problem &p, const plan &planned)
    : scales_(p[DST_SCALE], p.row_ndims()), width_(columns_per_scale(p)), groups_(scales_per_row(p)),
      in_pieces_(goes_in_pieces(p, planned)), groups_of_panel_(in_pieces_ ? 1 : planned.panel_columns / width_),
      groups_together_(planned.groups_together), largest_(largest_number(p[DST].data_type)),
      row_size_(dim_t(size_of(p.row_type()))), dst_size_(element_size(p[DST])),
      pre_quantization_size_(element_size(p[PRE_QUANTIZATION])), scale_size_(dim_t(size_of(p.scale_shift_type))) {}

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
