// SPDX-License-Identifier: Apache-2.0
// lower: checks the parameters of an operation by the rules in jitnorm_aclnn.h and turns them into a request.
#pragma once

#include <array>

#include "../../dispatch/object_cache.hpp"
#include "request.hpp"

namespace jitnorm::impl::aclnn {

// ---- The parameters of each operation's first call. list() has the tensors in the order of request::parameters.
// check_null() refuses null where it is not allowed.

// For layer_norm, layer_norm_with_impl_mode and fast_layer_norm.
struct forward_parameters : settings {
    named_tensor input{"input"};
    named_tensor weight{"weight"}, bias{"bias"};               // may be null
    named_tensor out{"out"}, mean{"meanOut"}, rstd{"rstdOut"}; // the latter two may be null

    static auto list(auto &g) { return std::array{&g.input, &g.weight, &g.bias, &g.out, &g.mean, &g.rstd}; }
    acl_status check_null() const { return refuse_null({input, {"normalizedShape", normalized_shape}, out}); }
};

struct backward_parameters : settings {
    named_tensor grad_out{"gradOut"}, input{"input"}, mean{"mean"}, rstd{"rstd"};
    named_tensor weight{"weight"}, bias{"bias"}; // may be null
    // null where the mask allows it
    named_tensor grad_input{"gradInputOut"}, grad_weight{"gradWeightOut"}, grad_bias{"gradBiasOut"};

    static auto list(auto &g) {
        return std::array{&g.grad_out, &g.input,      &g.mean,        &g.rstd,     &g.weight,
                          &g.bias,     &g.grad_input, &g.grad_weight, &g.grad_bias};
    }
    acl_status check_null() const {
        return refuse_null(
            {grad_out, input, {"normalizedShape", normalized_shape}, mean, rstd, {"outputMask", output_mask}});
    }
};

// For ada_layer_norm and ada_layer_norm_v2.
struct ada_layer_norm_parameters : settings {
    named_tensor x{"x"}, scale{"scale"}, shift{"shift"};
    named_tensor weight{"weightOptional"}, bias{"biasOptional"};               // may be null
    named_tensor out{"out"}, mean{"meanOutOptional"}, rstd{"rstdOutOptional"}; // the latter two may be null

    static auto list(auto &g) {
        return std::array{&g.x, &g.scale, &g.shift, &g.weight, &g.bias, &g.out, &g.mean, &g.rstd};
    }
    acl_status check_null() const { return refuse_null({x, scale, shift, out}); }
};

// For rms_norm and gemma_rms_norm.
struct rms_norm_parameters : settings {
    named_tensor x{"x"}, gamma{"gamma"}, y{"yOut"}, rstd{"rstdOut"};

    static auto list(auto &g) { return std::array{&g.x, &g.gamma, &g.y, &g.rstd}; }
    acl_status check_null() const { return refuse_null({x, gamma, y, rstd}); }
};

struct rms_norm_grad_parameters : settings {
    named_tensor dy{"dy"}, x{"x"}, rstd{"rstd"}, gamma{"gamma"}, dx{"dxOut"}, dgamma{"dgammaOut"};

    static auto list(auto &g) { return std::array{&g.dy, &g.x, &g.rstd, &g.gamma, &g.dx, &g.dgamma}; }
    acl_status check_null() const { return refuse_null({dy, x, rstd, gamma, dx, dgamma}); }
};

struct add_rms_norm_parameters : settings {
    named_tensor x1{"x1"}, x2{"x2"}, gamma{"gamma"}, y{"yOut"};
    named_tensor rstd{"rstdOut"}, x{"xOut"}; // rstd may be null; if it is, x may be null, too

    static auto list(auto &g) { return std::array{&g.x1, &g.x2, &g.gamma, &g.y, &g.rstd, &g.x}; }
    acl_status check_null() const {
        JITNORM_TRY(refuse_null({x1, x2, gamma, y}));
        return rstd ? refuse_null({x}, ", and rstdOut is not") : acl_status{};
    }
};

struct add_layer_norm_parameters : settings {
    named_tensor x1{"x1"}, x2{"x2"}, gamma{"gamma"}, beta{"beta"}, bias{"biasOptional"}; // the last may be null
    named_tensor y{"yOut"}, mean{"meanOut"}, rstd{"rstdOut"}, x{"xOut"}; // without additionalOutput x is ignored

    static auto list(auto &g) {
        return std::array{&g.x1, &g.x2, &g.gamma, &g.beta, &g.bias, &g.y, &g.mean, &g.rstd, &g.x};
    }
    acl_status check_null() const {
        JITNORM_TRY(refuse_null({x1, x2, gamma, beta, y, mean, rstd}));
        return additional_output ? refuse_null({x}, ", and additionalOutput asks for it") : acl_status{};
    }
};

struct rms_norm_dynamic_quant_parameters : settings {
    named_tensor x{"x"}, gamma{"gamma"};
    named_tensor smooth{"smoothScalesOptional"}, beta{"betaOptional"}; // may be null
    named_tensor y{"yOut"}, scale{"scaleOut"};

    static auto list(auto &g) { return std::array{&g.x, &g.gamma, &g.smooth, &g.beta, &g.y, &g.scale}; }
    acl_status check_null() const { return refuse_null({x, gamma, y, scale}); }
};

struct add_rms_norm_dynamic_quant_parameters : settings {
    named_tensor x1{"x1"}, x2{"x2"}, gamma{"gamma"};
    named_tensor smooth1{"smoothScale1Optional"}, smooth2{"smoothScale2Optional"}; // may be null
    // Without smooth2, y2 and scale2 are ignored.
    named_tensor y1{"y1Out"}, y2{"y2Out"}, x{"xOut"}, scale1{"scale1Out"}, scale2{"scale2Out"};

    static auto list(auto &g) {
        return std::array{&g.x1, &g.x2, &g.gamma, &g.smooth1, &g.smooth2, &g.y1, &g.y2, &g.x, &g.scale1, &g.scale2};
    }
    acl_status check_null() const { return refuse_null({x1, x2, gamma, y1, y2, x, scale1, scale2}); }
};

template <typename Parameters>
auto tensors_of(const Parameters &given) {
    return Parameters::list(given);
}

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
    for (const named_tensor *one : tensors_of(given)) add(key, one->t);
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
