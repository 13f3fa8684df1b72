// SPDX-License-Identifier: Apache-2.0
// C interface: the first calls of all operations.
#include <utility>

#include "../dispatch/object_cache.hpp"
#include "lower/lower.hpp"
#include "op_executor.hpp"

namespace jitnorm::impl::aclnn {

// Finds the operation that an earlier call with such parameters has made, or makes it. If the system refused pages for
// the code of the best implementation, the operation is not cached, so that the next call tries again.
template <typename Parameters>
acl_status find_or_make(const Parameters &given, std::shared_ptr<const ready_operation> &ready) {
    const auto key = cache_key_of(given);
    ready = layer_norm::find_cached<ready_operation>(key);
    if (ready != nullptr) return {};
    request what;
    JITNORM_TRY(lower(given, what));
    JITNORM_TRY(ready_operation::make(std::move(what), ready));
    if (ready->is_as_chosen()) ready = layer_norm::cache(key, std::move(ready));
    return {};
}

// Makes the executor and writes its handle and the workspace's size for the caller.
template <typename Parameters>
jitnorm_acl_status_t first_call(const char *function, const Parameters &given, uint64_t *workspace_size,
                                jitnorm_acl_op_executor_t *executor) {
    return answer_from(function, [&]() -> acl_status {
        JITNORM_TRY(given.check_null());
        if (workspace_size == nullptr || executor == nullptr) return null_pointer("workspaceSize or executor is null");
        std::shared_ptr<const ready_operation> ready;
        JITNORM_TRY(find_or_make(given, ready));
        const auto tensors = given.tensors();
        auto made = std::make_shared<op_executor>(std::move(ready), tensors);
        const uint64_t bytes = made->workspace_bytes();
        *executor = enter(std::move(made));
        *workspace_size = bytes;
        return {};
    });
}

} // namespace jitnorm::impl::aclnn

using namespace jitnorm::impl::aclnn;

namespace {

using tensor_handle = const_jitnorm_acl_tensor_t;

named_tensor named(const char *name, tensor_handle handle) { return {name, object_of(handle)}; }

} // namespace

// ---- layer normalization, forward and backward

namespace {

jitnorm_acl_status_t layer_norm_call(const char *function, operation op, int32_t impl_mode, tensor_handle input,
                                     const_jitnorm_acl_int_array_t normalized_shape, tensor_handle weight,
                                     tensor_handle bias, double eps, tensor_handle out, tensor_handle mean,
                                     tensor_handle rstd, uint64_t *workspace_size,
                                     jitnorm_acl_op_executor_t *executor) {
    const settings with{
        .op = op, .epsilon = eps, .impl_mode = impl_mode, .normalized_shape = object_of(normalized_shape)};
    return first_call(function,
                      forward_parameters{with, named("input", input), named("weight", weight), named("bias", bias),
                                         named("out", out), named("meanOut", mean), named("rstdOut", rstd)},
                      workspace_size, executor);
}

jitnorm_acl_status_t ada_layer_norm_call(const char *function, operation op, tensor_handle x, tensor_handle scale,
                                         tensor_handle shift, tensor_handle weight, tensor_handle bias, double epsilon,
                                         tensor_handle out, tensor_handle mean, tensor_handle rstd,
                                         uint64_t *workspace_size, jitnorm_acl_op_executor_t *executor) {
    const settings with{op, epsilon};
    return first_call(function,
                      ada_layer_norm_parameters{with, named("x", x), named("scale", scale), named("shift", shift),
                                                named("weightOptional", weight), named("biasOptional", bias),
                                                named("out", out), named("meanOutOptional", mean),
                                                named("rstdOutOptional", rstd)},
                      workspace_size, executor);
}

jitnorm_acl_status_t rms_norm_call(const char *function, operation op, tensor_handle x, tensor_handle gamma,
                                   double epsilon, tensor_handle y, tensor_handle rstd, uint64_t *workspace_size,
                                   jitnorm_acl_op_executor_t *executor) {
    const settings with{op, epsilon};
    return first_call(
        function,
        rms_norm_parameters{with, named("x", x), named("gamma", gamma), named("yOut", y), named("rstdOut", rstd)},
        workspace_size, executor);
}

} // namespace

