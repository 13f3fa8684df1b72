// SPDX-License-Identifier: Apache-2.0
// The operators for autograd. They can be differentiated once: to differentiate a gradient again is an error, and so is
// forward-mode differentiation.
#include <torch/csrc/autograd/autograd_not_implemented_fallback.h>
#include <torch/csrc/autograd/functions/utils.h>
#include <torch/library.h>

#include <mutex>

#include "node.hpp"
#include "operation.hpp"

namespace jitnorm_torch {

namespace {

using at::IntArrayRef;
using at::Tensor;
using torch::autograd::Node;
using torch::autograd::SavedVariable;

using two = two_tensors;
using three = std::tuple<Tensor, Tensor, Tensor>;
using four = std::tuple<Tensor, Tensor, Tensor, Tensor>;

// An operator, and its variant NAME_forward, which also computes the statistics that backward needs.
template <typename Operator, typename With>
class recordable;

template <typename Alone, typename... Parameters, typename With>
class recordable<operation<Alone, Parameters...>, With> {
public:
    explicit recordable(const std::string &name)
        : alone_(name.c_str()), with_statistics_((name + "_forward").c_str()) {}

    // Calls the variant if the call is recorded, otherwise the operator, in both cases below autograd. Returns
    // `recorded`.
    bool run(bool recorded, Alone &made_alone, With &made, Parameters... arguments) const {
        const at::AutoDispatchBelowADInplaceOrView below;
        if (recorded)
            made = with_statistics_(arguments...);
        else
            made_alone = alone_(arguments...);
        return recorded;
    }

private:
    operation<Alone, Parameters...> alone_;
    operation<With, Parameters...> with_statistics_;
};

Tensor record_layer_norm(const Tensor &input, IntArrayRef shape, const optional_tensor &weight,
                         const optional_tensor &bias, double epsilon) {
    static const recordable<layer_norm_operation, three> norm("jitnorm::layer_norm");
    const leaves from = {input, or_none(weight), or_none(bias), {}};
    if (from.weight_and_bias_differ())
        return record_layer_norm(input, shape, from.weight.to(from.common_type()), from.bias.to(from.common_type()),
                                 epsilon);
    Tensor alone, none;
    three made;
    if (!norm.run(from.are_recorded(), alone, made, input, shape, weight, bias, epsilon)) return alone;
    attach(from, shape, std::get<1>(made), std::get<2>(made), std::get<0>(made), none);
    return std::get<0>(made);
}

Tensor record_rms_norm(const Tensor &input, IntArrayRef shape, const optional_tensor &weight, optional_double epsilon,
                       bool plus_one) {
    static const recordable<rms_norm_operation, two> norm("jitnorm::rms_norm");
    const leaves from = {input, or_none(weight), {}, {}};
    Tensor alone, none;
    two made;
    if (!norm.run(from.are_recorded(), alone, made, input, shape, weight, epsilon, plus_one)) return alone;
    attach(from, shape, {}, std::get<1>(made), std::get<0>(made), none, plus_one);
    return std::get<0>(made);
}

two record_add_layer_norm(const Tensor &input, const Tensor &residual, IntArrayRef shape, const optional_tensor &weight,
                          const optional_tensor &bias, double epsilon) {
    static const recordable<add_layer_norm_operation, four> norm("jitnorm::add_layer_norm");
    const leaves from = {input, or_none(weight), or_none(bias), residual};
    if (from.weight_and_bias_differ())
        return record_add_layer_norm(input, residual, shape, from.weight.to(from.common_type()),
                                     from.bias.to(from.common_type()), epsilon);
    two alone;
    four made;
    if (!norm.run(from.are_recorded(), alone, made, input, residual, shape, weight, bias, epsilon)) return alone;
    attach(from, shape, std::get<2>(made), std::get<3>(made), std::get<0>(made), std::get<1>(made));
    return {std::get<0>(made), std::get<1>(made)};
}

two record_add_rms_norm(const Tensor &input, const Tensor &residual, IntArrayRef shape, const optional_tensor &weight,
                        optional_double epsilon, bool plus_one) {
    static const recordable<add_rms_norm_operation, three> norm("jitnorm::add_rms_norm");
    const leaves from = {input, or_none(weight), {}, residual};
    two alone;
    three made;
    if (!norm.run(from.are_recorded(), alone, made, input, residual, shape, weight, epsilon, plus_one)) return alone;
    attach(from, shape, {}, std::get<2>(made), std::get<0>(made), std::get<1>(made), plus_one);
    return {std::get<0>(made), std::get<1>(made)};
}

// A node of an operator with one result, whose gradient is all that its backward operator reads beside saved tensors.
class modulated_backward : public Node {
public:
    explicit modulated_backward(std::initializer_list<Tensor> saved) {
        for (const Tensor &tensor : saved) saved_.emplace_back(tensor, false);
    }

    variable_list apply(variable_list &&given) override {
        const std::lock_guard lock(mutex_);
        if (!given[0].defined()) return variable_list(num_outputs());
        tensors saved;
        for (const SavedVariable &one : saved_) saved.push_back(one.unpack());
        c10::optional<at::AutoDispatchBelowADInplaceOrView> below; // as in norm_backward
        if (!at::GradMode::is_enabled()) below.emplace();
        return compute(given[0], saved);
    }

