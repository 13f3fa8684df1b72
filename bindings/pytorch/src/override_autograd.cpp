// SPDX-License-Identifier: Apache-2.0
// The derivative of aten::_fused_rms_norm where jitnorm takes its place.
#include "override.hpp"

#ifdef JITNORM_TORCH_FUSED_RMS_NORM
#include <ATen/ops/_fused_rms_norm.h>
#include <ATen/ops/_fused_rms_norm_compositeimplicitautograd_dispatch.h>
#include <torch/csrc/autograd/autograd.h>

#include "composed.hpp"
#include "node.hpp"

namespace jitnorm_torch {

namespace {

using at::IntArrayRef;
using at::Tensor;
using optional_double = c10::optional<double>;
namespace composed = at::compositeimplicitautograd;

// A gradient that is to be differentiated again is that of PyTorch's operators.
class fused_rms_norm_backward final : public norm_backward {
    using norm_backward::norm_backward;
    three compute(const Tensor &of_output, const optional_tensor &of_sum, mask<3> wanted) override {
        if (!at::GradMode::is_enabled()) return norm_backward::compute(of_output, of_sum, wanted);
        auto [input, weight, none] =
            compose_gradients({shape_, true, false, false, false, false}, {input_.unpack(), weight_.unpack(), {}},
                              of_output, rstd_.unpack(), wanted);
        return {input, weight, Tensor()};
    }
};

} // namespace

std::tuple<Tensor, Tensor> record_fused_rms_norm(const Tensor &input, IntArrayRef shape, const optional_tensor &weight,
                                                 optional_double epsilon) {
    const leaves from = {input, or_none(weight), {}, {}};
    if (!takes_rms_norm(input, from.weight) || from.have_tangents())
        return composed::_fused_rms_norm(input, shape, weight, epsilon);
    std::tuple<Tensor, Tensor> made;
    {
        const bool recorded = from.are_recorded();
        const at::AutoDispatchBelowADInplaceOrView below;
        made = at::_fused_rms_norm(input, shape, weight, epsilon);
        if (!recorded) return made;
    }
    Tensor none;
    attach(from, new fused_rms_norm_backward(from, shape, input, {}, std::get<1>(made)), std::get<0>(made), none);
    return made;
}

} // namespace jitnorm_torch
#endif
