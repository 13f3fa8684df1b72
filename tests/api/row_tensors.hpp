// SPDX-License-Identifier: Apache-2.0
// row_tensors: residuals, tensors that change along some row dimensions, numbers for all tensors of an execution,
// executions to compare, ranges of rows and columns.
#pragma once

#include <random>

#include "problem/data_type.hpp"
#include "support/execution.hpp"

namespace jitnorm::tests {

constexpr jitnorm_dim_t R = JITNORM_RUNTIME_DIM_VAL;
constexpr unsigned CH = jitnorm_use_scale | jitnorm_use_shift;
constexpr auto NO_BIAS = jitnorm_data_type_undef;

inline owned_attr with_residual(const_jitnorm_memory_desc_t residual, const_jitnorm_memory_desc_t sum,
                                jitnorm_data_type_t bias = NO_BIAS, unsigned flags = 0) {
    owned_attr attr = make_attr();
    EXPECT_OK(jitnorm_primitive_attr_set_residual(attr, residual, sum, bias, flags));
    return attr;
}

// The dimensions of `sizes` where the mask has a bit, and the last one; 1 elsewhere.
inline dims masked(dims sizes, unsigned mask) {
    for (size_t d = 0; d + 1 < sizes.size(); ++d)
        if ((mask >> d & 1) == 0) sizes[d] = 1;
    return sizes;
}

inline const_jitnorm_memory_desc_t md_of(const execution &e, int arg) {
    const_jitnorm_memory_desc_t md = nullptr;
    must(jitnorm_memory_get_memory_desc(e.tensors().at(arg).memory, &md), "a memory has a descriptor");
    return md;
}

inline jitnorm_data_type_t type_of(const execution &e, int arg) {
    return ask<jitnorm_data_type_t>(md_of(e, arg), jitnorm_query_data_type);
}

// Numbers of either sign, of which variances are positive, in inputs and outputs.
inline void fill_tensors(execution &e) {
    for (auto &[arg, tensor] : e.tensors()) {
        const auto type = type_of(e, arg);
        const size_t size = jitnorm_data_type_size(type);
        for (size_t i = 0; i < tensor.bytes.size() / size; ++i) {
            const auto number = float((i * 7919 + size_t(arg) * 331) % 1013) / 256.F;
            const float value = arg == JITNORM_ARG_VARIANCE ? number + 0.125F : number - 1.75F;
            benchdnn_lite::store(type, tensor.bytes.data(), jitnorm_dim_t(i), double(value));
        }
    }
}

inline void expect_equal_tensors(const execution &run, const execution &expected) {
    for (const auto &[arg, tensor] : expected.tensors())
        EXPECT_TRUE(run.tensors().at(arg).bytes == tensor.bytes) << "argument " << arg;
}

// Executes both on the same data: all tensors of the second must be equal afterwards.
inline void expect_same(execution &run, execution &expected) {
    for (execution *each : {&run, &expected}) {
        fill_tensors(*each);
        ASSERT_OK(each->run());
    }
    expect_equal_tensors(run, expected);
}

// So many random numbers with a mean and a deviation.
inline std::vector<double> normal(jitnorm_dim_t count, double mean, double deviation, unsigned seed = 1) {
    std::mt19937 random(seed);
    std::normal_distribution<double> values(mean, deviation);
    std::vector<double> result(static_cast<size_t>(count));
    for (double &value : result) value = values(random);
    return result;
}

using bytes = std::vector<std::byte>;

// As a dense tensor of the type holds them.
inline bytes as(jitnorm_data_type_t type, const std::vector<double> &values) {
    bytes result(values.size() * jitnorm_data_type_size(type));
    for (size_t i = 0; i < values.size(); ++i) benchdnn_lite::store(type, result.data(), jitnorm_dim_t(i), values[i]);
    return result;
}

// So many ranges of whole units, as even as can be; with more ranges than units some are empty.
inline dims cut_evenly(jitnorm_dim_t length, jitnorm_dim_t unit, int ranges) {
    const jitnorm_dim_t units = (length + unit - 1) / unit;
    dims result;
    for (int i = 0; i < ranges; ++i)
        result.push_back(std::min((i + 1) * units / ranges * unit, length) -
                         std::min(i * units / ranges * unit, length));
    return result;
}

} // namespace jitnorm::tests
