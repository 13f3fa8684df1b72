// SPDX-License-Identifier: Apache-2.0
// The operators for autograd. Derivatives in forward mode and of gradients are those of compositions of PyTorch's
// operators; those of ada_layer_norm are errors.
#include <ATen/TensorOperators.h>
#include <ATen/ops/zeros.h>
#include <torch/csrc/autograd/autograd.h>
#include <torch/csrc/autograd/autograd_not_implemented_fallback.h>
#include <torch/csrc/autograd/functions/utils.h>
#include <torch/library.h>

#include <mutex>

#include "composed.hpp"
#include "modulate.hpp"
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

composition layer_composition(IntArrayRef shape) {
    return {{shape.begin(), shape.end()}, false, false, false, false, false};
}

composition rms_composition(IntArrayRef shape, bool plus_one, bool rounds) {
    return {{shape.begin(), shape.end()}, true, plus_one, rounds, false, false};
}

composition gated_composition(const Tensor &input, bool norm_before_gate, bool rounds) {
    return {{input.size(-1)}, true, false, rounds, true, !norm_before_gate};
}

// PyTorch 2 has sizes that are symbols.
template <typename Impl>
bool has_symbols(const Impl &tensor) {
    if constexpr (requires { tensor.has_symbolic_sizes_strides(); })
        return tensor.has_symbolic_sizes_strides();
    else
        return false;
}

// Tensors without data are no CPU's, and sizes that a tracer makes symbols cannot be compared.
bool can_be_checked(const Tensor &input) { return !input.is_meta() && !has_symbols(*input.unsafeGetTensorImpl()); }

// A normalization that is composed, after the checks of the operator for which it stands in.
Tensor compose_checked(const composition &how, const Tensor &input, const Tensor &weight, const Tensor &bias,
                       double epsilon) {
    if (can_be_checked(input))
        check_forward(input, {how.shape, as_optional(weight), as_optional(bias), epsilon, how.rms});
    return compose(how, {input, weight, bias}, epsilon);
}

Tensor add_checked(const Tensor &input, const Tensor &residual) {
    if (can_be_checked(input)) check_same_shape("the residual", residual, input);
    return input + residual;
}

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
    if (from.have_tangents()) return compose_checked(layer_composition(shape), input, from.weight, from.bias, epsilon);
    Tensor alone, none;
    three made;
    if (!norm.run(from.are_recorded(), alone, made, input, shape, weight, bias, epsilon)) return alone;
    attach(from, shape, std::get<1>(made), std::get<2>(made), std::get<0>(made), none);
    return std::get<0>(made);
}

Tensor record_rms_norm(const Tensor &input, IntArrayRef shape, const optional_tensor &weight, optional_double epsilon,
                       bool plus_one, bool rounds) {
    static const recordable<rms_norm_operation, two> norm("jitnorm::rms_norm");
    const leaves from = {input, or_none(weight), {}, {}};
    if (from.have_tangents())
        return compose_checked(rms_composition(shape, plus_one, rounds), input, from.weight, {},
                               epsilon_or_default(epsilon, input.scalar_type()));
    Tensor alone, none;
    two made;
    if (!norm.run(from.are_recorded(), alone, made, input, shape, weight, epsilon, plus_one, rounds)) return alone;
    attach(from, shape, {}, std::get<1>(made), std::get<0>(made), none, plus_one, rounds);
    return std::get<0>(made);
}

two record_add_layer_norm(const Tensor &input, const Tensor &residual, IntArrayRef shape, const optional_tensor &weight,
                          const optional_tensor &bias, double epsilon) {
    static const recordable<add_layer_norm_operation, four> norm("jitnorm::add_layer_norm");
    const leaves from = {input, or_none(weight), or_none(bias), residual};
    if (from.weight_and_bias_differ())
        return record_add_layer_norm(input, residual, shape, from.weight.to(from.common_type()),
                                     from.bias.to(from.common_type()), epsilon);
    if (from.have_tangents()) {
        const Tensor sum = add_checked(input, residual);
        return {compose_checked(layer_composition(shape), sum, from.weight, from.bias, epsilon), sum};
    }
    two alone;
    four made;
    if (!norm.run(from.are_recorded(), alone, made, input, residual, shape, weight, bias, epsilon)) return alone;
    attach(from, shape, std::get<2>(made), std::get<3>(made), std::get<0>(made), std::get<1>(made));
    return {std::get<0>(made), std::get<1>(made)};
}

