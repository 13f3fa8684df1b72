// SPDX-License-Identifier: Apache-2.0
// tensor_axis: some consecutive dimensions of a tensor as one index, and where each index lies in memory.
//
// Every layout, strided or blocked, adds one part per dimension to an element's offset. So an element's offset is a
// part of its row (an axis of the first dimensions) plus a part of its column (an axis of the others).
#pragma once

#include <algorithm>
#include <array>

#include "../core/memory_desc.hpp"

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

    // The fastest dimension's indices as lines, and the next dimension counting them: from one line to the next, in
    // bytes. 0 where there is no such dimension, or either has inner blocks.
    dim_t line_step() const {
        return count_ > 1 && fastest().is_one_block() && second().is_one_block() ? second().step : 0;
    }

    // Where there is a line step: calls body(offset in bytes, lines, count) for the indices first .. first+count-1, cut
    // into single lines or parts of them and into whole lines that are one line step apart.
    template <typename Body>
    void for_each_lines(dim_t first, dim_t count, Body &&body) const {
        const dim_t length = fastest().size;
        for (dim_t lines, part; count > 0; first += lines * part, count -= lines * part) {
            const dim_t line = first / length, begin = first % length;
            const bool whole = begin == 0 && count >= length;
            lines = whole ? std::min(count / length, second().size - line % second().size) : 1;
            part = whole ? length : std::min(count, length - begin);
            body(outer_offset(line) + begin * fastest().step, lines, part);
        }
    }

private:
    // A dimension, or several that follow each other evenly: indices within a block are `step` bytes apart, blocks are
    // `jump` bytes apart. Without inner blocks it is one block.
    struct level {
        dim_t size, block, step, jump;
        dim_t offset(dim_t index) const {
            return index < block ? index * step : index / block * jump + index % block * step;
        }
        bool is_one_block() const { return block == size; }
    };

    static level level_of(const memory_desc &md, int d);
    void append(const level &inner);
    const level &fastest() const { return levels_[size_t(count_ - 1)]; }
    const level &second() const { return levels_[size_t(count_ - 2)]; }
    // Of the levels outside the fastest one.
    dim_t outer_offset(dim_t index) const;

    std::array<level, MAX_NDIMS> levels_ = {}; // outermost first
    int count_ = 0;                            // at least one
    dim_t size_ = 1;
    dim_t group_ = 1;
};

} // namespace jitnorm::impl::layer_norm
