// SPDX-License-Identifier: Apache-2.0
// C interface: the first call of layer normalization, forward and backward.
#include "first_call.hpp"

using namespace jitnorm::impl::aclnn;

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
