// SPDX-License-Identifier: Apache-2.0
#include "node.hpp"

#include <torch/csrc/autograd/functions/utils.h>

#include <algorithm>
#include <mutex>

#include "operation.hpp"

namespace jitnorm_torch {

namespace {

using at::IntArrayRef;
using at::Tensor;
using torch::autograd::SavedVariable;

template <typename Predicate>
bool any_of(std::initializer_list<const Tensor *> tensors, Predicate holds) {
    return std::any_of(tensors.begin(), tensors.end(),
                       [&](const Tensor *tensor) { return tensor->defined() && holds(*tensor); });
}

// PyTorch's nodes are held by std::shared_ptr at first, by c10::intrusive_ptr in later versions.
template <typename Some>
node_pointer pointer_to(Some &node) {
    if constexpr (requires { node.getptr(); })
        return node.getptr();
    else
        return node.shared_from_this();
}

} // namespace

norm_backward::norm_backward(const leaves &from, IntArrayRef shape, const Tensor &input, const Tensor &mean,
                             const Tensor &rstd, bool plus_one, bool rounds)
    : Node(torch::autograd::collect_next_edges(from.input, from.weight, from.bias, from.residual)),
      rms_(!mean.defined()), plus_one_(plus_one), rounds_(rounds), shape_(shape.begin(), shape.end()),
      input_(input, false), weight_(from.weight, false), mean_(mean, false), rstd_(rstd, false) {}

// The lock is needed because several threads may run backward through one graph at the same time, and one of them may
// release the saved tensors.
variable_list norm_backward::apply(variable_list &&given) {
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

void norm_backward::release_variables() {
    const std::lock_guard lock(mutex_);
    for (SavedVariable *saved : {&input_, &weight_, &mean_, &rstd_}) saved->reset_data();
}

norm_backward::three norm_backward::compute(const Tensor &of_output, const optional_tensor &of_sum, mask<3> wanted) {
    static const operation<three, const Tensor &, const Tensor &, IntArrayRef, const Tensor &, const Tensor &,
                           const optional_tensor &, mask<3>, const optional_tensor &>
        layer("jitnorm::layer_norm_backward");
    static const operation<two_tensors, const Tensor &, const Tensor &, IntArrayRef, const Tensor &,
                           const optional_tensor &, mask<2>, const optional_tensor &, bool, bool>
        rms("jitnorm::rms_norm_backward");
    const Tensor input = input_.unpack(pointer_to<torch::autograd::Node>(*this)), rstd = rstd_.unpack();
    const Tensor own_weight = weight_.unpack(), plus = or_none(of_sum);
    const optional_tensor weight = as_optional(own_weight);
    // If neither a graph of gradients is recorded nor a tangent given, autograd's kernels of these operators are
    // skipped.
    c10::optional<at::AutoDispatchBelowADInplaceOrView> below;
    if (!at::GradMode::is_enabled() && !have_tangents({&of_output, &plus, &input, &own_weight})) below.emplace();
    if (!rms_) return layer(of_output, input, shape_, mean_.unpack(), rstd, weight, wanted, of_sum);
    two_tensors made = rms(of_output, input, shape_, rstd, weight, {wanted[0], wanted[1]}, of_sum, plus_one_, rounds_);
    return {std::get<0>(made), std::get<1>(made), Tensor()};
}

bool have_tangents(std::initializer_list<const Tensor *> tensors) {
    return any_of(tensors, [](const Tensor &tensor) { return tensor._fw_grad(0).defined(); });
}

bool are_recorded(std::initializer_list<const Tensor *> tensors) {
    return at::GradMode::is_enabled() && any_of(tensors, [](const Tensor &tensor) { return tensor.requires_grad(); });
}

void attach(const leaves &from, norm_backward *made, Tensor &output, Tensor &sum) {
    const node_pointer node = hold<node_pointer>(made);
    torch::autograd::set_history(output, node);
    if (sum.defined() && are_recorded({&from.input, &from.residual})) torch::autograd::set_history(sum, node);
}

void attach(const leaves &from, IntArrayRef shape, const Tensor &mean, const Tensor &rstd, Tensor &output, Tensor &sum,
            bool plus_one, bool rounds) {
    auto *const made =
        new norm_backward(from, shape, sum.defined() ? Tensor() : from.input, mean, rstd, plus_one, rounds);
    attach(from, made, output, sum);
    if (sum.defined()) made->normalizes_own_sum(sum);
}

} // namespace jitnorm_torch