jitnorm_acl_status_t jitnorm_aclnn_layer_norm_get_workspace_size(
    const_jitnorm_acl_tensor_t input, const_jitnorm_acl_int_array_t normalized_shape, const_jitnorm_acl_tensor_t weight,
    const_jitnorm_acl_tensor_t bias, double eps, jitnorm_acl_tensor_t out, jitnorm_acl_tensor_t mean_out,
    jitnorm_acl_tensor_t rstd_out, uint64_t *workspace_size, jitnorm_acl_op_executor_t *executor) {
    return layer_norm_call(__func__, operation::layer_norm, 0, input, normalized_shape, weight, bias, eps, out,
                           mean_out, rstd_out, workspace_size, executor);
}

jitnorm_acl_status_t jitnorm_aclnn_layer_norm_with_impl_mode_get_workspace_size(
    const_jitnorm_acl_tensor_t input, const_jitnorm_acl_int_array_t normalized_shape, const_jitnorm_acl_tensor_t weight,
    const_jitnorm_acl_tensor_t bias, double eps, jitnorm_acl_tensor_t out, jitnorm_acl_tensor_t mean_out,
    jitnorm_acl_tensor_t rstd_out, int32_t impl_mode, uint64_t *workspace_size, jitnorm_acl_op_executor_t *executor) {
    return layer_norm_call(__func__, operation::layer_norm_with_impl_mode, impl_mode, input, normalized_shape, weight,
                           bias, eps, out, mean_out, rstd_out, workspace_size, executor);
}

jitnorm_acl_status_t jitnorm_aclnn_fast_layer_norm_get_workspace_size(
    const_jitnorm_acl_tensor_t input, const_jitnorm_acl_int_array_t normalized_shape, const_jitnorm_acl_tensor_t weight,
    const_jitnorm_acl_tensor_t bias, double eps, jitnorm_acl_tensor_t out, jitnorm_acl_tensor_t mean_out,
    jitnorm_acl_tensor_t rstd_out, uint64_t *workspace_size, jitnorm_acl_op_executor_t *executor) {
    return layer_norm_call(__func__, operation::fast_layer_norm, 0, input, normalized_shape, weight, bias, eps, out,
                           mean_out, rstd_out, workspace_size, executor);
}

jitnorm_acl_status_t jitnorm_aclnn_layer_norm_backward_get_workspace_size(
    const_jitnorm_acl_tensor_t grad_out, const_jitnorm_acl_tensor_t input,
    const_jitnorm_acl_int_array_t normalized_shape, const_jitnorm_acl_tensor_t mean, const_jitnorm_acl_tensor_t rstd,
    const_jitnorm_acl_tensor_t weight, const_jitnorm_acl_tensor_t bias, const_jitnorm_acl_bool_array_t output_mask,
    jitnorm_acl_tensor_t grad_input, jitnorm_acl_tensor_t grad_weight, jitnorm_acl_tensor_t grad_bias,
    uint64_t *workspace_size, jitnorm_acl_op_executor_t *executor) {
    const settings with{.op = operation::layer_norm_backward,
                        .normalized_shape = object_of(normalized_shape),
                        .output_mask = object_of(output_mask)};
    return first_call(__func__,
                      backward_parameters{with, named("gradOut", grad_out), named("input", input), named("mean", mean),
                                          named("rstd", rstd), named("weight", weight), named("bias", bias),
                                          named("gradInputOut", grad_input), named("gradWeightOut", grad_weight),
                                          named("gradBiasOut", grad_bias)},
                      workspace_size, executor);
}

