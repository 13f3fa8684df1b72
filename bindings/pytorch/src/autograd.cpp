// SPDX-License-Identifier: Apache-2.0
// The operators for autograd. Derivatives in forward mode and of gradients are those of compositions of PyTorch's
// operators; those of ada_layer_norm are errors.
#include <ATen/TensorOperators.h>
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
using torch::autograd::collect_next_edges;
using torch::autograd::edge_list;
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

// Calls an operator below autograd.
template <typename Result, typename... Parameters>
Result run_below(const operation<Result, Parameters...> &run, std::type_identity_t<Parameters>... arguments) {
    const at::AutoDispatchBelowADInplaceOrView below;
    return run(arguments...);
}

// Each operator NAME has a variant NAME_forward, which also computes the statistics that backward needs. The variant is
// what is recorded, and what nested transforms (functorch) record at their outer levels. It runs first where
// its output is then composed, too: it makes the checks. The statistics have no derivatives.
three record_layer_norm_forward(const Tensor &input, IntArrayRef shape, const optional_tensor &weight,
                                const optional_tensor &bias, double epsilon) {
    static const operation<three, const Tensor &, IntArrayRef, const optional_tensor &, const optional_tensor &, double>
        norm("jitnorm::layer_norm_forward");
    const leaves from = {input, or_none(weight), or_none(bias), {}};
    if (from.weight_and_bias_differ())
        return record_layer_norm_forward(input, shape, from.weight.to(from.common_type()),
                                         from.bias.to(from.common_type()), epsilon);
    three made = run_below(norm, input, shape, weight, bias, epsilon);
    auto &[output, mean, rstd] = made;
    Tensor none;
    if (from.have_tangents())
        output = compose(layer_composition(shape), {input, from.weight, from.bias}, epsilon);
    else if (from.are_recorded())
        attach(from, shape, mean, rstd, output, none);
    return made;
}

Tensor record_layer_norm(const Tensor &input, IntArrayRef shape, const optional_tensor &weight,
                         const optional_tensor &bias, double epsilon) {
    static const layer_norm_operation norm("jitnorm::layer_norm");
    const leaves from = {input, or_none(weight), or_none(bias), {}};
    if (from.have_derivatives()) return std::get<0>(record_layer_norm_forward(input, shape, weight, bias, epsilon));
    return run_below(norm, input, shape, weight, bias, epsilon);
}

two record_rms_norm_forward(const Tensor &input, IntArrayRef shape, const optional_tensor &weight,
                            optional_double epsilon, bool plus_one, bool rounds) {
    static const operation<two, const Tensor &, IntArrayRef, const optional_tensor &, optional_double, bool, bool> norm(
        "jitnorm::rms_norm_forward");
    const leaves from = {input, or_none(weight), {}, {}};
    two made = run_below(norm, input, shape, weight, epsilon, plus_one, rounds);
    auto &[output, rstd] = made;
    Tensor none;
    if (from.have_tangents())
        output = compose(rms_composition(shape, plus_one, rounds), {input, from.weight, {}},
                         epsilon_or_default(epsilon, input));
    else if (from.are_recorded())
        attach(from, shape, {}, rstd, output, none, plus_one, rounds);
    return made;
}

Tensor record_rms_norm(const Tensor &input, IntArrayRef shape, const optional_tensor &weight, optional_double epsilon,
                       bool plus_one, bool rounds) {
    static const rms_norm_operation norm("jitnorm::rms_norm");
    const leaves from = {input, or_none(weight), {}, {}};
    if (from.have_derivatives())
        return std::get<0>(record_rms_norm_forward(input, shape, weight, epsilon, plus_one, rounds));
    return run_below(norm, input, shape, weight, epsilon, plus_one, rounds);
}

four record_add_layer_norm_forward(const Tensor &input, const Tensor &residual, IntArrayRef shape,
                                   const optional_tensor &weight, const optional_tensor &bias, double epsilon) {
    static const operation<four, const Tensor &, const Tensor &, IntArrayRef, const optional_tensor &,
                           const optional_tensor &, double>
        norm("jitnorm::add_layer_norm_forward");
    const leaves from = {input, or_none(weight), or_none(bias), residual};
    if (from.weight_and_bias_differ())
        return record_add_layer_norm_forward(input, residual, shape, from.weight.to(from.common_type()),
                                             from.bias.to(from.common_type()), epsilon);
    four made = run_below(norm, input, residual, shape, weight, bias, epsilon);
    auto &[output, sum, mean, rstd] = made;
    if (from.have_tangents()) {
        sum = input + residual;
        output = compose(layer_composition(shape), {sum, from.weight, from.bias}, epsilon);
    } else if (from.are_recorded()) {
        attach(from, shape, mean, rstd, output, sum);
    }
    return made;
}

