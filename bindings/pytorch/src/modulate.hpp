// SPDX-License-Identifier: Apache-2.0
// modulate: normalizations of the last dimension in which rows, or groups of rows, have parameters of their own, and
// their gradients, without autograd. A failure is an exception.
#pragma once

#include "normalize.hpp"

namespace jitnorm_torch {

// forward() and backward() where the weight, and a bias with it, has dimensions of rows.
normalized rows_forward(const at::Tensor &input, const norm &how, bool wants_statistics);
gradients rows_backward(const at::Tensor &grad_output, const at::Tensor &input, const at::Tensor &mean,
                        const at::Tensor &rstd, const norm &how, wanted_gradients wanted, const at::Tensor &grad_input);

// layer_norm(input) * weight + bias, times 1 + scale, plus shift. Scale and shift have the input's dimensions, of which
// those of rows may be 1, or all of these but the last but one, which then is 1. Weight and bias are vectors.
struct ada_norm {
    const at::Tensor &scale, &shift;
    const optional_tensor &weight, &bias;
};
normalized ada_forward(const at::Tensor &input, const ada_norm &how, double epsilon, bool wants_statistics);

// The same with an int8 result. `output_scale` may be undefined: then a scale is found for each row.
quantized ada_quantized_forward(const at::Tensor &input, const ada_norm &how, double epsilon,
                                const at::Tensor &output_scale);

// Each gradient has its tensor's shape and type; one that is not wanted, or whose tensor is absent, is undefined.
struct ada_gradients {
    at::Tensor input, scale, shift, weight, bias;
};
struct wanted_ada_gradients {
    bool input, scale, shift, weight, bias;
};
ada_gradients ada_backward(const at::Tensor &grad_output, const at::Tensor &input, const at::Tensor &mean,
                           const at::Tensor &rstd, const ada_norm &how, wanted_ada_gradients wanted);

// rms_norm(input) * weight * silu(gate), or rms_norm(input * silu(gate)) * weight. The weight's dimensions are the last
// ones of the input, and those of rows may be 1; the gate has the input's shape. Both are optional. The
// output has the input's type or, if it is rounded and no gate follows, that of result_type().
struct gated_norm {
    const optional_tensor &gate, &weight;
    bool norm_before_gate;
    bool rounds = false; // after the norm, after the weight and after the gate
};
normalized gated_forward(const at::Tensor &input, const gated_norm &how, double epsilon, bool wants_statistics);

struct gated_gradients {
    at::Tensor input, gate, weight;
};
struct wanted_gated_gradients {
    bool input, gate, weight;
};
gated_gradients gated_backward(const at::Tensor &grad_output, const at::Tensor &input, const at::Tensor &rstd,
                               const gated_norm &how, wanted_gated_gradients wanted);

} // namespace jitnorm_torch
