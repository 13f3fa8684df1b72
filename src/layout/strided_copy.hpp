// SPDX-License-Identifier: Apache-2.0
// strided_copy: evenly spaced elements of a tensor, along any number of axes, to and from a tile; bytes unchanged.
#pragma once

#include <array>
#include <cstddef>

#include "../core/memory_desc.hpp"

namespace jitnorm::impl::layer_norm {

// From one index to the next, in bytes, in the tensor and in the tile.
struct box_axis {
    dim_t size, in_tensor, in_tile;
};

// Every combination of indices along its axes is one element; without axes it is a single one.
class box {
public:
    static constexpr int MAX_AXES = 2 * MAX_NDIMS; // each dimension of a tensor has at most one inner block

    dim_t tensor_offset = 0, tile_offset = 0; // of the first element, in bytes

    box() = default;
    box(const box &other) : tensor_offset(other.tensor_offset), tile_offset(other.tile_offset) {
        for (const box_axis &axis : other) axes_[size_t(count_++)] = axis; // not all of the array
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

struct strided_copy {
    void (*gather)(const box &shape, const char *tensor, char *tile);
    void (*scatter)(const box &shape, char *tensor, const char *tile);
};

// For elements of 1, 2, 4 or 8 bytes. Elements may be written more than once, gaps between them are not touched.
strided_copy choose_strided_copy(size_t element_size);

} // namespace jitnorm::impl::layer_norm