two record_add_layer_norm(const Tensor &input, const Tensor &residual, IntArrayRef shape, const optional_tensor &weight,
                          const optional_tensor &bias, double epsilon) {
    static const add_layer_norm_operation norm("jitnorm::add_layer_norm");
    const leaves from = {input, or_none(weight), or_none(bias), residual};
    if (!from.have_derivatives()) return run_below(norm, input, residual, shape, weight, bias, epsilon);
    const auto [output, sum, mean, rstd] = record_add_layer_norm_forward(input, residual, shape, weight, bias, epsilon);
    return {output, sum};
}

three record_add_rms_norm_forward(const Tensor &input, const Tensor &residual, IntArrayRef shape,
                                  const optional_tensor &weight, optional_double epsilon, bool plus_one, bool rounds) {
    static const operation<three, const Tensor &, const Tensor &, IntArrayRef, const optional_tensor &, optional_double,
                           bool, bool>
        norm("jitnorm::add_rms_norm_forward");
    const leaves from = {input, or_none(weight), {}, residual};
    three made = run_below(norm, input, residual, shape, weight, epsilon, plus_one, rounds);
    auto &[output, sum, rstd] = made;
    if (from.have_tangents()) {
        sum = input + residual;
        output =
            compose(rms_composition(shape, plus_one, rounds), {sum, from.weight, {}}, epsilon_or_default(epsilon, sum));
    } else if (from.are_recorded()) {
        attach(from, shape, {}, rstd, output, sum, plus_one, rounds);
    }
    return made;
}

two record_add_rms_norm(const Tensor &input, const Tensor &residual, IntArrayRef shape, const optional_tensor &weight,
                        optional_double epsilon, bool plus_one, bool rounds) {
    static const add_rms_norm_operation norm("jitnorm::add_rms_norm");
    const leaves from = {input, or_none(weight), {}, residual};
    if (!from.have_derivatives()) return run_below(norm, input, residual, shape, weight, epsilon, plus_one, rounds);
    const auto [output, sum, rstd] =
        record_add_rms_norm_forward(input, residual, shape, weight, epsilon, plus_one, rounds);
    return {output, sum};
}

