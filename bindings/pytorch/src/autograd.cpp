// SPDX-License-Identifier: Apache-2.0
// Derivatives of the operators, as nodes of the graph: torch::autograd::Function costs a microsecond more a call. They
// are differentiable once: differentiating a gradient again is an error, and so is forward-mode differentiation.
#include <ATen/core/dispatch/Dispatcher.h>
#include <torch/csrc/autograd/autograd_not_implemented_fallback.h>
#include <torch/csrc/autograd/function.h>
#include <torch/csrc/autograd/functions/utils.h>
#include <torch/csrc/autograd/saved_variable.h>
#include <torch/library.h>

#include "normalize.hpp"

namespace jitnorm_torch {

namespace {

using at::IntArrayRef;
using at::Tensor;
using torch::autograd::Node;
using torch::autograd::SavedVariable;
using torch::autograd::variable_list;
using optional_double = c10::optional<double>;

// An operator by way of the dispatcher, so that tracers see it.
template <typename Signature>
auto find(const char *name) {
    return c10::Dispatcher::singleton().findSchemaOrThrow(name, "").typed<Signature>();
}

optional_tensor as_optional(const Tensor &tensor) { return tensor.defined() ? optional_tensor(tensor) : c10::nullopt; }
Tensor or_none(const optional_tensor &tensor) { return tensor.has_value() ? *tensor : Tensor(); }

std::tuple<Tensor, Tensor, Tensor> call_layer_norm_backward(const Tensor &gradient, const Tensor &input,
                                                            IntArrayRef shape, const Tensor &mean, const Tensor &rstd,
                                                            const Tensor &weight, std::array<bool, 3> mask) {
    static const auto op =
        find<std::tuple<Tensor, Tensor, Tensor>(const Tensor &, const Tensor &, IntArrayRef, const Tensor &,
                                                const Tensor &, const optional_tensor &, std::array<bool, 3>)>(
            "jitnorm::layer_norm_backward");
    return op.call(gradient, input, shape, mean, rstd, as_optional(weight), mask);
}

std::tuple<Tensor, Tensor> call_rms_norm_backward(const Tensor &gradient, const Tensor &input, IntArrayRef shape,
                                                  const Tensor &rstd, const Tensor &weight, std::array<bool, 2> mask) {
    static const auto op =
        find<std::tuple<Tensor, Tensor>(const Tensor &, const Tensor &, IntArrayRef, const Tensor &,
                                        const optional_tensor &, std::array<bool, 2>)>("jitnorm::rms_norm_backward");
    return op.call(gradient, input, shape, rstd, as_optional(weight), mask);
}

// Gradients of input, weight and bias. Without a mean it is RMS normalization, which has no bias.
class norm_backward final : public Node {
public:
    norm_backward(const Tensor &input, IntArrayRef shape, const Tensor &weight, const Tensor &bias, const Tensor &mean,
                  const Tensor &rstd)
        : rms_(!mean.defined()), shape_(shape.begin(), shape.end()), input_(input, false), weight_(weight, false),
          mean_(mean, false), rstd_(rstd, false) {
        set_next_edges(torch::autograd::collect_next_edges(input, weight, bias));
    }

    variable_list apply(variable_list &&of_output) override {
        if (!of_output[0].defined()) return variable_list(3);
        const std::array<bool, 3> mask = {task_should_compute_output(0), task_should_compute_output(1),
                                          task_should_compute_output(2)};
        const Tensor input = input_.unpack(), weight = weight_.unpack(), rstd = rstd_.unpack();
        if (rms_) {
            auto made = call_rms_norm_backward(of_output[0], input, shape_, rstd, weight, {mask[0], mask[1]});
            return {std::get<0>(made), std::get<1>(made), Tensor()};
        }
        auto made = call_layer_norm_backward(of_output[0], input, shape_, mean_.unpack(), rstd, weight, mask);
        return {std::get<0>(made), std::get<1>(made), std::get<2>(made)};
    }

    void release_variables() override {
        for (SavedVariable *saved : {&input_, &weight_, &mean_, &rstd_}) saved->reset_data();
    }

