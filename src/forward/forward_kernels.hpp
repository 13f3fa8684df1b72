// SPDX-License-Identifier: Apache-2.0
// forward_kernels: the generated code of a forward problem, and the numbers of its post-ops. Both depend on types,
// flags and attributes and on no size.
#pragma once

#include <optional>
#include <vector>

#include "../core/problem.hpp"
#include "../jit/kernels/addition_kernel.hpp"
#include "../jit/kernels/maximum_kernel.hpp"
#include "../jit/kernels/normalize_kernel.hpp"
#include "../jit/kernels/sweep_kernel.hpp"

namespace jitnorm::impl::layer_norm {

// What follows where scales are found: normalized rows are floats then.
struct quantize_kernels {
    quantize_kernels(const problem &p, jit::isa vectors);

    jit::maximum_kernel maximum;
    jit::normalize_kernel<float> multiply; // to dst
};

template <typename T> // the compute type
struct forward_kernels {
    // Gets its kernels from the cache or generates them: throws what that throws.
    forward_kernels(const problem &p, jit::isa vectors);

    // Sums with a residual, and those that are written as well; nothing where there is none. The others find the first
    // sweep's sums on the way, where rms_norm needs no pivot for them.
    struct addition_kernels {
        jit::addition_kernel<T> add, add_and_write;
    };
    std::optional<addition_kernels> addition, sweeping_addition;

    jit::sweep_kernel<T> sweep, repeat;               // the first sweep over rows, and one with a given pivot
    dim_t short_columns;                              // elements of the longest rows that short_sweep takes
    jit::sweep_kernel<T> short_sweep;                 // the first sweep over short rows
    jit::normalize_kernel<T> normalize, non_temporal; // with ordinary stores, and with non-temporal ones
    std::optional<quantize_kernels> quantize;
    std::vector<T> post_op_parameters;              // two per post-op, as normalize_arguments says
    std::vector<jitnorm_data_type_t> operand_types; // one per post-op, as post_op_conf says
};

} // namespace jitnorm::impl::layer_norm
