// SPDX-License-Identifier: Apache-2.0
#include "quantizer.hpp"

#include <algorithm>

#include "../math/dynamic_scale.hpp"

namespace jitnorm::impl::layer_norm {

quantizer::quantizer(const problem &p, const plan &planned)
    : scales_(p[DST_SCALE], p.row_ndims()), width_(columns_per_scale(p)), groups_(scales_per_row(p)),
      in_pieces_(width_ > planned.value_columns), groups_of_panel_(in_pieces_ ? 1 : planned.panel_columns / width_),
      groups_together_(planned.groups_together), largest_(largest_number(p[DST].data_type)),
      row_size_(dim_t(size_of(p.row_type()))), dst_size_(element_size(p[DST])),
      pre_quantization_size_(element_size(p[PRE_QUANTIZATION])), scale_size_(dim_t(size_of(p.scale_shift_type))) {}

void quantizer::find_scales(const unit &u, dim_t first, float *magnitudes, float *factors, void *tensor) const {
    for (dim_t i = 0; i < u.scales(); ++i) {
        const dynamic_scale found = find_scale(magnitudes[i], largest_);
        magnitudes[i] = found.scale;
        factors[i] = found.factor;
    }
    const dim_t number = u.number_of_groups();
    scales_.scatter(magnitudes, number * dim_t(sizeof(float)), first + u.rows.begin, u.rows.end - u.rows.begin,
                    u.groups.begin, number, tensor);
}

} // namespace jitnorm::impl::layer_norm
