// SPDX-License-Identifier: Apache-2.0
// parameters: the parameters of each operation's first call. tensors() lists the tensors in the order of
// request::parameters; a tensor that is absent is null. add_others() adds all else that decides the request to a
// fingerprint.
#pragma once

#include <array>

#include "../../primitive/fingerprint.hpp"
#include "request.hpp"

namespace jitnorm::impl::aclnn {

using layer_norm::fingerprint;

inline void add_with_length(fingerprint &to, std::span<const int64_t> numbers) {
    to.add(uint64_t(numbers.size()));
    to.add(numbers);
}

// For layer_norm, layer_norm_with_impl_mode and fast_layer_norm.
struct forward_parameters {
    operation op;
    int32_t impl_mode; // 0 if the operation has no modes
    const tensor *input;
    const int_array *normalized_shape;
    const tensor *weight, *bias; // may be null
    double eps;
    const tensor *out, *mean_out, *rstd_out; // the latter two may be null

    auto tensors() const { return std::array{input, weight, bias, out, mean_out, rstd_out}; }
    void add_others(fingerprint &to) const {
        add_with_length(to, *normalized_shape);
        to.add(uint64_t(impl_mode));
        to.add(eps);
    }
};

struct backward_parameters {
    static constexpr operation op = operation::layer_norm_backward;
    const tensor *grad_out, *input;
    const int_array *normalized_shape;
    const tensor *mean, *rstd, *weight, *bias; // the latter two may be null
    const bool_array *output_mask;
    const tensor *grad_input, *grad_weight, *grad_bias; // null where the mask allows it

    auto tensors() const {
        return std::array{grad_out, input, mean, rstd, weight, bias, grad_input, grad_weight, grad_bias};
    }
    void add_others(fingerprint &to) const {
        add_with_length(to, *normalized_shape);
        for (size_t i = 0; i < output_mask->size(); ++i) to.add(uint64_t((*output_mask)[i]));
    }
};

struct rms_norm_parameters {
    operation op;
    const tensor *x, *gamma;
    double epsilon;
    const tensor *y, *rstd;

    auto tensors() const { return std::array{x, gamma, y, rstd}; }
    void add_others(fingerprint &to) const { to.add(epsilon); }
};

struct rms_norm_grad_parameters {
    static constexpr operation op = operation::rms_norm_grad;
    const tensor *dy, *x, *rstd, *gamma;
    const tensor *dx, *dgamma;

    auto tensors() const { return std::array{dy, x, rstd, gamma, dx, dgamma}; }
    void add_others(fingerprint &) const {}
};

struct add_rms_norm_parameters {
    static constexpr operation op = operation::add_rms_norm;
    const tensor *x1, *x2, *gamma;
    double epsilon;
    const tensor *y, *rstd, *x; // rstd may be null; if it is, x may be null, too

    auto tensors() const { return std::array{x1, x2, gamma, y, rstd, x}; }
    void add_others(fingerprint &to) const { to.add(epsilon); }
};

struct add_layer_norm_parameters {
    static constexpr operation op = operation::add_layer_norm;
    const tensor *x1, *x2, *gamma, *beta, *bias; // the last may be null
    double epsilon;
    bool additional_output;
    const tensor *y, *mean, *rstd, *x; // without additional_output x is ignored

    auto tensors() const { return std::array{x1, x2, gamma, beta, bias, y, mean, rstd, x}; }
    void add_others(fingerprint &to) const {
        to.add(epsilon);
        to.add(uint64_t(additional_output));
    }
};

struct rms_norm_dynamic_quant_parameters {
    static constexpr operation op = operation::rms_norm_dynamic_quant;
    const tensor *x, *gamma, *smooth, *beta; // the latter two may be null
    double epsilon;
    int64_t dst_type;
    const tensor *y, *scale;

    auto tensors() const { return std::array{x, gamma, smooth, beta, y, scale}; }
    void add_others(fingerprint &to) const {
        to.add(epsilon);
        to.add(uint64_t(dst_type));
    }
};

struct add_rms_norm_dynamic_quant_parameters {
    static constexpr operation op = operation::add_rms_norm_dynamic_quant;
    const tensor *x1, *x2, *gamma, *smooth1, *smooth2; // the latter two may be null
    double epsilon;
    const tensor *y1, *y2, *x, *scale1, *scale2; // without smooth2, y2 and scale2 are ignored

    auto tensors() const { return std::array{x1, x2, gamma, smooth1, smooth2, y1, y2, x, scale1, scale2}; }
    void add_others(fingerprint &to) const { to.add(epsilon); }
};

// Adds all of a tensor except its address, which is another one in each call, and the shape of its storage, which is
// not used.
inline void add(fingerprint &to, const tensor *t) {
    to.add(uint64_t(t != nullptr));
    if (t == nullptr) return;
    to.add(uint64_t(uint32_t(t->data_type)) << 32 | uint64_t(uint32_t(t->format)));
    to.add(uint64_t(t->offset));
    add_with_length(to, t->dims);
    to.add(t->strides);
}

// The fingerprint of all that decides which request lower() makes of the parameters.
template <typename Parameters>
fingerprint fingerprint_of(const Parameters &given) {
    fingerprint asked(layer_norm::maker::two_phase_call);
    asked.add(uint64_t(given.op));
    for (const tensor *t : given.tensors()) add(asked, t);
    given.add_others(asked);
    return asked;
}

} // namespace jitnorm::impl::aclnn
