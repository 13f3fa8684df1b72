// SPDX-License-Identifier: Apache-2.0
// strided_copy: copies the elements of a box from a tensor to a tile or back. The elements of a box are evenly spaced
// along any number of axes; their bytes do not change.
#pragma once

#include <array>
#include <cstddef>

#include "memory_desc.hpp"

namespace jitnorm::impl::layer_norm {

struct box_axis {
    dim_t size;               // number of indices
    dim_t in_tensor, in_tile; // bytes from one index to the next, in the tensor and in the tile
};

// Every combination of indices along the axes is one element of the box. A box without axes is one element.
class box {
public:
    static constexpr int MAX_AXES = 2 * MAX_NDIMS; // each dimension of a tensor has at most one inner block

    dim_t tensor_offset = 0, tile_offset = 0; // of the first element, in bytes

    box() = default;
    box(const box &other) : tensor_offset(other.tensor_offset), tile_offset(other.tile_offset) {
        for (const box_axis &axis : other) axes_[size_t(count_++)] = axis; // the rest of the array is undefined
    }
    box &operator=(const box &) = delete;

    void append(const box_axis &axis) {
        if (axis.size != 1) axes_[size_t(count_++)] = axis;
    }
    const box_axis *begin() const { return axes_.data(); }
    const box_axis *end() const { return axes_.data() + count_; }

private:
    std::array<box_axis, MAX_AXES> axes_;
    int count_ = 0;
};

// If the columns of rows that lie side by side have at least so many bytes between them, their cache lines are
// prefetched. The processor foresees smaller steps, but not early enough for data that come from memory.
constexpr dim_t PREFETCHED_STEP = 1024, PREFETCHED_STEP_IN_MEMORY = 128;

// Writes only one of the tensor and the tile.
using box_copy = void (*)(const box &shape, char *tensor, char *tile, dim_t prefetched_step);

struct strided_copy {
    box_copy gather, scatter;
};

// For elements of 1, 2, 4 or 8 bytes. May write an element more than once; does not touch gaps between elements.
strided_copy choose_strided_copy(size_t element_size);

} // namespace jitnorm::impl::layer_norm
