// SPDX-License-Identifier: Apache-2.0
// C interface: the first calls of RMS normalization.
#include "first_call.hpp"

using namespace jitnorm::impl::aclnn;

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
