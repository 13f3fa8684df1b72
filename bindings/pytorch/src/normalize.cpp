// SPDX-License-Identifier: Apache-2.0
#include "normalize.hpp"

#include <ATen/EmptyTensor.h>

#include <numeric>

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

// Contiguous, on the CPU; without the dispatcher, which takes as long as the rest of a small call.
at::Tensor empty(at::IntArrayRef sizes, at::ScalarType type) { return at::Tensor(at::detail::empty_cpu(sizes, type)); }

// The input's sizes with 1 for what is normalized.
at::Tensor empty_statistics(const at::Tensor &input, const norm &how) {
    c10::SmallVector<int64_t, 8> sizes(input.sizes().begin(), input.sizes().end());
    std::fill(sizes.end() - std::ptrdiff_t(how.shape.size()), sizes.end(), 1);
    return empty(sizes, at::kFloat);
}

at::Tensor empty_data(const at::Tensor &like) { return empty(like.sizes(), like.scalar_type()); }

at::Tensor in_type(const at::Tensor &tensor, at::ScalarType type) {
    return tensor.defined() && tensor.scalar_type() != type ? tensor.to(type) : tensor;
}

void *data_of(const at::Tensor &tensor) { return tensor.defined() ? tensor.data_ptr() : nullptr; }

// The rows of tensors, in this order. Where their strides are too many for a primitive, they become contiguous; results
// are already.
rows rows_of(std::initializer_list<at::Tensor *> tensors, const norm &how) {
    const c10::SmallVector<const at::Tensor *, rows::MAX_TENSORS> all(tensors.begin(), tensors.end());
    rows found;
    if (find_rows(all, int64_t(how.shape.size()), found)) return found;
    for (at::Tensor *tensor : tensors) *tensor = tensor->contiguous();
    found = {};
    find_rows(all, int64_t(how.shape.size()), found);
    return found;
}

void check_same_shape(const char *what, const at::Tensor &tensor, const at::Tensor &input) {
    TORCH_CHECK(tensor.sizes().equals(input.sizes()), what, " must have the shape ", input.sizes(), ", not ",
                tensor.sizes());
}

// Gradients of weight and bias come in one type, and with a weight its own comes along with the bias's.
bool makes_weight_gradient(const affine &side, wanted_gradients wanted) {
    return wanted.weight || (wanted.bias && side.weight.defined());
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

request backward_request(const at::Tensor &input, const norm &how, const affine &side, wanted_gradients wanted) {
    const bool any = wanted.weight || wanted.bias;
    request asked = make_request(any ? jitnorm_backward : jitnorm_backward_data, input, how);
    asked.flags = flags_of(how, side.weight.defined(), wanted.bias);
    if (side.weight.defined())
        asked.affine_type = type_of(side.weight);
    else if (wanted.bias)
        asked.affine_type = type_of(side.any() ? side.bias : input);
    return asked;
}

// What backward reads beside the normalization's own.
struct backward_inputs {
    at::Tensor gradient, input, mean, rstd, other_gradient; // the last one may be undefined

    backward_inputs(const at::Tensor &of_output, const at::Tensor &given, const at::Tensor &given_mean,
                    const at::Tensor &given_rstd, const norm &how, const at::Tensor &of_input)
        : gradient(in_type(of_output, given.scalar_type())), input(given),
          mean(how.rms ? at::Tensor() : in_type(given_mean, at::kFloat).contiguous()),
          rstd(in_type(given_rstd, at::kFloat).contiguous()), other_gradient(in_type(of_input, given.scalar_type())) {
        check_shapes(input, how);
        check_same_shape("the output's gradient", gradient, input);
        if (other_gradient.defined()) check_same_shape("the input's gradient", other_gradient, input);
    }
};

// Runs the request, but for the rows of its tensors complete; the affine gradients are there.
void run_backward(request &asked, backward_inputs from, const norm &how, const affine &side, gradients &to) {
    asked.adds = from.other_gradient.defined();
    asked.data = asked.adds != 0 ? rows_of({&from.input, &from.gradient, &to.input, &from.other_gradient}, how)
                                 : rows_of({&from.input, &from.gradient, &to.input}, how);
    pointers tensors = {};
    tensors[SRC] = data_of(from.input);
    tensors[DIFF_DST] = data_of(from.gradient);
    tensors[DIFF_SRC] = data_of(to.input);
    tensors[DIFF_SUM] = data_of(from.other_gradient);
    tensors[MEAN] = data_of(from.mean);
    tensors[VARIANCE] = data_of(from.rstd);
    tensors[SCALE] = data_of(side.weight);
    tensors[DIFF_SCALE] = data_of(to.weight);
    tensors[DIFF_SHIFT] = data_of(to.bias);
    prepare(asked).run(tensors);
}

// Of rows that are dense, which the number of sums does not depend on.
request partial_request(int64_t row_count, int64_t columns, row_range range) {
    request asked;
    asked.kind = jitnorm_backward;
    asked.flags = jitnorm_use_scale;
    asked.type = asked.affine_type = jitnorm_f32;
    asked.first_row = range.first;
    asked.all_rows = range.all;
    asked.data.ndims = 2;
    asked.data.dims[0] = row_count;
    asked.data.dims[1] = columns;
    for (auto &strides : asked.data.strides) {
        strides[0] = columns;
        strides[1] = 1;
    }
    return asked;
}

} // namespace

