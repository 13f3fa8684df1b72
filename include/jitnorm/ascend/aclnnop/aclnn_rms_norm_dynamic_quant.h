/* SPDX-License-Identifier: Apache-2.0 */
/* aclnnop/aclnn_rms_norm_dynamic_quant.h: RMS normalization to 8 bits. jitnorm_aclnn.h describes the arguments and
 * every error. */
#ifndef JITNORM_ASCEND_ACLNN_RMS_NORM_DYNAMIC_QUANT_H
#define JITNORM_ASCEND_ACLNN_RMS_NORM_DYNAMIC_QUANT_H

#include "../aclnn/aclnn_base.h"

static inline aclnnStatus aclnnRmsNormDynamicQuantGetWorkspaceSize(const aclTensor *x, const aclTensor *gamma,
                                                                   const aclTensor *smoothScalesOptional,
                                                                   const aclTensor *betaOptional, double epsilon,
                                                                   int64_t dstType, const aclTensor *yOut,
                                                                   const aclTensor *scaleOut, uint64_t *workspaceSize,
                                                                   aclOpExecutor **executor) {
    return jitnorm_aclnn_rms_norm_dynamic_quant_get_workspace_size(
        x, gamma, smoothScalesOptional, betaOptional, epsilon, dstType, yOut, scaleOut, workspaceSize, executor);
}

JITNORM_ASCEND_SECOND_CALL(aclnnRmsNormDynamicQuant, jitnorm_aclnn_rms_norm_dynamic_quant)

#endif
