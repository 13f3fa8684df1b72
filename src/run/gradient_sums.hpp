// SPDX-License-Identifier: Apache-2.0
// gradient_sums: makes the gradients of scale and shift from column sums: a sum over rows for each column. The sums of
// row blocks are added to that of their part, and parts to the total (row_blocks.hpp), in double and in order. How the
// sums are cut depends on the shape and the types only; plan and threads decide who computes which sums.
#pragma once

#include <cstddef>
#include <optional>

#include "../math/row_blocks.hpp"
#include "../norm/plan.hpp"
#include "../norm/tensors.hpp"
#include "problem_kernels.hpp"

namespace jitnorm::impl::layer_norm {

// The sums from one gradient to the next where an array has both, of so many columns each. They are no multiple of 4096
// bytes, so that the sums of scale and shift do not compete for the same sets of L1.
constexpr dim_t gradient_pitch(dim_t columns) {
    constexpr dim_t IN_LINE = 64 / dim_t(sizeof(float));
    return (divide_up(columns, IN_LINE) | 1) * IN_LINE;
}

// How the sums of a backward problem are cut, and the areas of the scratchpad for them (plan.hpp). By rows the area
// gradient_sums has width() sums of each part or, where the blocks are kept, of all rows, and kept_blocks those of each
// row block where they are kept and for interleaved rows; otherwise a thread's area column_sums has those of a row
// block. By chunks row_sums has for each chunk the sums s1 of all rows and then s2, and column_sums has those of one
// chunk: of a part, of all parts and of a row block, each with the pitch of a chunk.
class gradient_layout {
public:
    // `from_sums`: whether the gradients, if there are any, are made of column sums. Plans have room for those of the
    // only row, too, which kernels for run-time sizes need (writes_gradients_of_rows()).
    gradient_layout(const problem &p, bool from_sums);

    dim_t rows() const { return rows_; }
    dim_t columns() const { return columns_; }
    dim_t chunks() const { return divide_up(columns_, CHUNK); }
    range columns_of(dim_t chunk) const { return {chunk * CHUNK, std::min((chunk + 1) * CHUNK, columns_)}; }
    const row_blocks &cut() const { return cut_; }

    // Which of the gradients of scale and shift are computed from sums, and how many. width(): the sums of both, by
    // rows.
    bool has_scale() const { return has_scale_; }
    bool has_shift() const { return has_shift_; }
    int gradients() const { return int(has_scale_) + int(has_shift_); }
    dim_t pitch() const { return gradient_pitch(columns_); }
    dim_t width() const { return gradients() * pitch(); }

    void book(plan &to) const;

    // By rows: whether the sums of row blocks are kept, in the compute type, until the total is made of them. This is
    // so where each part is one row block, but not of partial problems. They are half as many bytes as sums in double,
    // which matters because the thread that adds them up reads most of them from other cores.
    bool keeps_blocks() const { return keeps_blocks_; }

private:
    dim_t rows_, columns_;
    row_blocks cut_;
    bool keeps_blocks_, has_scale_, has_shift_;
    dim_t element_; // bytes of a number of the compute type
};

// Where the column sums of the current row block are; null: they are not computed.
template <typename T>
struct column_sums {
    T *scale = nullptr, *shift = nullptr;
    column_sums after(dim_t columns) const {
        return {scale ? scale + columns : nullptr, shift ? shift + columns : nullptr};
    }
};

// An array of sums begins with the sums of scale, if its gradient is computed. The sums of shift begin `pitch` sums
// later. T is the compute type.
template <typename T>
class gradient_sums {
public:
    // Keeps references to the layout and to the kernels, which are empty where there are no such gradients.
    gradient_sums(const problem &p, const gradient_layout &layout, const std::optional<weights_kernels> &kernels)
        : layout_(layout), partial_(p.is_partial()), type_(p.diff_scale_shift_type), kernels_(kernels) {}

    // Whether the problem is partial: the sums of the parts are the result.
    bool are_partial() const { return partial_; }

    column_sums<T> begin(T *sums, dim_t pitch) const;

    // to = start + sums, for `number` sums of a row block or of a part; `start` null means zeros. `to` may be `start`.
    // The sums of several `blocks` have a distance of layout.width() sums.
    template <typename Number> // T or double
    void add(const double *start, const Number *sums, double *to, dim_t number, dim_t blocks = 1) const {
        jit::backward_weights_arguments call;
        call.start = start;
        call.sums = sums;
        call.sums_stride = layout_.width() * dim_t(sizeof(Number));
        call.number = blocks;
        call.count = number;
        call.to = to;
        (std::is_same_v<Number, T> ? kernels_->add_block : kernels_->add_part)(call);
    }

    // Writes some columns of the gradients: start + the sums of `parts` more parts. Both pointers point to the sums of
    // the first of these columns.
    void finish(const arguments &args, const double *start, const double *sums, dim_t parts, dim_t pitch,
                range columns) const;

    // Writes some columns of a part's sums to the result of a partial problem. `sums` points to the first of these
    // columns.
    void store_part(const arguments &args, dim_t part, const double *sums, dim_t pitch, range columns) const;

    // Writes the result from the sums of all parts, on at most so many threads. The sums of the parts are in `sums` or,
    // where those of row blocks are kept, in `kept`; then `sums` has room for those of all rows.
    void finish_parts(const arguments &args, double *sums, const T *kept, int available) const;

private:
    void finish_block(const arguments &args, const T *sums) const;
    // How many threads it is worth to finish the sums, of those that are available.
    int threads_to_finish(int available) const;

    // Calls body(gradient, the number of the first of its sums) for each gradient.
    template <typename Body>
    void for_each_gradient(dim_t pitch, Body &&body) const {
        if (layout_.has_scale()) body(DIFF_SCALE, dim_t(0));
        if (layout_.has_shift()) body(DIFF_SHIFT, layout_.has_scale() ? pitch : 0);
    }
    dim_t lines() const { return divide_up(layout_.columns(), LINE); }
    template <typename Body> // void(range columns)
    void share_columns(int threads, Body &&body) const;

    static constexpr dim_t LINE = 64; // columns, of whole cache lines

    const gradient_layout &layout_;
    bool partial_;
    jitnorm_data_type_t type_;
    const std::optional<weights_kernels> &kernels_;
};

} // namespace jitnorm::impl::layer_norm
