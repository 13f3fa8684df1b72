/* SPDX-License-Identifier: Apache-2.0 */
/* A C program that includes every header of the front end for Ascend's programs: the calls have CANN's signatures, or
 * it does not compile, and are there, or it does not link: constants that are not static are kept. */
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

typedef const aclTensor *in; /* an output, too, where CANN has const there */
typedef aclTensor *out;
#define RESULTS uint64_t *, aclOpExecutor **

aclnnStatus (*const layer)(in, const aclIntArray *, in, in, double, out, out, out,
                           RESULTS) = aclnnLayerNormGetWorkspaceSize;
aclnnStatus (*const backward)(in, in, const aclIntArray *, in, in, in, in, const aclBoolArray *, out, out, out,
                              RESULTS) = aclnnLayerNormBackwardGetWorkspaceSize;
aclnnStatus (*const rms)(in, in, double, in, in, RESULTS) = aclnnRmsNormGetWorkspaceSize;
aclnnStatus (*const rms_grad)(in, in, in, in, in, in, RESULTS) = aclnnRmsNormGradGetWorkspaceSize;
aclnnStatus (*const gemma)(in, in, double, in, in, RESULTS) = aclnnGemmaRmsNormGetWorkspaceSize;
aclnnStatus (*const add_rms)(in, in, in, double, out, out, out, RESULTS) = aclnnAddRmsNormGetWorkspaceSize;
aclnnStatus (*const add_layer)(in, in, in, in, in, double, bool, in, in, in, in,
                               RESULTS) = aclnnAddLayerNormGetWorkspaceSize;
aclnnStatus (*const quant)(in, in, in, in, double, int64_t, in, in, RESULTS) = aclnnRmsNormDynamicQuantGetWorkspaceSize;
aclnnStatus (*const add_quant)(in, in, in, in, in, double, out, out, out, out, out,
                               RESULTS) = aclnnAddRmsNormDynamicQuantGetWorkspaceSize;
aclnnStatus (*const seconds[])(void *, uint64_t, aclOpExecutor *, aclrtStream) = {
    aclnnLayerNorm,    aclnnLayerNormBackward,   aclnnRmsNorm,
    aclnnRmsNormGrad,  aclnnGemmaRmsNorm,        aclnnAddRmsNorm,
    aclnnAddLayerNorm, aclnnRmsNormDynamicQuant, aclnnAddRmsNormDynamicQuant};
aclTensor *(*const create)(const int64_t *, uint64_t, aclDataType, const int64_t *, int64_t, aclFormat, const int64_t *,
                           uint64_t, void *) = aclCreateTensor;

int main(void) {
    for (size_t i = 0; i < sizeof seconds / sizeof *seconds; ++i)
        if (seconds[i](NULL, 0, NULL, NULL) != ACLNN_ERR_PARAM_NULLPTR) return 1;
    return 0;
}
