// SPDX-License-Identifier: Apache-2.0
#include "normalize.hpp"

#include <ATen/ops/empty.h>
#include <ATen/ops/zeros.h>

#include "prepared.hpp"

namespace jitnorm_torch {

namespace {

int64_t type_of(const at::Tensor &tensor) {
    switch (tensor.scalar_type()) {
    case at::kFloat:
        return jitnorm_f32;
    case at::kBFloat16:
        return jitnorm_bf16;
    case at::kHalf:
        return jitnorm_f16;
    case at::kDouble:
        return jitnorm_f64;
    default:
        TORCH_CHECK(false, "jitnorm normalizes float32, bfloat16, float16 and float64, not ", tensor.scalar_type());
    }
}

at::Tensor defined_or_none(const optional_tensor &tensor) { return tensor.has_value() ? *tensor : at::Tensor(); }

void check_shapes(const at::Tensor &input, const norm &how) {
    const auto sizes = input.sizes();
    const bool fits = !how.shape.empty() && how.shape.size() <= sizes.size() &&
                      sizes.slice(sizes.size() - how.shape.size()).equals(how.shape);
    TORCH_CHECK(fits, "normalized_shape ", how.shape, " is not the end of the input's shape ", sizes);
    for (const optional_tensor *affine : {&how.weight, &how.bias})
        if (affine->has_value() && (*affine)->defined())
            TORCH_CHECK((*affine)->sizes().equals(how.shape), "weight and bias must have the shape ", how.shape,
                        ", not ", (*affine)->sizes());
}

// Weight and bias as primitives want them: dense and of one type.
struct affine {
    at::Tensor weight, bias;

    explicit affine(const norm &how) : weight(defined_or_none(how.weight)), bias(defined_or_none(how.bias)) {
        if (weight.defined()) weight = weight.contiguous();
        if (bias.defined()) bias = bias.contiguous();
        if (!weight.defined() || !bias.defined() || weight.scalar_type() == bias.scalar_type()) return;
        const auto common = at::promoteTypes(weight.scalar_type(), bias.scalar_type());
        weight = weight.to(common);
        bias = bias.to(common);
    }

