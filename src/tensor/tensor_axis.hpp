// SPDX-License-Identifier: Apache-2.0
// tensor_axis: some consecutive dimensions of a tensor, counted by one index, and the offset of each index in memory.
//
// In every layout, strided or blocked, an element's offset is a sum with one term for each dimension. So the offset is
// a term for the element's row (the axis of the first dimensions) plus a term for its column (the axis of the others).
#pragma once

#include <algorithm>
#include <array>

#include "memory_desc.hpp"
#include "strided_copy.hpp"

namespace jitnorm::impl::layer_norm {

class tensor_axis {
public:
    // So many indices with a stride of `step` bytes.
    tensor_axis(dim_t size, dim_t step) : count_(1), size_(size) { levels_[0] = {size, size, step, 0}; }
    tensor_axis() : tensor_axis(1, 0) {}

    // The dimensions begin .. end-1 of md, counted in row-major order. Where md.dims[d] differs from dims[d], the
    // tensor is broadcast: all dims[d] indices of the dimension have the same offset.
    tensor_axis(const memory_desc &md, const dim_t *dims, int begin, int end);
    tensor_axis(const memory_desc &md, int begin, int end) : tensor_axis(md, md.dims, begin, end) {}

    dim_t size() const { return size_; }
    // From one index of a run to the next, in bytes. It is the same in all runs.
    dim_t step() const { return fastest().step; }

    // Neighbouring indices whose elements share cache lines come in groups. This is the last index <= `index` at which
    // a group begins, if the tensor begins a cache line. It considers the fastest dimension only, although in blocked
    // layouts of narrow types indices of the next dimension may share cache lines as well.
    dim_t group_begin(dim_t index) const { return index - index % fastest().size % group_; }
    // The usual number of indices of a group.
    dim_t group_size() const { return group_; }

    // Cuts the indices first .. first+count-1 into runs with a stride of step() bytes, and calls body(offset of the
    // first index in bytes, number of indices) for each run.
    template <typename Body>
    void for_each_run(dim_t first, dim_t count, Body &&body) const {
        for (dim_t done = 0; done < count;) {
            const auto [offset, run] = run_from(first + done, count - done);
            body(offset, run);
            done += run;
        }
    }

    // The first run that for_each_run() finds for `most` indices.
    struct evenly_spaced {
        dim_t offset, count; // of the first index, in bytes; number of indices
    };
    evenly_spaced run_from(dim_t first, dim_t most) const {
        const level &fast = fastest();
        if (count_ == 1 && fast.is_one_block()) // the usual case needs no division
            return {first * fast.step, std::min(most, fast.size - first)};
        const dim_t outer = outer_offset(first / fast.size), index = first % fast.size;
        const dim_t within = fast.is_one_block() ? index : index % fast.block;
        return {outer + fast.offset(index), std::min({most, fast.size - index, fast.block - within})};
    }

    // Calls body(box) for boxes that cover the indices first .. first+count-1. Each box has the axes of `start` and,
    // after them, axes for a part of these indices. In the tile, indices have a stride of `pitch` bytes.
    template <typename Body>
    void for_each_box(const box &start, dim_t first, dim_t count, dim_t pitch, Body &&body) const {
        if (count > 0) add_level(start, 0, size_, first, count, pitch, body);
    }

private:
    // A dimension, or several that follow each other evenly. The stride is `step` bytes in an inner block of `block`
    // indices, and `jump` bytes from block to block. A dimension that no inner block splits is one block.
    struct level {
        dim_t size, block, step, jump;
        dim_t offset(dim_t index) const {
            return index < block ? index * step : index / block * jump + index % block * step;
        }
        // Adds axes to the box for as many of the `count` indices from `index` on as axes can express, and returns
        // their number: whole blocks, or a part of one block.
        dim_t append_to(box &to, dim_t index, dim_t count, dim_t pitch) const;
        bool is_one_block() const { return block == size; }
    };

    static level level_of(const memory_desc &md, int d);
    void append(const level &inner);
    const level &fastest() const { return levels_[size_t(count_ - 1)]; }
    // Adds to the box `start` the given indices of the levels from `depth` on, which have `size` indices.
    template <typename Body>
    void add_level(const box &start, int depth, dim_t size, dim_t first, dim_t count, dim_t pitch, Body &body) const {
        if (depth == count_) return body(start);
        const level &here = levels_[size_t(depth)];
        const dim_t inner = size / here.size;
        for (dim_t done = 0, taken = 0; done < count; done += taken) {
            const dim_t index = (first + done) / inner, rest = (first + done) % inner;
            box next = start;
            next.tensor_offset += here.offset(index);
            next.tile_offset += done * pitch;
            taken = std::min(count - done, inner - rest);
            if (taken == inner) // all inner indices: take as many whole indices of this level as are evenly spaced
                taken = here.append_to(next, index, (count - done) / inner, inner * pitch) * inner;
            add_level(next, depth + 1, inner, rest, std::min(taken, inner), pitch, body);
        }
    }

    // The offset of an index that counts the levels outside the fastest one, in bytes.
    dim_t outer_offset(dim_t index) const;

    std::array<level, MAX_NDIMS> levels_; // outermost first
    int count_ = 0;                       // of levels, at least one
    dim_t size_ = 1;                      // the number of indices
    dim_t group_ = 1;                     // group_size()
};

} // namespace jitnorm::impl::layer_norm