    std::string name() const override { return rms_ ? "JitnormRmsNormBackward" : "JitnormLayerNormBackward"; }

private:
    bool rms_;
    c10::SmallVector<int64_t, 4> shape_;
    SavedVariable input_, weight_, mean_, rstd_;
};

void attach(Tensor &output, const Tensor &input, IntArrayRef shape, const Tensor &weight, const Tensor &bias,
            const Tensor &mean, const Tensor &rstd) {
    const std::shared_ptr<norm_backward> node(new norm_backward(input, shape, weight, bias, mean, rstd),
                                              torch::autograd::deleteNode);
    torch::autograd::set_history(output, node);
}

// Whether a graph is recorded for one of the tensors.
bool is_recorded(std::initializer_list<const Tensor *> tensors) {
    bool any = false;
    for (const Tensor *tensor : tensors) {
        if (!tensor->defined()) continue;
        TORCH_CHECK(!tensor->_fw_grad(0).defined(), "jitnorm's operators have no forward-mode derivatives");
        any |= tensor->requires_grad();
    }
    return any && at::GradMode::is_enabled();
}

// Then they go on as what both can be, and their gradients come back through the conversion.
bool weight_and_bias_differ(const Tensor &weight, const Tensor &bias) {
    return weight.defined() && bias.defined() && weight.scalar_type() != bias.scalar_type();
}

// Statistics and whatever backward needs are made only for it.
Tensor record_layer_norm(const Tensor &input, IntArrayRef shape, const optional_tensor &weight,
                         const optional_tensor &bias, double epsilon) {
    static const auto alone =
        find<Tensor(const Tensor &, IntArrayRef, const optional_tensor &, const optional_tensor &, double)>(
            "jitnorm::layer_norm");
    static const auto with_statistics =
        find<std::tuple<Tensor, Tensor, Tensor>(const Tensor &, IntArrayRef, const optional_tensor &,
                                                const optional_tensor &, double)>("jitnorm::layer_norm_forward");
    const Tensor given_weight = or_none(weight), given_bias = or_none(bias);
    if (weight_and_bias_differ(given_weight, given_bias)) {
        const auto common = at::promoteTypes(given_weight.scalar_type(), given_bias.scalar_type());
        return record_layer_norm(input, shape, given_weight.to(common), given_bias.to(common), epsilon);
    }
    const bool recorded = is_recorded({&input, &given_weight, &given_bias});
    std::tuple<Tensor, Tensor, Tensor> made;
    {
        const at::AutoDispatchBelowADInplaceOrView below;
        if (!recorded) return alone.call(input, shape, weight, bias, epsilon);
        made = with_statistics.call(input, shape, weight, bias, epsilon);
    }
    attach(std::get<0>(made), input, shape, given_weight, given_bias, std::get<1>(made), std::get<2>(made));
    return std::get<0>(made);
}

Tensor record_rms_norm(const Tensor &input, IntArrayRef shape, const optional_tensor &weight, optional_double epsilon) {
    static const auto alone =
        find<Tensor(const Tensor &, IntArrayRef, const optional_tensor &, optional_double)>("jitnorm::rms_norm");
    static const auto with_statistics =
        find<std::tuple<Tensor, Tensor>(const Tensor &, IntArrayRef, const optional_tensor &, optional_double)>(
            "jitnorm::rms_norm_forward");
    const Tensor given_weight = or_none(weight);
    const bool recorded = is_recorded({&input, &given_weight});
    std::tuple<Tensor, Tensor> made;
    {
        const at::AutoDispatchBelowADInplaceOrView below;
        if (!recorded) return alone.call(input, shape, weight, epsilon);
        made = with_statistics.call(input, shape, weight, epsilon);
    }
    attach(std::get<0>(made), input, shape, given_weight, {}, {}, std::get<1>(made));
    return std::get<0>(made);
}

TORCH_LIBRARY_IMPL(jitnorm, Autograd, m) {
    m.impl("layer_norm", &record_layer_norm);
    m.impl("rms_norm", &record_rms_norm);
    for (const char *name : {"layer_norm_forward", "layer_norm_backward", "rms_norm_forward", "rms_norm_backward"})
        m.impl(name, torch::autograd::autogradNotImplementedFallback());
}

} // namespace

} // namespace jitnorm_torch
