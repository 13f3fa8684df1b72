// SPDX-License-Identifier: Apache-2.0
#include "quantizer.hpp"

#include "../base/bytes.hpp"

namespace jitnorm::impl::layer_norm {

// The tile of a unit's values stays in L2. Operands of post-ops are found for one group at a time.
quantizer::quantizer(const problem &p)
    : scales_(p[DST_SCALE], p.row_ndims()),
      scale_step_(p[DST_SCALE].strides[p[DST_SCALE].ndims - 1] * element_size(p[DST_SCALE])),
      width_(columns_per_scale(p)), groups_(scales_per_row(p)),
      groups_of_unit_(batch_of(SMALL_TILE, width_ * dim_t(sizeof(float)))), row_size_(dim_t(size_of(p.row_type()))),
      dst_size_(element_size(p[DST])), pre_quantization_size_(element_size(p[PRE_QUANTIZATION])),
      scale_size_(dim_t(size_of(p.scale_shift_type))) {
    for (const post_op &entry : p.attr.post_ops.entries)
        if (std::holds_alternative<binary_post_op>(entry)) groups_of_unit_ = 1;
}

void quantizer::store_scales(dim_t first_row, dim_t rows, range groups, const float *scales, void *tensor) const {
    scales_.for_each_row(first_row, rows, [&](dim_t offset) {
        for (dim_t g = groups.begin; g < groups.end; ++g)
            store(*scales++, static_cast<std::byte *>(tensor) + offset + g * scale_step_);
    });
}

} // namespace jitnorm::impl::layer_norm
