/* SPDX-License-Identifier: Apache-2.0 */
/* aclnnop/aclnn_ada_layer_norm_v2.h: adaptive layer normalization, with statistics. jitnorm_aclnn.h describes the
 * arguments and every error. */
#ifndef JITNORM_ASCEND_ACLNN_ADA_LAYER_NORM_V2_H
#define JITNORM_ASCEND_ACLNN_ADA_LAYER_NORM_V2_H

#include "../aclnn/aclnn_base.h"

static inline aclnnStatus aclnnAdaLayerNormV2GetWorkspaceSize(const aclTensor *x, const aclTensor *scale,
                                                              const aclTensor *shift, const aclTensor *weightOptional,
                                                              const aclTensor *biasOptional, double epsilon,
                                                              aclTensor *out, aclTensor *meanOutOptional,
                                                              aclTensor *rstdOutOptional, uint64_t *workspaceSize,
                                                              aclOpExecutor **executor) {
    return jitnorm_aclnn_ada_layer_norm_v2_get_workspace_size(x, scale, shift, weightOptional, biasOptional, epsilon,
                                                              out, meanOutOptional, rstdOutOptional, workspaceSize,
                                                              executor);
}

JITNORM_ASCEND_SECOND_CALL(aclnnAdaLayerNormV2, jitnorm_aclnn_ada_layer_norm_v2)

#endif
