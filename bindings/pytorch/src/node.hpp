// SPDX-License-Identifier: Apache-2.0
// node: what autograd's graph remembers of a normalization, and how a call becomes a part of the graph. The nodes do
// not use torch::autograd::Function, which costs a microsecond more for each call.
#pragma once

#include <torch/csrc/autograd/function.h>
#include <torch/csrc/autograd/saved_variable.h>

#include "tensors.hpp"

namespace jitnorm_torch {

using torch::autograd::variable_list;

template <size_t N>
using mask = std::array<bool, N>;

inline optional_tensor as_optional(const at::Tensor &tensor) {
    return tensor.defined() ? optional_tensor(tensor) : c10::nullopt;
}

bool have_tangents(std::initializer_list<const at::Tensor *> tensors);

// Whether autograd records a call, because one of its tensors requires a gradient.
bool are_recorded(std::initializer_list<const at::Tensor *> tensors);

// The tensors that a call was given; those that it was not given are undefined.
struct leaves {
    const at::Tensor &input;
    at::Tensor weight, bias, residual;

    bool have_tangents() const { return jitnorm_torch::have_tangents({&input, &weight, &bias, &residual}); }
    bool are_recorded() const { return jitnorm_torch::are_recorded({&input, &weight, &bias, &residual}); }
    bool have_derivatives() const { return have_tangents() || are_recorded(); }

    // Whether weight and bias differ in type. If they do, both are converted to their common type before the call is
    // recorded, so that autograd converts their gradients back.
    bool weight_and_bias_differ() const {
        return weight.defined() && bias.defined() && weight.scalar_type() != bias.scalar_type();
    }

    at::ScalarType common_type() const { return at::promoteTypes(weight.scalar_type(), bias.scalar_type()); }
};

// Computes the gradients of input, weight, bias and residual from the gradients of the output and of the sum. `input`
// is the tensor that was normalized, which is the sum if there is a residual. If `mean` is undefined, the node belongs
// to an RMS normalization, which has no bias.
class norm_backward : public torch::autograd::Node {
public:
    // Nodes have their edges before they save tensors: what is saved of a leaf only works while its edge is held.
    norm_backward(const leaves &from, at::IntArrayRef shape, const at::Tensor &input, const at::Tensor &mean,
                  const at::Tensor &rstd, bool plus_one = false, bool rounds = false);

    variable_list apply(variable_list &&given) override;
    void release_variables() override;
    // The sum, which the node normalizes in place of its input, is a result of the node itself if it requires a
    // gradient.
    void normalizes_own_sum(const at::Tensor &sum) {
        input_ = torch::autograd::SavedVariable(sum, sum.requires_grad());
    }
    std::string name() const override { return rms_ ? "JitnormRmsNormBackward" : "JitnormLayerNormBackward"; }

protected:
    using three = std::tuple<at::Tensor, at::Tensor, at::Tensor>;
    virtual three compute(const at::Tensor &of_output, const optional_tensor &of_sum, mask<3> wanted);

    bool rms_, plus_one_, rounds_;
    c10::SmallVector<int64_t, 4> shape_;
    torch::autograd::SavedVariable input_, weight_, mean_, rstd_;
};

// The type of the graph's pointers to nodes: std::shared_ptr at first, c10::intrusive_ptr in later versions of PyTorch.
using node_pointer = decltype(torch::autograd::Edge::function);

template <typename Pointer, typename Some>
Pointer hold(Some *node) {
    if constexpr (std::is_same_v<Pointer, std::shared_ptr<torch::autograd::Node>>)
        return Pointer(node, [](auto *ended) { deleteNode(ended); }); // destroys deep graphs without recursion
    else
        return Pointer::unsafe_steal_from_new(node);
}

// Makes the output a result of the node, which is new, and the sum, if input or residual require a gradient.
void attach(const leaves &from, norm_backward *made, at::Tensor &output, at::Tensor &sum);

// The same with a node that it makes.
void attach(const leaves &from, at::IntArrayRef shape, const at::Tensor &mean, const at::Tensor &rstd,
            at::Tensor &output, at::Tensor &sum, bool plus_one = false, bool rounds = false);

} // namespace jitnorm_torch
