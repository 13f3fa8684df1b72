// SPDX-License-Identifier: Apache-2.0
// tensor_rows: a tensor of any type and layout, read and written as rows of the compute type.
//
// In every layout the offset of an element is a term for its row plus a term for its position in the row. For the index
// c of the last dimension the latter is (c / block) * stride + inner[c % block]; block is 1 in layouts that do not
// split this dimension. If several dimensions make a row, a term for the others is added.
#pragma once

#include <vector>

#include "../norm/problem.hpp"

namespace jitnorm::impl::layer_norm::reference {

class tensor_rows {
public:
    tensor_rows() = default;
    // The tensor md, broadcast to the dimensions of `shape` along each dimension in which it has one element. The first
    // `row_ndims` dimensions of `shape` number the rows in row-major order, the others number the elements of a row.
    tensor_rows(const memory_desc &md, const memory_desc &shape, int row_ndims);
    // The tensor md without a broadcast.
    tensor_rows(const memory_desc &md, int row_ndims) : tensor_rows(md, md, row_ndims) {}

    // Read and write the elements begin .. begin+count-1 of a row; `data` is the tensor's data handle. T is float or
    // double. Each call computes the row's offset, so callers should ask for long pieces.
    template <typename T>
    void read(const void *data, dim_t row, dim_t begin, dim_t count, T *out) const;
    template <typename T>
    void write(void *data, dim_t row, dim_t begin, dim_t count, const T *in) const;

private:
    // The distance from the data handle to the row's first element, in elements.
    dim_t row_offset(dim_t row) const { return md_.offset0 + offset_along(0, row_ndims_, row); }
    // The term of the dimensions begin .. end-1 in an element's offset; `index` counts them in row-major order.
    dim_t offset_along(int begin, int end, dim_t index) const;

    template <typename Body> // void(index among the count elements, offset from the row's first element)
    void for_each_element(dim_t begin, dim_t count, Body &&body) const;
    template <typename Body>
    void for_each_in_line(dim_t begin, dim_t count, Body &&body) const;

    memory_desc md_;
    jitnorm_dims_t dims_ = {}; // the dimensions to which the tensor is broadcast
    int row_ndims_ = 0;
    dim_t width_ = 1;          // the size of the last dimension
    dim_t stride_ = 0;         // from one block of the last dimension to the next
    std::vector<dim_t> inner_; // offsets of the elements of such a block; empty if the last dimension is not split
};

// A dense vector, such as scale, as a single row: row 0. Empty for the type undef: the problem has no such vector.
inline tensor_rows vector_of(dim_t length, jitnorm_data_type_t type) {
    const dim_t dims[] = {length};
    return size_of(type) == 0 ? tensor_rows() : tensor_rows(make_dense(dims, type), 0);
}

// Reads the numbers by which the elements begin .. begin+count-1 of a row are multiplied, from the vector `scale` at
// `data`. The problem must have a scale.
template <typename T>
void read_scale(const problem &p, const tensor_rows &scale, const void *data, dim_t begin, dim_t count, T *out) {
    scale.read(data, 0, begin, count, out);
    if (p.adds_one_to_scale())
        for (dim_t i = 0; i < count; ++i) out[i] += T(1);
}

} // namespace jitnorm::impl::layer_norm::reference
