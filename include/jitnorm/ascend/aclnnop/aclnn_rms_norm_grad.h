/* SPDX-License-Identifier: Apache-2.0 */
/* aclnnop/aclnn_rms_norm_grad.h: RMS normalization backward. jitnorm_aclnn.h describes the arguments and every
 * error. */
#ifndef JITNORM_ASCEND_ACLNN_RMS_NORM_GRAD_H
#define JITNORM_ASCEND_ACLNN_RMS_NORM_GRAD_H

#include "../aclnn/aclnn_base.h"

static inline aclnnStatus aclnnRmsNormGradGetWorkspaceSize(const aclTensor *dy, const aclTensor *x,
                                                           const aclTensor *rstd, const aclTensor *gamma,
                                                           const aclTensor *dxOut, const aclTensor *dgammaOut,
                                                           uint64_t *workspaceSize, aclOpExecutor **executor) {
    return jitnorm_aclnn_rms_norm_grad_get_workspace_size(dy, x, rstd, gamma, dxOut, dgammaOut, workspaceSize,
                                                          executor);
}

JITNORM_ASCEND_SECOND_CALL(aclnnRmsNormGrad, jitnorm_aclnn_rms_norm_grad)

#endif
