// SPDX-License-Identifier: Apache-2.0
// The derivatives of the operators. They are nodes of autograd's graph, and do not use torch::autograd::Function, which
// costs a microsecond more for each call. The operators can be differentiated once: to differentiate a gradient again
// is an error, and so is forward-mode differentiation.
#include <torch/csrc/autograd/autograd_not_implemented_fallback.h>
#include <torch/csrc/autograd/function.h>
#include <torch/csrc/autograd/functions/utils.h>
#include <torch/csrc/autograd/saved_variable.h>
#include <torch/library.h>

#include <algorithm>
#include <mutex>

#include "operation.hpp"
#include "override.hpp"

#ifdef JITNORM_TORCH_FUSED_RMS_NORM
#include <ATen/ops/_fused_rms_norm.h>
#include <ATen/ops/_fused_rms_norm_compositeimplicitautograd_dispatch.h>
#include <torch/csrc/autograd/autograd.h>
#endif

namespace jitnorm_torch {

namespace {

using at::IntArrayRef;
using at::Tensor;
using torch::autograd::Node;
using torch::autograd::SavedVariable;
using torch::autograd::variable_list;

template <size_t N>
using mask = std::array<bool, N>;

using two = two_tensors;
using three = std::tuple<Tensor, Tensor, Tensor>;
using four = std::tuple<Tensor, Tensor, Tensor, Tensor>;

optional_tensor as_optional(const Tensor &tensor) { return tensor.defined() ? optional_tensor(tensor) : c10::nullopt; }

// Computes the gradients of input, weight, bias and residual from the gradients of the output and of the sum. `input`
// is the tensor that was normalized, which is the sum if there is a residual. If `mean` is undefined, the node belongs
// to an RMS normalization, which has no bias.
class norm_backward : public Node {
public:
    norm_backward(IntArrayRef shape, const Tensor &input, const Tensor &weight, const Tensor &mean, const Tensor &rstd,
                  bool plus_one = false)
        : rms_(!mean.defined()), plus_one_(plus_one), shape_(shape.begin(), shape.end()), input_(input, false),
          weight_(weight, false), mean_(mean, false), rstd_(rstd, false) {}

    // The lock is needed because several threads may run backward through one graph at the same time, and one of them
    // may release the saved tensors.
    variable_list apply(variable_list &&given) override {
        const std::lock_guard lock(mutex_);
        const Tensor of_sum = given.size() > 1 ? given[1] : Tensor();
        const bool residual = task_should_compute_output(3);
        if (!given[0].defined()) return {of_sum, {}, {}, residual ? of_sum : Tensor()};
        three made = compute(
            given[0], as_optional(of_sum),
            {task_should_compute_output(0) || residual, task_should_compute_output(1), task_should_compute_output(2)});
        const Tensor of_input = std::get<0>(made);
        return {of_input, std::get<1>(made), std::get<2>(made), residual ? of_input : Tensor()};
    }

    void release_variables() override {
        const std::lock_guard lock(mutex_);
        for (SavedVariable *saved : {&input_, &weight_, &mean_, &rstd_}) saved->reset_data();
    }

    std::string name() const override { return rms_ ? "JitnormRmsNormBackward" : "JitnormLayerNormBackward"; }

protected:
    virtual three compute(const Tensor &of_output, const optional_tensor &of_sum, mask<3> wanted) {
        static const operation<three, const Tensor &, const Tensor &, IntArrayRef, const Tensor &, const Tensor &,
                               const optional_tensor &, mask<3>, const optional_tensor &>
            layer("jitnorm::layer_norm_backward");
        static const operation<two, const Tensor &, const Tensor &, IntArrayRef, const Tensor &,
                               const optional_tensor &, mask<2>, const optional_tensor &, bool>
            rms("jitnorm::rms_norm_backward");
        const Tensor input = input_.unpack(), rstd = rstd_.unpack();
        const optional_tensor weight = as_optional(weight_.unpack());
        // If no graph of gradients is recorded, autograd's kernels of these operators are skipped: all that they would
        // do is to say that there are no further derivatives, and for that they box all arguments.
        c10::optional<at::AutoDispatchBelowADInplaceOrView> below;
        if (!at::GradMode::is_enabled()) below.emplace();
        if (!rms_) return layer(of_output, input, shape_, mean_.unpack(), rstd, weight, wanted, of_sum);
        two made = rms(of_output, input, shape_, rstd, weight, {wanted[0], wanted[1]}, of_sum, plus_one_);
        return {std::get<0>(made), std::get<1>(made), Tensor()};
    }

