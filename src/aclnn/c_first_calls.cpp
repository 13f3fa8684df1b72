// SPDX-License-Identifier: Apache-2.0
// C interface: the first calls of all operations.
#include <initializer_list>
#include <utility>

#include "../dispatch/object_cache.hpp"
#include "lower/lower.hpp"
#include "op_executor.hpp"

namespace jitnorm::impl::aclnn {

// A parameter that must not be null.
struct needed {
    const void *pointer;
    const char *missing; // the reason for refusing null
};

// For needed::pointer: a pointer that may be null unless the condition holds.
inline const void *needed_if(bool condition, const void *pointer) {
    static constexpr char NOTHING = 0;
    return condition ? pointer : &NOTHING;
}

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
    if (ready->is_as_chosen) ready = layer_norm::cache(key, std::move(ready));
    return {};
}

// Checks the needed parameters, makes the executor and writes its handle and the workspace's size for the caller.
template <typename Parameters>
jitnorm_acl_status_t first_call(const char *function, std::initializer_list<needed> all, const Parameters &given,
                                uint64_t *workspace_size, jitnorm_acl_op_executor_t *executor) {
    return guarded(function, [&]() -> acl_status {
        for (const needed &one : all)
            if (one.pointer == nullptr) return null_pointer(one.missing);
        if (workspace_size == nullptr || executor == nullptr)
            return null_pointer("a null pointer for the workspace's size or the executor");
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

// ---- layer normalization, forward and backward

namespace {

jitnorm_acl_status_t prepare_forward(const char *function, const forward_parameters &given, uint64_t *workspace_size,
                                     jitnorm_acl_op_executor_t *executor) {
    return first_call(function,
                      {{given.input, "input is null"},
                       {given.normalized_shape, "normalizedShape is null"},
                       {given.out, "out is null"}},
                      given, workspace_size, executor);
}

} // namespace

jitnorm_acl_status_t jitnorm_aclnn_layer_norm_get_workspace_size(
    const_jitnorm_acl_tensor_t input, const_jitnorm_acl_int_array_t normalized_shape, const_jitnorm_acl_tensor_t weight,
    const_jitnorm_acl_tensor_t bias, double eps, jitnorm_acl_tensor_t out, jitnorm_acl_tensor_t mean_out,
    jitnorm_acl_tensor_t rstd_out, uint64_t *workspace_size, jitnorm_acl_op_executor_t *executor) {
    return prepare_forward(__func__,
                           {operation::layer_norm, 0, behind(input), behind(normalized_shape), behind(weight),
                            behind(bias), eps, behind(out), behind(mean_out), behind(rstd_out)},
                           workspace_size, executor);
}

jitnorm_acl_status_t jitnorm_aclnn_layer_norm_with_impl_mode_get_workspace_size(
    const_jitnorm_acl_tensor_t input, const_jitnorm_acl_int_array_t normalized_shape, const_jitnorm_acl_tensor_t weight,
    const_jitnorm_acl_tensor_t bias, double eps, jitnorm_acl_tensor_t out, jitnorm_acl_tensor_t mean_out,
    jitnorm_acl_tensor_t rstd_out, int32_t impl_mode, uint64_t *workspace_size, jitnorm_acl_op_executor_t *executor) {
    return prepare_forward(__func__,
                           {operation::layer_norm_with_impl_mode, impl_mode, behind(input), behind(normalized_shape),
                            behind(weight), behind(bias), eps, behind(out), behind(mean_out), behind(rstd_out)},
                           workspace_size, executor);
}

jitnorm_acl_status_t jitnorm_aclnn_fast_layer_norm_get_workspace_size(
    const_jitnorm_acl_tensor_t input, const_jitnorm_acl_int_array_t normalized_shape, const_jitnorm_acl_tensor_t weight,
    const_jitnorm_acl_tensor_t bias, double eps, jitnorm_acl_tensor_t out, jitnorm_acl_tensor_t mean_out,
    jitnorm_acl_tensor_t rstd_out, uint64_t *workspace_size, jitnorm_acl_op_executor_t *executor) {
    return prepare_forward(__func__,
                           {operation::fast_layer_norm, 0, behind(input), behind(normalized_shape), behind(weight),
                            behind(bias), eps, behind(out), behind(mean_out), behind(rstd_out)},
                           workspace_size, executor);
}

jitnorm_acl_status_t jitnorm_aclnn_layer_norm_backward_get_workspace_size(
    const_jitnorm_acl_tensor_t grad_out, const_jitnorm_acl_tensor_t input,
    const_jitnorm_acl_int_array_t normalized_shape, const_jitnorm_acl_tensor_t mean, const_jitnorm_acl_tensor_t rstd,
    const_jitnorm_acl_tensor_t weight, const_jitnorm_acl_tensor_t bias, const_jitnorm_acl_bool_array_t output_mask,
    jitnorm_acl_tensor_t grad_input, jitnorm_acl_tensor_t grad_weight, jitnorm_acl_tensor_t grad_bias,
    uint64_t *workspace_size, jitnorm_acl_op_executor_t *executor) {
    const backward_parameters given = {behind(grad_out),    behind(input),       behind(normalized_shape),
                                       behind(mean),        behind(rstd),        behind(weight),
                                       behind(bias),        behind(output_mask), behind(grad_input),
                                       behind(grad_weight), behind(grad_bias)};
    return first_call(__func__,
                      {{grad_out, "gradOut is null"},
                       {input, "input is null"},
                       {normalized_shape, "normalizedShape is null"},
                       {mean, "mean is null"},
                       {rstd, "rstd is null"},
                       {output_mask, "outputMask is null"}},
                      given, workspace_size, executor);
}

namespace {

jitnorm_acl_status_t prepare_forward(const char *function, const ada_layer_norm_parameters &given,
                                     uint64_t *workspace_size, jitnorm_acl_op_executor_t *executor) {
    return first_call(function,
                      {{given.x, "x is null"},
                       {given.scale, "scale is null"},
                       {given.shift, "shift is null"},
                       {given.out, "out is null"}},
                      given, workspace_size, executor);
}

} // namespace

jitnorm_acl_status_t jitnorm_aclnn_ada_layer_norm_get_workspace_size(
    const_jitnorm_acl_tensor_t x, const_jitnorm_acl_tensor_t scale, const_jitnorm_acl_tensor_t shift,
    const_jitnorm_acl_tensor_t weight, const_jitnorm_acl_tensor_t bias, double epsilon, jitnorm_acl_tensor_t out,
    uint64_t *workspace_size, jitnorm_acl_op_executor_t *executor) {
    return prepare_forward(__func__,
                           {operation::ada_layer_norm, behind(x), behind(scale), behind(shift), behind(weight),
                            behind(bias), epsilon, behind(out), nullptr, nullptr},
                           workspace_size, executor);
}

jitnorm_acl_status_t jitnorm_aclnn_ada_layer_norm_v2_get_workspace_size(
    const_jitnorm_acl_tensor_t x, const_jitnorm_acl_tensor_t scale, const_jitnorm_acl_tensor_t shift,
    const_jitnorm_acl_tensor_t weight, const_jitnorm_acl_tensor_t bias, double epsilon, jitnorm_acl_tensor_t out,
    jitnorm_acl_tensor_t mean_out, jitnorm_acl_tensor_t rstd_out, uint64_t *workspace_size,
    jitnorm_acl_op_executor_t *executor) {
    return prepare_forward(__func__,
                           {operation::ada_layer_norm_v2, behind(x), behind(scale), behind(shift), behind(weight),
                            behind(bias), epsilon, behind(out), behind(mean_out), behind(rstd_out)},
                           workspace_size, executor);
}

// ---- RMS normalization

namespace {

jitnorm_acl_status_t prepare_forward(const char *function, const rms_norm_parameters &given, uint64_t *workspace_size,
                                     jitnorm_acl_op_executor_t *executor) {
    return first_call(function,
                      {{given.x, "x is null"},
                       {given.gamma, "gamma is null"},
                       {given.y, "yOut is null"},
                       {given.rstd, "rstdOut is null"}},
                      given, workspace_size, executor);
}

} // namespace

jitnorm_acl_status_t jitnorm_aclnn_rms_norm_get_workspace_size(
    const_jitnorm_acl_tensor_t x, const_jitnorm_acl_tensor_t gamma, double epsilon, const_jitnorm_acl_tensor_t y_out,
    const_jitnorm_acl_tensor_t rstd_out, uint64_t *workspace_size, jitnorm_acl_op_executor_t *executor) {
    return prepare_forward(__func__,
                           {operation::rms_norm, behind(x), behind(gamma), epsilon, behind(y_out), behind(rstd_out)},
                           workspace_size, executor);
}

jitnorm_acl_status_t jitnorm_aclnn_gemma_rms_norm_get_workspace_size(
    const_jitnorm_acl_tensor_t x, const_jitnorm_acl_tensor_t gamma, double epsilon, const_jitnorm_acl_tensor_t y_out,
    const_jitnorm_acl_tensor_t rstd_out, uint64_t *workspace_size, jitnorm_acl_op_executor_t *executor) {
    return prepare_forward(
        __func__, {operation::gemma_rms_norm, behind(x), behind(gamma), epsilon, behind(y_out), behind(rstd_out)},
        workspace_size, executor);
}

jitnorm_acl_status_t
jitnorm_aclnn_rms_norm_grad_get_workspace_size(const_jitnorm_acl_tensor_t dy, const_jitnorm_acl_tensor_t x,
                                               const_jitnorm_acl_tensor_t rstd, const_jitnorm_acl_tensor_t gamma,
                                               const_jitnorm_acl_tensor_t dx_out, const_jitnorm_acl_tensor_t dgamma_out,
                                               uint64_t *workspace_size, jitnorm_acl_op_executor_t *executor) {
    const rms_norm_grad_parameters given = {behind(dy),    behind(x),      behind(rstd),
                                            behind(gamma), behind(dx_out), behind(dgamma_out)};
    return first_call(__func__,
                      {{dy, "dy is null"},
                       {x, "x is null"},
                       {rstd, "rstd is null"},
                       {gamma, "gamma is null"},
                       {dx_out, "dxOut is null"},
                       {dgamma_out, "dgammaOut is null"}},
                      given, workspace_size, executor);
}

// ---- normalizations of sums

jitnorm_acl_status_t jitnorm_aclnn_add_rms_norm_get_workspace_size(
    const_jitnorm_acl_tensor_t x1, const_jitnorm_acl_tensor_t x2, const_jitnorm_acl_tensor_t gamma, double epsilon,
    jitnorm_acl_tensor_t y_out, jitnorm_acl_tensor_t rstd_out, jitnorm_acl_tensor_t x_out, uint64_t *workspace_size,
    jitnorm_acl_op_executor_t *executor) {
    const add_rms_norm_parameters given = {behind(x1),    behind(x2),       behind(gamma), epsilon,
                                           behind(y_out), behind(rstd_out), behind(x_out)};
    return first_call(__func__,
                      {{x1, "x1 is null"},
                       {x2, "x2 is null"},
                       {gamma, "gamma is null"},
                       {y_out, "yOut is null"},
                       {needed_if(rstd_out != nullptr, x_out), "xOut is null, and rstdOut is not"}},
                      given, workspace_size, executor);
}

jitnorm_acl_status_t jitnorm_aclnn_add_layer_norm_get_workspace_size(
    const_jitnorm_acl_tensor_t x1, const_jitnorm_acl_tensor_t x2, const_jitnorm_acl_tensor_t gamma,
    const_jitnorm_acl_tensor_t beta, const_jitnorm_acl_tensor_t bias, double epsilon, bool additional_output,
    const_jitnorm_acl_tensor_t y_out, const_jitnorm_acl_tensor_t mean_out, const_jitnorm_acl_tensor_t rstd_out,
    const_jitnorm_acl_tensor_t x_out, uint64_t *workspace_size, jitnorm_acl_op_executor_t *executor) {
    const add_layer_norm_parameters given = {behind(x1),       behind(x2),       behind(gamma),     behind(beta),
                                             behind(bias),     epsilon,          additional_output, behind(y_out),
                                             behind(mean_out), behind(rstd_out), behind(x_out)};
    return first_call(__func__,
                      {{x1, "x1 is null"},
                       {x2, "x2 is null"},
                       {gamma, "gamma is null"},
                       {beta, "beta is null"},
                       {y_out, "yOut is null"},
                       {mean_out, "meanOut is null"},
                       {rstd_out, "rstdOut is null"},
                       {needed_if(additional_output, x_out), "xOut is null, and additionalOutput asks for it"}},
                      given, workspace_size, executor);
}

// ---- RMS normalization to 8 bits

jitnorm_acl_status_t jitnorm_aclnn_rms_norm_dynamic_quant_get_workspace_size(
    const_jitnorm_acl_tensor_t x, const_jitnorm_acl_tensor_t gamma, const_jitnorm_acl_tensor_t smooth_scales,
    const_jitnorm_acl_tensor_t beta, double epsilon, int64_t dst_type, const_jitnorm_acl_tensor_t y_out,
    const_jitnorm_acl_tensor_t scale_out, uint64_t *workspace_size, jitnorm_acl_op_executor_t *executor) {
    const rms_norm_dynamic_quant_parameters given = {behind(x),     behind(gamma),    behind(smooth_scales),
                                                     behind(beta),  epsilon,          dst_type,
                                                     behind(y_out), behind(scale_out)};
    return first_call(
        __func__,
        {{x, "x is null"}, {gamma, "gamma is null"}, {y_out, "yOut is null"}, {scale_out, "scaleOut is null"}}, given,
        workspace_size, executor);
}

jitnorm_acl_status_t jitnorm_aclnn_add_rms_norm_dynamic_quant_get_workspace_size(
    const_jitnorm_acl_tensor_t x1, const_jitnorm_acl_tensor_t x2, const_jitnorm_acl_tensor_t gamma,
    const_jitnorm_acl_tensor_t smooth_scale1, const_jitnorm_acl_tensor_t smooth_scale2, double epsilon,
    jitnorm_acl_tensor_t y1_out, jitnorm_acl_tensor_t y2_out, jitnorm_acl_tensor_t x_out,
    jitnorm_acl_tensor_t scale1_out, jitnorm_acl_tensor_t scale2_out, uint64_t *workspace_size,
    jitnorm_acl_op_executor_t *executor) {
    const add_rms_norm_dynamic_quant_parameters given = {
        behind(x1),     behind(x2),     behind(gamma), behind(smooth_scale1), behind(smooth_scale2), epsilon,
        behind(y1_out), behind(y2_out), behind(x_out), behind(scale1_out),    behind(scale2_out)};
    return first_call(__func__,
                      {{x1, "x1 is null"},
                       {x2, "x2 is null"},
                       {gamma, "gamma is null"},
                       {y1_out, "y1Out is null"},
                       {y2_out, "y2Out is null"},
                       {x_out, "xOut is null"},
                       {scale1_out, "scale1Out is null"},
                       {scale2_out, "scale2Out is null"}},
                      given, workspace_size, executor);
}
