// SPDX-License-Identifier: Apache-2.0
// statistics_io: reads and writes one statistic of one row or of several rows. The tensor is of f32, bf16 or f16; the
// values are floats.
#pragma once

#include <type_traits>

#include "../base/bytes.hpp"
#include "../tensor/memory_desc.hpp"
#include "convert.hpp"

namespace jitnorm::impl::layer_norm {

namespace statistics_detail {

template <typename Body>
void visit_type(jitnorm_data_type_t type, Body &&body) {
    if (type == jitnorm_f32)
        body(stored_as<float>());
    else if (type == jitnorm_bf16)
        body(stored_as<bf16>());
    else
        body(stored_as<f16>());
}

// `first`, `stride` and `count` are passed by value, so that the compiler knows that no store can change them and loops
// keep them in registers.
template <typename Stored, typename Body>
void read_spaced(const void *tensor, dim_t first, dim_t stride, dim_t count, Body &body) {
    for (dim_t i = 0; i < count; ++i) body(i, widen<float>(load<Stored>(tensor, first + i * stride)));
}

template <typename Stored>
void write_spaced(const float *values, dim_t count, void *tensor, dim_t first, dim_t stride) {
    for (dim_t i = 0; i < count; ++i) store(narrow<Stored>(values[i]), tensor, first + i * stride);
}

} // namespace statistics_detail

// Calls body(i, value) for i = 0 .. count-1, where the value is the element first + i * stride of the tensor.
template <typename Body>
void read_statistics(const void *tensor, jitnorm_data_type_t type, dim_t first, dim_t stride, dim_t count,
                     Body &&body) {
    statistics_detail::visit_type(type, [&]<typename Stored>(stored_as<Stored>) {
        statistics_detail::read_spaced<Stored>(tensor, first, stride, count, body);
    });
}

inline void write_statistics(const float *values, dim_t count, void *tensor, jitnorm_data_type_t type, dim_t first,
                             dim_t stride) {
    statistics_detail::visit_type(type, [&]<typename Stored>(stored_as<Stored>) {
        statistics_detail::write_spaced<Stored>(values, count, tensor, first, stride);
    });
}

// The value of one row in a tensor that has one value for each row; `data` is the data handle.
inline float read_row_value(const memory_desc &md, const void *data, dim_t row) {
    return visit_data_type(md.data_type, [&]<typename Stored>(stored_as<Stored>) {
        return widen<float>(load<Stored>(data, offset_of_index(md, row)));
    });
}
inline void write_row_value(const memory_desc &md, void *data, dim_t row, float value) {
    visit_data_type(md.data_type, [&]<typename Stored>(stored_as<Stored>) {
        store(narrow<Stored>(value), data, offset_of_index(md, row));
    });
}

} // namespace jitnorm::impl::layer_norm
