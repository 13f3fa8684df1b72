// SPDX-License-Identifier: Apache-2.0
// The operators torch.ops.jitnorm.*: their schemas and their functions for tensors on a CPU. autograd.cpp has their
// derivatives, jitnorm_torch/shapes.py the shapes of their results for tensors without data.
#include <torch/library.h>

#include <jitnorm/jitnorm.hpp>

#include "modulate.hpp"
#include "override.hpp"

namespace jitnorm_torch {

namespace {

using at::IntArrayRef;
using at::Tensor;

const optional_tensor NONE;

Tensor layer_norm(const Tensor &input, IntArrayRef shape, const optional_tensor &weight, const optional_tensor &bias,
                  double epsilon) {
    return forward(input, {shape, weight, bias, epsilon, false}, false).output;
}

std::tuple<Tensor, Tensor, Tensor> layer_norm_forward(const Tensor &input, IntArrayRef shape,
                                                      const optional_tensor &weight, const optional_tensor &bias,
                                                      double epsilon) {
    normalized made = forward(input, {shape, weight, bias, epsilon, false}, true);
    return {std::move(made.output), std::move(made.mean), std::move(made.rstd)};
}

std::tuple<Tensor, Tensor, Tensor> layer_norm_backward(const Tensor &gradient, const Tensor &input, IntArrayRef shape,
                                                       const Tensor &mean, const Tensor &rstd,
                                                       const optional_tensor &weight, std::array<bool, 3> mask,
                                                       const optional_tensor &of_input) {
    gradients made = backward(gradient, input, mean, rstd, {shape, weight, NONE, 0, false}, {mask[0], mask[1], mask[2]},
                              of_input.value_or(Tensor()));
    return {std::move(made.input), std::move(made.weight), std::move(made.bias)};
}

Tensor rms_norm(const Tensor &input, IntArrayRef shape, const optional_tensor &weight, c10::optional<double> epsilon,
                bool plus_one, bool rounds) {
    const double number = epsilon_or_default(epsilon, input);
    return forward(input, {shape, weight, NONE, number, true, plus_one, rounds}, false).output;
}

std::tuple<Tensor, Tensor> rms_norm_forward(const Tensor &input, IntArrayRef shape, const optional_tensor &weight,
                                            c10::optional<double> epsilon, bool plus_one, bool rounds) {
    const double number = epsilon_or_default(epsilon, input);
    normalized made = forward(input, {shape, weight, NONE, number, true, plus_one, rounds}, true);
    return {std::move(made.output), std::move(made.rstd)};
}

std::tuple<Tensor, Tensor> rms_norm_backward(const Tensor &gradient, const Tensor &input, IntArrayRef shape,
                                             const Tensor &rstd, const optional_tensor &weight,
                                             std::array<bool, 2> mask, const optional_tensor &of_input, bool plus_one,
                                             bool rounds) {
    gradients made = backward(gradient, input, {}, rstd, {shape, weight, NONE, 0, true, plus_one, rounds},
                              {mask[0], mask[1], false}, of_input.value_or(Tensor()));
    return {std::move(made.input), std::move(made.weight)};
}

std::tuple<Tensor, Tensor> add_layer_norm(const Tensor &input, const Tensor &residual, IntArrayRef shape,
                                          const optional_tensor &weight, const optional_tensor &bias, double epsilon) {
    normalized made = add_forward(input, residual, {shape, weight, bias, epsilon, false}, false);
    return {std::move(made.output), std::move(made.sum)};
}

std::tuple<Tensor, Tensor, Tensor, Tensor> add_layer_norm_forward(const Tensor &input, const Tensor &residual,
                                                                  IntArrayRef shape, const optional_tensor &weight,
                                                                  const optional_tensor &bias, double epsilon) {
    normalized made = add_forward(input, residual, {shape, weight, bias, epsilon, false}, true);
    return {std::move(made.output), std::move(made.sum), std::move(made.mean), std::move(made.rstd)};
}

std::tuple<Tensor, Tensor> add_rms_norm(const Tensor &input, const Tensor &residual, IntArrayRef shape,
                                        const optional_tensor &weight, c10::optional<double> epsilon, bool plus_one,
                                        bool rounds) {
    const double number = epsilon_or_default(epsilon, sum_type(input, residual));
    normalized made = add_forward(input, residual, {shape, weight, NONE, number, true, plus_one, rounds}, false);
    return {std::move(made.output), std::move(made.sum)};
}

std::tuple<Tensor, Tensor, Tensor> add_rms_norm_forward(const Tensor &input, const Tensor &residual, IntArrayRef shape,
                                                        const optional_tensor &weight, c10::optional<double> epsilon,
                                                        bool plus_one, bool rounds) {
    const double number = epsilon_or_default(epsilon, sum_type(input, residual));
    normalized made = add_forward(input, residual, {shape, weight, NONE, number, true, plus_one, rounds}, true);
    return {std::move(made.output), std::move(made.sum), std::move(made.rstd)};
}

Tensor ada_layer_norm(const Tensor &input, const Tensor &scale, const Tensor &shift, const optional_tensor &weight,
                      const optional_tensor &bias, double epsilon) {
    return ada_forward(input, {scale, shift, weight, bias}, epsilon, false).output;
}

std::tuple<Tensor, Tensor, Tensor> ada_layer_norm_forward(const Tensor &input, const Tensor &scale, const Tensor &shift,
                                                          const optional_tensor &weight, const optional_tensor &bias,
                                                          double epsilon) {
    normalized made = ada_forward(input, {scale, shift, weight, bias}, epsilon, true);
    return {std::move(made.output), std::move(made.mean), std::move(made.rstd)};
}

std::tuple<Tensor, Tensor, Tensor, Tensor, Tensor>
ada_layer_norm_backward(const Tensor &gradient, const Tensor &input, const Tensor &scale, const Tensor &shift,
                        const Tensor &mean, const Tensor &rstd, const optional_tensor &weight,
                        const optional_tensor &bias, std::array<bool, 5> mask) {
    ada_gradients made = ada_backward(gradient, input, mean, rstd, {scale, shift, weight, bias},
                                      {mask[0], mask[1], mask[2], mask[3], mask[4]});
    return {std::move(made.input), std::move(made.scale), std::move(made.shift), std::move(made.weight),
            std::move(made.bias)};
}

std::tuple<Tensor, Tensor> rms_norm_int8(const Tensor &input, IntArrayRef shape, const optional_tensor &weight,
                                         c10::optional<double> epsilon, bool plus_one, const optional_tensor &scale) {
    const double number = epsilon_or_default(epsilon, input);
    quantized made = quantized_forward(input, {shape, weight, NONE, number, true, plus_one}, or_none(scale));
    return {std::move(made.output), std::move(made.scale)};
}

std::tuple<Tensor, Tensor> ada_layer_norm_int8(const Tensor &input, const Tensor &scale, const Tensor &shift,
                                               const optional_tensor &weight, const optional_tensor &bias,
                                               double epsilon, const optional_tensor &output_scale) {
    quantized made = ada_quantized_forward(input, {scale, shift, weight, bias}, epsilon, or_none(output_scale));
    return {std::move(made.output), std::move(made.scale)};
}

Tensor gated_rms_norm(const Tensor &input, const optional_tensor &gate, const optional_tensor &weight, double epsilon,
                      bool norm_before_gate, bool rounds) {
    return gated_forward(input, {gate, weight, norm_before_gate, rounds}, epsilon, false).output;
}

std::tuple<Tensor, Tensor> gated_rms_norm_forward(const Tensor &input, const optional_tensor &gate,
                                                  const optional_tensor &weight, double epsilon, bool norm_before_gate,
                                                  bool rounds) {
    normalized made = gated_forward(input, {gate, weight, norm_before_gate, rounds}, epsilon, true);
    return {std::move(made.output), std::move(made.rstd)};
}

std::tuple<Tensor, Tensor, Tensor> gated_rms_norm_backward(const Tensor &gradient, const Tensor &input,
                                                           const Tensor &rstd, const optional_tensor &gate,
                                                           const optional_tensor &weight, std::array<bool, 3> mask,
                                                           bool norm_before_gate, bool rounds) {
    gated_gradients made =
        gated_backward(gradient, input, rstd, {gate, weight, norm_before_gate, rounds}, {mask[0], mask[1], mask[2]});
    return {std::move(made.input), std::move(made.gate), std::move(made.weight)};
}

std::tuple<Tensor, Tensor, Tensor> layer_norm_partial_backward(const Tensor &gradient, const Tensor &input,
                                                               IntArrayRef shape, const Tensor &mean,
                                                               const Tensor &rstd, const optional_tensor &weight,
                                                               int64_t first_row, int64_t all_rows,
                                                               std::array<bool, 3> mask) {
    gradients made = partial_backward(gradient, input, mean, rstd, {shape, weight, NONE, 0, false},
                                      {mask[0], mask[1], mask[2]}, {first_row, all_rows});
    return {std::move(made.input), std::move(made.weight), std::move(made.bias)};
}

std::tuple<Tensor, Tensor> rms_norm_partial_backward(const Tensor &gradient, const Tensor &input, IntArrayRef shape,
                                                     const Tensor &rstd, const optional_tensor &weight,
                                                     int64_t first_row, int64_t all_rows, std::array<bool, 2> mask,
                                                     bool plus_one) {
    gradients made = partial_backward(gradient, input, {}, rstd, {shape, weight, NONE, 0, true, plus_one},
                                      {mask[0], mask[1], false}, {first_row, all_rows});
    return {std::move(made.input), std::move(made.weight)};
}

Tensor &add_partial_gradients_(Tensor &running, const Tensor &sums, int64_t rows, int64_t first_row, int64_t all_rows,
                               c10::optional<int64_t> columns) {
    add_partial_gradients(running, sums, rows, {first_row, all_rows}, columns.value_or(running.size(-1)));
    return running;
}

int64_t rows_of_sums(int64_t rows, int64_t first_row, int64_t all_rows, int64_t columns) {
    return partial_sums(rows, columns, {first_row, all_rows});
}

Tensor chunk_moments_of(const Tensor &input, int64_t first_column, int64_t all_columns, bool rms) {
    return chunk_moments(input, rms, {first_column, all_columns});
}

Tensor layer_norm_partial_forward(const Tensor &input, const Tensor &moments, const optional_tensor &weight,
                                  const optional_tensor &bias, double epsilon, int64_t first_column,
                                  int64_t all_columns) {
    const IntArrayRef shape = input.sizes().slice(std::max<int64_t>(input.dim(), 1) - 1);
    return partial_forward(input, moments, {shape, weight, bias, epsilon, false}, {first_column, all_columns});
}

Tensor rms_norm_partial_forward(const Tensor &input, const Tensor &moments, const optional_tensor &weight,
                                c10::optional<double> epsilon, int64_t first_column, int64_t all_columns,
                                bool plus_one) {
    const IntArrayRef shape = input.sizes().slice(std::max<int64_t>(input.dim(), 1) - 1);
    return partial_forward(input, moments, {shape, weight, NONE, epsilon_or_default(epsilon, input), true, plus_one},
                           {first_column, all_columns});
}

int64_t row_block(int64_t all_rows, int64_t columns) {
    jitnorm_dim_t rows = 0;
    jitnorm::error::wrap_c_api(jitnorm_layer_normalization_row_block(&rows, all_rows, columns), "no row block");
    return rows;
}

TORCH_LIBRARY(jitnorm, m) {
    be_quiet(); // before any operator can be called
    m.def("layer_norm(Tensor input, int[] normalized_shape, Tensor? weight=None, Tensor? bias=None, float eps=1e-05) "
          "-> Tensor");
    m.def("layer_norm_forward(Tensor input, int[] normalized_shape, Tensor? weight, Tensor? bias, float eps) "
          "-> (Tensor, Tensor, Tensor)");
    m.def("layer_norm_backward(Tensor grad_output, Tensor input, int[] normalized_shape, Tensor mean, Tensor rstd, "
          "Tensor? weight, bool[3] output_mask, Tensor? grad_input=None) -> (Tensor, Tensor, Tensor)");
    m.def("rms_norm(Tensor input, int[] normalized_shape, Tensor? weight=None, float? eps=None, bool plus_one=False, "
          "bool round_normalized=False) -> Tensor");
    m.def("rms_norm_forward(Tensor input, int[] normalized_shape, Tensor? weight, float? eps, bool plus_one=False, "
          "bool round_normalized=False) -> (Tensor, Tensor)");
    m.def("rms_norm_backward(Tensor grad_output, Tensor input, int[] normalized_shape, Tensor rstd, Tensor? weight, "
          "bool[2] output_mask, Tensor? grad_input=None, bool plus_one=False, bool round_normalized=False) -> (Tensor, "
          "Tensor)");
    m.def(
        "add_layer_norm(Tensor input, Tensor residual, int[] normalized_shape, Tensor? weight=None, Tensor? bias=None, "
        "float eps=1e-05) -> (Tensor, Tensor)");
    m.def("add_layer_norm_forward(Tensor input, Tensor residual, int[] normalized_shape, Tensor? weight, Tensor? bias, "
          "float eps) -> (Tensor, Tensor, Tensor, Tensor)");
    m.def("add_rms_norm(Tensor input, Tensor residual, int[] normalized_shape, Tensor? weight=None, float? eps=None, "
          "bool plus_one=False, bool round_normalized=False) -> (Tensor, Tensor)");
    m.def("add_rms_norm_forward(Tensor input, Tensor residual, int[] normalized_shape, Tensor? weight, float? eps, "
          "bool plus_one=False, bool round_normalized=False) -> (Tensor, Tensor, Tensor)");
    m.def("ada_layer_norm(Tensor input, Tensor scale, Tensor shift, Tensor? weight=None, Tensor? bias=None, "
          "float eps=1e-05) -> Tensor");
    m.def("ada_layer_norm_forward(Tensor input, Tensor scale, Tensor shift, Tensor? weight, Tensor? bias, float eps) "
          "-> (Tensor, Tensor, Tensor)");
    m.def(
        "ada_layer_norm_backward(Tensor grad_output, Tensor input, Tensor scale, Tensor shift, Tensor mean, "
        "Tensor rstd, Tensor? weight, Tensor? bias, bool[5] output_mask) -> (Tensor, Tensor, Tensor, Tensor, Tensor)");
    m.def("rms_norm_int8(Tensor input, int[] normalized_shape, Tensor? weight=None, float? eps=None, "
          "bool plus_one=False, Tensor? scale=None) -> (Tensor, Tensor)");
    m.def("ada_layer_norm_int8(Tensor input, Tensor scale, Tensor shift, Tensor? weight=None, Tensor? bias=None, "
          "float eps=1e-05, Tensor? output_scale=None) -> (Tensor, Tensor)");
    m.def("gated_rms_norm(Tensor input, Tensor? gate=None, Tensor? weight=None, float eps=1e-06, bool "
          "norm_before_gate=True, bool round_normalized=False) -> Tensor");
    m.def("gated_rms_norm_forward(Tensor input, Tensor? gate, Tensor? weight, float eps, bool norm_before_gate=True, "
          "bool round_normalized=False) -> (Tensor, Tensor)");
    m.def("gated_rms_norm_backward(Tensor grad_output, Tensor input, Tensor rstd, Tensor? gate, Tensor? weight, "
          "bool[3] output_mask, bool norm_before_gate=True, bool round_normalized=False) -> (Tensor, Tensor, Tensor)");
    m.def("layer_norm_partial_backward(Tensor grad_output, Tensor input, int[] normalized_shape, Tensor mean, Tensor "
          "rstd, Tensor? weight, int first_row, int all_rows, bool[3] output_mask) -> (Tensor, Tensor, Tensor)");
    m.def("rms_norm_partial_backward(Tensor grad_output, Tensor input, int[] normalized_shape, Tensor rstd, "
          "Tensor? weight, int first_row, int all_rows, bool[2] output_mask, bool plus_one=False) -> (Tensor, Tensor)");
    m.def("add_partial_gradients_(Tensor(a!) running, Tensor sums, int rows, int first_row, int all_rows, "
          "int? columns=None) -> Tensor(a!)");
    m.def("rows_of_sums(int rows, int first_row, int all_rows, int columns) -> int", &rows_of_sums);
    m.def("row_block(int all_rows, int columns) -> int", &row_block);
    m.def("chunk_moments(Tensor input, int first_column, int all_columns, bool rms) -> Tensor");
    m.def("merge_moments(Tensor[] moments, int[] columns, ScalarType dtype) -> Tensor");
    m.def("layer_norm_partial_forward(Tensor input, Tensor moments, Tensor? weight, Tensor? bias, float eps, "
          "int first_column, int all_columns) -> Tensor");
    m.def("rms_norm_partial_forward(Tensor input, Tensor moments, Tensor? weight, float? eps, int first_column, "
          "int all_columns, bool plus_one=False) -> Tensor");
    m.def("_switch_override(bool on) -> ()", &switch_override);
    m.def("_scope_override(bool enter) -> ()", &scope_override);
}

TORCH_LIBRARY_IMPL(jitnorm, CPU, m) {
    m.impl("layer_norm", &layer_norm);
    m.impl("layer_norm_forward", &layer_norm_forward);
    m.impl("layer_norm_backward", &layer_norm_backward);
    m.impl("rms_norm", &rms_norm);
    m.impl("rms_norm_forward", &rms_norm_forward);
    m.impl("rms_norm_backward", &rms_norm_backward);
    m.impl("add_layer_norm", &add_layer_norm);
    m.impl("add_layer_norm_forward", &add_layer_norm_forward);
    m.impl("add_rms_norm", &add_rms_norm);
    m.impl("add_rms_norm_forward", &add_rms_norm_forward);
    m.impl("ada_layer_norm", &ada_layer_norm);
    m.impl("ada_layer_norm_forward", &ada_layer_norm_forward);
    m.impl("ada_layer_norm_backward", &ada_layer_norm_backward);
    m.impl("rms_norm_int8", &rms_norm_int8);
    m.impl("ada_layer_norm_int8", &ada_layer_norm_int8);
    m.impl("gated_rms_norm", &gated_rms_norm);
    m.impl("gated_rms_norm_forward", &gated_rms_norm_forward);
    m.impl("gated_rms_norm_backward", &gated_rms_norm_backward);
    m.impl("layer_norm_partial_backward", &layer_norm_partial_backward);
    m.impl("rms_norm_partial_backward", &rms_norm_partial_backward);
    m.impl("add_partial_gradients_", &add_partial_gradients_);
    m.impl("chunk_moments", &chunk_moments_of);
    m.impl("merge_moments", &merge_moments);
    m.impl("layer_norm_partial_forward", &layer_norm_partial_forward);
    m.impl("rms_norm_partial_forward", &rms_norm_partial_forward);
}

} // namespace

} // namespace jitnorm_torch