namespace {

// The residual may be undefined.
normalized run_forward(at::Tensor input, at::Tensor residual, const norm &how, bool wants_statistics) {
    check_shapes(input, how);
    const affine side(how);
    normalized made;
    made.output = empty_data(input);
    if (wants_statistics && !how.rms) made.mean = empty_statistics(input, how);
    if (wants_statistics) made.rstd = empty_statistics(input, how);
    request asked = make_request(wants_statistics ? jitnorm_forward_training : jitnorm_forward_inference, input, how);
    asked.flags = flags_of(how, side.weight.defined(), side.bias.defined());
    if (side.any()) asked.affine_type = type_of(side.either());
    asked.adds = residual.defined();
    if (residual.defined()) made.sum = empty_data(input);
    asked.data = residual.defined() ? rows_of({&input, &made.output, &residual, &made.sum}, how)
                                    : rows_of({&input, &made.output}, how);
    pointers tensors = {};
    tensors[SRC] = data_of(input);
    tensors[DST] = data_of(made.output);
    tensors[RESIDUAL] = data_of(residual);
    tensors[SUM] = data_of(made.sum);
    tensors[MEAN] = data_of(made.mean);
    tensors[VARIANCE] = data_of(made.rstd);
    tensors[SCALE] = data_of(side.weight);
    tensors[SHIFT] = data_of(side.bias);
    prepare(asked).run(tensors);
    return made;
}

} // namespace

normalized forward(const at::Tensor &input, const norm &how, bool wants_statistics) {
    return run_forward(input, {}, how, wants_statistics);
}

normalized add_forward(const at::Tensor &input, const at::Tensor &residual, const norm &how, bool wants_statistics) {
    check_same_shape("the residual", residual, input);
    TORCH_CHECK(residual.scalar_type() == input.scalar_type(), "input and residual must have one type, not ",
                input.scalar_type(), " and ", residual.scalar_type());
    return run_forward(input, residual, how, wants_statistics);
}

gradients backward(const at::Tensor &of_output, const at::Tensor &input, const at::Tensor &mean, const at::Tensor &rstd,
                   const norm &how, wanted_gradients wanted, const at::Tensor &of_input) {
    const backward_inputs from(of_output, input, mean, rstd, how, of_input);
    const affine side(how);
    const auto type = (side.any() ? side.either() : input).scalar_type();
    gradients made = {empty_data(input), {}, {}};
    if (makes_weight_gradient(side, wanted)) made.weight = empty(how.shape, type);
    if (wanted.bias) made.bias = empty(how.shape, type);
    request asked = backward_request(input, how, side, wanted);
    run_backward(asked, from, how, side, made);
    keep_wanted(how, wanted, made);
    return made;
}

gradients partial_backward(const at::Tensor &of_output, const at::Tensor &input, const at::Tensor &mean,
                           const at::Tensor &rstd, const norm &how, wanted_gradients wanted, row_range range) {
    const backward_inputs from(of_output, input, mean, rstd, how, {});
    TORCH_CHECK(wanted.weight || wanted.bias, "without gradients of weight and bias there is nothing to share");
    const affine side(how);
    const int64_t columns = c10::multiply_integers(how.shape);
    const int64_t row_count = c10::multiply_integers(input.sizes().slice(0, input.sizes().size() - how.shape.size()));
    const int64_t sums = partial_sums(row_count, columns, range);
    gradients made = {empty_data(input), {}, {}};
    if (makes_weight_gradient(side, wanted)) made.weight = empty({sums, columns}, at::kDouble);
    if (wanted.bias) made.bias = empty({sums, columns}, at::kDouble);
    request asked = backward_request(input, how, side, wanted);
    asked.first_row = range.first;
    asked.all_rows = range.all;
    run_backward(asked, from, how, side, made);
    if (!wanted.input) made.input.reset();
    if (!wanted.weight) made.weight.reset();
    return made;
}

int64_t partial_sums(int64_t row_count, int64_t columns, row_range range) {
    return partial_sums(partial_request(row_count, columns, range));
}

at::Tensor merge_gradients(at::ArrayRef<at::Tensor> sums, at::IntArrayRef rows, at::IntArrayRef shape,
                           at::ScalarType type) {
    TORCH_CHECK(sums.size() == rows.size(), "there are sums of ", sums.size(), " ranges and rows of ", rows.size());
    const int64_t columns = c10::multiply_integers(shape);
    const int64_t all = std::accumulate(rows.begin(), rows.end(), int64_t(0));
    std::vector<const double *> data;
    for (size_t i = 0, first = 0; i < sums.size(); first += size_t(rows[i++])) {
        const int64_t needed = partial_sums(rows[i], columns, {int64_t(first), all});
        TORCH_CHECK(sums[i].is_contiguous() && sums[i].scalar_type() == at::kDouble && sums[i].dim() == 2 &&
                        sums[i].size(0) >= needed && sums[i].size(1) == columns,
                    "the sums of range ", i, " must be contiguous float64 of ", needed, " rows and ", columns,
                    " columns");
        data.push_back(static_cast<const double *>(sums[i].data_ptr()));
    }
    const at::Tensor made = empty(shape, type);
    jitnorm::error::wrap_c_api(
        jitnorm_layer_normalization_merge_gradients(made.data_ptr(), jitnorm_data_type_t(type_of(made)), all, columns,
                                                    int(rows.size()), rows.data(), data.data()),
        "could not merge gradients");
    return made;
}

} // namespace jitnorm_torch
