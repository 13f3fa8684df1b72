/* SPDX-License-Identifier: Apache-2.0 */
/* aclnnop/aclnn_layer_norm_backward.h: layer normalization backward. jitnorm_aclnn.h describes the arguments and every
 * error. */
#ifndef JITNORM_ASCEND_ACLNN_LAYER_NORM_BACKWARD_H
#define JITNORM_ASCEND_ACLNN_LAYER_NORM_BACKWARD_H

#include "../aclnn/aclnn_base.h"

static inline aclnnStatus aclnnLayerNormBackwardGetWorkspaceSize(
    const aclTensor *gradOut, const aclTensor *input, const aclIntArray *normalizedShape, const aclTensor *mean,
    const aclTensor *rstd, const aclTensor *weightOptional, const aclTensor *biasOptional,
    const aclBoolArray *outputMask, aclTensor *gradInputOut, aclTensor *gradWeightOut, aclTensor *gradBiasOut,
    uint64_t *workspaceSize, aclOpExecutor **executor) {
    return jitnorm_aclnn_layer_norm_backward_get_workspace_size(gradOut, input, normalizedShape, mean, rstd,
                                                                weightOptional, biasOptional, outputMask, gradInputOut,
                                                                gradWeightOut, gradBiasOut, workspaceSize, executor);
}

JITNORM_ASCEND_SECOND_CALL(aclnnLayerNormBackward, jitnorm_aclnn_layer_norm_backward)

#endif
