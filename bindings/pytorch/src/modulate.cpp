// SPDX-License-Identifier: Apache-2.0
#include "modulate.hpp"

#include <ATen/Parallel.h>
#include <ATen/TensorOperators.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/empty_like.h>
#include <ATen/ops/mul.h>
#include <ATen/ops/silu.h>
#include <ATen/ops/silu_backward.h>

#include <algorithm>
#include <initializer_list>

namespace jitnorm_torch {

namespace {

using at::Tensor;
using sizes = c10::SmallVector<int64_t, 8>;

constexpr int64_t PIECE = 1 << 16; // elements that one thread works on at once in a chain of PyTorch's operations

void check_rows(const Tensor &input) {
    check_device("the input", input);
    TORCH_CHECK(input.dim() > 0, "the input has no dimension to normalize");
}

bool fits_to_rows(const Tensor &full, const Tensor &input) {
    bool fits = full.dim() == input.dim() && full.size(-1) == input.size(-1);
    for (int64_t d = 0; fits && d < input.dim() - 1; ++d) fits = full.size(d) == 1 || full.size(d) == input.size(d);
    return fits;
}

// The tensor with the input's number of dimensions, of which those of rows are 1 or the input's. It may lack any number
// of the first ones, as PyTorch broadcasts. If `batches` is true, it may lack the last dimension of rows instead; a
// shape that fits in both ways is taken so. Undefined if there is no tensor.
Tensor in_rank(const char *what, const Tensor &tensor, const Tensor &input, bool batches) {
    if (!tensor.defined()) return tensor;
    check_device(what, tensor);
    Tensor full = tensor;
    if (batches && full.dim() == input.dim() - 1 && full.dim() > 0) full = full.unsqueeze(-2);
    if (fits_to_rows(full, input)) return full;
    full = tensor;
    while (full.dim() > 0 && full.dim() < input.dim()) full = full.unsqueeze(0);
    TORCH_CHECK(fits_to_rows(full, input), what, " has the shape ", tensor.sizes(),
                ", which does not fit to the input's, ", input.sizes());
    return full;
}

Tensor as_vector(const optional_tensor &given, const Tensor &input) {
    const Tensor tensor = or_none(given);
    TORCH_CHECK(!tensor.defined() || tensor.dim() == 1, "weight and bias must have 1 dimension, not ", tensor.dim());
    return in_rank("weight or bias", tensor, input, false);
}

// Scale and shift of one primitive are of one type.
void unite_types(Tensor &scale, Tensor &shift) {
    if (!scale.defined() || !shift.defined()) return;
    const auto common = at::promoteTypes(scale.scalar_type(), shift.scalar_type());
    scale = in_type(scale, common);
    shift = in_type(shift, common);
}

// A primitive's scale and shift have rows whose elements follow each other.
void make_rows_dense(Tensor &tensor) {
    if (tensor.defined() && tensor.size(-1) > 1 && tensor.stride(-1) != 1) tensor = tensor.contiguous();
}

// What a primitive does in forward: tensors that broadcast to the input, or undefined ones.
struct forward_steps {
    Tensor scale, shift; // of the normalization
    bool plus_one, rms;
    std::array<std::pair<jitnorm_alg_kind_t, Tensor>, 2> after; // post-ops
    Tensor gate = {};                                           // silu of it is multiplied by the input before all else
    bool rounds = false;
};

// Runs the request on tensors of which `tensors` has those that the steps do not have.
void run_steps(Tensor input, Tensor output, forward_steps how, request asked, pointers tensors) {
    unite_types(how.scale, how.shift);
    make_rows_dense(how.scale);
    make_rows_dense(how.shift);
    asked.flags = flags_of(how.rms, how.scale.defined(), how.shift.defined(), how.plus_one, how.rounds);
    if (how.scale.defined() || how.shift.defined())
        asked.affine_type = type_of(how.scale.defined() ? how.scale : how.shift, "scale or shift");
    asked.by_rows = 1;
    for (size_t i = 0; i < how.after.size() && how.after[i].second.defined(); ++i) {
        asked.operations[i] = how.after[i].first;
        asked.operand_types[i] = type_of(how.after[i].second, "a weight, scale or shift");
    }
    if (how.gate.defined()) {
        asked.adds = 2;
        asked.residual_type = type_of(how.gate, "the gate");
    }
    prepared &ready = prepare(
        asked, {&input, &output, &how.gate, &how.scale, &how.shift, &how.after[0].second, &how.after[1].second}, 1);
    tensors[SRC] = data_of(input);
    tensors[DST] = data_of(output);
    tensors[SCALE] = data_of(how.scale);
    tensors[SHIFT] = data_of(how.shift);
    tensors[RESIDUAL] = data_of(how.gate);
    tensors[OPERAND_0] = data_of(how.after[0].second);
    tensors[OPERAND_1] = data_of(how.after[1].second);
    ready.run(tensors);
}

normalized run_forward(const Tensor &input, const forward_steps &how, double epsilon, bool wants_statistics) {
    normalized made;
    const bool promotes = how.rounds && !how.after[0].second.defined();
    made.output = empty(input.sizes(), result_type(input.scalar_type(), optional_tensor(how.scale), promotes));
    if (wants_statistics && !how.rms) made.mean = empty_statistics(input, 1);
    if (wants_statistics) made.rstd = empty_statistics(input, 1);
    pointers tensors = {};
    tensors[MEAN] = data_of(made.mean);
    tensors[VARIANCE] = data_of(made.rstd);
    request asked =
        make_request(wants_statistics ? jitnorm_forward_training : jitnorm_forward_inference, input, epsilon);
    asked.result_type = type_of(made.output);
    run_steps(input, made.output, how, asked, tensors);
    return made;
}

// The gradient of the input, and sums over all rows that have a scale and a shift of their own: of the output's
// gradient times the normalized value, and of the output's gradient. They have the shape and the type that are asked
// for.
struct sums {
    Tensor input, scale, shift;
};

struct backward_steps {
    Tensor scale;
    bool plus_one, rms;
    bool shifts; // whether the second sum is wanted
    sizes shape; // of the sums; none if they are not wanted
    at::ScalarType type = at::kFloat;
    bool rounds = false;
};

sums run_backward(const Tensor &of_output, Tensor input, const Tensor &given_mean, const Tensor &given_rstd,
                  backward_steps how) {
    const int64_t row_count = c10::multiply_integers(input.sizes().slice(0, size_t(input.dim() - 1)));
    Tensor gradient = how.rounds ? of_output : in_type(of_output, input.scalar_type());
    const Tensor mean = how.rms ? Tensor() : in_type(given_mean, at::kFloat).contiguous();
    const Tensor rstd = in_type(given_rstd, at::kFloat).contiguous();
    check_device("the mean", mean);
    check_device("rstd", rstd);
    if (!how.rms) check_statistics("mean", mean, row_count);
    check_statistics("rstd", rstd, row_count);
    make_rows_dense(how.scale);
    sums made = {empty_data(input), {}, {}};
    const bool any = !how.shape.empty();
    if (any) made.scale = empty(how.shape, how.type);
    if (any && how.shifts) made.shift = empty(how.shape, how.type);
    if (input.numel() == 0) {
        if (made.scale.defined()) made.scale.zero_();
        if (made.shift.defined()) made.shift.zero_();
        return made;
    }
    request asked = make_request(any ? jitnorm_backward : jitnorm_backward_data, input, 0);
    asked.flags = flags_of(how.rms, how.scale.defined(), made.shift.defined(), how.plus_one, how.rounds);
    if (how.scale.defined()) asked.affine_type = type_of(how.scale, "the scale");
    if (any) asked.gradient_type = type_of(made.scale);
    asked.by_rows = 1;
    asked.result_type = type_of(gradient, "the output's gradient");
    prepared &ready = prepare(asked, {&input, &gradient, &made.input, &how.scale, &made.scale}, 1);
    pointers tensors = {};
    tensors[SRC] = data_of(input);
    tensors[DIFF_DST] = data_of(gradient);
    tensors[DIFF_SRC] = data_of(made.input);
    tensors[MEAN] = data_of(mean);
    tensors[VARIANCE] = data_of(rstd);
    tensors[SCALE] = data_of(how.scale);
    tensors[DIFF_SCALE] = data_of(made.scale);
    tensors[DIFF_SHIFT] = data_of(made.shift);
    ready.run(tensors);
    return made;
}

// The gradient of a tensor from that of the tensor in_rank() made of it, before that was broadcast.
Tensor as_gradient(const Tensor &broadcast, const Tensor &full, const Tensor &own) {
    return broadcast.sum_to_size(full.sizes()).to(own.scalar_type()).reshape(own.sizes()).contiguous();
}

// Scale, shift, weight and bias in the input's rank.
struct ada_tensors {
    Tensor scale, shift, weight, bias;

