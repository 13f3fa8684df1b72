/* SPDX-License-Identifier: Apache-2.0 */
/* aclnnop/aclnn_layer_norm.h: layer normalization forward. jitnorm_aclnn.h describes the arguments and every error. */
#ifndef JITNORM_ASCEND_ACLNN_LAYER_NORM_H
#define JITNORM_ASCEND_ACLNN_LAYER_NORM_H

#include "../aclnn/aclnn_base.h"

#ifdef __cplusplus
extern "C" {
#endif

static inline aclnnStatus aclnnLayerNormGetWorkspaceSize(const aclTensor *input, const aclIntArray *normalizedShape,
                                                         const aclTensor *weightOptional, const aclTensor *biasOptional,
                                                         double eps, aclTensor *out, aclTensor *meanOutOptional,
                                                         aclTensor *rstdOutOptional, uint64_t *workspaceSize,
                                                         aclOpExecutor **executor) {
    return jitnorm_aclnn_layer_norm_get_workspace_size(input, normalizedShape, weightOptional, biasOptional, eps, out,
                                                       meanOutOptional, rstdOutOptional, workspaceSize, executor);
}

static inline aclnnStatus aclnnLayerNorm(void *workspace, uint64_t workspaceSize, aclOpExecutor *executor,
                                         aclrtStream stream) {
    return jitnorm_aclnn_layer_norm(workspace, workspaceSize, executor, stream);
}

static inline aclnnStatus
aclnnLayerNormWithImplModeGetWorkspaceSize(const aclTensor *input, const aclIntArray *normalizedShape,
                                           const aclTensor *weightOptional, const aclTensor *biasOptional, double eps,
                                           aclTensor *out, aclTensor *meanOutOptional, aclTensor *rstdOutOptional,
                                           int32_t implMode, uint64_t *workspaceSize, aclOpExecutor **executor) {
    return jitnorm_aclnn_layer_norm_with_impl_mode_get_workspace_size(
        input, normalizedShape, weightOptional, biasOptional, eps, out, meanOutOptional, rstdOutOptional, implMode,
        workspaceSize, executor);
}

static inline aclnnStatus aclnnLayerNormWithImplMode(void *workspace, uint64_t workspaceSize, aclOpExecutor *executor,
                                                     aclrtStream stream) {
    return jitnorm_aclnn_layer_norm_with_impl_mode(workspace, workspaceSize, executor, stream);
}

static inline aclnnStatus aclnnFastLayerNormGetWorkspaceSize(const aclTensor *input, const aclIntArray *normalizedShape,
                                                             const aclTensor *weightOptional,
                                                             const aclTensor *biasOptional, double eps, aclTensor *out,
                                                             aclTensor *meanOutOptional, aclTensor *rstdOutOptional,
                                                             uint64_t *workspaceSize, aclOpExecutor **executor) {
    return jitnorm_aclnn_fast_layer_norm_get_workspace_size(input, normalizedShape, weightOptional, biasOptional, eps,
                                                            out, meanOutOptional, rstdOutOptional, workspaceSize,
                                                            executor);
}

static inline aclnnStatus aclnnFastLayerNorm(void *workspace, uint64_t workspaceSize, aclOpExecutor *executor,
                                             aclrtStream stream) {
    return jitnorm_aclnn_fast_layer_norm(workspace, workspaceSize, executor, stream);
}

#ifdef __cplusplus
}
#endif

#endif
