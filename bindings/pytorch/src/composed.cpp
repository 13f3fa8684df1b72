// SPDX-License-Identifier: Apache-2.0
#include "composed.hpp"

#include <ATen/TensorOperators.h>
#include <ATen/ops/rsqrt.h>
#include <ATen/ops/scalar_tensor.h>
#include <ATen/ops/sigmoid.h>
#include <ATen/ops/zeros_like.h>

namespace jitnorm_torch {

namespace {

using at::Tensor;

c10::SmallVector<int64_t, 4> axes_of(const composition &how) {
    c10::SmallVector<int64_t, 4> axes;
    for (int64_t d = -int64_t(how.shape.size()); d < 0; ++d) axes.push_back(d);
    return axes;
}

// The normalized values and rstd. The epsilon is a tensor, or undefined: then it is what, with the variance of x, gives
// the rstd that is given.
std::pair<Tensor, Tensor> normalize(const composition &how, Tensor x, const Tensor &given_epsilon,
                                    const Tensor &given_rstd) {
    const auto axes = axes_of(how);
    if (!how.rms) x = x - x.mean(axes, true);
    const Tensor variance = (x * x).mean(axes, true);
    const Tensor epsilon = given_epsilon.defined()
                               ? given_epsilon
                               : (given_rstd.to(x.scalar_type()).view(variance.sizes()).pow(-2) - variance).detach();
    const Tensor rstd = at::rsqrt(variance + epsilon);
    return {x * rstd, rstd};
}

Tensor multiply(const composition &how, const Tensor &normalized, const Tensor &weight, at::ScalarType type) {
    if (!weight.defined()) return normalized;
    if (how.plus_one) return normalized * (weight.to(type) + 1);
    return normalized * (how.rounds ? weight : weight.to(type));
}

// Written out, as its derivatives below: PyTorch 1.13 has no forward mode for those of its own.
Tensor silu_of(const Tensor &gate) { return gate * at::sigmoid(gate); }

// What the formulas of gradients are made of, in the type that is computed in. The normalized value is
// normalized(x * factor), where the gate comes first, otherwise normalized(x).
struct terms {
    c10::SmallVector<int64_t, 4> axes;
    bool rms, gate_first = false, gate_last = false;
    Tensor x, scale;                 // the scale is undefined without a weight
    Tensor factor, slope, curvature; // silu of the gate and its derivatives; undefined without a gate
    Tensor normalized, rounded, rstd;

    terms(const composition &how, const composed_leaves &of, const Tensor &given_rstd)
        : axes(axes_of(how)), rms(how.rms), x(of[0].to(computed_in(of[0]))) {
        const auto type = x.scalar_type();
        const Tensor &weight = of[how.gated ? 2 : 1];
        if (weight.defined()) scale = how.plus_one ? weight.to(type) + 1 : weight.to(type);
        if (how.gated && of[1].defined()) {
            (how.gate_first ? gate_first : gate_last) = true;
            const Tensor gate = of[1].to(type), sigmoid = at::sigmoid(gate), rest = 1 - sigmoid;
            factor = gate * sigmoid;
            slope = sigmoid * (gate * rest + 1);
            curvature = sigmoid * rest * (gate * (rest - sigmoid) + 2);
        }
        std::tie(normalized, rstd) = normalize(how, gate_first ? x * factor : x, {}, given_rstd);
        rounded = how.rounds ? normalized.to(of[0].scalar_type()).to(type) : normalized;
    }

    Tensor scaled(const Tensor &rows) const { return scale.defined() ? rows * scale : rows; }
    Tensor mean(const Tensor &rows) const { return rows.mean(axes, true); }

