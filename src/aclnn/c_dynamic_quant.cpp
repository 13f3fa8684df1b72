// SPDX-License-Identifier: Apache-2.0
// C interface: the first calls of RMS normalization to 8 bits.
#include "first_call.hpp"

using namespace jitnorm::impl::aclnn;

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