    bool any() const { return weight.defined() || bias.defined(); }
    const at::Tensor &either() const { return weight.defined() ? weight : bias; }
};

unsigned flags_of(const norm &how, bool scale, bool shift) {
    const auto flag = [](bool wanted, jitnorm_normalization_flags_t value) { return wanted ? unsigned(value) : 0U; };
    return unsigned(jitnorm_inverse_deviation) | flag(how.rms, jitnorm_rms_norm) | flag(scale, jitnorm_use_scale) |
           flag(shift, jitnorm_use_shift);
}

request make_request(jitnorm_prop_kind_t kind, const at::Tensor &input, const norm &how) {
    request asked;
    asked.kind = kind;
    asked.type = type_of(input);
    asked.affine_type = jitnorm_f32;
    asked.set_epsilon(how.epsilon);
    return asked;
}

// The input's sizes with 1 for what is normalized.
at::Tensor empty_statistics(const at::Tensor &input, const norm &how) {
    c10::SmallVector<int64_t, 8> sizes(input.sizes().begin(), input.sizes().end());
    std::fill(sizes.end() - std::ptrdiff_t(how.shape.size()), sizes.end(), 1);
    return at::empty(sizes, input.options().dtype(at::kFloat));
}

at::Tensor empty_data(const at::Tensor &like) { return at::empty(like.sizes(), like.options()); }

at::Tensor in_type(const at::Tensor &tensor, at::ScalarType type) {
    return tensor.defined() && tensor.scalar_type() != type ? tensor.to(type) : tensor;
}

void *data_of(const at::Tensor &tensor) { return tensor.defined() ? tensor.data_ptr() : nullptr; }

// The rows of inputs and, last, the output. Inputs whose strides are too many for a primitive become contiguous.
rows rows_of(std::initializer_list<at::Tensor *> inputs, const at::Tensor &output, const norm &how) {
    c10::SmallVector<const at::Tensor *, rows::MAX_TENSORS> all(inputs.begin(), inputs.end());
    all.push_back(&output);
    rows found;
    if (find_rows(all, int64_t(how.shape.size()), found)) return found;
    for (at::Tensor *input : inputs) *input = input->contiguous();
    found = {};
    find_rows(all, int64_t(how.shape.size()), found);
    return found;
}

void check_gradient(const at::Tensor &gradient, const at::Tensor &input) {
    TORCH_CHECK(gradient.sizes().equals(input.sizes()), "the output's gradient must have the shape ", input.sizes(),
                ", not ", gradient.sizes());
}

// Gradients of weight and bias come in one type, and with a weight its own comes along with the bias's.
void make_affine_gradients(const norm &how, const affine &side, const at::Tensor &input, wanted_gradients wanted,
                           gradients &to) {
    const auto options = side.any() ? side.either().options() : input.options();
    if (wanted.weight || (wanted.bias && side.weight.defined())) to.weight = at::empty(how.shape, options);
    if (wanted.bias) to.bias = at::empty(how.shape, options);
}

// What is left when the primitive has run: what was asked for, in the types of the tensors that it belongs to.
void keep_wanted(const norm &how, wanted_gradients wanted, gradients &made) {
    if (!wanted.input) made.input.reset();
    if (!wanted.weight) made.weight.reset();
    const auto type_of_own = [](const at::Tensor &gradient, const optional_tensor &own) {
        return own.has_value() && own->defined() ? in_type(gradient, own->scalar_type()) : gradient;
    };
    made.weight = type_of_own(made.weight, how.weight);
    made.bias = type_of_own(made.bias, how.bias);
}

request backward_request(const at::Tensor &input, const norm &how, const affine &side, const gradients &to) {
    const bool any = to.weight.defined() || to.bias.defined();
    request asked = make_request(any ? jitnorm_backward : jitnorm_backward_data, input, how);
    asked.flags = flags_of(how, side.weight.defined(), to.bias.defined());
    if (side.weight.defined())
        asked.affine_type = type_of(side.weight);
    else if (to.bias.defined())
        asked.affine_type = type_of(to.bias);
    return asked;
}

} // namespace

normalized forward(const at::Tensor &given, const norm &how, bool wants_statistics) {
    check_shapes(given, how);
    const affine side(how);
    normalized made = {empty_data(given), {}, {}};
    if (wants_statistics) {
        if (!how.rms) made.mean = empty_statistics(given, how);
        made.rstd = empty_statistics(given, how);
    }
    request asked = make_request(wants_statistics ? jitnorm_forward_training : jitnorm_forward_inference, given, how);
    asked.flags = flags_of(how, side.weight.defined(), side.bias.defined());
    if (side.any()) asked.affine_type = type_of(side.either());

    at::Tensor input = given;
    asked.data = rows_of({&input}, made.output, how);
    pointers tensors = {};
    tensors[SRC] = data_of(input);
    tensors[DST] = data_of(made.output);
    tensors[MEAN] = data_of(made.mean);
    tensors[VARIANCE] = data_of(made.rstd);
    tensors[SCALE] = data_of(side.weight);
    tensors[SHIFT] = data_of(side.bias);
    prepare(asked).run(tensors);
    return made;
}

gradients backward(const at::Tensor &of_output, const at::Tensor &given, const at::Tensor &given_mean,
                   const at::Tensor &given_rstd, const norm &how, wanted_gradients wanted) {
    check_shapes(given, how);
    check_gradient(of_output, given);
    const affine side(how);
    gradients made = {empty_data(given), {}, {}};
    make_affine_gradients(how, side, given, wanted, made);
    request asked = backward_request(given, how, side, made);

    at::Tensor input = given, gradient = in_type(of_output, given.scalar_type());
    asked.data = rows_of({&input, &gradient}, made.input, how);
    const at::Tensor mean = how.rms ? at::Tensor() : in_type(given_mean, at::kFloat).contiguous();
    const at::Tensor rstd = in_type(given_rstd, at::kFloat).contiguous();
    pointers tensors = {};
    tensors[SRC] = data_of(input);
    tensors[DIFF_DST] = data_of(gradient);
    tensors[DIFF_SRC] = data_of(made.input);
    tensors[MEAN] = data_of(mean);
    tensors[VARIANCE] = data_of(rstd);
    tensors[SCALE] = data_of(side.weight);
    tensors[DIFF_SCALE] = data_of(made.weight);
    tensors[DIFF_SHIFT] = data_of(made.bias);
    prepare(asked).run(tensors);
    keep_wanted(how, wanted, made);
    return made;
}

} // namespace jitnorm_torch
