/* SPDX-License-Identifier: Apache-2.0 */
/* aclnnop/aclnn_layer_norm.h: layer normalization forward. jitnorm_aclnn.h describes the arguments and every error. */
#ifndef JITNORM_ASCEND_ACLNN_LAYER_NORM_H
#define JITNORM_ASCEND_ACLNN_LAYER_NORM_H

#include "../aclnn/aclnn_base.h"

static inline aclnnStatus aclnnLayerNormGetWorkspaceSize(const aclTensor *input, const aclIntArray *normalizedShape,
                                                         const aclTensor *weightOptional, const aclTensor *biasOptional,
                                                         double eps, aclTensor *out, aclTensor *meanOutOptional,
                                                         aclTensor *rstdOutOptional, uint64_t *workspaceSize,
                                                         aclOpExecutor **executor) {
    return jitnorm_aclnn_layer_norm_get_workspace_size(input, normalizedShape, weightOptional, biasOptional, eps, out,
                                                       meanOutOptional, rstdOutOptional, workspaceSize, executor);
}

JITNORM_ASCEND_SECOND_CALL(aclnnLayerNorm, jitnorm_aclnn_layer_norm)

static inline aclnnStatus
aclnnLayerNormWithImplModeGetWorkspaceSize(const aclTensor *input, const aclIntArray *normalizedShape,
                                           const aclTensor *weightOptional, const aclTensor *biasOptional, double eps,
                                           aclTensor *out, aclTensor *meanOutOptional, aclTensor *rstdOutOptional,
                                           int32_t implMode, uint64_t *workspaceSize, aclOpExecutor **executor) {
    return jitnorm_aclnn_layer_norm_with_impl_mode_get_workspace_size(
        input, normalizedShape, weightOptional, biasOptional, eps, out, meanOutOptional, rstdOutOptional, implMode,
        workspaceSize, executor);
}

JITNORM_ASCEND_SECOND_CALL(aclnnLayerNormWithImplMode, jitnorm_aclnn_layer_norm_with_impl_mode)

static inline aclnnStatus aclnnFastLayerNormGetWorkspaceSize(const aclTensor *input, const aclIntArray *normalizedShape,
                                                             const aclTensor *weightOptional,
                                                             const aclTensor *biasOptional, double eps, aclTensor *out,
                                                             aclTensor *meanOutOptional, aclTensor *rstdOutOptional,
                                                             uint64_t *workspaceSize, aclOpExecutor **executor) {
    return jitnorm_aclnn_fast_layer_norm_get_workspace_size(input, normalizedShape, weightOptional, biasOptional, eps,
                                                            out, meanOutOptional, rstdOutOptional, workspaceSize,
                                                            executor);
}

JITNORM_ASCEND_SECOND_CALL(aclnnFastLayerNorm, jitnorm_aclnn_fast_layer_norm)

#endif
