/* SPDX-License-Identifier: Apache-2.0 */
/* aclnnop/aclnn_ada_layer_norm.h: adaptive layer normalization. jitnorm_aclnn.h describes the arguments and every
 * error. */
#ifndef JITNORM_ASCEND_ACLNN_ADA_LAYER_NORM_H
#define JITNORM_ASCEND_ACLNN_ADA_LAYER_NORM_H

#include "../aclnn/aclnn_base.h"

static inline aclnnStatus aclnnAdaLayerNormGetWorkspaceSize(const aclTensor *x, const aclTensor *scale,
                                                            const aclTensor *shift, const aclTensor *weightOptional,
                                                            const aclTensor *biasOptional, double epsilon,
                                                            aclTensor *out, uint64_t *workspaceSize,
                                                            aclOpExecutor **executor) {
    return jitnorm_aclnn_ada_layer_norm_get_workspace_size(x, scale, shift, weightOptional, biasOptional, epsilon, out,
                                                           workspaceSize, executor);
}

JITNORM_ASCEND_SECOND_CALL(aclnnAdaLayerNorm, jitnorm_aclnn_ada_layer_norm)

#endif