two record_add_rms_norm(const Tensor &input, const Tensor &residual, IntArrayRef shape, const optional_tensor &weight,
                        optional_double epsilon, bool plus_one, bool rounds) {
    static const recordable<add_rms_norm_operation, three> norm("jitnorm::add_rms_norm");
    const leaves from = {input, or_none(weight), {}, residual};
    if (from.have_tangents()) {
        const Tensor sum = add_checked(input, residual);
        return {compose_checked(rms_composition(shape, plus_one, rounds), sum, from.weight, {},
                                epsilon_or_default(epsilon, sum.scalar_type())),
                sum};
    }
    two alone;
    three made;
    if (!norm.run(from.are_recorded(), alone, made, input, residual, shape, weight, epsilon, plus_one, rounds))
        return alone;
    attach(from, shape, {}, std::get<2>(made), std::get<0>(made), std::get<1>(made), plus_one, rounds);
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
        bool tangents = have_tangents({&given[0]});
        for (const SavedVariable &one : saved_) {
            saved.push_back(one.unpack());
            tangents = tangents || have_tangents({&saved.back()});
        }
        c10::optional<at::AutoDispatchBelowADInplaceOrView> below; // as in norm_backward
        if (!at::GradMode::is_enabled() && !tangents) below.emplace();
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
    gated_rms_norm_backward(std::initializer_list<Tensor> saved, bool norm_before_gate, bool rounds)
        : modulated_backward(saved), norm_before_gate_(norm_before_gate), rounds_(rounds) {}
    std::string name() const override { return "JitnormGatedRmsNormBackward"; }

private:
    variable_list compute(const Tensor &of_output, const tensors &saved) override {
        static const operation<three, const Tensor &, const Tensor &, const Tensor &, const optional_tensor &,
                               const optional_tensor &, mask<3>, bool, bool>
            run("jitnorm::gated_rms_norm_backward");
        return list_of(run(of_output, saved[0], saved[1], as_optional(saved[2]), as_optional(saved[3]), wanted<3>(),
                           norm_before_gate_, rounds_));
    }

    bool norm_before_gate_, rounds_;
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
    TORCH_CHECK(!have_tangents({&input, &scale, &shift, &own_weight, &own_bias}),
                "jitnorm's ada_layer_norm has no forward-mode derivatives");
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
                             double epsilon, bool norm_before_gate, bool rounds) {
    static const recordable<gated_rms_norm_operation, two> norm("jitnorm::gated_rms_norm");
    const Tensor own_gate = or_none(gate), own_weight = or_none(weight);
    if (have_tangents({&input, &own_gate, &own_weight})) {
        if (can_be_checked(input)) check_gated_forward(input, {gate, weight, norm_before_gate, rounds});
        return compose(gated_composition(input, norm_before_gate, rounds), {input, own_gate, own_weight}, epsilon);
    }
    Tensor alone;
    two made;
    if (!norm.run(are_recorded({&input, &own_gate, &own_weight}), alone, made, input, gate, weight, epsilon,
                  norm_before_gate, rounds))
        return alone;
    return with_node(
        new gated_rms_norm_backward({input, std::get<1>(made), own_gate, own_weight}, norm_before_gate, rounds),
        std::get<0>(made), input, own_gate, own_weight);
}

