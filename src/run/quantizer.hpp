// SPDX-License-Identifier: Apache-2.0
// quantizer: how forward writes the rows of a batch where it finds the scales of dst (dynamic scales).
#pragma once

#include <algorithm>

#include "../norm/plan.hpp"
#include "../norm/problem.hpp"
#include "../tensor/row_packer.hpp"
#include "rows.hpp"

namespace jitnorm::impl::layer_norm {

// The normalize kernel stores the values of a group of columns, which has one scale, to a tile of floats, finds their
// largest magnitude and from it the scale, and stores the quantized values. Panels have whole rows.
class quantizer {
public:
    explicit quantizer(const problem &p);

    // The work of one call of a kernel where rows do not go in bands: some groups of one row, at most MAX_BATCH_ROWS.
    struct unit {
        dim_t row; // of the batch
        range groups;
    };
    // Calls body(unit) for a batch of so many rows.
    template <typename Body>
    void for_each_unit(dim_t rows, Body &&body) const {
        for (dim_t r = 0; r < rows; ++r)
            for (dim_t g = 0; g < groups_; g += groups_of_unit_)
                body(unit{r, {g, std::min(g + groups_of_unit_, groups_)}});
    }
    dim_t first_column(const unit &u) const { return u.groups.begin * width_; }

    // Of the values of a band, or of a unit.
    dim_t tile_bytes(const plan &planned) const {
        return (planned.band_rows != 0 ? planned.band_rows : groups_of_unit_) * width_ * dim_t(sizeof(float));
    }

    // Writes the scales of these groups to their tensor.
    void store_scales(dim_t first_row, dim_t rows, range groups, const float *scales, void *tensor) const;

    // Narrows a kernel's arguments, which are for all rows of a batch, to the unit.
    template <typename Arguments>
    void restrict_to(const unit &u, Arguments &call) const {
        const dim_t r = u.row, columns = first_column(u);
        call.src = after(call.src, r * call.src_row_stride + columns * row_size_);
        call.dst = after(call.dst, r * call.dst_row_stride + columns * dst_size_);
        call.pre_quantization =
            after(call.pre_quantization, r * call.pre_quantization_row_stride + columns * pre_quantization_size_);
        call.scale = after(call.scale, r * call.scale_row_stride + columns * scale_size_);
        call.shift = after(call.shift, r * call.shift_row_stride + columns * scale_size_);
        call.count = width_;
        call.rows = u.groups.end - u.groups.begin;
        call.hi += r;
        call.rstd += r;
        call.bias += r;
        call.src_row_stride = width_ * row_size_;
        call.dst_row_stride = width_ * dst_size_;
        call.pre_quantization_row_stride = width_ * pre_quantization_size_;
        call.scale_row_stride = call.shift_row_stride = width_ * scale_size_;
    }

private:
    row_packer scales_;
    dim_t scale_step_;                      // bytes from the scale of a group to that of the next one
    dim_t width_, groups_, groups_of_unit_; // columns of a group, groups of a row, groups of a call, at most
    dim_t row_size_, dst_size_, pre_quantization_size_, scale_size_; // bytes of an element; 0: there is none
};

} // namespace jitnorm::impl::layer_norm