jitnorm_acl_status_t jitnorm_aclnn_ada_layer_norm_get_workspace_size(
    const_jitnorm_acl_tensor_t x, const_jitnorm_acl_tensor_t scale, const_jitnorm_acl_tensor_t shift,
    const_jitnorm_acl_tensor_t weight, const_jitnorm_acl_tensor_t bias, double epsilon, jitnorm_acl_tensor_t out,
    uint64_t *workspace_size, jitnorm_acl_op_executor_t *executor) {
    return ada_layer_norm_call(__func__, operation::ada_layer_norm, x, scale, shift, weight, bias, epsilon, out,
                               nullptr, nullptr, workspace_size, executor);
}

jitnorm_acl_status_t jitnorm_aclnn_ada_layer_norm_v2_get_workspace_size(
    const_jitnorm_acl_tensor_t x, const_jitnorm_acl_tensor_t scale, const_jitnorm_acl_tensor_t shift,
    const_jitnorm_acl_tensor_t weight, const_jitnorm_acl_tensor_t bias, double epsilon, jitnorm_acl_tensor_t out,
    jitnorm_acl_tensor_t mean_out, jitnorm_acl_tensor_t rstd_out, uint64_t *workspace_size,
    jitnorm_acl_op_executor_t *executor) {
    return ada_layer_norm_call(__func__, operation::ada_layer_norm_v2, x, scale, shift, weight, bias, epsilon, out,
                               mean_out, rstd_out, workspace_size, executor);
}

// ---- RMS normalization

jitnorm_acl_status_t jitnorm_aclnn_rms_norm_get_workspace_size(
    const_jitnorm_acl_tensor_t x, const_jitnorm_acl_tensor_t gamma, double epsilon, const_jitnorm_acl_tensor_t y_out,
    const_jitnorm_acl_tensor_t rstd_out, uint64_t *workspace_size, jitnorm_acl_op_executor_t *executor) {
    return rms_norm_call(__func__, operation::rms_norm, x, gamma, epsilon, y_out, rstd_out, workspace_size, executor);
}

jitnorm_acl_status_t jitnorm_aclnn_gemma_rms_norm_get_workspace_size(
    const_jitnorm_acl_tensor_t x, const_jitnorm_acl_tensor_t gamma, double epsilon, const_jitnorm_acl_tensor_t y_out,
    const_jitnorm_acl_tensor_t rstd_out, uint64_t *workspace_size, jitnorm_acl_op_executor_t *executor) {
    return rms_norm_call(__func__, operation::gemma_rms_norm, x, gamma, epsilon, y_out, rstd_out, workspace_size,
                         executor);
}

jitnorm_acl_status_t
jitnorm_aclnn_rms_norm_grad_get_workspace_size(const_jitnorm_acl_tensor_t dy, const_jitnorm_acl_tensor_t x,
                                               const_jitnorm_acl_tensor_t rstd, const_jitnorm_acl_tensor_t gamma,
                                               const_jitnorm_acl_tensor_t dx_out, const_jitnorm_acl_tensor_t dgamma_out,
                                               uint64_t *workspace_size, jitnorm_acl_op_executor_t *executor) {
    const settings with{operation::rms_norm_grad};
    return first_call(__func__,
                      rms_norm_grad_parameters{with, named("dy", dy), named("x", x), named("rstd", rstd),
                                               named("gamma", gamma), named("dxOut", dx_out),
                                               named("dgammaOut", dgamma_out)},
                      workspace_size, executor);
}

// ---- normalizations of sums

jitnorm_acl_status_t jitnorm_aclnn_add_rms_norm_get_workspace_size(
    const_jitnorm_acl_tensor_t x1, const_jitnorm_acl_tensor_t x2, const_jitnorm_acl_tensor_t gamma, double epsilon,
    jitnorm_acl_tensor_t y_out, jitnorm_acl_tensor_t rstd_out, jitnorm_acl_tensor_t x_out, uint64_t *workspace_size,
    jitnorm_acl_op_executor_t *executor) {
    const settings with{operation::add_rms_norm, epsilon};
    return first_call(__func__,
                      add_rms_norm_parameters{with, named("x1", x1), named("x2", x2), named("gamma", gamma),
                                              named("yOut", y_out), named("rstdOut", rstd_out), named("xOut", x_out)},
                      workspace_size, executor);
}

