// SPDX-License-Identifier: Apache-2.0
#include "modulate.hpp"

namespace jitnorm_torch {

namespace {

constexpr int64_t CHUNK = 4096, MOMENTS = 4; // columns of a chunk; numbers of its moments (jitnorm_partial.h)

void check_input(const at::Tensor &input, const norm &how) {
    check_device("the input", input);
    const auto sizes = input.sizes();
    const bool fits = !how.shape.empty() && how.shape.size() <= sizes.size() &&
                      sizes.slice(sizes.size() - how.shape.size()).equals(how.shape);
    TORCH_CHECK(fits, "normalized_shape ", how.shape, " is not the end of the input's shape ", sizes);
    for (const optional_tensor *affine : {&how.weight, &how.bias}) {
        if (!affine->has_value() || !(*affine)->defined()) continue;
        check_device("weight or bias", **affine);
        TORCH_CHECK((*affine)->sizes().equals(how.shape), "weight and bias must have the shape ", how.shape, ", not ",
                    (*affine)->sizes());
    }
}

int64_t count_rows(const at::Tensor &input, const norm &how) {
    return c10::multiply_integers(input.sizes().slice(0, input.sizes().size() - how.shape.size()));
}

// Whether the weight has dimensions of rows.
bool has_rows(const norm &how) {
    return how.shape.size() == 1 && how.weight.has_value() && how.weight->defined() && how.weight->dim() > 1;
}

using borrowed = c10::MaybeOwned<at::Tensor>;

// The tensor if it is dense, without counting a reference; otherwise a dense copy. Undefined if there is no tensor.
borrowed dense(const optional_tensor &tensor) {
    return tensor.has_value() && tensor->defined() ? tensor->expect_contiguous() : borrowed::owned(at::Tensor());
}

// Weight and bias as primitives take them: dense and of one type.
struct affine {
    borrowed weight, bias;

    explicit affine(const norm &how) : weight(dense(how.weight)), bias(dense(how.bias)) {
        if (!weight->defined() || !bias->defined() || weight->scalar_type() == bias->scalar_type()) return;
        const auto common = at::promoteTypes(weight->scalar_type(), bias->scalar_type());
        weight = borrowed::owned(weight->to(common));
        bias = borrowed::owned(bias->to(common));
    }

    bool any() const { return weight->defined() || bias->defined(); }
    const at::Tensor &either() const { return weight->defined() ? *weight : *bias; }
};

// Without a weight there is no gradient of it. The bias is not passed to the operators of backward.
wanted_gradients only_of_tensors(const norm &how, wanted_gradients wanted) {
    wanted.weight = wanted.weight && how.weight.has_value() && how.weight->defined();
    return wanted;
}

// A primitive that has a weight and computes the gradient of the bias also computes the gradient of the weight.
bool makes_weight_gradient(const affine &side, wanted_gradients wanted) {
    return wanted.weight || (wanted.bias && side.weight->defined());
}

// Drops the gradients that the primitive has computed but that are not wanted, and converts those of weight and bias to
// the types of their tensors.
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
    request asked = make_request(any ? jitnorm_backward : jitnorm_backward_data, input, how.epsilon);
    asked.flags = flags_of(how.rms, side.weight->defined(), wanted.bias, how.plus_one, how.rounds);
    if (side.weight->defined())
        asked.affine_type = type_of(*side.weight, "the weight");
    else if (wanted.bias)
        asked.affine_type = type_of(side.any() ? side.bias->scalar_type() : computed_in(input), "the bias");
    return asked;
}

// The tensors that backward reads, other than the weight, converted to the types that a primitive takes.
struct backward_inputs {
    at::Tensor gradient, input, mean, rstd, other_gradient; // the last one may be undefined

