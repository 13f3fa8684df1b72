// SPDX-License-Identifier: Apache-2.0
// row_tensors: tensors that change along some row dimensions, numbers for all tensors of an execution, ranges of rows
// and columns.
#pragma once

#include "problem/data_type.hpp"
#include "rig/execution.hpp"

namespace jitnorm::tests {

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
