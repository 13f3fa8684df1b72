// SPDX-License-Identifier: Apache-2.0
// A second file with the C++ header, compiled as C++11, the oldest standard it supports.
#include "jitnorm/jitnorm.hpp"

int forward_in_another_file(const jitnorm::engine &cpu) {
    const jitnorm::memory::desc data({3, 8}, jitnorm::memory::data_type::f32, jitnorm::memory::format_tag::nc);
    const jitnorm::layer_normalization_forward::primitive_desc pd(cpu, jitnorm::prop_kind::forward_inference, data,
                                                                  data, 1e-5f, jitnorm::normalization_flags::none);
    return jitnorm::layer_normalization_forward(pd) ? 1 : 0;
}