    backward_inputs(const at::Tensor &of_output, const at::Tensor &given, const at::Tensor &given_mean,
                    const at::Tensor &given_rstd, const norm &how, const at::Tensor &of_input)
        : gradient(how.rounds ? of_output : in_type(of_output, given.scalar_type())), input(given),
          mean(how.rms ? at::Tensor() : in_type(given_mean, at::kFloat).contiguous()),
          rstd(in_type(given_rstd, at::kFloat).contiguous()), other_gradient(in_type(of_input, given.scalar_type())) {
        check_input(input, how);
        check_device("the output's gradient", gradient);
        check_device("the input's gradient", other_gradient);
        check_device("the mean", mean);
        check_device("rstd", rstd);
        check_same_shape("the output's gradient", gradient, input);
        if (other_gradient.defined()) check_same_shape("the input's gradient", other_gradient, input);
        if (!how.rms) check_statistics("mean", mean, count_rows(input, how));
        check_statistics("rstd", rstd, count_rows(input, how));
    }
};

// Completes the request with the rows of its tensors, and runs it. All tensors of `to` that the primitive writes must
// exist.
void run_backward(request &asked, backward_inputs from, const norm &how, const affine &side, gradients &to) {
    asked.adds = from.other_gradient.defined();
    asked.result_type = type_of(from.gradient, "the output's gradient");
    asked.sum_type = asked.type;
    prepared &ready = prepare(asked, {&from.input, &from.gradient, &to.input, &from.other_gradient}, how.axes());
    pointers tensors = {};
    tensors[SRC] = data_of(from.input);
    tensors[DIFF_DST] = data_of(from.gradient);
    tensors[DIFF_SRC] = data_of(to.input);
    tensors[DIFF_SUM] = data_of(from.other_gradient);
    tensors[MEAN] = data_of(from.mean);
    tensors[VARIANCE] = data_of(from.rstd);
    tensors[SCALE] = data_of(*side.weight);
    tensors[DIFF_SCALE] = data_of(to.weight);
    tensors[DIFF_SHIFT] = data_of(to.bias);
    ready.run(tensors);
}

} // namespace

// The request describes dense rows, but the number does not depend on the layout.
int64_t partial_sums(int64_t row_count, int64_t columns, row_range range) {
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
    return partial_sums(asked);
}

namespace {

// Completes the request with weight, bias and the rows of the tensors, and runs it. `tensors` are the input, the
// output, the residual and the sum, of which the last two may be undefined; `data` has those that are not here.
void run_request(request &asked, const norm &how, const affine &side, std::initializer_list<at::Tensor *> tensors,
                 pointers &data) {
    asked.flags = flags_of(how.rms, side.weight->defined(), side.bias->defined(), how.plus_one, how.rounds);
    if (side.any()) asked.affine_type = type_of(side.either(), "weight or bias");
    prepared &ready = prepare(asked, tensors, how.axes());
    constexpr tensor_slot IN_ORDER[] = {SRC, DST, RESIDUAL, SUM};
    for (size_t i = 0; i < tensors.size(); ++i) data[IN_ORDER[i]] = data_of(*tensors.begin()[i]);
    data[SCALE] = data_of(*side.weight);
    data[SHIFT] = data_of(*side.bias);
    ready.run(data);
}

// The residual may be undefined.
normalized run_forward(at::Tensor input, at::Tensor residual, const norm &how, bool wants_statistics) {
    check_input(input, how);
    const affine side(how);
    const auto type = residual.defined() ? sum_type(input, residual) : input.scalar_type();
    normalized made;
    made.output = empty(input.sizes(), result_type(type, how.weight, how.rounds));
    if (residual.defined()) made.sum = empty(input.sizes(), type);
    if (wants_statistics && !how.rms) made.mean = empty_statistics(input, how.shape.size());
    if (wants_statistics) made.rstd = empty_statistics(input, how.shape.size());
    request asked =
        make_request(wants_statistics ? jitnorm_forward_training : jitnorm_forward_inference, input, how.epsilon);
    pointers statistics = {};
    statistics[MEAN] = data_of(made.mean);
    statistics[VARIANCE] = data_of(made.rstd);
    asked.adds = residual.defined();
    if (residual.defined()) asked.residual_type = type_of(residual, "the residual");
    asked.result_type = type_of(made.output);
    if (residual.defined()) asked.sum_type = type_of(made.sum);
    run_request(asked, how, side, {&input, &made.output, &residual, &made.sum}, statistics);
    return made;
}

} // namespace

