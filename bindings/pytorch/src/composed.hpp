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

// The gradients that are wanted, each of the type of its tensor. That of a bias needs no bias: it has the shape and
// type of the weight, or without one the normalized shape and the type that is computed in. rstd is that of forward,
// which knew the epsilon.
composed_leaves compose_gradients(const composition &how, const composed_leaves &of, const at::Tensor &grad_output,
                                  const at::Tensor &rstd, std::array<bool, 3> wanted);

// Backward of compose_gradients: the gradients of the leaves and of grad_output, from those of its results, of which
// any may be undefined. Formulas, since autograd within a node sees no derivatives of a transform that has ended
// (functorch).
std::array<at::Tensor, 4> compose_second_gradients(const composition &how, const composed_leaves &of,
                                                   const at::Tensor &grad_output, const at::Tensor &rstd,
                                                   const composed_leaves &given);

} // namespace jitnorm_torch
