// SPDX-License-Identifier: Apache-2.0
// lower: the operations' parameters, checked and said as a problem. The rules are those of jitnorm_aclnn.h.
#pragma once

#include "../objects/failure.hpp"
#include "parameters.hpp"

namespace jitnorm::impl::aclnn {

outcome lower(const forward_parameters &given, request &result);
outcome lower(const backward_parameters &given, request &result);
outcome lower(const rms_norm_parameters &given, request &result);
outcome lower(const rms_norm_grad_parameters &given, request &result);
outcome lower(const add_rms_norm_parameters &given, request &result);
outcome lower(const add_layer_norm_parameters &given, request &result);
outcome lower(const rms_norm_dynamic_quant_parameters &given, request &result);
outcome lower(const add_rms_norm_dynamic_quant_parameters &given, request &result);

} // namespace jitnorm::impl::aclnn
