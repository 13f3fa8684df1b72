// SPDX-License-Identifier: Apache-2.0
// tensor_rows: a tensor of any type and layout, read and written as rows of the compute type.
//
// In every layout the offset of an element is a part that depends on its row plus a part that depends on its position
// in the row alone. Along the last dimension that is (c / block) * stride + inner[c % block], where block is 1 but for
// layouts that split it; where several dimensions make a row, a part for the others comes on top.
#pragma once

#include <vector>

#include "../core/problem.hpp"

namespace jitnorm::impl::layer_norm::reference {

class tensor_rows {
public:
    tensor_rows() = default;
    // Rows are numbered in row-major order over the first `row_ndims` dimensions of `shape`, their elements over the
    // others; dimensions of size 1 in md are broadcast to it.
    tensor_rows(const memory_desc &md, const memory_desc &shape, int row_ndims);
    // A tensor of its own shape.
    tensor_rows(const memory_desc &md, int row_ndims) : tensor_rows(md, md, row_ndims) {}

    // Elements begin .. begin+count-1 of a row. A row's place is found anew at each call: read in long pieces.
    // T is float or double.
    template <typename T>
    void read(const void *data, dim_t row, dim_t begin, dim_t count, T *out) const;
    template <typename T>
    void write(void *data, dim_t row, dim_t begin, dim_t count, const T *in) const;

private:
    // Where position 0 of the row is, in elements from the data handle.
    dim_t row_offset(dim_t row) const { return md_.offset0 + offset_along(0, row_ndims_, row); }
    // The part of dimensions begin .. end-1 in an offset, at a row-major index over them.
    dim_t offset_along(int begin, int end, dim_t index) const;

    template <typename Body> // void(index in the piece, offset from position 0 of the row)
    void for_each_element(dim_t begin, dim_t count, Body &&body) const;
    template <typename Body>
    void for_each_in_line(dim_t begin, dim_t count, Body &&body) const;

    memory_desc md_;
    jitnorm_dims_t dims_ = {}; // that the tensor is broadcast to
    int row_ndims_ = 0;
    dim_t width_ = 1;          // of the last dimension
    dim_t stride_ = 0;         // of its blocks
    std::vector<dim_t> inner_; // offsets within such a block; empty where the last dimension is not split
};

// A dense vector, such as scale: row 0 is all of it.
inline tensor_rows vector_of(dim_t length, jitnorm_data_type_t type) {
    const dim_t dims[] = {length};
    return size_of(type) == 0 ? tensor_rows() : tensor_rows(make_dense(dims, type), 0); // undef: the problem has none
}

// What elements begin .. begin+count-1 of a row are multiplied with: the problem has a scale, which is such a vector.
template <typename T>
void read_scale(const problem &p, const tensor_rows &scale, const void *data, dim_t begin, dim_t count, T *out) {
    scale.read(data, 0, begin, count, out);
    if (p.adds_one_to_scale())
        for (dim_t i = 0; i < count; ++i) out[i] += T(1);
}

} // namespace jitnorm::impl::layer_norm::reference
