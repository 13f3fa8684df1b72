// SPDX-License-Identifier: Apache-2.0
// quantizer: how forward writes the rows of a batch where it finds the scales of dst (dynamic scales).
#pragma once

#include <algorithm>

#include "../base/bytes.hpp"
#include "../norm/plan.hpp"
#include "../norm/problem.hpp"
#include "../tensor/row_packer.hpp"
#include "rows.hpp"

namespace jitnorm::impl::layer_norm {

// A normalization stores the values of a group of columns, which has one scale, to a tile of floats, finds their
// largest magnitude and from it the scale, and stores the quantized values. Panels have whole rows.
class quantizer {
public:
    // The tile of a unit's values stays in L2. Operands of post-ops are found for one group at a time.
    explicit quantizer(const problem &p)
        : scales_(p[DST_SCALE], p.row_ndims()),
          scale_step_(p[DST_SCALE].strides[p[DST_SCALE].ndims - 1] * element_size(p[DST_SCALE])),
          width_(columns_per_scale(p)), groups_(scales_per_row(p)),
          groups_of_unit_(batch_of(BATCH_BYTES, width_ * dim_t(sizeof(float)))),
          row_size_(dim_t(size_of(p.row_type()))), dst_size_(element_size(p[DST])),
          pre_quantization_size_(element_size(p[PRE_QUANTIZATION])), scale_size_(dim_t(size_of(p.scale_shift_type))) {
        for (const post_op &entry : p.attr.post_ops.entries)
            if (std::holds_alternative<binary_post_op>(entry)) groups_of_unit_ = 1;
    }

    // Calls body(row, groups) for each unit of a batch of so many rows: some groups of one row, at most MAX_BATCH_ROWS.
    template <typename Body>
    void for_each_unit(dim_t rows, Body &&body) const {
        for (dim_t r = 0; r < rows; ++r)
            for (dim_t g = 0; g < groups_; g += groups_of_unit_)
                body(r, range{g, std::min(g + groups_of_unit_, groups_)});
    }
    dim_t first_column(range groups) const { return groups.begin * width_; }

    // Of the values of a band, or of a unit.
    dim_t tile_bytes(const plan &planned) const {
        return (planned.band_rows != 0 ? planned.band_rows : groups_of_unit_) * width_ * dim_t(sizeof(float));
    }

    // Writes the scales of these groups to their tensor.
    void store_scales(dim_t first_row, dim_t rows, range groups, const float *scales, void *tensor) const {
        scales_.for_each_row(first_row, rows, [&](dim_t offset) {
            for (dim_t g = groups.begin; g < groups.end; ++g)
                store(*scales++, static_cast<std::byte *>(tensor) + offset + g * scale_step_);
        });
    }

    // Narrows the tensors of a kernel's arguments, which are for all rows of a batch, to the unit.
    template <typename Arguments>
    void restrict_to(dim_t r, range groups, Arguments &call) const {
        const dim_t columns = first_column(groups);
        const auto narrow = [&](strip &rows, dim_t size) {
            rows = {after(rows.row(r), columns * size), width_ * size};
        };
        narrow(call.x, row_size_);
        narrow(call.dst, dst_size_);
        narrow(call.pre_quantization, pre_quantization_size_);
        narrow(call.scale, scale_size_);
        narrow(call.shift, scale_size_);
        call.count = width_;
        call.rows = groups.end - groups.begin;
    }

private:
    row_packer scales_;
    dim_t scale_step_;                      // bytes from the scale of a group to that of the next one
    dim_t width_, groups_, groups_of_unit_; // columns of a group, groups of a row, groups of a call, at most
    dim_t row_size_, dst_size_, pre_quantization_size_, scale_size_; // bytes of an element; 0: there is none
};

} // namespace jitnorm::impl::layer_norm
