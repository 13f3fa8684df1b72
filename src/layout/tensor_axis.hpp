// SPDX-License-Identifier: Apache-2.0
// tensor_axis: some consecutive dimensions of a tensor as one index, and where each index lies in memory.
//
// Every layout, strided or blocked, adds one part per dimension to an element's offset. So an element's offset is a
// part of its row (an axis of the first dimensions) plus a part of its column (an axis of the others).
#pragma once

#include <algorithm>
#include <array>
#include <utility>

#include "../core/memory_desc.hpp"
#include "strided_copy.hpp"

namespace jitnorm::impl::layer_norm {

class tensor_axis {
public:
    static constexpr dim_t CACHE_LINE = 64; // bytes

    // Dimensions begin .. end-1 of md, counted in row-major order. Where the tensor is broadcast to larger `dims`, all
    // indices of a dimension lie in one place.
    tensor_axis(const memory_desc &md, const dim_t *dims, int begin, int end);
    tensor_axis(const memory_desc &md, int begin, int end) : tensor_axis(md, md.dims, begin, end) {}

    dim_t size() const { return size_; }
    // From one index of a run to the next, in bytes; the same in all runs.
    dim_t step() const { return fastest().step; }
    // The longest run there is.
    dim_t run_length() const { return fastest().block; }

    // Neighbours that share cache lines come in groups: the last index <= `index` at which a group begins, supposing
    // that the tensor begins with a cache line. Only the fastest dimension is looked at: in blocked layouts of narrow
    // types the next one may share lines as well.
    dim_t group_begin(dim_t index) const { return index - index % fastest().size % group_; }
    // The usual size of a group.
    dim_t group_size() const { return group_; }

    // Calls body(offset in bytes, count) for the indices first .. first+count-1, cut into runs of evenly spaced ones.
    template <typename Body>
    void for_each_run(dim_t first, dim_t count, Body &&body) const {
        if (count <= 0) return;
        const level &fast = fastest();
        dim_t slow = first / fast.size, index = first % fast.size, within = index % fast.block;
        dim_t block = outer_offset(slow) + index / fast.block * fast.jump;
        for (;;) {
            const dim_t run = std::min({count, fast.size - index, fast.block - within});
            body(block + within * fast.step, run);
            count -= run;
            if (count == 0) return;
            index += run;
            within = 0;
            block += fast.jump;
            if (index < fast.size) continue;
            index = 0;
            block = outer_offset(++slow);
        }
    }

    // The first of these runs.
    std::pair<dim_t, dim_t> run_from(dim_t first, dim_t most) const {
        const level &fast = fastest();
        if (count_ == 1 && fast.is_one_block()) // most of all: spares divisions
            return {first * fast.step, std::min(most, fast.size - first)};
        const dim_t index = first % fast.size, within = index % fast.block;
        const dim_t offset = outer_offset(first / fast.size) + index / fast.block * fast.jump + within * fast.step;
        return {offset, std::min({most, fast.size - index, fast.block - within})};
    }

    // Calls body(box) for boxes that cover the indices first .. first+count-1: `start` with this axis's levels added to
    // its own. In the tile, indices are `pitch` bytes apart.
    template <typename Body>
    void for_each_box(const box &start, dim_t first, dim_t count, dim_t pitch, Body &&body) const {
        if (count > 0) add_level(start, 0, size_, first, count, pitch, body);
    }

private:
    // A dimension, or several that follow each other evenly: indices within a block are `step` bytes apart, blocks are
    // `jump` bytes apart. Without inner blocks it is one block.
    struct level {
        dim_t size, block, step, jump;
        dim_t offset(dim_t index) const {
            return index < block ? index * step : index / block * jump + index % block * step;
        }
        // Adds as many of `count` indices, from `index` on, as are evenly spaced, and returns their number.
        dim_t append_to(box &to, dim_t index, dim_t count, dim_t pitch) const;
        bool is_one_block() const { return block == size; }
    };

    static level level_of(const memory_desc &md, int d);
    void append(const level &inner);
    const level &fastest() const { return levels_[size_t(count_ - 1)]; }
    // The indices first .. first+count-1 of the levels from number `number` on, which have `size` together.
    template <typename Body>
    void add_level(const box &start, int number, dim_t size, dim_t first, dim_t count, dim_t pitch, Body &body) const {
        if (number == count_) return body(start);
        const level &here = levels_[size_t(number)];
        const dim_t inner = size / here.size;
        for (dim_t done = 0, part = 0; done < count; done += part) {
            const dim_t index = (first + done) / inner, rest = (first + done) % inner;
            box next = start;
            next.tensor_offset += here.offset(index);
            next.tile_offset += done * pitch;
            part = std::min(count - done, inner - rest);
            if (part == inner) // whole indices of this level
                part = here.append_to(next, index, (count - done) / inner, inner * pitch) * inner;
            add_level(next, number + 1, inner, rest, std::min(part, inner), pitch, body);
        }
    }

    // Of the levels outside the fastest one.
    dim_t outer_offset(dim_t index) const;

    std::array<level, MAX_NDIMS> levels_ = {}; // outermost first
    int count_ = 0;                            // at least one
    dim_t size_ = 1;
    dim_t group_ = 1;
};

} // namespace jitnorm::impl::layer_norm
