/* SPDX-License-Identifier: Apache-2.0 */
/* aclnnop/aclnn_add_rms_norm.h: RMS normalization of a sum. jitnorm_aclnn.h describes the arguments and every error. */
#ifndef JITNORM_ASCEND_ACLNN_ADD_RMS_NORM_H
#define JITNORM_ASCEND_ACLNN_ADD_RMS_NORM_H

#include "../aclnn/aclnn_base.h"

static inline aclnnStatus aclnnAddRmsNormGetWorkspaceSize(const aclTensor *x1, const aclTensor *x2,
                                                          const aclTensor *gamma, double epsilon, aclTensor *yOut,
                                                          aclTensor *rstdOut, aclTensor *xOut, uint64_t *workspaceSize,
                                                          aclOpExecutor **executor) {
    return jitnorm_aclnn_add_rms_norm_get_workspace_size(x1, x2, gamma, epsilon, yOut, rstdOut, xOut, workspaceSize,
                                                         executor);
}

JITNORM_ASCEND_SECOND_CALL(aclnnAddRmsNorm, jitnorm_aclnn_add_rms_norm)

#endif
