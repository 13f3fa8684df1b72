// SPDX-License-Identifier: Apache-2.0
// lower: the operations' parameters, checked and said as a problem. The rules are those of jitnorm_aclnn.h.
#pragma once

#include "../primitive/fingerprint.hpp"
#include "op_executor.hpp"

namespace jitnorm::impl::aclnn {

// Of all operations forward that find a mean.
struct forward_parameters {
    operation op;
    int32_t impl_mode; // 0 where the operation has none
    const tensor *input;
    const int_array *normalized_shape;
    const tensor *weight, *bias; // may be null
    double eps;
    const tensor *out, *mean_out, *rstd_out; // the latter two may be null
};

struct backward_parameters {
    const tensor *grad_out, *input;
    const int_array *normalized_shape;
    const tensor *mean, *rstd, *weight, *bias; // the latter two may be null
    const bool_array *output_mask;
    const tensor *grad_input, *grad_weight, *grad_bias; // null where the mask allows it
};

struct rms_norm_parameters {
    const tensor *x, *gamma;
    double epsilon;
    const tensor *y, *rstd;
};

struct rms_norm_grad_parameters {
    const tensor *dy, *x, *rstd, *gamma;
    const tensor *dx, *dgamma;
};

outcome lower(const forward_parameters &given, request &result);
outcome lower(const backward_parameters &given, request &result);
outcome lower(const rms_norm_parameters &given, request &result);
outcome lower(const rms_norm_grad_parameters &given, request &result);

// All that decides what lower() makes of them.
layer_norm::fingerprint fingerprint_of(const forward_parameters &given);
layer_norm::fingerprint fingerprint_of(const backward_parameters &given);
layer_norm::fingerprint fingerprint_of(const rms_norm_parameters &given);
layer_norm::fingerprint fingerprint_of(const rms_norm_grad_parameters &given);

// The tensors in the order of request::parameters; null where there is none.
std::array<const tensor *, 6> tensors_of(const forward_parameters &given);
std::array<const tensor *, 9> tensors_of(const backward_parameters &given);
std::array<const tensor *, 4> tensors_of(const rms_norm_parameters &given);
std::array<const tensor *, 6> tensors_of(const rms_norm_grad_parameters &given);

} // namespace jitnorm::impl::aclnn
