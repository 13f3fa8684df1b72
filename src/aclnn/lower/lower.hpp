// SPDX-License-Identifier: Apache-2.0
// lower: checks the parameters of an operation by the rules in jitnorm_aclnn.h and turns them into a request.
#pragma once

#include <array>

#include "../../dispatch/object_cache.hpp"
#include "../objects/failure.hpp"
#include "request.hpp"

namespace jitnorm::impl::aclnn {

// ---- The parameters of each operation's first call. tensors() lists the tensors in the order of request::parameters,
// with the names that reasons call them. add_others() adds all else that decides the request to a cache key.

using layer_norm::cache_key;

inline void add_with_length(cache_key &to, std::span<const int64_t> numbers) {
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

    auto tensors() const {
        return std::array{named_tensor{"input", input},      named_tensor{"weight", weight},
                          named_tensor{"bias", bias},        named_tensor{"out", out},
                          named_tensor{"meanOut", mean_out}, named_tensor{"rstdOut", rstd_out}};
    }
    void add_others(cache_key &to) const {
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
        return std::array{named_tensor{"gradOut", grad_out},
                          named_tensor{"input", input},
                          named_tensor{"mean", mean},
                          named_tensor{"rstd", rstd},
                          named_tensor{"weight", weight},
                          named_tensor{"bias", bias},
                          named_tensor{"gradInputOut", grad_input},
                          named_tensor{"gradWeightOut", grad_weight},
                          named_tensor{"gradBiasOut", grad_bias}};
    }
    void add_others(cache_key &to) const {
        add_with_length(to, *normalized_shape);
        for (size_t i = 0; i < output_mask->size(); ++i) to.add(uint64_t((*output_mask)[i]));
    }
};

// For ada_layer_norm and ada_layer_norm_v2.
struct ada_layer_norm_parameters {
    operation op;
    const tensor *x, *scale, *shift;
    const tensor *weight, *bias; // may be null
    double epsilon;
    const tensor *out, *mean, *rstd; // the latter two may be null

    auto tensors() const {
        return std::array{named_tensor{"x", x},
                          named_tensor{"scale", scale},
                          named_tensor{"shift", shift},
                          named_tensor{"weightOptional", weight},
                          named_tensor{"biasOptional", bias},
                          named_tensor{"out", out},
                          named_tensor{"meanOutOptional", mean},
                          named_tensor{"rstdOutOptional", rstd}};
    }
    void add_others(cache_key &to) const { to.add(epsilon); }
};

struct rms_norm_parameters {
    operation op;
    const tensor *x, *gamma;
    double epsilon;
    const tensor *y, *rstd;

    auto tensors() const {
        return std::array{named_tensor{"x", x}, named_tensor{"gamma", gamma}, named_tensor{"yOut", y},
                          named_tensor{"rstdOut", rstd}};
    }
    void add_others(cache_key &to) const { to.add(epsilon); }
};

struct rms_norm_grad_parameters {
    static constexpr operation op = operation::rms_norm_grad;
    const tensor *dy, *x, *rstd, *gamma;
    const tensor *dx, *dgamma;

    auto tensors() const {
        return std::array{named_tensor{"dy", dy},       named_tensor{"x", x},      named_tensor{"rstd", rstd},
                          named_tensor{"gamma", gamma}, named_tensor{"dxOut", dx}, named_tensor{"dgammaOut", dgamma}};
    }
    void add_others(cache_key &) const {}
};

struct add_rms_norm_parameters {
    static constexpr operation op = operation::add_rms_norm;
    const tensor *x1, *x2, *gamma;
    double epsilon;
    const tensor *y, *rstd, *x; // rstd may be null; if it is, x may be null, too

    auto tensors() const {
        return std::array{named_tensor{"x1", x1},  named_tensor{"x2", x2},        named_tensor{"gamma", gamma},
                          named_tensor{"yOut", y}, named_tensor{"rstdOut", rstd}, named_tensor{"xOut", x}};
    }
    void add_others(cache_key &to) const { to.add(epsilon); }
};

struct add_layer_norm_parameters {
    static constexpr operation op = operation::add_layer_norm;
    const tensor *x1, *x2, *gamma, *beta, *bias; // the last may be null
    double epsilon;
    bool additional_output;
    const tensor *y, *mean, *rstd, *x; // without additional_output x is ignored

    auto tensors() const {
        return std::array{named_tensor{"x1", x1},
                          named_tensor{"x2", x2},
                          named_tensor{"gamma", gamma},
                          named_tensor{"beta", beta},
                          named_tensor{"biasOptional", bias},
                          named_tensor{"yOut", y},
                          named_tensor{"meanOut", mean},
                          named_tensor{"rstdOut", rstd},
                          named_tensor{"xOut", x}};
    }
    void add_others(cache_key &to) const {
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

    auto tensors() const {
        return std::array{named_tensor{"x", x},
                          named_tensor{"gamma", gamma},
                          named_tensor{"smoothScalesOptional", smooth},
                          named_tensor{"betaOptional", beta},
                          named_tensor{"yOut", y},
                          named_tensor{"scaleOut", scale}};
    }
    void add_others(cache_key &to) const {
        to.add(epsilon);
        to.add(uint64_t(dst_type));
    }
};

struct add_rms_norm_dynamic_quant_parameters {
    static constexpr operation op = operation::add_rms_norm_dynamic_quant;
    const tensor *x1, *x2, *gamma, *smooth1, *smooth2; // the latter two may be null
    double epsilon;
    const tensor *y1, *y2, *x, *scale1, *scale2; // without smooth2, y2 and scale2 are ignored

    auto tensors() const {
        return std::array{named_tensor{"x1", x1},
                          named_tensor{"x2", x2},
                          named_tensor{"gamma", gamma},
                          named_tensor{"smoothScale1Optional", smooth1},
                          named_tensor{"smoothScale2Optional", smooth2},
                          named_tensor{"y1Out", y1},
                          named_tensor{"y2Out", y2},
                          named_tensor{"xOut", x},
                          named_tensor{"scale1Out", scale1},
                          named_tensor{"scale2Out", scale2}};
    }
    void add_others(cache_key &to) const { to.add(epsilon); }
};

// Adds all of a tensor except its address, which is another one in each call, and the shape of its storage, which is
// not used.
inline void add(cache_key &to, const tensor *t) {
    to.add(uint64_t(t != nullptr));
    if (t == nullptr) return;
    to.add(uint64_t(uint32_t(t->data_type)) << 32 | uint64_t(uint32_t(t->format)));
    to.add(uint64_t(t->offset));
    add_with_length(to, t->dims);
    to.add(t->strides);
}

// The key for all that decides which request lower() makes of the parameters.
template <typename Parameters>
cache_key cache_key_of(const Parameters &given) {
    cache_key key(layer_norm::maker::two_phase_call);
    key.add(uint64_t(given.op));
    for (const named_tensor &one : given.tensors()) add(key, one.t);
    given.add_others(key);
    return key;
}

acl_status lower(const forward_parameters &given, request &result);
acl_status lower(const backward_parameters &given, request &result);
acl_status lower(const ada_layer_norm_parameters &given, request &result);
acl_status lower(const rms_norm_parameters &given, request &result);
acl_status lower(const rms_norm_grad_parameters &given, request &result);
acl_status lower(const add_rms_norm_parameters &given, request &result);
acl_status lower(const add_layer_norm_parameters &given, request &result);
acl_status lower(const rms_norm_dynamic_quant_parameters &given, request &result);
acl_status lower(const add_rms_norm_dynamic_quant_parameters &given, request &result);

} // namespace jitnorm::impl::aclnn
