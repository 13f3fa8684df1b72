// SPDX-License-Identifier: Apache-2.0
// statistics_io: reads and writes one statistic of one row or of several rows. The tensor is of f32, bf16 or f16; the
// values are floats.
#pragma once

#include "../base/bytes.hpp"
#include "../tensor/memory_desc.hpp"
#include "convert.hpp"

namespace jitnorm::impl::layer_norm {

// As visit_data_type(), but only for f32, bf16 and f16.
template <typename Body>
decltype(auto) visit_single_or_half(jitnorm_data_type_t type, Body &&body) {
    return type == jitnorm_f32    ? body(stored_as<float>())
           : type == jitnorm_bf16 ? body(stored_as<bf16>())
                                  : body(stored_as<f16>());
}

// The elements 0, stride, .. of the tensor as `count` floats, which need not be aligned: in their place if they are
// floats side by side, otherwise in `buffer`. Sizes are passed by value, so that the compiler knows that no store
// changes them.
[[gnu::noinline]] inline const void *read_statistics(const void *tensor, jitnorm_data_type_t type, dim_t stride,
                                                     dim_t count, float *buffer) {
    if (type == jitnorm_f32 && stride == 1) return tensor;
    visit_single_or_half(type, [=]<typename Stored>(stored_as<Stored>) {
        for (dim_t i = 0; i < count; ++i) buffer[i] = widen<float>(load<Stored>(tensor, i * stride));
    });
    return buffer;
}

[[gnu::noinline]] inline void write_statistics(const float *values, dim_t count, void *tensor, jitnorm_data_type_t type,
                                               dim_t stride) {
    visit_single_or_half(type, [=]<typename Stored>(stored_as<Stored>) {
        for (dim_t i = 0; i < count; ++i) store(narrow<Stored>(values[i]), tensor, i * stride);
    });
}

} // namespace jitnorm::impl::layer_norm