// A node of an operator with one result, whose gradient is all that its backward operator reads beside saved tensors.
class modulated_backward : public Node {
public:
    modulated_backward(edge_list &&edges, std::initializer_list<Tensor> saved) : Node(std::move(edges)) {
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
    gated_rms_norm_backward(edge_list &&edges, std::initializer_list<Tensor> saved, bool norm_before_gate, bool rounds)
        : modulated_backward(std::move(edges), saved), norm_before_gate_(norm_before_gate), rounds_(rounds) {}
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

// Makes the output the result of a new node.
Tensor with_node(Node *made, Tensor output) {
    torch::autograd::set_history(output, hold<node_pointer>(made));
    return output;
}

Tensor record_ada_layer_norm(const Tensor &input, const Tensor &scale, const Tensor &shift,
                             const optional_tensor &weight, const optional_tensor &bias, double epsilon) {
    static const ada_layer_norm_operation alone("jitnorm::ada_layer_norm");
    static const operation<three, const Tensor &, const Tensor &, const Tensor &, const optional_tensor &,
                           const optional_tensor &, double>
        norm("jitnorm::ada_layer_norm_forward");
    const Tensor own_weight = or_none(weight), own_bias = or_none(bias);
    const auto given = {&input, &scale, &shift, &own_weight, &own_bias};
    TORCH_CHECK(!have_tangents(given), "jitnorm's ada_layer_norm has no forward-mode derivatives");
    if (!are_recorded(given)) return run_below(alone, input, scale, shift, weight, bias, epsilon);
    const auto [output, mean, rstd] = run_below(norm, input, scale, shift, weight, bias, epsilon);
    return with_node(new ada_layer_norm_backward(collect_next_edges(input, scale, shift, own_weight, own_bias),
                                                 {input, scale, shift, mean, rstd, own_weight, own_bias}),
                     output);
}

two record_gated_rms_norm_forward(const Tensor &input, const optional_tensor &gate, const optional_tensor &weight,
                                  double epsilon, bool norm_before_gate, bool rounds) {
    static const operation<two, const Tensor &, const optional_tensor &, const optional_tensor &, double, bool, bool>
        norm("jitnorm::gated_rms_norm_forward");
    const Tensor own_gate = or_none(gate), own_weight = or_none(weight);
    const auto given = {&input, &own_gate, &own_weight};
    two made = run_below(norm, input, gate, weight, epsilon, norm_before_gate, rounds);
    auto &[output, rstd] = made;
    if (have_tangents(given))
        output = compose(gated_composition(input, norm_before_gate, rounds), {input, own_gate, own_weight}, epsilon);
    else if (are_recorded(given))
        output = with_node(new gated_rms_norm_backward(collect_next_edges(input, own_gate, own_weight),
                                                       {input, rstd, own_gate, own_weight}, norm_before_gate, rounds),
                           output);
    return made;
}

Tensor record_gated_rms_norm(const Tensor &input, const optional_tensor &gate, const optional_tensor &weight,
                             double epsilon, bool norm_before_gate, bool rounds) {
    static const gated_rms_norm_operation norm("jitnorm::gated_rms_norm");
    const Tensor own_gate = or_none(gate), own_weight = or_none(weight);
    const auto given = {&input, &own_gate, &own_weight};
    if (have_tangents(given) || are_recorded(given))
        return std::get<0>(record_gated_rms_norm_forward(input, gate, weight, epsilon, norm_before_gate, rounds));
    return run_below(norm, input, gate, weight, epsilon, norm_before_gate, rounds);
}

// Differentiates gradients.
class second_backward final : public Node {
public:
    second_backward(composition how, const composed_leaves &of, const Tensor &of_output, const Tensor &rstd,
                    const Tensor &added)
        : Node(collect_next_edges(of[0], of[1], of[2], of_output, added)), how_(std::move(how)),
          of_output_(of_output, false), rstd_(rstd, false) {
        for (size_t i = 0; i < of.size(); ++i) leaves_[i] = SavedVariable(of[i], false);
    }

    std::string name() const override { return "JitnormSecondBackward"; }

    // The gradients of the leaves, of the output's gradient, and of the gradient that was added to the input's.
    variable_list apply(variable_list &&given) override {
        const std::lock_guard lock(mutex_);
        const composed_leaves of = {leaves_[0].unpack(), leaves_[1].unpack(), leaves_[2].unpack()};
        auto [a, b, c, d] =
            compose_second_gradients(how_, of, of_output_.unpack(), rstd_.unpack(), {given[0], given[1], given[2]});
        return {a, b, c, d, given[0]};
    }

    void release_variables() override {
        const std::lock_guard lock(mutex_);
        for (SavedVariable *saved : {&leaves_[0], &leaves_[1], &leaves_[2], &of_output_, &rstd_}) saved->reset_data();
    }

private:
    composition how_;
    std::array<SavedVariable, 3> leaves_;
    SavedVariable of_output_, rstd_;
};

// Computes gradients below autograd by `run`, which returns a tuple in the order of the leaves, and makes them results
// of a node where they may be differentiated. `added` is what the gradient of the input has been added to.
template <typename Run>
composed_leaves record_gradients(const composition &how, const composed_leaves &of, const Tensor &of_output,
                                 const Tensor &rstd, mask<3> wanted, const Tensor &added, Run run) {
    const auto all = {&of[0], &of[1], &of[2], &of_output, &added};
    if (have_tangents(all)) {
        composed_leaves made = compose_gradients(how, of, of_output, rstd, wanted);
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
    const node_pointer node = hold<node_pointer>(new second_backward(how, of, of_output, rstd, added));
    for (Tensor &one : made)
        if (one.defined())
            torch::autograd::set_history(one, node);
        else
            node->add_input_metadata(Node::undefined_input());
    return made;
}

three record_layer_norm_backward(const Tensor &of_output, const Tensor &input, IntArrayRef shape, const Tensor &mean,
                                 const Tensor &rstd, const optional_tensor &weight, mask<3> wanted,
                                 const optional_tensor &added) {
    static const operation<three, const Tensor &, const Tensor &, IntArrayRef, const Tensor &, const Tensor &,
                           const optional_tensor &, mask<3>, const optional_tensor &>
        norm("jitnorm::layer_norm_backward");
    auto [a, b, c] = record_gradients(layer_composition(shape), {input, or_none(weight), {}}, of_output, rstd, wanted,
                                      or_none(added),
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
    m.impl("layer_norm_forward", &record_layer_norm_forward);
    m.impl("rms_norm_forward", &record_rms_norm_forward);
    m.impl("add_layer_norm_forward", &record_add_layer_norm_forward);
    m.impl("add_rms_norm_forward", &record_add_rms_norm_forward);
    m.impl("gated_rms_norm_forward", &record_gated_rms_norm_forward);
    m.impl("layer_norm_backward", &record_layer_norm_backward);
    m.impl("rms_norm_backward", &record_rms_norm_backward);
    m.impl("gated_rms_norm_backward", &record_gated_rms_norm_backward);
    for (const char *name :
         {"ada_layer_norm_forward", "ada_layer_norm_backward", "layer_norm_partial_backward",
          "rms_norm_partial_backward", "chunk_moments", "merge_moments", "layer_norm_partial_forward",
          "rms_norm_partial_forward", "rms_norm_int8", "ada_layer_norm_int8"})
        m.impl(name, torch::autograd::autogradNotImplementedFallback());
}

} // namespace

} // namespace jitnorm_torch
