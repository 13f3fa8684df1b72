// SPDX-License-Identifier: Apache-2.0
// quantizer: how forward writes the rows of a batch where it finds the scales of dst (dynamic scales).
#pragma once

#include <algorithm>

#include "../norm/plan.hpp"
#include "../norm/problem.hpp"
#include "../tensor/row_packer.hpp"
#include "rows.hpp"

namespace jitnorm::impl::layer_norm {

// The normalize kernel stores the values of a group to a tile of floats, finds their largest magnitude and from it the
// scale, and stores the quantized values. Where rows are computed in double, another kernel multiplies the values. A
// group that is longer than the tile goes in pieces, whose values are computed twice: to find the scale, and to store
// them.
class quantizer {
public:
    quantizer(const problem &p, const plan &planned);

    // How many rows of a batch have a tile of values that stays in L2; at most as many as the plan says.
    static dim_t batch_rows(const problem &p, const plan &planned);
    // Whether one kernel does a whole group. Otherwise a group goes in pieces.
    static bool takes_one_kernel(const problem &p, const plan &planned);

    // The work of one call of a kernel: one group of columns of all rows of a batch, or some groups of one of them. It
    // has at most MAX_BATCH_ROWS scales.
    struct unit {
        range rows, groups; // rows of the batch

        dim_t number_of_groups() const { return groups.end - groups.begin; }
        dim_t scales() const { return (rows.end - rows.begin) * number_of_groups(); }
    };

    range columns_of(range groups) const { return {groups.begin * width_, groups.end * width_}; }
    dim_t value_columns() const { return value_columns_; } // of the tile: a group's, or a piece of a group's
    dim_t tile_bytes() const { return tile_rows_ * value_columns_ * dim_t(sizeof(float)); }
    bool goes_in_pieces() const { return width_ > value_columns_; }
    bool takes_groups_of_a_row() const { return groups_of_row_ != 0; }

    // Calls body(some of the range), at most so many at a time.
    template <typename Body>
    static void for_each_piece(range all, dim_t most, Body &&body) {
        for (dim_t begin = all.begin; begin < all.end; begin += most)
            body(range{begin, std::min(begin + most, all.end)});
    }
    // Calls body(groups) for as many groups as fit into a panel at a time; for one if groups go in pieces.
    template <typename Body>
    void for_each_panel(Body &&body) const {
        for_each_piece({0, groups_}, groups_of_panel_, body);
    }
    // Calls body(unit) for these groups of a batch.
    template <typename Body>
    void for_each_unit(range groups, dim_t rows, Body &&body) const {
        if (groups_of_row_ == 0) return for_each_piece(groups, 1, [&](range one) { body(unit{{0, rows}, one}); });
        for (dim_t r = 0; r < rows; ++r)
            for_each_piece(groups, groups_of_row_, [&](range some) { body(unit{{r, r + 1}, some}); });
    }

    // Turns the largest magnitudes of a unit into its scales, and finds the factors.
    void find_scales(const unit &u, float *magnitudes, float *factors) const;
    // Writes the scales of a unit to their tensor. `first` is the number of the batch's first row.
    void store_scales(const unit &u, dim_t first, const float *scales, void *tensor) const;

    // Narrows a kernel's arguments, which are for all rows of a batch, to the unit.
    template <typename Arguments>
    void restrict_to(const unit &u, range groups, Arguments &call) const {
        const dim_t r = u.rows.begin, columns = (u.groups.begin - groups.begin) * width_;
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
    dim_t width_, groups_, value_columns_; // columns of a group, groups of a row, columns of the tile
    dim_t groups_of_panel_;
    dim_t groups_of_row_; // kernels do so many groups of one row; 0: one group of all rows of a batch
    dim_t tile_rows_;
    float largest_;                                                  // the largest number of dst's type
    dim_t row_size_, dst_size_, pre_quantization_size_, scale_size_; // bytes of an element; 0: there is none
};

} // namespace jitnorm::impl::layer_norm
