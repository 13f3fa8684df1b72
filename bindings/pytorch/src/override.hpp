// SPDX-License-Identifier: Apache-2.0
// override: jitnorm in the place of PyTorch's own normalizations on CPUs: of aten::native_layer_norm and its backward,
// and of aten::_fused_rms_norm where PyTorch has it. From the first time that the override is on, jitnorm's functions
// stay registered, and each call decides by one number whether jitnorm or PyTorch computes. So to switch it on or off
// takes nothing away from a thread that is computing.
#pragma once

#include "normalize.hpp"

// PyTorch 2.9 and later compute rms_norm by aten::_fused_rms_norm. For CPUs they compose it of other operators.
#if __has_include(<ATen/ops/_fused_rms_norm_compositeimplicitautograd_dispatch.h>)
#define JITNORM_TORCH_FUSED_RMS_NORM
#endif

namespace jitnorm_torch {

// Switches the override on or off for all threads, from now on.
void switch_override(bool on);

// Enters or leaves a scope. The override is on while it is switched on or any thread is within a scope.
void scope_override(bool enter);

#ifdef JITNORM_TORCH_FUSED_RMS_NORM
// Whether jitnorm takes a call of aten::_fused_rms_norm. `weight` may be undefined.
bool takes_rms_norm(const at::Tensor &input, const at::Tensor &weight);

// aten::_fused_rms_norm for autograd. The second result, 1 / deviation, has no gradient.
std::tuple<at::Tensor, at::Tensor> record_fused_rms_norm(const at::Tensor &input, at::IntArrayRef shape,
                                                         const optional_tensor &weight, c10::optional<double> epsilon);
#endif

} // namespace jitnorm_torch
