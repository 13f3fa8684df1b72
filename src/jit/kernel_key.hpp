// SPDX-License-Identifier: Apache-2.0
// kernel_key: all that is fixed when a kernel is generated, as values that order and compare. Sizes, strides and
// epsilon are not among them: they are arguments, so one kernel serves every shape.
#pragma once

#include <compare>
#include <variant>

#include "isa.hpp"

namespace jitnorm::impl::jit {

// Sums over the elements of rows of f32.
struct sweep_conf {
    isa vectors = isa::none;
    bool centered = true;  // S and Q about a pivot; otherwise Q alone, about zero (rms_norm)
    bool repeated = false; // pivot and factor are given; otherwise the pivot is found and the factor is 1

    auto operator<=>(const sweep_conf &) const = default;
};

// Normalized, scaled and shifted rows of f32.
struct normalize_conf {
    isa vectors = isa::none;
    bool scale = false;
    bool shift = false;
    bool streaming = false; // stores bypass the caches; every row of dst begins at a whole cache line

    auto operator<=>(const normalize_conf &) const = default;
};

using kernel_key = std::variant<sweep_conf, normalize_conf>;

} // namespace jitnorm::impl::jit
