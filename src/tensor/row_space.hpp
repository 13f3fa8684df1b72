// SPDX-License-Identifier: Apache-2.0
// row_space: walks over the rows of several tensors at once and finds where each row begins in each tensor.
//
// Rows are numbered in row-major order of the row dimensions. Row dimensions that follow each other evenly in memory in
// all tensors are merged, so that a walk consists of few long runs: dense tensors make one run, whatever their rank.
#pragma once

#include <algorithm>
#include <array>
#include <span>

#include "memory_desc.hpp"

namespace jitnorm::impl {

// Whether the elements of every row follow each other in row-major order without a gap. The dimensions from `row_ndims`
// on count a row's elements. False if this depends on sizes or strides that are known at execution only.
bool has_dense_rows(const memory_desc &md, int row_ndims);

// Whether the address of the first element of a tensor with the data handle `data` is a multiple of so many bytes.
bool is_aligned(const memory_desc &md, const void *data, dim_t bytes);

// Whether the distance between rows is a multiple of a cache line, along each of the first `row_ndims` dimensions.
bool has_rows_in_lines(const memory_desc &md, int row_ndims);

class row_space {
public:
    static constexpr int MAX_TENSORS = 10; // data tensors, and one for the statistics

    // Consecutive rows with a stride of stride(t) elements in each tensor t.
    struct run {
        std::array<dim_t, MAX_TENSORS> offset; // in each tensor, elements from the data handle to the first row
        dim_t count;                           // of rows
    };

    // The first `row_ndims` dimensions are the row dimensions, of equal sizes in all tensors and without inner blocks.
    row_space(std::span<const memory_desc *const> tensors, int row_ndims);

    dim_t rows() const { return rows_; }
    // From one row of a run to the next, in elements of that tensor.
    dim_t stride(int tensor) const { return stride_[size_t(levels_ - 1)][size_t(tensor)]; }
    // The number of rows of the longest run.
    dim_t run_length() const { return size_[size_t(levels_ - 1)]; }

    // Cuts the rows begin <= row < end into runs and calls body(const run &) for each, in order. Allocates nothing.
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
        per_level index; // of the run's first row, in each level
        run now;
    };

    void append(dim_t size, const per_tensor &stride);
    // Clears the indices of the levels in use, at least one: to clear all would take a tenth of a call for one row.
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
    int levels_ = 0; // a level is a row dimension or several that are merged; there is at least one
    size_t tensors_;
    per_level size_ = {}; // outermost first
    std::array<per_tensor, MAX_NDIMS> stride_ = {};
    per_tensor offset0_ = {};
};

} // namespace jitnorm::impl
