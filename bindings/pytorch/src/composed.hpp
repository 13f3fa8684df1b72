// SPDX-License-Identifier: Apache-2.0
// composed: normalizations made of PyTorch's operators. They stand in for jitnorm's operators where derivatives are
// wanted that those do not have: in forward mode, and of gradients.
#pragma once

#include <array>

#include "normalize.hpp"

namespace jitnorm_torch {

struct composition {
    c10::SmallVector<int64_t, 4> shape;
    bool rms, plus_one, rounds; // as in norm
    bool gated, gate_first;
};

// The input, then weight and bias, or, if it is gated, gate and weight. All but the input may be undefined.
using composed_leaves = std::array<at::Tensor, 3>;

// The caller has checked that the shapes fit to each other: PyTorch's operators would broadcast.
at::Tensor compose(const composition &how, const composed_leaves &of, double epsilon);

// The gradients of those leaves that are wanted, by autograd, so that they can be differentiated again, backward where
// autograd records and in forward mode. rstd is that of forward, which knew the epsilon.
composed_leaves compose_gradients(const composition &how, const composed_leaves &of, const at::Tensor &grad_output,
                                  const at::Tensor &rstd, std::array<bool, 3> wanted);

// A tensor with the same values and tangents, of which autograd finds the gradient without regard to how the tensor was
// computed, and whether or not it requires one.
at::Tensor as_leaf(const at::Tensor &tensor);

} // namespace jitnorm_torch