    bool rms_, plus_one_;
    c10::SmallVector<int64_t, 4> shape_;
    SavedVariable input_, weight_, mean_, rstd_;
};

template <typename Predicate>
bool any_of(std::initializer_list<const Tensor *> tensors, Predicate holds) {
    return std::any_of(tensors.begin(), tensors.end(),
                       [&](const Tensor *tensor) { return tensor->defined() && holds(*tensor); });
}

bool have_tangents(std::initializer_list<const Tensor *> tensors) {
    return any_of(tensors, [](const Tensor &tensor) { return tensor._fw_grad(0).defined(); });
}

// Whether autograd records a call, because one of its tensors requires a gradient.
bool are_recorded(std::initializer_list<const Tensor *> tensors) {
    TORCH_CHECK(!have_tangents(tensors), "jitnorm's operators have no forward-mode derivatives");
    return at::GradMode::is_enabled() && any_of(tensors, [](const Tensor &tensor) { return tensor.requires_grad(); });
}

// The tensors that a call was given; those that it was not given are undefined.
struct leaves {
    const Tensor &input;
    Tensor weight, bias, residual;

    bool have_tangents() const { return jitnorm_torch::have_tangents({&input, &weight, &bias, &residual}); }
    bool are_recorded() const { return jitnorm_torch::are_recorded({&input, &weight, &bias, &residual}); }

    // Whether weight and bias differ in type. If they do, both are converted to their common type before the call is
    // recorded, so that autograd converts their gradients back.
    bool weight_and_bias_differ() const {
        return weight.defined() && bias.defined() && weight.scalar_type() != bias.scalar_type();
    }

