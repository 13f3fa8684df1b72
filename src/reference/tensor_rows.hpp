// SPDX-License-Identifier: Apache-2.0
// tensor_rows: a tensor of any type and layout, read and written as rows of the compute type.
#pragma once

#include "../math/convert.hpp"
#include "../norm/problem.hpp"
#include "../tensor/tensor_axis.hpp"

namespace jitnorm::impl::layer_norm::reference {

class tensor_rows {
public:
    tensor_rows() = default;
    // The tensor md, broadcast to the dimensions of `shape` along each dimension in which it has one element. The first
    // `row_ndims` dimensions of `shape` number the rows in row-major order, the others number the elements of a row.
    tensor_rows(const memory_desc &md, const memory_desc &shape, int row_ndims)
        : type_(md.data_type), begin_(md.offset0 * dim_t(size_of(type_))), rows_(md, shape.dims, 0, row_ndims),
          columns_(md, shape.dims, row_ndims, md.ndims) {}
    // The tensor md without a broadcast.
    tensor_rows(const memory_desc &md, int row_ndims) : tensor_rows(md, md, row_ndims) {}

    // Read and write the elements begin .. begin+count-1 of a row; `data` is the tensor's data handle. T is float or
    // double. Each call computes the row's offset, so callers should ask for long pieces.
    template <typename T>
    void read(const void *data, dim_t row, dim_t begin, dim_t count, T *out) const;
    template <typename T>
    void write(void *data, dim_t row, dim_t begin, dim_t count, const T *in) const;

private:
    template <size_t Size, typename Body> // void(index among the count elements, bytes from the data handle)
    void for_each_element(dim_t row, dim_t begin, dim_t count, Body &&body) const;

    jitnorm_data_type_t type_ = jitnorm_data_type_undef;
    dim_t begin_ = 0; // bytes from the data handle to the first element
    tensor_axis rows_, columns_;
};

// Replaces numbers by those that a tensor of the type holds after they have been written to it.
template <typename T>
void round_to(jitnorm_data_type_t type, dim_t count, T *x) {
    visit_data_type(type, [&]<typename Stored>(stored_as<Stored>) {
        for (dim_t i = 0; i < count; ++i) x[i] = widen<T>(narrow<Stored>(x[i]));
    });
}

// A dense vector, such as scale, as a single row: row 0. Empty for the type undef: the problem has no such vector.
inline tensor_rows vector_of(dim_t length, jitnorm_data_type_t type) {
    const dim_t dims[] = {length};
    return size_of(type) == 0 ? tensor_rows() : tensor_rows(make_dense(dims, type), 0);
}

} // namespace jitnorm::impl::layer_norm::reference
