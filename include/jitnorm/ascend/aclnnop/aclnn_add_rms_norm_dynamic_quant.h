/* SPDX-License-Identifier: Apache-2.0 */
/* aclnnop/aclnn_add_rms_norm_dynamic_quant.h: RMS normalization of a sum to 8 bits. jitnorm_aclnn.h describes the
 * arguments and every error. */
#ifndef JITNORM_ASCEND_ACLNN_ADD_RMS_NORM_DYNAMIC_QUANT_H
#define JITNORM_ASCEND_ACLNN_ADD_RMS_NORM_DYNAMIC_QUANT_H

#include "../aclnn/aclnn_base.h"

static inline aclnnStatus aclnnAddRmsNormDynamicQuantGetWorkspaceSize(
    const aclTensor *x1, const aclTensor *x2, const aclTensor *gamma, const aclTensor *smoothScale1Optional,
    const aclTensor *smoothScale2Optional, double epsilon, aclTensor *y1Out, aclTensor *y2Out, aclTensor *xOut,
    aclTensor *scale1Out, aclTensor *scale2Out, uint64_t *workspaceSize, aclOpExecutor **executor) {
    return jitnorm_aclnn_add_rms_norm_dynamic_quant_get_workspace_size(
        x1, x2, gamma, smoothScale1Optional, smoothScale2Optional, epsilon, y1Out, y2Out, xOut, scale1Out, scale2Out,
        workspaceSize, executor);
}

JITNORM_ASCEND_SECOND_CALL(aclnnAddRmsNormDynamicQuant, jitnorm_aclnn_add_rms_norm_dynamic_quant)

#endif
