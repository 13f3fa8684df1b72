// SPDX-License-Identifier: Apache-2.0
// reference: the definition of the result's bits (docs/arithmetic.md) in plain C++, for every problem that validate()
// accepts. Tests compare generated kernels with it, and it runs where kernels cannot.
#pragma once

#include <algorithm>
#include <cstddef>
#include <memory>

#include "../base/parallel.hpp"
#include "../norm/implementation.hpp"
#include "../norm/problem.hpp"
#include "../simd/simd.hpp"

namespace jitnorm::impl::layer_norm {

// The reference as an implementation, the last of the ranking: "ref:any". It refuses nothing that validate() accepts.
extern const implementation reference_entry;

// Problems whose data tensors have no elements. Nothing is normalized, but statistics of empty rows and gradients over
// no rows are written (docs/arithmetic.md, "Empty rows"). Every implementation solves such problems by these functions,
// because the strides of tensors without elements mean nothing and may be of any size: no other code should compute
// with them.
jitnorm_status_t execute_without_elements(const problem &p, const arguments &args);
std::shared_ptr<const executor> create_without_elements(const problem &p);

} // namespace jitnorm::impl::layer_norm

namespace jitnorm::impl::layer_norm::reference {

// Both need a problem with elements whose sizes are known.
std::shared_ptr<const executor> create_forward(const problem &p);
std::shared_ptr<const executor> create_backward(const problem &p);

// ---- loops over rows or columns on as many threads as are worth starting

constexpr size_t LEAST_BYTES = 32 * 1024; // a thread with less work than this costs more time than it saves

// Calls body(range) for disjoint ranges that cover 0 .. count-1. `bytes` is the size of all data that the calls use.
template <typename Body>
void parallel_ranges(dim_t count, size_t bytes, Body &&body) {
    const dim_t wanted = std::min(count, dim_t(bytes / LEAST_BYTES + 1));
    const int parts = int(std::min<dim_t>(wanted, max_threads()));
    parallel_parts(parts, [&](int part) {
        const range r = split(count, parts, part);
        with_fast_fma([&] { body(r); });
    });
}

} // namespace jitnorm::impl::layer_norm::reference
