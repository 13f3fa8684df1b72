// SPDX-License-Identifier: Apache-2.0
// tensor_rows: a tensor of any type and layout, read and written as rows of the compute type.
//
// In every layout the offset of an element is a part that depends on its row plus a part that depends on its position
// in the row alone: (c / block) * stride + inner[c % block], where block is 1 but for layouts that split the last
// dimension.
#pragma once

#include <cstring>
#include <vector>

#include "../arithmetic/convert.hpp"
#include "../core/memory_desc.hpp"

namespace jitnorm::impl::layer_norm::reference {

class tensor_rows {
public:
    tensor_rows() = default;
    // Rows are numbered in row-major order over the outer dimensions of `shape`; dimensions of size 1 in md are
    // broadcast to it.
    tensor_rows(const memory_desc &md, const memory_desc &shape);
    // A tensor of its own shape.
    explicit tensor_rows(const memory_desc &md) : tensor_rows(md, md) {}

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
    dim_t row_offset(dim_t row) const; // where position 0 of the row is, in elements from the data handle

    template <typename Body> // void(index in the piece, offset from position 0 of the row)
    void for_each_element(dim_t begin, dim_t count, Body &&body) const {
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
    jitnorm_dims_t row_dims_ = {};
    dim_t stride_ = 0;         // of the last dimension's blocks
    std::vector<dim_t> inner_; // offsets within such a block; empty where the last dimension is not split
};

// A dense vector, such as scale: row 0 is all of it.
inline tensor_rows vector_of(dim_t length, jitnorm_data_type_t type) {
    const dim_t dims[] = {length};
    return size_of(type) == 0 ? tensor_rows() : tensor_rows(make_dense(dims, type)); // undef: the problem has none
}

// One value per row, such as the mean.
inline float read_row_value(const memory_desc &md, const void *data, dim_t row) {
    return static_cast<const float *>(data)[offset_of_index(md, row)];
}
inline void write_row_value(const memory_desc &md, void *data, dim_t row, float value) {
    static_cast<float *>(data)[offset_of_index(md, row)] = value;
}

} // namespace jitnorm::impl::layer_norm::reference