    void release_variables() override {
        const std::lock_guard lock(mutex_);
        for (SavedVariable &one : saved_) one.reset_data();
    }

protected:
    using tensors = c10::SmallVector<Tensor, 7>;
    virtual variable_list compute(const Tensor &of_output, const tensors &saved) = 0;

    template <size_t COUNT>
    mask<COUNT> wanted() {
        mask<COUNT> all;
        for (size_t i = 0; i < COUNT; ++i) all[i] = task_should_compute_output(i);
        return all;
    }
    template <typename... Gradients>
    static variable_list list_of(const std::tuple<Gradients...> &made) {
        return std::apply([](const auto &...gradient) { return variable_list{gradient...}; }, made);
    }

private:
    c10::SmallVector<SavedVariable, 7> saved_;
};

class ada_layer_norm_backward final : public modulated_backward {
public:
    using modulated_backward::modulated_backward;
    std::string name() const override { return "JitnormAdaLayerNormBackward"; }

private:
    variable_list compute(const Tensor &of_output, const tensors &saved) override {
        using five = std::tuple<Tensor, Tensor, Tensor, Tensor, Tensor>;
        static const operation<five, const Tensor &, const Tensor &, const Tensor &, const Tensor &, const Tensor &,
                               const Tensor &, const optional_tensor &, const optional_tensor &, mask<5>>
            run("jitnorm::ada_layer_norm_backward");
        return list_of(run(of_output, saved[0], saved[1], saved[2], saved[3], saved[4], as_optional(saved[5]),
                           as_optional(saved[6]), wanted<5>()));
    }
};

class gated_rms_norm_backward final : public modulated_backward {
public:
    gated_rms_norm_backward(std::initializer_list<Tensor> saved, bool norm_before_gate)
        : modulated_backward(saved), norm_before_gate_(norm_before_gate) {}
    std::string name() const override { return "JitnormGatedRmsNormBackward"; }

private:
    variable_list compute(const Tensor &of_output, const tensors &saved) override {
        static const operation<three, const Tensor &, const Tensor &, const Tensor &, const optional_tensor &,
                               const optional_tensor &, mask<3>, bool>
            run("jitnorm::gated_rms_norm_backward");
        return list_of(run(of_output, saved[0], saved[1], as_optional(saved[2]), as_optional(saved[3]), wanted<3>(),
                           norm_before_gate_));
    }

    bool norm_before_gate_;
};

// Makes the output the result of a new node that computes the gradients of the leaves.
template <typename... Leaves>
Tensor with_node(Node *made, Tensor output, const Leaves &...leaf) {
    const node_pointer node = hold<node_pointer>(made);
    node->set_next_edges(torch::autograd::collect_next_edges(leaf...));
    torch::autograd::set_history(output, node);
    return output;
}

Tensor record_ada_layer_norm(const Tensor &input, const Tensor &scale, const Tensor &shift,
                             const optional_tensor &weight, const optional_tensor &bias, double epsilon) {
    static const recordable<ada_layer_norm_operation, three> norm("jitnorm::ada_layer_norm");
    const Tensor own_weight = or_none(weight), own_bias = or_none(bias);
    Tensor alone;
    three made;
    if (!norm.run(are_recorded({&input, &scale, &shift, &own_weight, &own_bias}), alone, made, input, scale, shift,
                  weight, bias, epsilon))
        return alone;
    return with_node(
        new ada_layer_norm_backward({input, scale, shift, std::get<1>(made), std::get<2>(made), own_weight, own_bias}),
        std::get<0>(made), input, scale, shift, own_weight, own_bias);
}

Tensor record_gated_rms_norm(const Tensor &input, const optional_tensor &gate, const optional_tensor &weight,
                             double epsilon, bool norm_before_gate) {
    static const recordable<gated_rms_norm_operation, two> norm("jitnorm::gated_rms_norm");
    const Tensor own_gate = or_none(gate), own_weight = or_none(weight);
    Tensor alone;
    two made;
    if (!norm.run(are_recorded({&input, &own_gate, &own_weight}), alone, made, input, gate, weight, epsilon,
                  norm_before_gate))
        return alone;
    return with_node(new gated_rms_norm_backward({input, std::get<1>(made), own_gate, own_weight}, norm_before_gate),
                     std::get<0>(made), input, own_gate, own_weight);
}

TORCH_LIBRARY_IMPL(jitnorm, Autograd, m) {
    m.impl("layer_norm", &record_layer_norm);
    m.impl("rms_norm", &record_rms_norm);
    m.impl("add_layer_norm", &record_add_layer_norm);
    m.impl("add_rms_norm", &record_add_rms_norm);
    m.impl("ada_layer_norm", &record_ada_layer_norm);
    m.impl("gated_rms_norm", &record_gated_rms_norm);
    for (const char *name :
         {"layer_norm_forward", "layer_norm_backward", "rms_norm_forward", "rms_norm_backward",
          "add_layer_norm_forward", "add_rms_norm_forward", "ada_layer_norm_forward", "ada_layer_norm_backward",
          "gated_rms_norm_forward", "gated_rms_norm_backward", "layer_norm_partial_backward",
          "rms_norm_partial_backward", "chunk_moments", "merge_moments", "layer_norm_partial_forward",
          "rms_norm_partial_forward", "rms_norm_int8", "ada_layer_norm_int8"})
        m.impl(name, torch::autograd::autogradNotImplementedFallback());
}

} // namespace

} // namespace jitnorm_torch
