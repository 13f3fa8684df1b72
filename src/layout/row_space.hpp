// SPDX-License-Identifier: Apache-2.0
// row_space: the rows of several tensors, walked together.
//
// A row number counts the positions of the row dimensions in logical (row-major) order. Where the row dimensions of
// all tensors follow each other evenly in memory they are merged, so that a walk is few long runs: a dense tensor is
// one run, whatever its rank.
#pragma once

#include <algorithm>
#include <array>
#include <span>

#include "../core/memory_desc.hpp"

namespace jitnorm::impl {

// Whether no inner block splits any of the first `row_ndims` dimensions: what row_space asks of each tensor.
bool has_strided_rows(const memory_desc &md, int row_ndims);
// Whether the elements of every row, those at the other dimensions, follow each other in row-major order without a gap.
// False where strides known at execution only may decide.
bool has_dense_rows(const memory_desc &md, int row_ndims);

constexpr dim_t CACHE_LINE = 64; // bytes

// Whether the tensor's first element lies at the start of one.
bool begins_at_line(const memory_desc &md, const void *data);

// Whether rows are whole cache lines apart, along each of the first `row_ndims` dimensions.
bool has_rows_in_lines(const memory_desc &md, int row_ndims);

class row_space {
public:
    static constexpr int MAX_TENSORS = 6; // data tensors, and statistics

    // Rows that follow each other at the same stride in every tensor. Offsets are of a row's first element, in
    // elements from the data handle.
    struct run {
        std::array<dim_t, MAX_TENSORS> offset;
        dim_t count;
    };

    // The first `row_ndims` dimensions are the row dimensions and have equal sizes in all tensors.
    row_space(std::span<const memory_desc *const> tensors, int row_ndims);

    dim_t rows() const { return rows_; }
    // From one row of a run to the next, in elements.
    dim_t stride(int tensor) const { return stride_[size_t(levels_ - 1)][size_t(tensor)]; }
    // The longest run there is.
    dim_t run_length() const { return size_[size_t(levels_ - 1)]; }

    // Calls body(const run &) for the rows begin <= row < end, in order. Allocates nothing.
    template <typename Body>
    void for_each_run(dim_t begin, dim_t end, Body &&body) const {
        if (begin >= end) return;
        cursor at = begin == 0 ? start() : locate(begin);
        for (dim_t left = end - begin;; advance(at)) {
            at.now.count = std::min(left, run_length() - at.index[size_t(levels_ - 1)]);
            body(static_cast<const run &>(at.now));
            left -= at.now.count;
            if (left == 0) return;
        }
    }

private:
    using per_tensor = std::array<dim_t, MAX_TENSORS>;
    using per_level = std::array<dim_t, MAX_NDIMS>;

    struct cursor {
        per_level index; // the position of the run's first row
        run now;
    };

    void append(dim_t size, const per_tensor &stride);
    bool continues(size_t level, dim_t size, const per_tensor &stride) const;
    // Only the levels there are, and the first one apart: what clears them all takes a tenth of a call for one row.
    cursor start() const {
        cursor at;
        at.index[0] = 0;
        for (size_t level = 1; level < size_t(levels_); ++level) at.index[level] = 0;
        at.now = {offset0_, 0};
        return at;
    }
    cursor locate(dim_t row) const;
    void move(cursor &at, size_t level, dim_t steps) const;
    void advance(cursor &at) const;

    dim_t rows_ = 1;
    int levels_ = 0; // merged row dimensions, outermost first; at least one
    size_t tensors_;
    per_level size_ = {};
    std::array<per_tensor, MAX_NDIMS> stride_ = {};
    per_tensor offset0_ = {};
};

} // namespace jitnorm::impl
