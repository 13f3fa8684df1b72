// SPDX-License-Identifier: Apache-2.0
#include "lower.hpp"

namespace jitnorm::impl::aclnn {

namespace {

using layer_norm::fingerprint;

void add(fingerprint &to, std::span<const int64_t> numbers) {
    to.add(uint64_t(numbers.size()));
    to.add(numbers);
}

// But where it is: an address is of one call, and nobody looks at the storage's shape.
void add(fingerprint &to, const tensor *t) {
    to.add(uint64_t(t != nullptr));
    if (t == nullptr) return;
    to.add(uint64_t(uint32_t(t->data_type)) << 32 | uint64_t(uint32_t(t->format)));
    to.add(uint64_t(t->offset));
    add(to, t->dims);
    to.add(t->strides);
}

template <typename Parameters>
fingerprint begin(operation op, const Parameters &given) {
    fingerprint asked(layer_norm::maker::two_phase_call);
    asked.add(uint64_t(op));
    for (const tensor *t : tensors_of(given)) add(asked, t);
    return asked;
}

} // namespace

fingerprint fingerprint_of(const forward_parameters &given) {
    fingerprint asked = begin(given.op, given);
    add(asked, *given.normalized_shape);
    asked.add(uint64_t(given.impl_mode));
    asked.add(given.eps);
    return asked;
}

fingerprint fingerprint_of(const backward_parameters &given) {
    fingerprint asked = begin(operation::layer_norm_backward, given);
    add(asked, *given.normalized_shape);
    for (size_t i = 0; i < given.output_mask->size(); ++i) asked.add(uint64_t((*given.output_mask)[i]));
    return asked;
}

fingerprint fingerprint_of(const rms_norm_parameters &given) {
    fingerprint asked = begin(given.op, given);
    asked.add(given.epsilon);
    return asked;
}

fingerprint fingerprint_of(const rms_norm_grad_parameters &given) { return begin(operation::rms_norm_grad, given); }

fingerprint fingerprint_of(const add_rms_norm_parameters &given) {
    fingerprint asked = begin(operation::add_rms_norm, given);
    asked.add(given.epsilon);
    return asked;
}

fingerprint fingerprint_of(const add_layer_norm_parameters &given) {
    fingerprint asked = begin(operation::add_layer_norm, given);
    asked.add(given.epsilon);
    asked.add(uint64_t(given.additional_output));
    return asked;
}

fingerprint fingerprint_of(const rms_norm_dynamic_quant_parameters &given) {
    fingerprint asked = begin(operation::rms_norm_dynamic_quant, given);
    asked.add(given.epsilon);
    asked.add(uint64_t(given.dst_type));
    return asked;
}

fingerprint fingerprint_of(const add_rms_norm_dynamic_quant_parameters &given) {
    fingerprint asked = begin(operation::add_rms_norm_dynamic_quant, given);
    asked.add(given.epsilon);
    return asked;
}

std::array<const tensor *, 6> tensors_of(const forward_parameters &g) {
    return {g.input, g.weight, g.bias, g.out, g.mean_out, g.rstd_out};
}

std::array<const tensor *, 9> tensors_of(const backward_parameters &g) {
    return {g.grad_out, g.input, g.mean, g.rstd, g.weight, g.bias, g.grad_input, g.grad_weight, g.grad_bias};
}

std::array<const tensor *, 4> tensors_of(const rms_norm_parameters &g) { return {g.x, g.gamma, g.y, g.rstd}; }

std::array<const tensor *, 6> tensors_of(const rms_norm_grad_parameters &g) {
    return {g.dy, g.x, g.rstd, g.gamma, g.dx, g.dgamma};
}

std::array<const tensor *, 6> tensors_of(const add_rms_norm_parameters &g) {
    return {g.x1, g.x2, g.gamma, g.y, g.rstd, g.x};
}

std::array<const tensor *, 9> tensors_of(const add_layer_norm_parameters &g) {
    return {g.x1, g.x2, g.gamma, g.beta, g.bias, g.y, g.mean, g.rstd, g.x};
}

std::array<const tensor *, 6> tensors_of(const rms_norm_dynamic_quant_parameters &g) {
    return {g.x, g.gamma, g.smooth, g.beta, g.y, g.scale};
}

std::array<const tensor *, 10> tensors_of(const add_rms_norm_dynamic_quant_parameters &g) {
    return {g.x1, g.x2, g.gamma, g.smooth1, g.smooth2, g.y1, g.y2, g.x, g.scale1, g.scale2};
}

} // namespace jitnorm::impl::aclnn
