/* SPDX-License-Identifier: Apache-2.0 */
/* A C program that includes every header of the front end for Ascend's programs: the calls have CANN's signatures, or
 * it does not compile, and are there. */
#include "acl/acl.h"
#include "aclnnop/aclnn_add_layer_norm.h"
#include "aclnnop/aclnn_add_rms_norm.h"
#include "aclnnop/aclnn_add_rms_norm_dynamic_quant.h"
#include "aclnnop/aclnn_gemma_rms_norm.h"
#include "aclnnop/aclnn_layer_norm.h"
#include "aclnnop/aclnn_layer_norm_backward.h"
#include "aclnnop/aclnn_rms_norm.h"
#include "aclnnop/aclnn_rms_norm_dynamic_quant.h"
#include "aclnnop/aclnn_rms_norm_grad.h"

static aclnnStatus (*const first)(const aclTensor *, const aclIntArray *, const aclTensor *, const aclTensor *, double,
                                  aclTensor *, aclTensor *, aclTensor *, uint64_t *,
                                  aclOpExecutor **) = aclnnLayerNormGetWorkspaceSize;
static aclnnStatus (*const first_backward)(const aclTensor *, const aclTensor *, const aclIntArray *, const aclTensor *,
                                           const aclTensor *, const aclTensor *, const aclTensor *,
                                           const aclBoolArray *, aclTensor *, aclTensor *, aclTensor *, uint64_t *,
                                           aclOpExecutor **) = aclnnLayerNormBackwardGetWorkspaceSize;
static aclnnStatus (*const first_rms)(const aclTensor *, const aclTensor *, double, const aclTensor *,
                                      const aclTensor *, uint64_t *, aclOpExecutor **) = aclnnRmsNormGetWorkspaceSize;
static aclnnStatus (*const first_rms_grad)(const aclTensor *, const aclTensor *, const aclTensor *, const aclTensor *,
                                           const aclTensor *, const aclTensor *, uint64_t *,
                                           aclOpExecutor **) = aclnnRmsNormGradGetWorkspaceSize;
static aclnnStatus (*const seconds[])(void *, uint64_t, aclOpExecutor *, aclrtStream) = {
    aclnnLayerNorm,    aclnnLayerNormBackward,   aclnnRmsNorm,
    aclnnRmsNormGrad,  aclnnGemmaRmsNorm,        aclnnAddRmsNorm,
    aclnnAddLayerNorm, aclnnRmsNormDynamicQuant, aclnnAddRmsNormDynamicQuant};
static aclnnStatus (*const first_gemma)(const aclTensor *, const aclTensor *, double, const aclTensor *,
                                        const aclTensor *, uint64_t *,
                                        aclOpExecutor **) = aclnnGemmaRmsNormGetWorkspaceSize;
static aclnnStatus (*const first_add_rms)(const aclTensor *, const aclTensor *, const aclTensor *, double, aclTensor *,
                                          aclTensor *, aclTensor *, uint64_t *,
                                          aclOpExecutor **) = aclnnAddRmsNormGetWorkspaceSize;
static aclnnStatus (*const first_add_layer)(const aclTensor *, const aclTensor *, const aclTensor *, const aclTensor *,
                                            const aclTensor *, double, bool, const aclTensor *, const aclTensor *,
                                            const aclTensor *, const aclTensor *, uint64_t *,
                                            aclOpExecutor **) = aclnnAddLayerNormGetWorkspaceSize;
static aclnnStatus (*const first_quant)(const aclTensor *, const aclTensor *, const aclTensor *, const aclTensor *,
                                        double, int64_t, const aclTensor *, const aclTensor *, uint64_t *,
                                        aclOpExecutor **) = aclnnRmsNormDynamicQuantGetWorkspaceSize;
static aclnnStatus (*const first_add_quant)(const aclTensor *, const aclTensor *, const aclTensor *, const aclTensor *,
                                            const aclTensor *, double, aclTensor *, aclTensor *, aclTensor *,
                                            aclTensor *, aclTensor *, uint64_t *,
                                            aclOpExecutor **) = aclnnAddRmsNormDynamicQuantGetWorkspaceSize;
static aclTensor *(*const create)(const int64_t *, uint64_t, aclDataType, const int64_t *, int64_t, aclFormat,
                                  const int64_t *, uint64_t, void *) = aclCreateTensor;
/* Null pointers for all that is asked for. */
static int all_refuse_nothing(void) {
    uint64_t bytes = 0;
    aclOpExecutor *executor = NULL;
    if (first(NULL, NULL, NULL, NULL, 0, NULL, NULL, NULL, &bytes, &executor) != ACLNN_ERR_PARAM_NULLPTR) return 0;
    if (first_backward(NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, &bytes, &executor) !=
        ACLNN_ERR_PARAM_NULLPTR)
        return 0;
    if (first_rms(NULL, NULL, 0, NULL, NULL, &bytes, &executor) != ACLNN_ERR_PARAM_NULLPTR) return 0;
    if (first_rms_grad(NULL, NULL, NULL, NULL, NULL, NULL, &bytes, &executor) != ACLNN_ERR_PARAM_NULLPTR) return 0;
    if (first_gemma(NULL, NULL, 0, NULL, NULL, &bytes, &executor) != ACLNN_ERR_PARAM_NULLPTR) return 0;
    if (first_add_rms(NULL, NULL, NULL, 0, NULL, NULL, NULL, &bytes, &executor) != ACLNN_ERR_PARAM_NULLPTR) return 0;
    if (first_add_layer(NULL, NULL, NULL, NULL, NULL, 0, true, NULL, NULL, NULL, NULL, &bytes, &executor) !=
        ACLNN_ERR_PARAM_NULLPTR)
        return 0;
    if (first_quant(NULL, NULL, NULL, NULL, 0, 0, NULL, NULL, &bytes, &executor) != ACLNN_ERR_PARAM_NULLPTR) return 0;
    if (first_add_quant(NULL, NULL, NULL, NULL, NULL, 0, NULL, NULL, NULL, NULL, NULL, &bytes, &executor) !=
        ACLNN_ERR_PARAM_NULLPTR)
        return 0;
    for (size_t i = 0; i < sizeof seconds / sizeof *seconds; ++i)
        if (seconds[i](NULL, 0, NULL, NULL) != ACLNN_ERR_PARAM_NULLPTR) return 0;
    return create(NULL, 1, ACL_FLOAT, NULL, 0, ACL_FORMAT_ND, NULL, 0, NULL) == NULL;
}

int main(void) { return all_refuse_nothing() ? 0 : 1; }
