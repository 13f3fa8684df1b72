// SPDX-License-Identifier: Apache-2.0
// descriptors: memory descriptors by strides and by tags, of shapes that reach every edge of a layout.
#pragma once

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "tensor/names.hpp"
#include "tensor/row_order.hpp"

namespace jitnorm::tests {

using impl::dim_t;
using impl::memory_desc;
using values = std::vector<dim_t>;

constexpr jitnorm_data_type_t TYPES[] = {jitnorm_s8, jitnorm_bf16, jitnorm_f32, jitnorm_f64};

inline memory_desc strided(const values &dims, const values &strides, jitnorm_data_type_t type = jitnorm_f32) {
    memory_desc md;
    EXPECT_EQ(impl::make_with_strides(md, int(dims.size()), dims.data(), type, strides.data()), jitnorm_success);
    return md;
}

inline memory_desc tagged(const values &dims, jitnorm_format_tag_t tag, jitnorm_data_type_t type = jitnorm_f32) {
    memory_desc md;
    EXPECT_EQ(impl::make_with_tag(md, int(dims.size()), dims.data(), type, tag), jitnorm_success);
    return md;
}

inline std::string text_of(const memory_desc &md) {
    return std::string(impl::name_of(md.data_type)) + " " + impl::layout_name(md) + " " + impl::join(impl::dims_of(md));
}

// Where the row's first element is: the position counts the row dimensions, all others are 0.
inline dim_t row_offset(const memory_desc &md, int row_ndims, dim_t row) {
    jitnorm_dims_t position = {};
    for (int d = row_ndims - 1; d >= 0; row /= md.dims[d--]) position[d] = row % md.dims[d];
    return impl::offset(md, position);
}

// Shapes with tails in every direction, with whole blocks, and with dimensions of 1.
inline std::vector<values> shapes_of(int ndims) {
    static const std::vector<values> SHAPES[] = {{{1}, {37}},
                                                 {{37, 53}, {48, 64}, {1, 19}, {67, 1}},
                                                 {{5, 19, 21}, {2, 16, 32}, {17, 1, 9}},
                                                 {{3, 9, 2, 18}, {17, 18, 1, 5}, {1, 8, 3, 16}},
                                                 {{2, 9, 2, 3, 10}, {17, 1, 3, 1, 7}}};
    return SHAPES[ndims - 1];
}

// With its rows in the order in which they are in memory.
inline memory_desc in_order(const memory_desc &md) {
    return impl::layer_norm::with_row_order(md, md.ndims - 1, impl::layer_norm::order_in_memory(md, md.ndims - 1));
}

} // namespace jitnorm::tests
