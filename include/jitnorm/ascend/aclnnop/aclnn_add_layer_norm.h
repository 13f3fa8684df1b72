/* SPDX-License-Identifier: Apache-2.0 */
/* aclnnop/aclnn_add_layer_norm.h: layer normalization of a sum. jitnorm_aclnn.h describes the arguments and every
 * error. */
#ifndef JITNORM_ASCEND_ACLNN_ADD_LAYER_NORM_H
#define JITNORM_ASCEND_ACLNN_ADD_LAYER_NORM_H

#include "../aclnn/aclnn_base.h"

static inline aclnnStatus aclnnAddLayerNormGetWorkspaceSize(const aclTensor *x1, const aclTensor *x2,
                                                            const aclTensor *gamma, const aclTensor *beta,
                                                            const aclTensor *biasOptional, double epsilon,
                                                            bool additionalOutput, const aclTensor *yOut,
                                                            const aclTensor *meanOut, const aclTensor *rstdOut,
                                                            const aclTensor *xOut, uint64_t *workspaceSize,
                                                            aclOpExecutor **executor) {
    return jitnorm_aclnn_add_layer_norm_get_workspace_size(x1, x2, gamma, beta, biasOptional, epsilon, additionalOutput,
                                                           yOut, meanOut, rstdOut, xOut, workspaceSize, executor);
}

JITNORM_ASCEND_SECOND_CALL(aclnnAddLayerNorm, jitnorm_aclnn_add_layer_norm)

#endif
