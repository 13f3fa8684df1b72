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
    quantizer(const problem &p, const plan &planned);

    // How many groups have a tile of values that stays in L2, at least one.
    static dim_t groups_of_tile(const problem &p);

    // The work of one call of a kernel: one group of columns of all rows of a batch, or some groups of one of them. It
    // has at most MAX_BATCH_ROWS scales.
    struct unit {
        range rows, groups; // rows of the batch

        dim_t number_of_groups() const { return groups.end - groups.begin; }
    };

    range columns_of(range groups) const { return {groups.begin * width_, groups.end * width_}; }
    dim_t tile_bytes() const { return tile_groups_ * width_ * dim_t(sizeof(float)); }
    bool takes_groups_of_a_row() const { return groups_of_row_ != 0; }

    // Calls body(unit) for a batch of so many rows.
    template <typename Body>
    void for_each_unit(dim_t rows, Body &&body) const {
        const dim_t rows_of_unit = groups_of_row_ == 0 ? rows : 1, groups_of_unit = std::max<dim_t>(groups_of_row_, 1);
        for (dim_t r = 0; r < rows; r += rows_of_unit)
            for (dim_t g = 0; g < groups_; g += groups_of_unit)
                body(unit{{r, r + rows_of_unit}, {g, std::min(g + groups_of_unit, groups_)}});
    }

    // Writes the scales of a unit to their tensor. `first` is the number of the batch's first row.
    void store_scales(const unit &u, dim_t first, const float *scales, void *tensor) const;

    // Narrows a kernel's arguments, which are for all rows of a batch, to the unit.
    template <typename Arguments>
    void restrict_to(const unit &u, Arguments &call) const {
        const dim_t r = u.rows.begin, columns = u.groups.begin * width_;
        call.src = after(call.src, r * call.src_row_stride + columns * row_size_);
        call.dst = after(call.dst, r * call.dst_row_stride + columns * dst_size_);
        call.pre_quantization =
            after(call.pre_quantization, r * call.pre_quantization_row_stride + columns * pre_quantization_size_);
        call.scale = after(call.scale, r * call.scale_row_stride + columns * scale_size_);
        call.shift = after(call.shift, r * call.shift_row_stride + columns * scale_size_);
        call.count = width_;
        if (groups_of_row_ == 0) return;
        call.rows = u.number_of_groups();
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
    dim_t width_, groups_; // columns of a group, groups of a row
    dim_t groups_of_row_;  // kernels do so many groups of one row; 0: one group of all rows of a batch
    dim_t tile_groups_;
    dim_t row_size_, dst_size_, pre_quantization_size_, scale_size_; // bytes of an element; 0: there is none
};

} // namespace jitnorm::impl::layer_norm