jitnorm_acl_status_t jitnorm_aclnn_add_layer_norm_get_workspace_size(
    const_jitnorm_acl_tensor_t x1, const_jitnorm_acl_tensor_t x2, const_jitnorm_acl_tensor_t gamma,
    const_jitnorm_acl_tensor_t beta, const_jitnorm_acl_tensor_t bias, double epsilon, bool additional_output,
    const_jitnorm_acl_tensor_t y_out, const_jitnorm_acl_tensor_t mean_out, const_jitnorm_acl_tensor_t rstd_out,
    const_jitnorm_acl_tensor_t x_out, uint64_t *workspace_size, jitnorm_acl_op_executor_t *executor) {
    const settings with{.op = operation::add_layer_norm, .epsilon = epsilon, .additional_output = additional_output};
    return first_call(__func__,
                      add_layer_norm_parameters{with, named("x1", x1), named("x2", x2), named("gamma", gamma),
                                                named("beta", beta), named("biasOptional", bias), named("yOut", y_out),
                                                named("meanOut", mean_out), named("rstdOut", rstd_out),
                                                named("xOut", x_out)},
                      workspace_size, executor);
}

// ---- RMS normalization to 8 bits

jitnorm_acl_status_t jitnorm_aclnn_rms_norm_dynamic_quant_get_workspace_size(
    const_jitnorm_acl_tensor_t x, const_jitnorm_acl_tensor_t gamma, const_jitnorm_acl_tensor_t smooth_scales,
    const_jitnorm_acl_tensor_t beta, double epsilon, int64_t dst_type, const_jitnorm_acl_tensor_t y_out,
    const_jitnorm_acl_tensor_t scale_out, uint64_t *workspace_size, jitnorm_acl_op_executor_t *executor) {
    const settings with{.op = operation::rms_norm_dynamic_quant, .epsilon = epsilon, .dst_type = dst_type};
    return first_call(__func__,
                      rms_norm_dynamic_quant_parameters{
                          with, named("x", x), named("gamma", gamma), named("smoothScalesOptional", smooth_scales),
                          named("betaOptional", beta), named("yOut", y_out), named("scaleOut", scale_out)},
                      workspace_size, executor);
}

jitnorm_acl_status_t jitnorm_aclnn_add_rms_norm_dynamic_quant_get_workspace_size(
    const_jitnorm_acl_tensor_t x1, const_jitnorm_acl_tensor_t x2, const_jitnorm_acl_tensor_t gamma,
    const_jitnorm_acl_tensor_t smooth_scale1, const_jitnorm_acl_tensor_t smooth_scale2, double epsilon,
    jitnorm_acl_tensor_t y1_out, jitnorm_acl_tensor_t y2_out, jitnorm_acl_tensor_t x_out,
    jitnorm_acl_tensor_t scale1_out, jitnorm_acl_tensor_t scale2_out, uint64_t *workspace_size,
    jitnorm_acl_op_executor_t *executor) {
    const settings with{operation::add_rms_norm_dynamic_quant, epsilon};
    return first_call(__func__,
                      add_rms_norm_dynamic_quant_parameters{
                          with, named("x1", x1), named("x2", x2), named("gamma", gamma),
                          named("smoothScale1Optional", smooth_scale1), named("smoothScale2Optional", smooth_scale2),
                          named("y1Out", y1_out), named("y2Out", y2_out), named("xOut", x_out),
                          named("scale1Out", scale1_out), named("scale2Out", scale2_out)},
                      workspace_size, executor);
}
