// SPDX-License-Identifier: Apache-2.0
// C interface: the first calls of normalizations of sums.
#include "first_call.hpp"

using namespace jitnorm::impl::aclnn;

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
