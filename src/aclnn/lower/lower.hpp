// SPDX-License-Identifier: Apache-2.0
// lower: checks the parameters of an operation by the rules in jitnorm_aclnn.h and turns them into a request.
#pragma once

#include "../objects/failure.hpp"
#include "parameters.hpp"

namespace jitnorm::impl::aclnn {

acl_status lower(const forward_parameters &given, request &result);
acl_status lower(const backward_parameters &given, request &result);
acl_status lower(const rms_norm_parameters &given, request &result);
acl_status lower(const rms_norm_grad_parameters &given, request &result);
acl_status lower(const add_rms_norm_parameters &given, request &result);
acl_status lower(const add_layer_norm_parameters &given, request &result);
acl_status lower(const rms_norm_dynamic_quant_parameters &given, request &result);
acl_status lower(const add_rms_norm_dynamic_quant_parameters &given, request &result);

} // namespace jitnorm::impl::aclnn