normalized forward(const at::Tensor &input, const norm &how, bool wants_statistics) {
    if (has_rows(how)) return rows_forward(input, how, wants_statistics);
    return run_forward(input, {}, how, wants_statistics);
}

at::ScalarType sum_type(const at::Tensor &input, const at::Tensor &residual) {
    return at::promoteTypes(input.scalar_type(), residual.scalar_type());
}

// A primitive adds float64 to float64 alone. To convert another type to it is exact.
normalized add_forward(const at::Tensor &input, const at::Tensor &residual, const norm &how, bool wants_statistics) {
    check_device("the residual", residual);
    check_same_shape("the residual", residual, input);
    if (sum_type(input, residual) != at::kDouble) return run_forward(input, residual, how, wants_statistics);
    return run_forward(in_type(input, at::kDouble), in_type(residual, at::kDouble), how, wants_statistics);
}

quantized quantized_forward(const at::Tensor &given, const norm &how, const at::Tensor &scale) {
    check_input(given, how);
    at::Tensor input = given;
    const affine side(how);
    request asked = make_request(jitnorm_forward_inference, input, how.epsilon);
    pointers tensors = {};
    quantized made = ask_quantized(input, how.shape.size(), scale, asked, tensors);
    run_request(asked, how, side, {&input, &made.output}, tensors);
    return made;
}

gradients backward(const at::Tensor &of_output, const at::Tensor &input, const at::Tensor &mean, const at::Tensor &rstd,
                   const norm &how, wanted_gradients asked_for, const at::Tensor &of_input) {
    const wanted_gradients wanted = only_of_tensors(how, asked_for);
    if (has_rows(how)) return rows_backward(of_output, input, mean, rstd, how, wanted, of_input);
    const backward_inputs from(of_output, input, mean, rstd, how, of_input);
    const affine side(how);
    const auto type = side.any() ? side.either().scalar_type() : computed_in(input);
    gradients made = {empty_data(input), {}, {}};
    if (makes_weight_gradient(side, wanted)) made.weight = empty(how.shape, type);
    if (wanted.bias) made.bias = empty(how.shape, type);
    request asked = backward_request(input, how, side, wanted);
    run_backward(asked, from, how, side, made);
    keep_wanted(how, wanted, made);
    return made;
}