    ada_tensors(const Tensor &input, const ada_norm &how)
        : scale(in_rank("scale", how.scale, input, true)), shift(in_rank("shift", how.shift, input, true)),
          weight(as_vector(how.weight, input)), bias(as_vector(how.bias, input)) {}

    bool have_affine() const { return weight.defined() || bias.defined(); }
};

// Computes the gradient of the gate, if it is defined, and that of the normalized values, which may be of_output itself
// where it is not wanted. PyTorch's operations run over pieces of the tensors, so that what they pass to each other
// stays in the cache and needs little memory.
void pass_gate(const Tensor &of_output, const Tensor &input, const Tensor &rstd, const Tensor &gate,
               const Tensor &weight, const Tensor &of_gate, const Tensor &of_normalized) {
    if (input.numel() == 0) return;
    const auto type = computed_in(input);
    sizes shape(input.sizes().begin(), input.sizes().end()), statistics;
    Tensor scale = weight;
    if (shape.size() == 1) { // one row, which has no dimension of rows
        shape.insert(shape.begin(), 1);
        if (scale.defined()) scale = scale.unsqueeze(0);
    }
    // Rows along which the weight does not change become one dimension, which is cut.
    while (shape.size() > 2 && (!scale.defined() || (scale.size(0) == 1 && scale.size(1) == 1))) {
        shape[1] *= shape[0];
        shape.erase(shape.begin());
        if (scale.defined()) scale = scale.squeeze(0);
    }
    statistics = shape;
    statistics.back() = 1;
    const bool cut = shape.size() > 1 && (!scale.defined() || scale.size(0) == 1);
    const int64_t all = shape[0],
                  piece_rows = PIECE * at::get_num_threads() / std::max<int64_t>(input.numel() / all, 1);
    const int64_t most = cut ? std::clamp<int64_t>(piece_rows, 1, all) : all;
    const Tensor x = input.reshape(shape), z = gate.reshape(shape), g = of_output.reshape(shape);
    const Tensor deviations = rstd.reshape(statistics);
    shape[0] = most;
    const Tensor value = at::empty(shape, input.options().dtype(type)), of_value = at::empty_like(value),
                 product = at::empty_like(value);
    for (int64_t first = 0; first < all; first += most) {
        const int64_t count = std::min(most, all - first);
        const auto piece = [&](const Tensor &tensor) { return tensor.narrow(0, first, count); };
        const auto part = [&](const Tensor &buffer) { return buffer.narrow(0, 0, count); };
        const auto in_compute_type = [&](const Tensor &tensor, const Tensor &buffer) {
            return tensor.scalar_type() == type ? piece(tensor) : part(buffer).copy_(piece(tensor));
        };
        const Tensor own = in_compute_type(z, value), from = in_compute_type(g, of_value);
        if (of_gate.defined()) {
            Tensor to = part(product);
            at::mul_out(to, in_compute_type(x, product), piece(deviations));
            if (scale.defined()) to.mul_(scale);
            to.mul_(from);
            at::silu_backward_out(to, to, own);
            piece(of_gate.view(x.sizes())).copy_(to);
        }
        if (!of_normalized.is_same(of_output)) {
            Tensor to = part(value);
            at::silu_out(to, own).mul_(from);
            piece(of_normalized.view(x.sizes())).copy_(to);
        }
    }
}

} // namespace

namespace {

forward_steps ada_steps(const Tensor &input, const ada_norm &how) {
    check_rows(input);
    const ada_tensors given(input, how);
    if (!given.have_affine()) return {given.scale, given.shift, true, false, {}};
    return {given.weight,
            given.bias,
            false,
            false,
            {{{jitnorm_binary_mul_plus_one, given.scale}, {jitnorm_binary_add, given.shift}}}};
}

} // namespace

normalized ada_forward(const Tensor &input, const ada_norm &how, double epsilon, bool wants_statistics) {
    return run_forward(input, ada_steps(input, how), epsilon, wants_statistics);
}

quantized ada_quantized_forward(const Tensor &input, const ada_norm &how, double epsilon, const Tensor &output_scale) {
    const forward_steps steps = ada_steps(input, how);
    request asked = make_request(jitnorm_forward_inference, input, epsilon);
    pointers tensors = {};
    const quantized made = ask_quantized(input, 1, output_scale, asked, tensors);
    run_steps(input, made.output, steps, asked, tensors);
    return made;
}

// The output is x * w * (1 + s) + b * (1 + s) + t, where x is the normalized input: a normalization whose scale is
// w * (1 + s). All gradients of parameters follow from its two sums, which are as small as s and t.
ada_gradients ada_backward(const Tensor &of_output, const Tensor &input, const Tensor &mean, const Tensor &rstd,
                           const ada_norm &how, wanted_ada_gradients wanted) {
    wanted.weight = wanted.weight && or_none(how.weight).defined();
    wanted.bias = wanted.bias && or_none(how.bias).defined();
    check_rows(input);
    check_device("the output's gradient", of_output);
    check_same_shape("the output's gradient", of_output, input);
    const ada_tensors given(input, how);
    const auto type = computed_in(input);
    Tensor factor, weight; // 1 + s and w in the type that is computed in
    if (given.have_affine()) factor = given.scale.to(type).add(1);
    if (given.weight.defined()) weight = given.weight.to(type);
    backward_steps steps = {weight.defined() ? weight * factor : given.scale, !weight.defined(), false, true, {}, type};
    if (wanted.scale || wanted.shift || wanted.weight || wanted.bias)
        for (int64_t d = 0; d < input.dim(); ++d)
            steps.shape.push_back(given.scale.size(d) == 1 ? given.shift.size(d) : given.scale.size(d));
    const auto is_a_sum = [&](const Tensor &tensor, const Tensor &full) {
        return full.sizes().equals(steps.shape) && tensor.scalar_type() == how.scale.scalar_type();
    };
    if (!given.have_affine() && is_a_sum(how.scale, given.scale) && is_a_sum(how.shift, given.shift))
        steps.type = how.scale.scalar_type();
    const sums by = run_backward(of_output, input, mean, rstd, steps);
    ada_gradients made;
    if (wanted.input) made.input = by.input;
    if (wanted.weight) made.weight = as_gradient(by.scale * factor, given.weight, *how.weight);
    if (wanted.bias) made.bias = as_gradient(by.shift * factor, given.bias, *how.bias);
    if (wanted.scale) {
        if (weight.defined()) by.scale.mul_(weight);
        if (given.bias.defined()) by.scale.addcmul_(by.shift, given.bias.to(type));
        made.scale = as_gradient(by.scale, given.scale, how.scale);
    }
    if (wanted.shift) made.shift = as_gradient(by.shift, given.shift, how.shift);
    return made;
}

namespace {

// Weight and bias in the input's rank.
std::pair<Tensor, Tensor> affine_in_rank(const Tensor &input, const norm &how) {
    check_rows(input);
    TORCH_CHECK(how.shape[0] == input.size(-1), "normalized_shape ", how.shape, " is not the end of the input's shape ",
                input.sizes());
    const Tensor bias = or_none(how.bias);
    TORCH_CHECK(!bias.defined() || bias.sizes().equals(how.weight->sizes()), "the bias must have the weight's shape, ",
                how.weight->sizes(), ", not ", bias.sizes());
    return {in_rank("the weight", *how.weight, input, false), in_rank("the bias", bias, input, false)};
}

} // namespace

normalized rows_forward(const Tensor &input, const norm &how, bool wants_statistics) {
    const auto [weight, bias] = affine_in_rank(input, how);
    return run_forward(input, {weight, bias, how.plus_one, how.rms, {}, {}, how.rounds}, how.epsilon, wants_statistics);
}

gradients rows_backward(const Tensor &of_output, const Tensor &input, const Tensor &mean, const Tensor &rstd,
                        const norm &how, wanted_gradients wanted, const Tensor &of_input) {
    const auto [weight, bias] = affine_in_rank(input, how);
    check_device("the output's gradient", of_output);
    check_same_shape("the output's gradient", of_output, input);
    backward_steps steps = {weight, how.plus_one, how.rms, wanted.bias, {}, weight.scalar_type(), how.rounds};
    if (wanted.weight || wanted.bias) steps.shape.assign(weight.sizes().begin(), weight.sizes().end());
    const sums by = run_backward(of_output, input, mean, rstd, steps);
    gradients made;
    if (wanted.input) made.input = of_input.defined() ? by.input + of_input : by.input;
    if (wanted.weight) made.weight = as_gradient(by.scale, weight, *how.weight);
    if (wanted.bias) made.bias = as_gradient(by.shift, weight, bias.defined() ? *how.bias : *how.weight);
    return made;
}

namespace {

// Gate and weight, the latter in the input's rank.
std::pair<Tensor, Tensor> gate_and_weight(const Tensor &input, const gated_norm &how) {
    check_rows(input);
    const Tensor gate = or_none(how.gate);
    check_device("the gate", gate);
    if (gate.defined()) check_same_shape("the gate", gate, input);
    return {gate, in_rank("the weight", or_none(how.weight), input, false)};
}

} // namespace

normalized gated_forward(const Tensor &input, const gated_norm &how, double epsilon, bool wants_statistics) {
    const auto [gate, weight] = gate_and_weight(input, how);
    if (gate.defined() && !how.norm_before_gate)
        return run_forward(input, {weight, {}, false, true, {}, gate, how.rounds}, epsilon, wants_statistics);
    return run_forward(input, {weight, {}, false, true, {{{jitnorm_binary_mul_silu, gate}}}, {}, how.rounds}, epsilon,
                       wants_statistics);
}

gated_gradients gated_backward(const Tensor &of_output, const Tensor &input, const Tensor &rstd, const gated_norm &how,
                               wanted_gated_gradients wanted) {
    wanted.weight = wanted.weight && or_none(how.weight).defined();
    check_rows(input);
    check_device("the output's gradient", of_output);
    check_same_shape("the output's gradient", of_output, input);
    check_device("rstd", rstd);
    const Tensor weight = in_rank("the weight", or_none(how.weight), input, false);
    const bool has_gate = how.gate.has_value() && how.gate->defined(), gate_first = has_gate && !how.norm_before_gate;
    gated_gradients made;
    Tensor normalized = input, gradient = of_output, gate, factor; // the factor is silu of the gate
    if (has_gate) {
        check_device("the gate", *how.gate);
        check_same_shape("the gate", *how.gate, input);
    }
    if (gate_first) {
        gate = how.gate->to(computed_in(input));
        factor = at::silu(gate);
        normalized = factor * input;
    } else if (has_gate) {
        if (wanted.gate) made.gate = empty(input.sizes(), how.gate->scalar_type());
        if (wanted.input || wanted.weight) gradient = empty_data(input);
        pass_gate(of_output, input, rstd, *how.gate, weight, made.gate, gradient);
    }
    if (!wanted.input && !wanted.weight && !gate_first) return made;
    backward_steps steps = {weight, false, true, false, {}, at::kFloat, how.rounds};
    if (wanted.weight) {
        steps.shape.assign(weight.sizes().begin(), weight.sizes().end());
        steps.type = weight.scalar_type();
    }
    const sums by = run_backward(gradient, normalized, {}, rstd, steps);
    if (wanted.input) made.input = gate_first ? (by.input * factor).to(input.scalar_type()) : by.input;
    if (wanted.gate && gate_first) made.gate = at::silu_backward(by.input * input, gate).to(how.gate->scalar_type());
    if (wanted.weight) made.weight = as_gradient(by.scale, weight, *how.weight);
    return made;
}

} // namespace jitnorm_torch
