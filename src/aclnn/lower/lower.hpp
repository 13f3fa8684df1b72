// SPDX-License-Identifier: Apache-2.0
// lower: checks the parameters of an operation by the rules in jitnorm_aclnn.h and turns them into a request.
#pragma once

#include <array>

#include "../../dispatch/object_cache.hpp"
#include "checks.hpp"

namespace jitnorm::impl::aclnn {

// ---- The parameters of each operation's first call. tensors() lists the tensors in the order of request::parameters.
// check_null() refuses null where it is not allowed.

// For layer_norm, layer_norm_with_impl_mode and fast_layer_norm.
struct forward_parameters : settings {
    named_tensor input;
    named_tensor weight, bias;    // may be null
    named_tensor out, mean, rstd; // the latter two may be null

    auto tensors() const { return std::array{input, weight, bias, out, mean, rstd}; }
    acl_status check_null() const { return refuse_null({input, {"normalizedShape", normalized_shape}, out}); }
};

struct backward_parameters : settings {
    named_tensor grad_out, input, mean, rstd;
    named_tensor weight, bias;                       // may be null
    named_tensor grad_input, grad_weight, grad_bias; // null where the mask allows it

    auto tensors() const {
        return std::array{grad_out, input, mean, rstd, weight, bias, grad_input, grad_weight, grad_bias};
    }
    acl_status check_null() const {
        return refuse_null(
            {grad_out, input, {"normalizedShape", normalized_shape}, mean, rstd, {"outputMask", output_mask}});
    }
};

// For ada_layer_norm and ada_layer_norm_v2.
struct ada_layer_norm_parameters : settings {
    named_tensor x, scale, shift;
    named_tensor weight, bias;    // may be null
    named_tensor out, mean, rstd; // the latter two may be null

    auto tensors() const { return std::array{x, scale, shift, weight, bias, out, mean, rstd}; }
    acl_status check_null() const { return refuse_null({x, scale, shift, out}); }
};

// For rms_norm and gemma_rms_norm.
struct rms_norm_parameters : settings {
    named_tensor x, gamma, y, rstd;

    auto tensors() const { return std::array{x, gamma, y, rstd}; }
    acl_status check_null() const { return refuse_null({x, gamma, y, rstd}); }
};

struct rms_norm_grad_parameters : settings {
    named_tensor dy, x, rstd, gamma, dx, dgamma;

    auto tensors() const { return std::array{dy, x, rstd, gamma, dx, dgamma}; }
    acl_status check_null() const { return refuse_null({dy, x, rstd, gamma, dx, dgamma}); }
};

struct add_rms_norm_parameters : settings {
    named_tensor x1, x2, gamma, y;
    named_tensor rstd, x; // rstd may be null; if it is, x may be null, too

    auto tensors() const { return std::array{x1, x2, gamma, y, rstd, x}; }
    acl_status check_null() const {
        JITNORM_TRY(refuse_null({x1, x2, gamma, y}));
        return rstd ? refuse_null({x}, ", and rstdOut is not") : acl_status{};
    }
};

struct add_layer_norm_parameters : settings {
    named_tensor x1, x2, gamma, beta, bias; // the last may be null
    named_tensor y, mean, rstd, x;          // without additionalOutput x is ignored

    auto tensors() const { return std::array{x1, x2, gamma, beta, bias, y, mean, rstd, x}; }
    acl_status check_null() const {
        JITNORM_TRY(refuse_null({x1, x2, gamma, beta, y, mean, rstd}));
        return additional_output ? refuse_null({x}, ", and additionalOutput asks for it") : acl_status{};
    }
};

struct rms_norm_dynamic_quant_parameters : settings {
    named_tensor x, gamma, smooth, beta; // the latter two may be null
    named_tensor y, scale;

    auto tensors() const { return std::array{x, gamma, smooth, beta, y, scale}; }
    acl_status check_null() const { return refuse_null({x, gamma, y, scale}); }
};

struct add_rms_norm_dynamic_quant_parameters : settings {
    named_tensor x1, x2, gamma, smooth1, smooth2; // the latter two may be null
    named_tensor y1, y2, x, scale1, scale2;       // without smooth2, y2 and scale2 are ignored

    auto tensors() const { return std::array{x1, x2, gamma, smooth1, smooth2, y1, y2, x, scale1, scale2}; }
    acl_status check_null() const { return refuse_null({x1, x2, gamma, y1, y2, x, scale1, scale2}); }
};

using layer_norm::cache_key;

inline void add_with_length(cache_key &to, std::span<const int64_t> numbers) {
    to.add(uint64_t(numbers.size()));
    to.add(numbers);
}

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
    key.add(given.epsilon);
    key.add(uint64_t(given.impl_mode));
    key.add(uint64_t(given.additional_output));
    key.add(uint64_t(given.dst_type));
    if (given.normalized_shape != nullptr) add_with_length(key, *given.normalized_shape);
    for (size_t i = 0; given.output_mask != nullptr && i < given.output_mask->size(); ++i)
        key.add(uint64_t((*given.output_mask)[i]));
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
