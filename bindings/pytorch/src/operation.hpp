// SPDX-License-Identifier: Apache-2.0
// operation: calls an operator of this library through PyTorch's dispatcher, so that autograd and tracers see the call.
#pragma once

#include <ATen/core/dispatch/Dispatcher.h>

#include "normalize.hpp"

namespace jitnorm_torch {

template <typename Result, typename... Parameters>
class operation {
public:
    explicit operation(const char *name)
        : handle_(c10::Dispatcher::singleton().findSchemaOrThrow(name, "").typed<Result(Parameters...)>()) {}
    Result operator()(Parameters... arguments) const { return handle_.call(arguments...); }

private:
    c10::TypedOperatorHandle<Result(Parameters...)> handle_;
};

using optional_double = c10::optional<double>;
using two_tensors = std::tuple<at::Tensor, at::Tensor>;

using layer_norm_operation = operation<at::Tensor, const at::Tensor &, at::IntArrayRef, const optional_tensor &,
                                       const optional_tensor &, double>;
using rms_norm_operation =
    operation<at::Tensor, const at::Tensor &, at::IntArrayRef, const optional_tensor &, optional_double, bool, bool>;
using add_layer_norm_operation = operation<two_tensors, const at::Tensor &, const at::Tensor &, at::IntArrayRef,
                                           const optional_tensor &, const optional_tensor &, double>;
using add_rms_norm_operation = operation<two_tensors, const at::Tensor &, const at::Tensor &, at::IntArrayRef,
                                         const optional_tensor &, optional_double, bool, bool>;
using ada_layer_norm_operation = operation<at::Tensor, const at::Tensor &, const at::Tensor &, const at::Tensor &,
                                           const optional_tensor &, const optional_tensor &, double>;
using gated_rms_norm_operation =
    operation<at::Tensor, const at::Tensor &, const optional_tensor &, const optional_tensor &, double, bool, bool>;

} // namespace jitnorm_torch