gradients partial_backward(const at::Tensor &of_output, const at::Tensor &input, const at::Tensor &mean,
                           const at::Tensor &rstd, const norm &how, wanted_gradients asked_for, row_range range) {
    const wanted_gradients wanted = only_of_tensors(how, asked_for);
    const backward_inputs from(of_output, input, mean, rstd, how, {});
    TORCH_CHECK(wanted.weight || wanted.bias, "without gradients of weight and bias there is nothing to share");
    const affine side(how);
    const int64_t columns = c10::multiply_integers(how.shape);
    const int64_t row_count = count_rows(input, how);
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

void add_partial_gradients(const at::Tensor &running, const at::Tensor &sums, int64_t row_count, row_range range,
                           int64_t columns) {
    check_device("a running sum", running);
    check_device("a sum", sums);
    const auto is_of = [](const at::Tensor &tensor, int64_t rows_of_sums, int64_t width) {
        return tensor.is_contiguous() && tensor.scalar_type() == at::kDouble && tensor.dim() == 2 &&
               tensor.size(0) == rows_of_sums && tensor.size(1) == width;
    };
    TORCH_CHECK(running.dim() == 2 && is_of(running, 2, running.size(1)),
                "running sums must be contiguous float64 of 2 rows");
    const int64_t width = running.size(1), needed = partial_sums(row_count, columns, range);
    TORCH_CHECK(is_of(sums, needed, width), "the sums of ", row_count, " rows must be contiguous float64 of ", needed,
                " rows and ", width, " columns");
    jitnorm::error::wrap_c_api(jitnorm_layer_normalization_add_partial_gradients_of_columns(
                                   static_cast<double *>(running.data_ptr()), range.all, columns, range.first,
                                   row_count, width, static_cast<const double *>(sums.data_ptr())),
                               "could not add partial gradients");
}

at::Tensor chunk_moments(const at::Tensor &given, bool rms, column_range range) {
    TORCH_CHECK(given.dim() > 0, "the input has no columns");
    const optional_tensor none;
    const norm how = {given.sizes().slice(given.sizes().size() - 1), none, none, 0, rms};
    at::Tensor input = given;
    check_input(input, how);
    c10::SmallVector<int64_t, 8> sizes(input.sizes().begin(), input.sizes().end());
    sizes.back() = (sizes.back() + CHUNK - 1) / CHUNK;
    sizes.push_back(MOMENTS);
    at::Tensor made = empty(sizes, at::kDouble);
    if (made.numel() == 0) return made;
    request asked = make_request(jitnorm_forward_training, input, 0);
    asked.flags = rms ? jitnorm_rms_norm : 0;
    asked.moments = 1;
    asked.first_column = range.first;
    asked.all_columns = range.all;
    prepared &ready = prepare(asked, {&input}, how.axes());
    pointers tensors = {};
    tensors[SRC] = data_of(input);
    tensors[ROW_SUMS] = data_of(made);
    ready.run(tensors);
    return made;
}

at::Tensor merge_moments(at::TensorList moments, at::IntArrayRef columns, at::ScalarType type) {
    TORCH_CHECK(!moments.empty() && moments.size() == columns.size(), "there are moments of ", moments.size(),
                " ranges, and numbers of columns of ", columns.size());
    const auto rows_of_one = moments[0].sizes().slice(0, std::max<size_t>(moments[0].sizes().size(), 2) - 2);
    const int64_t row_count = c10::multiply_integers(rows_of_one);
    std::vector<at::Tensor> dense;
    std::vector<const double *> sums;
    for (size_t i = 0; i < moments.size(); ++i) {
        check_device("a tensor of moments", moments[i]);
        const int64_t chunks = (columns[i] + CHUNK - 1) / CHUNK;
        TORCH_CHECK(moments[i].scalar_type() == at::kDouble && moments[i].dim() == moments[0].dim() &&
                        moments[i].numel() == row_count * chunks * MOMENTS,
                    "the moments of ", columns[i], " columns of ", row_count, " rows must be float64, ", chunks,
                    " times 4 for each row, not ", moments[i].sizes());
        dense.push_back(moments[i].contiguous());
        sums.push_back(static_cast<const double *>(data_of(dense.back())));
    }
    c10::SmallVector<int64_t, 8> sizes(rows_of_one.begin(), rows_of_one.end());
    sizes.push_back(MOMENTS);
    at::Tensor made = empty(sizes, at::kDouble);
    jitnorm::error::wrap_c_api(jitnorm_layer_normalization_merge_row_sums(
                                   static_cast<double *>(data_of(made)),
                                   type == at::kDouble ? jitnorm_f64 : jitnorm_f32, row_count,
                                   c10::sum_integers(columns), int(columns.size()), columns.data(), sums.data()),
                               "could not merge moments");
    return made;
}

at::Tensor partial_forward(const at::Tensor &given, const at::Tensor &moments, const norm &how, column_range range) {
    at::Tensor input = given;
    check_input(input, how);
    check_device("the moments", moments);
    const int64_t row_count = count_rows(input, how);
    TORCH_CHECK(moments.scalar_type() == at::kDouble && moments.numel() == row_count * MOMENTS, "the moments of ",
                row_count, " rows must be float64, 4 for each, not ", moments.sizes());
    const at::Tensor dense_moments = moments.contiguous();
    const affine side(how);
    at::Tensor output = empty_data(input);
    if (output.numel() == 0) return output;
    request asked = make_request(jitnorm_forward_inference, input, how.epsilon);
    asked.first_column = range.first;
    asked.all_columns = range.all;
    pointers sums = {};
    sums[ROW_SUMS] = data_of(dense_moments);
    run_request(asked, how, side, {&input, &output}, sums);
    return output;
}

} // namespace jitnorm_torch
