// SPDX-License-Identifier: Apache-2.0
#include "composed.hpp"

#include <ATen/TensorOperators.h>
#include <ATen/ops/rsqrt.h>
#include <ATen/ops/scalar_tensor.h>
#include <ATen/ops/silu.h>
#include <torch/csrc/autograd/autograd.h>

namespace jitnorm_torch {

namespace {

using at::Tensor;

Tensor multiply(const composition &how, const Tensor &normalized, const Tensor &weight, at::ScalarType type) {
    if (!weight.defined()) return normalized;
    if (how.plus_one) return normalized * (weight.to(type) + 1);
    return normalized * (how.rounds ? weight : weight.to(type));
}

// The epsilon is a tensor, or undefined: then it is what, with the input's variance, gives rstd.
Tensor run(const composition &how, const composed_leaves &of, const Tensor &given_epsilon, const Tensor &rstd) {
    const Tensor &input = of[0], &weight = of[how.gated ? 2 : 1], bias = how.gated ? Tensor() : of[2],
                 gate = how.gated ? of[1] : Tensor();
    const auto type = input.scalar_type() == at::kDouble ? at::kDouble : at::kFloat;
    const auto result = result_type(input.scalar_type(), weight, how.rounds);
    c10::SmallVector<int64_t, 4> axes;
    for (int64_t d = -int64_t(how.shape.size()); d < 0; ++d) axes.push_back(d);
    Tensor x = input.to(type);
    if (gate.defined() && how.gate_first) x = x * at::silu(gate.to(type));
    if (!how.rms) x = x - x.mean(axes, true);
    const Tensor variance = (x * x).mean(axes, true);
    const Tensor epsilon =
        given_epsilon.defined() ? given_epsilon : (rstd.to(type).view(variance.sizes()).pow(-2) - variance).detach();
    Tensor y = x * at::rsqrt(variance + epsilon);
    if (how.rounds) y = y.to(input.scalar_type());
    y = multiply(how, y, weight, type);
    if (bias.defined()) y = y + bias.to(type);
    if (gate.defined() && !how.gate_first) y = (how.rounds ? y.to(result) : y) * at::silu(gate.to(type));
    return y.to(gate.defined() && !how.gate_first ? input.scalar_type() : result);
}

} // namespace

Tensor as_leaf(const Tensor &tensor) {
    const at::AutoGradMode recorded(true);
    if (!tensor.defined()) return tensor;
    if (tensor.requires_grad()) return tensor.view_as(tensor);
    return (tensor._fw_grad(0).defined() ? tensor.view_as(tensor) : tensor.detach()).requires_grad_();
}

Tensor compose(const composition &how, const composed_leaves &of, double epsilon) {
    return run(how, of, at::scalar_tensor(epsilon, at::kDouble), {});
}

composed_leaves compose_gradients(const composition &how, const composed_leaves &of, const Tensor &of_output,
                                  const Tensor &rstd, std::array<bool, 3> wanted) {
    const bool differentiable = at::GradMode::is_enabled();
    const at::AutoGradMode recorded(true);
    torch::autograd::variable_list leaves;
    for (size_t i = 0; i < of.size(); ++i)
        if (wanted[i]) leaves.push_back(of[i]);
    const Tensor output = run(how, of, {}, rstd);
    const auto made =
        torch::autograd::grad({output}, leaves, {of_output.to(output.scalar_type())}, true, differentiable, true);
    composed_leaves gradients;
    for (size_t i = 0, next = 0; i < of.size(); ++i)
        if (wanted[i]) gradients[i] = made[next++];
    return gradients;
}

} // namespace jitnorm_torch