// Differentiates gradients: autograd's of a composition take their place.
class second_backward final : public Node {
public:
    second_backward(composition how, const composed_leaves &of, const Tensor &of_output, const Tensor &rstd,
                    mask<3> wanted)
        : how_(std::move(how)), wanted_(wanted), of_output_(of_output, false), rstd_(rstd, false) {
        for (size_t i = 0; i < of.size(); ++i) leaves_[i] = SavedVariable(of[i], false);
    }

    std::string name() const override { return "JitnormSecondBackward"; }

    // The gradients of the leaves, of the output's gradient, and of the gradient that was added to the input's.
    variable_list apply(variable_list &&given) override {
        const std::lock_guard lock(mutex_);
        const bool recorded = at::GradMode::is_enabled();
        const at::AutoGradMode mode(true);
        composed_leaves of;
        variable_list from, outputs, of_outputs;
        for (size_t i = 0; i < of.size(); ++i) from.push_back(of[i] = as_leaf(leaves_[i].unpack()));
        from.push_back(as_leaf(of_output_.unpack()));
        const composed_leaves made = compose_gradients(how_, of, from.back(), rstd_.unpack(), wanted_);
        for (size_t i = 0; i < made.size(); ++i) {
            if (!given[i].defined() || !made[i].defined()) continue;
            outputs.push_back(made[i]);
            of_outputs.push_back(given[i].to(made[i].scalar_type()));
        }
        variable_list defined, gradients(from.size());
        for (const Tensor &one : from)
            if (one.defined()) defined.push_back(one);
        if (!outputs.empty()) {
            const variable_list found = torch::autograd::grad(outputs, defined, of_outputs, true, recorded, true);
            for (size_t i = 0, next = 0; i < from.size(); ++i)
                if (from[i].defined()) gradients[i] = found[next++];
        }
        gradients.push_back(given[0]);
        return gradients;
    }

    void release_variables() override {
        const std::lock_guard lock(mutex_);
        for (SavedVariable *saved : {&leaves_[0], &leaves_[1], &leaves_[2], &of_output_, &rstd_}) saved->reset_data();
    }

private:
    composition how_;
    mask<3> wanted_;
    std::array<SavedVariable, 3> leaves_;
    SavedVariable of_output_, rstd_;
};

// Computes gradients below autograd by `run`, which returns a tuple in the order of the leaves, and makes them results
// of a node where they may be differentiated. `added` is what the gradient of the input has been added to.
template <typename Run>
composed_leaves record_gradients(const composition &how, const composed_leaves &of, const Tensor &of_output,
                                 const Tensor &rstd, mask<3> wanted, const Tensor &added, Run run) {
    for (size_t i = 0; i < of.size(); ++i) wanted[i] = wanted[i] && of[i].defined();
    const auto all = {&of[0], &of[1], &of[2], &of_output, &added};
    if (have_tangents(all)) {
        composed_leaves from;
        for (size_t i = 0; i < of.size(); ++i) from[i] = as_leaf(of[i]);
        composed_leaves made = compose_gradients(how, from, of_output, rstd, wanted);
        if (added.defined() && made[0].defined()) made[0] = made[0] + added;
        return made;
    }
    const bool recorded = are_recorded(all);
    composed_leaves made;
    {
        const at::AutoDispatchBelowADInplaceOrView below;
        made = std::apply([](const auto &...gradient) { return composed_leaves{gradient...}; }, run());
    }
    if (!recorded) return made;
    const node_pointer node = hold<node_pointer>(new second_backward(how, of, of_output, rstd, wanted));
    node->set_next_edges(torch::autograd::collect_next_edges(of[0], of[1], of[2], of_output, added));
    for (Tensor &one : made)
        if (one.defined())
            torch::autograd::set_history(one, node);
        else
            node->add_input_metadata(Node::undefined_input());
    return made;
}

Tensor zeros_of_bias(const Tensor &input, IntArrayRef shape, const Tensor &weight) {
    return at::zeros(weight.defined() ? weight.sizes() : shape, input.options());
}

