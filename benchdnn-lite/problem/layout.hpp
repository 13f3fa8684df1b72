// SPDX-License-Identifier: Apache-2.0
// layout: where each element of a tensor lies. An element's offset is offset0 plus one share for each dimension, which
// depends on the index in that dimension alone. This holds for blocked layouts too. Offsets count elements.
#pragma once

#include <vector>

#include "data_type.hpp"

namespace benchdnn_lite {

struct library;

struct inner_block {
    size_t dim;
    dim_t size;
    bool operator==(const inner_block &) const = default;
};

struct layout {
    data_type type = jitnorm_data_type_undef;
    std::vector<dim_t> dims, padded_dims;
    std::vector<dim_t> strides;      // of the outer blocks
    std::vector<inner_block> blocks; // outermost first
    dim_t offset0 = 0;

    bool operator==(const layout &) const = default;
    dim_t elements() const;
    dim_t padded_elements() const;

    // The number that index i of dimension d adds to the offset.
    dim_t share(size_t d, dim_t i) const;
    // Offset of an element. `number` counts the elements in row-major order of the dimensions `over`, which are dims or
    // padded_dims.
    dim_t offset_of(dim_t number, const std::vector<dim_t> &over) const;
    dim_t offset_of(dim_t number) const { return offset_of(number, dims); }
};

layout layout_of(const library &from, const_jitnorm_memory_desc_t desc); // `from` has made desc

// The index in each dimension of the element with a row-major number.
std::vector<dim_t> position_of(dim_t number, const std::vector<dim_t> &dims);

} // namespace benchdnn_lite
