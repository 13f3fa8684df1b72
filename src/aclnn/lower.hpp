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
    operation op;
    const tensor *x, *gamma;
    double epsilon;
    const tensor *y, *rstd;
};

struct rms_norm_grad_parameters {
    const tensor *dy, *x, *rstd, *gamma;
    const tensor *dx, *dgamma;
};

struct add_rms_norm_parameters {
    const tensor *x1, *x2, *gamma;
    double epsilon;
    const tensor *y, *rstd, *x; // rstd may be null, and then x
};

struct add_layer_norm_parameters {
    const tensor *x1, *x2, *gamma, *beta, *bias; // the last may be null
    double epsilon;
    bool additional_output;
    const tensor *y, *mean, *rstd, *x; // x is not looked at without additional_output
};

struct rms_norm_dynamic_quant_parameters {
    const tensor *x, *gamma, *smooth, *beta; // the latter two may be null
    double epsilon;
    int64_t dst_type;
    const tensor *y, *scale;
};

struct add_rms_norm_dynamic_quant_parameters {
    const tensor *x1, *x2, *gamma, *smooth1, *smooth2; // the latter two may be null
    double epsilon;
    const tensor *y1, *y2, *x, *scale1, *scale2; // y2 and scale2 are not looked at without smooth2
};

outcome lower(const forward_parameters &given, request &result);
outcome lower(const backward_parameters &given, request &result);
outcome lower(const rms_norm_parameters &given, request &result);
outcome lower(const rms_norm_grad_parameters &given, request &result);
outcome lower(const add_rms_norm_parameters &given, request &result);
outcome lower(const add_layer_norm_parameters &given, request &result);
outcome lower(const rms_norm_dynamic_quant_parameters &given, request &result);
outcome lower(const add_rms_norm_dynamic_quant_parameters &given, request &result);

// All that decides what lower() makes of them.
layer_norm::fingerprint fingerprint_of(const forward_parameters &given);
layer_norm::fingerprint fingerprint_of(const backward_parameters &given);
layer_norm::fingerprint fingerprint_of(const rms_norm_parameters &given);
layer_norm::fingerprint fingerprint_of(const rms_norm_grad_parameters &given);
layer_norm::fingerprint fingerprint_of(const add_rms_norm_parameters &given);
layer_norm::fingerprint fingerprint_of(const add_layer_norm_parameters &given);
layer_norm::fingerprint fingerprint_of(const rms_norm_dynamic_quant_parameters &given);
layer_norm::fingerprint fingerprint_of(const add_rms_norm_dynamic_quant_parameters &given);

// The tensors in the order of request::parameters; null where there is none.
std::array<const tensor *, 6> tensors_of(const forward_parameters &given);
std::array<const tensor *, 9> tensors_of(const backward_parameters &given);
std::array<const tensor *, 4> tensors_of(const rms_norm_parameters &given);
std::array<const tensor *, 6> tensors_of(const rms_norm_grad_parameters &given);
std::array<const tensor *, 6> tensors_of(const add_rms_norm_parameters &given);
std::array<const tensor *, 9> tensors_of(const add_layer_norm_parameters &given);
std::array<const tensor *, 6> tensors_of(const rms_norm_dynamic_quant_parameters &given);
std::array<const tensor *, 10> tensors_of(const add_rms_norm_dynamic_quant_parameters &given);

} // namespace jitnorm::impl::aclnn