    // The gradient of what is normalized from that of its normalized values.
    Tensor through_norm(const Tensor &gradient) const {
        const Tensor rows = gradient - normalized * mean(gradient * normalized);
        return (rms ? rows : rows - mean(rows)) * rstd;
    }
};

} // namespace

Tensor compose(const composition &how, const composed_leaves &of, double epsilon) {
    const Tensor &input = of[0], &weight = of[how.gated ? 2 : 1], bias = how.gated ? Tensor() : of[2],
                 gate = how.gated ? of[1] : Tensor();
    const auto type = computed_in(input);
    const auto result = result_type(input.scalar_type(), weight, how.rounds);
    Tensor x = input.to(type);
    if (gate.defined() && how.gate_first) x = x * silu_of(gate.to(type));
    Tensor y = normalize(how, x, at::scalar_tensor(epsilon, at::kDouble), {}).first;
    if (how.rounds) y = y.to(input.scalar_type());
    y = multiply(how, y, weight, type);
    if (bias.defined()) y = y + bias.to(type);
    if (gate.defined() && !how.gate_first) y = (how.rounds ? y.to(result) : y) * silu_of(gate.to(type));
    return y.to(gate.defined() && !how.gate_first ? input.scalar_type() : result);
}

composed_leaves compose_gradients(const composition &how, const composed_leaves &of, const Tensor &of_output,
                                  const Tensor &rstd, std::array<bool, 3> wanted) {
    const terms t(how, of, rstd);
    const size_t place = how.gated ? 2 : 1; // of the weight
    const Tensor &weight = of[place];
    Tensor gradient = of_output.to(t.x.scalar_type());
    composed_leaves made;
    if (t.gate_last) {
        made[1] = gradient * t.scaled(t.rounded) * t.slope;
        gradient = gradient * t.factor;
    }
    if (weight.defined()) made[place] = (gradient * t.rounded).sum_to_size(weight.sizes());
    if (!how.gated) made[2] = gradient.sum_to_size(weight.defined() ? weight.sizes() : at::IntArrayRef(how.shape));
    gradient = t.through_norm(t.scaled(gradient));
    if (t.gate_first) made[1] = gradient * t.x * t.slope;
    made[0] = t.gate_first ? gradient * t.factor : gradient;
    for (size_t i = 0; i < made.size(); ++i) {
        const Tensor &own = of[i].defined() ? of[i] : weight;
        made[i] = wanted[i] ? in_type(made[i], own.defined() ? own.scalar_type() : t.x.scalar_type()) : Tensor();
    }
    return made;
}

// With r = rstd, n = normalized, N = through_norm, u = scaled(gradient), a product that has a gradient for each of its
// factors: <A, N(u)> = <N(A), u>, of which n and r are functions of the input, too.
std::array<Tensor, 4> compose_second_gradients(const composition &how, const composed_leaves &of,
                                               const Tensor &of_output, const Tensor &rstd,
                                               const composed_leaves &given) {
    const terms t(how, of, rstd);
    const auto type = t.x.scalar_type();
    const size_t place = how.gated ? 2 : 1;
    const auto or_zero = [&](const Tensor &tensor) {
        return tensor.defined() ? tensor.to(type) : at::scalar_tensor(0, t.x.options());
    };
    const Tensor by_input = given[0].defined() ? given[0].to(type) : at::zeros_like(t.x),
                 by_weight = or_zero(given[place]), by_gate = how.gated ? or_zero(given[1]) : Tensor(),
                 output = of_output.to(type);
    const Tensor gradient = t.gate_last ? output * t.factor : output, u = t.scaled(gradient),
                 n_of_u = t.through_norm(u);
    const Tensor by_value = t.gate_first ? by_input * t.factor + by_gate * t.x * t.slope : by_input;
    const Tensor n_of_value = t.through_norm(by_value);
    Tensor of_gradient = t.scaled(n_of_value) + by_weight * t.rounded, of_scale = n_of_value * gradient, of_gate;
    if (!how.gated) of_gradient = of_gradient + or_zero(given[2]); // of the bias
    Tensor of_normalized =
        by_weight * gradient - t.rstd * (u * t.mean(by_value * t.normalized) + by_value * t.mean(u * t.normalized));
    if (t.gate_last) {
        const Tensor product = by_gate * t.slope, scaled = t.scaled(t.rounded);
        of_normalized = of_normalized + t.scaled(output * product);
        of_scale = of_scale + output * product * t.rounded;
        of_gate = output * (of_gradient * t.slope + by_gate * scaled * t.curvature);
        of_gradient = of_gradient * t.factor + product * scaled;
    }
    Tensor of_input = t.through_norm(of_normalized) - t.rstd * t.normalized * t.mean(by_value * n_of_u);
    if (t.gate_first) {
        of_gate = of_input * t.x * t.slope + n_of_u * (by_input * t.slope + by_gate * t.x * t.curvature);
        of_input = of_input * t.factor + by_gate * n_of_u * t.slope;
    }
    const Tensor of_weight = of[place].defined() ? of_scale.sum_to_size(of[place].sizes()) : Tensor();
    if (how.gated) return {of_input, of_gate, of_weight, of_gradient};
    return {of_input, of_weight, Tensor(), of_gradient};
}

} // namespace jitnorm_torch