    at::ScalarType common_type() const { return at::promoteTypes(weight.scalar_type(), bias.scalar_type()); }
};

// The type of the graph's pointers to nodes: std::shared_ptr at first, c10::intrusive_ptr in later versions of PyTorch.
using node_pointer = decltype(torch::autograd::Edge::function);

template <typename Pointer, typename Some>
Pointer hold(Some *node) {
    if constexpr (std::is_same_v<Pointer, std::shared_ptr<Node>>)
        return Pointer(node, [](auto *ended) { deleteNode(ended); }); // destroys deep graphs without recursion
    else
        return Pointer::unsafe_steal_from_new(node);
}

// Makes output and sum the results of the node, which is new.
void attach(const leaves &from, norm_backward *made, Tensor &output, Tensor &sum) {
    const node_pointer node = hold<node_pointer>(made);
    node->set_next_edges(torch::autograd::collect_next_edges(from.input, from.weight, from.bias, from.residual));
    torch::autograd::set_history(output, node);
    if (sum.defined()) torch::autograd::set_history(sum, node);
}

// The same with a node that it makes. The node saves the sum detached from the graph: otherwise it would hold itself
// through the sum and never be destroyed.
void attach(const leaves &from, IntArrayRef shape, const Tensor &mean, const Tensor &rstd, Tensor &output, Tensor &sum,
            bool plus_one = false) {
    const Tensor input = sum.defined() ? sum.detach() : from.input;
    attach(from, new norm_backward(shape, input, from.weight, mean, rstd, plus_one), output, sum);
}

// Each of these functions calls its operator below autograd. Only if the call is recorded, it calls the variant that
// also computes the statistics, which backward needs.
Tensor record_layer_norm(const Tensor &input, IntArrayRef shape, const optional_tensor &weight,
                         const optional_tensor &bias, double epsilon) {
    static const layer_norm_operation alone("jitnorm::layer_norm");
    static const operation<three, const Tensor &, IntArrayRef, const optional_tensor &, const optional_tensor &, double>
        with_statistics("jitnorm::layer_norm_forward");
    const leaves from = {input, or_none(weight), or_none(bias), {}};
    if (from.weight_and_bias_differ())
        return record_layer_norm(input, shape, from.weight.to(from.common_type()), from.bias.to(from.common_type()),
                                 epsilon);
    three made;
    {
        const bool recorded = from.are_recorded();
        const at::AutoDispatchBelowADInplaceOrView below;
        if (!recorded) return alone(input, shape, weight, bias, epsilon);
        made = with_statistics(input, shape, weight, bias, epsilon);
    }
    Tensor none;
    attach(from, shape, std::get<1>(made), std::get<2>(made), std::get<0>(made), none);
    return std::get<0>(made);
}

Tensor record_rms_norm(const Tensor &input, IntArrayRef shape, const optional_tensor &weight, optional_double epsilon,
                       bool plus_one) {
    static const rms_norm_operation alone("jitnorm::rms_norm");
    static const operation<two, const Tensor &, IntArrayRef, const optional_tensor &, optional_double, bool>
        with_statistics("jitnorm::rms_norm_forward");
    const leaves from = {input, or_none(weight), {}, {}};
    two made;
    {
        const bool recorded = from.are_recorded();
        const at::AutoDispatchBelowADInplaceOrView below;
        if (!recorded) return alone(input, shape, weight, epsilon, plus_one);
        made = with_statistics(input, shape, weight, epsilon, plus_one);
    }
    Tensor none;
    attach(from, shape, {}, std::get<1>(made), std::get<0>(made), none, plus_one);
    return std::get<0>(made);
}

two record_add_layer_norm(const Tensor &input, const Tensor &residual, IntArrayRef shape, const optional_tensor &weight,
                          const optional_tensor &bias, double epsilon) {
    static const add_layer_norm_operation alone("jitnorm::add_layer_norm");
    static const operation<four, const Tensor &, const Tensor &, IntArrayRef, const optional_tensor &,
                           const optional_tensor &, double>
        with_statistics("jitnorm::add_layer_norm_forward");
    const leaves from = {input, or_none(weight), or_none(bias), residual};
    if (from.weight_and_bias_differ())
        return record_add_layer_norm(input, residual, shape, from.weight.to(from.common_type()),
                                     from.bias.to(from.common_type()), epsilon);
    four made;
    {
        const bool recorded = from.are_recorded();
        const at::AutoDispatchBelowADInplaceOrView below;
        if (!recorded) return alone(input, residual, shape, weight, bias, epsilon);
        made = with_statistics(input, residual, shape, weight, bias, epsilon);
    }
    attach(from, shape, std::get<2>(made), std::get<3>(made), std::get<0>(made), std::get<1>(made));
    return {std::get<0>(made), std::get<1>(made)};
}

two record_add_rms_norm(const Tensor &input, const Tensor &residual, IntArrayRef shape, const optional_tensor &weight,
                        optional_double epsilon, bool plus_one) {
    static const add_rms_norm_operation alone("jitnorm::add_rms_norm");
    static const operation<three, const Tensor &, const Tensor &, IntArrayRef, const optional_tensor &, optional_double,
                           bool>
        with_statistics("jitnorm::add_rms_norm_forward");
    const leaves from = {input, or_none(weight), {}, residual};
    three made;
    {
        const bool recorded = from.are_recorded();
        const at::AutoDispatchBelowADInplaceOrView below;
        if (!recorded) return alone(input, residual, shape, weight, epsilon, plus_one);
        made = with_statistics(input, residual, shape, weight, epsilon, plus_one);
    }
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
        mask<5> wanted;
        for (size_t i = 0; i < wanted.size(); ++i) wanted[i] = task_should_compute_output(i);
        const five made = run(of_output, saved[0], saved[1], saved[2], saved[3], saved[4], as_optional(saved[5]),
                              as_optional(saved[6]), wanted);
        return std::apply([](const auto &...gradient) { return variable_list{gradient...}; }, made);
    }
};

class gated_rms_norm_backward final : public modulated_backward {
public:
    using modulated_backward::modulated_backward;
    std::string name() const override { return "JitnormGatedRmsNormBackward"; }

private:
    variable_list compute(const Tensor &of_output, const tensors &saved) override {
        static const operation<three, const Tensor &, const Tensor &, const Tensor &, const optional_tensor &,
                               const optional_tensor &, mask<3>>
            run("jitnorm::gated_rms_norm_backward");
        mask<3> wanted;
        for (size_t i = 0; i < wanted.size(); ++i) wanted[i] = task_should_compute_output(i);
        const three made = run(of_output, saved[0], saved[1], as_optional(saved[2]), as_optional(saved[3]), wanted);
        return std::apply([](const auto &...gradient) { return variable_list{gradient...}; }, made);
    }
};

Tensor record_ada_layer_norm(const Tensor &input, const Tensor &scale, const Tensor &shift,
                             const optional_tensor &weight, const optional_tensor &bias, double epsilon) {
    static const ada_layer_norm_operation alone("jitnorm::ada_layer_norm");
    static const operation<three, const Tensor &, const Tensor &, const Tensor &, const optional_tensor &,
                           const optional_tensor &, double>
        with_statistics("jitnorm::ada_layer_norm_forward");
    const Tensor own_weight = or_none(weight), own_bias = or_none(bias);
    three made;
    {
        const bool recorded = are_recorded({&input, &scale, &shift, &own_weight, &own_bias});
        const at::AutoDispatchBelowADInplaceOrView below;
        if (!recorded) return alone(input, scale, shift, weight, bias, epsilon);
        made = with_statistics(input, scale, shift, weight, bias, epsilon);
    }
    const node_pointer node = hold<node_pointer>(
        new ada_layer_norm_backward({input, scale, shift, std::get<1>(made), std::get<2>(made), own_weight, own_bias}));
    node->set_next_edges(torch::autograd::collect_next_edges(input, scale, shift, own_weight, own_bias));
    torch::autograd::set_history(std::get<0>(made), node);
    return std::get<0>(made);
}

Tensor record_gated_rms_norm(const Tensor &input, const optional_tensor &gate, const optional_tensor &weight,
                             double epsilon) {
    static const gated_rms_norm_operation alone("jitnorm::gated_rms_norm");
    static const operation<two, const Tensor &, const optional_tensor &, const optional_tensor &, double>
        with_statistics("jitnorm::gated_rms_norm_forward");
    const Tensor own_gate = or_none(gate), own_weight = or_none(weight);
    two made;
    {
        const bool recorded = are_recorded({&input, &own_gate, &own_weight});
        const at::AutoDispatchBelowADInplaceOrView below;
        if (!recorded) return alone(input, gate, weight, epsilon);
        made = with_statistics(input, gate, weight, epsilon);
    }
    const node_pointer node =
        hold<node_pointer>(new gated_rms_norm_backward({input, std::get<1>(made), own_gate, own_weight}));
    node->set_next_edges(torch::autograd::collect_next_edges(input, own_gate, own_weight));
    torch::autograd::set_history(std::get<0>(made), node);
    return std::get<0>(made);
}

#ifdef JITNORM_TORCH_FUSED_RMS_NORM
namespace composed = at::compositeimplicitautograd;

// A gradient that is to be differentiated again is that of PyTorch's operators.
class fused_rms_norm_backward final : public norm_backward {
public:
    fused_rms_norm_backward(IntArrayRef shape, const Tensor &input, const Tensor &weight, const Tensor &rstd,
                            optional_double epsilon)
        : norm_backward(shape, input, weight, {}, rstd), epsilon_(epsilon) {}

private:
    three compute(const Tensor &of_output, const optional_tensor &of_sum, mask<3> wanted) override {
        if (!at::GradMode::is_enabled()) return norm_backward::compute(of_output, of_sum, wanted);
        const Tensor input = input_.unpack(), weight = weight_.unpack();
        const Tensor output = std::get<0>(composed::_fused_rms_norm(input, shape_, as_optional(weight), epsilon_));
        variable_list leaves;
        if (wanted[0]) leaves.push_back(input);
        if (wanted[1]) leaves.push_back(weight);
        variable_list made = torch::autograd::grad({output}, leaves, {of_output}, c10::nullopt, true);
        return {wanted[0] ? made.front() : Tensor(), wanted[1] ? made.back() : Tensor(), Tensor()};
    }

    optional_double epsilon_;
};
#endif

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
          "rms_norm_partial_backward", "rms_norm_int8", "ada_layer_norm_int8"})
        m.impl(name, torch::autograd::autogradNotImplementedFallback());
}

} // namespace

#ifdef JITNORM_TORCH_FUSED_RMS_NORM
two record_fused_rms_norm(const Tensor &input, IntArrayRef shape, const optional_tensor &weight,
                          optional_double epsilon) {
    const leaves from = {input, or_none(weight), {}, {}};
    if (!takes_rms_norm(input, from.weight) || from.have_tangents())
        return composed::_fused_rms_norm(input, shape, weight, epsilon);
    two made;
    {
        const bool recorded = from.are_recorded();
        const at::AutoDispatchBelowADInplaceOrView below;
        made = at::_fused_rms_norm(input, shape, weight, epsilon);
        if (!recorded) return made;
    }
    Tensor none;
    attach(from, new fused_rms_norm_backward(shape, input, from.weight, std::get<1>(made), epsilon), std::get<0>(made),
           none);
    return made;
}
#endif

} // namespace jitnorm_torch
