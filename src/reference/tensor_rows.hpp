// SPDX-License-Identifier: Apache-2.0
// tensor_rows: a tensor of any type and layout, read and written as rows of the compute type.
#pragma once

#include "../base/bytes.hpp"
#include "../math/convert.hpp"
#include "../math/moments.hpp"
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
    // double. Each call computes the row's offset, so callers should ask for long pieces. They are calls: inlined into
    // each of their callers, they would be most of the reference.
    template <typename T>
    [[gnu::noinline]] void read(const void *data, dim_t row, dim_t begin, dim_t count, T *out) const {
        for_each_element(row, begin, count, [&]<typename Stored>(stored_as<Stored>, dim_t i, dim_t offset) {
            out[i] = widen<T>(load<Stored>(static_cast<const char *>(data) + offset));
        });
    }
    template <typename T>
    [[gnu::noinline]] void write(void *data, dim_t row, dim_t begin, dim_t count, const T *in) const {
        for_each_element(row, begin, count, [&]<typename Stored>(stored_as<Stored>, dim_t i, dim_t offset) {
            store(narrow<Stored>(in[i]), static_cast<char *>(data) + offset);
        });
    }

    // The value of one row in a tensor that has one value for each row.
    float value_of(const void *data, dim_t row) const {
        float value = 0;
        read(data, row, 0, 1, &value);
        return value;
    }

private:
    // Calls body(stored_as<Stored>(), index among the count elements, bytes from the data handle).
    template <typename Body>
    void for_each_element(dim_t row, dim_t begin, dim_t count, Body &&body) const {
        const dim_t in_row = begin_ + rows_.run_from(row, 1).offset, step = columns_.step();
        visit_data_type(type_, [&](auto stored) {
            constexpr auto SIZE = dim_t(sizeof(typename decltype(stored)::type));
            dim_t done = 0;
            columns_.for_each_run(begin, count, [&](dim_t offset, dim_t length) {
                const dim_t first = in_row + offset;
                if (step == SIZE) { // a case of its own, so that the compiler can vectorize it
                    for (dim_t i = 0; i < length; ++i) body(stored, done + i, first + i * SIZE);
                } else {
                    for (dim_t i = 0; i < length; ++i) body(stored, done + i, first + i * step);
                }
                done += length;
            });
        });
    }

    jitnorm_data_type_t type_ = jitnorm_data_type_undef;
    dim_t begin_ = 0; // bytes from the data handle to the first element
    tensor_axis rows_, columns_;
};

// The constants of a row whose statistics the caller gives.
template <typename T>
normalizer<T> given_normalizer(const problem &p, const tensor_rows &statistics, const arguments &args, dim_t row) {
    const float mean = p.reads(MEAN) ? statistics.value_of(args[MEAN], row) : 0;
    const float given = statistics.value_of(args[VARIANCE], row);
    const bool inverse = p.form == statistics_form::inverse_deviation;
    return {T(mean), inverse ? T(given) : reciprocal_deviation<T>(double(given), p.epsilon)};
}

// Replaces numbers by those that a tensor of the type holds after they have been written to it. A call, as
// tensor_rows::read().
template <typename T>
[[gnu::noinline]] void round_to(jitnorm_data_type_t type, dim_t count, T *x) {
    visit_data_type(type, [&]<typename Stored>(stored_as<Stored>) {
        for (dim_t i = 0; i < count; ++i) x[i] = widen<T>(narrow<Stored>(x[i]));
    });
}

// A tensor with the dimensions of src, or with 1 for some of them. Empty if the problem does not use it.
inline tensor_rows rows_of(const problem &p, slot s) {
    return p.uses(s) ? tensor_rows(p[s], p[SRC], p.row_ndims()) : tensor_rows();
}
// A dense tensor. Empty for the type undef: the problem has no such tensor.
inline tensor_rows dense_rows(dim_t rows, dim_t length, jitnorm_data_type_t type) {
    const dim_t dims[] = {rows, length};
    return size_of(type) == 0 ? tensor_rows() : tensor_rows(make_dense(dims, type), 1);
}
// A vector, such as scale, as a single row: row 0.
inline tensor_rows vector_of(dim_t length, jitnorm_data_type_t type) { return dense_rows(1, length, type); }

} // namespace jitnorm::impl::layer_norm::reference