three record_layer_norm_backward(const Tensor &of_output, const Tensor &input, IntArrayRef shape, const Tensor &mean,
                                 const Tensor &rstd, const optional_tensor &weight, mask<3> wanted,
                                 const optional_tensor &added) {
    static const operation<three, const Tensor &, const Tensor &, IntArrayRef, const Tensor &, const Tensor &,
                           const optional_tensor &, mask<3>, const optional_tensor &>
        norm("jitnorm::layer_norm_backward");
    const Tensor own = or_none(weight), plus = or_none(added);
    const auto given = {&input, &own, &of_output, &plus};
    const bool differentiates = wanted[2] && (have_tangents(given) || are_recorded(given));
    const composed_leaves of = {input, own, differentiates ? zeros_of_bias(input, shape, own) : Tensor()};
    auto [a, b, c] = record_gradients(layer_composition(shape), of, of_output, rstd, wanted, plus,
                                      [&] { return norm(of_output, input, shape, mean, rstd, weight, wanted, added); });
    return {a, b, c};
}

two record_rms_norm_backward(const Tensor &of_output, const Tensor &input, IntArrayRef shape, const Tensor &rstd,
                             const optional_tensor &weight, mask<2> wanted, const optional_tensor &added, bool plus_one,
                             bool rounds) {
    static const operation<two, const Tensor &, const Tensor &, IntArrayRef, const Tensor &, const optional_tensor &,
                           mask<2>, const optional_tensor &, bool, bool>
        norm("jitnorm::rms_norm_backward");
    auto made =
        record_gradients(rms_composition(shape, plus_one, rounds), {input, or_none(weight), {}}, of_output, rstd,
                         {wanted[0], wanted[1], false}, or_none(added),
                         [&] { return norm(of_output, input, shape, rstd, weight, wanted, added, plus_one, rounds); });
    return {made[0], made[1]};
}

three record_gated_rms_norm_backward(const Tensor &of_output, const Tensor &input, const Tensor &rstd,
                                     const optional_tensor &gate, const optional_tensor &weight, mask<3> wanted,
                                     bool norm_before_gate, bool rounds) {
    static const operation<three, const Tensor &, const Tensor &, const Tensor &, const optional_tensor &,
                           const optional_tensor &, mask<3>, bool, bool>
        norm("jitnorm::gated_rms_norm_backward");
    auto [a, b, c] = record_gradients(
        gated_composition(input, norm_before_gate, rounds), {input, or_none(gate), or_none(weight)}, of_output, rstd,
        wanted, {}, [&] { return norm(of_output, input, rstd, gate, weight, wanted, norm_before_gate, rounds); });
    return {a, b, c};
}

TORCH_LIBRARY_IMPL(jitnorm, Autograd, m) {
    m.impl("layer_norm", &record_layer_norm);
    m.impl("rms_norm", &record_rms_norm);
    m.impl("add_layer_norm", &record_add_layer_norm);
    m.impl("add_rms_norm", &record_add_rms_norm);
    m.impl("ada_layer_norm", &record_ada_layer_norm);
    m.impl("gated_rms_norm", &record_gated_rms_norm);
    m.impl("layer_norm_backward", &record_layer_norm_backward);
    m.impl("rms_norm_backward", &record_rms_norm_backward);
    m.impl("gated_rms_norm_backward", &record_gated_rms_norm_backward);
    for (const char *name :
         {"layer_norm_forward", "rms_norm_forward", "add_layer_norm_forward", "add_rms_norm_forward",
          "ada_layer_norm_forward", "ada_layer_norm_backward", "gated_rms_norm_forward", "layer_norm_partial_backward",
          "rms_norm_partial_backward", "chunk_moments", "merge_moments", "layer_norm_partial_forward",
          "rms_norm_partial_forward", "rms_norm_int8", "ada_layer_norm_int8"})
        m.impl(name, torch::autograd::autogradNotImplementedFallback());
}

} // namespace

} // namespace jitnorm_torch
