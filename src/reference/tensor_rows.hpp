// SPDX-License-Identifier: Apache-2.0
// tensor_rows: a tensor of any type and layout, read and written as rows of the compute type.
//
// In every layout the offset of an element is a part that depends on its row plus a part that depends on its position
// in the row alone. Along the last dimension that is (c / block) * stride + inner[c % block], where block is 1 but for
// layouts that split it; where several dimensions make a row, a part for the others comes on top.
#pragma once

#include <cstring>
#include <vector>

#include "../arithmetic/convert.hpp"
#include "../core/problem.hpp"
#include "../core/unaligned.hpp"

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
    template <typename T>
    void read(const void *data, dim_t row, dim_t begin, dim_t count, T *out) const {
        visit_data_type(md_.data_type, [&]<typename Stored>(stored_as<Stored>) {
            const char *first = static_cast<const char *>(data) + row_offset(row) * dim_t(sizeof(Stored));
            for_each_element(begin, count, [&](dim_t i, dim_t offset) {
                Stored value;
                std::memcpy(&value, first + offset * dim_t(sizeof(Stored)), sizeof(Stored));
                out[i] = widen<T>(value);
            });
        });
    }

    template <typename T>
    void write(void *data, dim_t row, dim_t begin, dim_t count, const T *in) const {
        visit_data_type(md_.data_type, [&]<typename Stored>(stored_as<Stored>) {
            char *first = static_cast<char *>(data) + row_offset(row) * dim_t(sizeof(Stored));
            for_each_element(begin, count, [&](dim_t i, dim_t offset) {
                const Stored value = narrow<Stored>(in[i]);
                std::memcpy(first + offset * dim_t(sizeof(Stored)), &value, sizeof(Stored));
            });
        });
    }

private:
    // Where position 0 of the row is, in elements from the data handle.
    dim_t row_offset(dim_t row) const { return md_.offset0 + offset_along(0, row_ndims_, row); }
    // The part of dimensions begin .. end-1 in an offset, at a row-major index over them.
    dim_t offset_along(int begin, int end, dim_t index) const;

    // Piece by piece along the last dimension.
    template <typename Body> // void(index in the piece, offset from position 0 of the row)
    void for_each_element(dim_t begin, dim_t count, Body &&body) const {
        for (dim_t done = 0, piece; done < count; done += piece) {
            const dim_t at = begin + done, column = at % width_;
            piece = count - done < width_ - column ? count - done : width_ - column;
            const dim_t start = at < width_ ? 0 : offset_along(row_ndims_, md_.ndims - 1, at / width_);
            for_each_in_line(column, piece, [&](dim_t i, dim_t offset) { body(done + i, start + offset); });
        }
    }

    template <typename Body>
    void for_each_in_line(dim_t begin, dim_t count, Body &&body) const {
        if (stride_ == 1 && inner_.empty()) { // apart, for the compiler to vectorize
            for (dim_t i = 0; i < count; ++i) body(i, begin + i);
        } else if (inner_.empty()) {
            for (dim_t i = 0; i < count; ++i) body(i, (begin + i) * stride_);
        } else {
            const dim_t block = dim_t(inner_.size());
            for (dim_t i = 0; i < count; ++i)
                body(i, (begin + i) / block * stride_ + inner_[size_t((begin + i) % block)]);
        }
    }

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
