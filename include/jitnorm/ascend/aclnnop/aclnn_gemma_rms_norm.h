/* SPDX-License-Identifier: Apache-2.0 */
/* aclnnop/aclnn_gemma_rms_norm.h: RMS normalization with weights that are stored minus one. jitnorm_aclnn.h describes
 * the arguments and every error. */
#ifndef JITNORM_ASCEND_ACLNN_GEMMA_RMS_NORM_H
#define JITNORM_ASCEND_ACLNN_GEMMA_RMS_NORM_H

#include "../aclnn/aclnn_base.h"

static inline aclnnStatus aclnnGemmaRmsNormGetWorkspaceSize(const aclTensor *x, const aclTensor *gamma, double epsilon,
                                                            const aclTensor *yOut, const aclTensor *rstdOut,
                                                            uint64_t *workspaceSize, aclOpExecutor **executor) {
    return jitnorm_aclnn_gemma_rms_norm_get_workspace_size(x, gamma, epsilon, yOut, rstdOut, workspaceSize, executor);
}

JITNORM_ASCEND_SECOND_CALL(aclnnGemmaRmsNorm, jitnorm_aclnn_gemma_rms_norm)

#endif
