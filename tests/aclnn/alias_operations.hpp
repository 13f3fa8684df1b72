// SPDX-License-Identifier: Apache-2.0
// alias_operations: the table of all two-phase calls for the test of tensors that share memory.
#pragma once

#include <set>

#include "aclnnop/aclnn_add_layer_norm.h"
#include "aclnnop/aclnn_add_rms_norm.h"
#include "aclnnop/aclnn_add_rms_norm_dynamic_quant.h"
#include "aclnnop/aclnn_gemma_rms_norm.h"
#include "aclnnop/aclnn_layer_norm.h"
#include "aclnnop/aclnn_layer_norm_backward.h"
#include "aclnnop/aclnn_rms_norm.h"
#include "aclnnop/aclnn_rms_norm_dynamic_quant.h"
#include "aclnnop/aclnn_rms_norm_grad.h"
#include "family_rig.hpp"

namespace jitnorm::tests {

constexpr int64_t ALIAS_ROWS = 20, ALIAS_COLUMNS = 40;

// The operation's tensors, in the order of its parameters, one word each: NAME:SHAPE TYPE USE.
//   shape  d as x, c one for each column, s one for each row, with a one for the columns, r the same without the one
//   type   t that of x, f FLOAT, h FLOAT16, q INT8
//   use    < read, > written, ! given and ignored
// A word without a colon is a parameter that is null.
struct alias_operation {
    const char *name, *tensors;
    std::set<std::pair<size_t, size_t>> in_place; // the numbers of an input and of the output that may be at its place
    aclnnStatus (*first)(aclTensor *const *t, uint64_t *bytes, aclOpExecutor **executor);
    aclnnStatus (*second)(void *workspace, uint64_t bytes, aclOpExecutor *executor, aclrtStream stream);
};

inline acl_owned<aclIntArray> alias_columns() { return int_array({ALIAS_COLUMNS}); }

inline aclnnStatus alias_layer_norm(aclTensor *const *t, uint64_t *bytes, aclOpExecutor **executor) {
    return aclnnLayerNormGetWorkspaceSize(t[0], alias_columns().get(), t[1], t[2], 1e-5, t[3], t[4], t[5], bytes,
                                          executor);
}
template <bool Input, bool Weight, bool Bias>
aclnnStatus alias_backward(aclTensor *const *t, uint64_t *bytes, aclOpExecutor **executor) {
    return aclnnLayerNormBackwardGetWorkspaceSize(t[0], t[1], alias_columns().get(), t[2], t[3], t[4], t[5],
                                                  mask_of(Input, Weight, Bias).get(), t[6], t[7], t[8], bytes,
                                                  executor);
}
inline aclnnStatus alias_rms_norm(aclTensor *const *t, uint64_t *bytes, aclOpExecutor **executor) {
    return aclnnRmsNormGetWorkspaceSize(t[0], t[1], 1e-5, t[2], t[3], bytes, executor);
}
inline aclnnStatus alias_gemma(aclTensor *const *t, uint64_t *bytes, aclOpExecutor **executor) {
    return aclnnGemmaRmsNormGetWorkspaceSize(t[0], t[1], 1e-5, t[2], t[3], bytes, executor);
}
inline aclnnStatus alias_rms_grad(aclTensor *const *t, uint64_t *bytes, aclOpExecutor **executor) {
    return aclnnRmsNormGradGetWorkspaceSize(t[0], t[1], t[2], t[3], t[4], t[5], bytes, executor);
}
inline aclnnStatus alias_add_rms(aclTensor *const *t, uint64_t *bytes, aclOpExecutor **executor) {
    return aclnnAddRmsNormGetWorkspaceSize(t[0], t[1], t[2], 1e-5, t[3], t[4], t[5], bytes, executor);
}
template <bool Additional>
aclnnStatus alias_add_layer(aclTensor *const *t, uint64_t *bytes, aclOpExecutor **executor) {
    return aclnnAddLayerNormGetWorkspaceSize(t[0], t[1], t[2], t[3], t[4], 1e-5, Additional, t[5], t[6], t[7], t[8],
                                             bytes, executor);
}
inline aclnnStatus alias_quant(aclTensor *const *t, uint64_t *bytes, aclOpExecutor **executor) {
    return aclnnRmsNormDynamicQuantGetWorkspaceSize(t[0], t[1], t[2], t[3], 1e-5, ACL_INT8, t[4], t[5], bytes,
                                                    executor);
}
inline aclnnStatus alias_add_quant(aclTensor *const *t, uint64_t *bytes, aclOpExecutor **executor) {
    return aclnnAddRmsNormDynamicQuantGetWorkspaceSize(t[0], t[1], t[2], t[3], t[4], 1e-5, t[5], t[6], t[7], t[8], t[9],
                                                       bytes, executor);
}

inline const alias_operation ALIAS_OPERATIONS[] = {
    {"layer norm",
     "input:dt< weight:ct< bias:ct< out:dt> meanOut:sf> rstdOut:sf>",
     {{0, 3}},
     alias_layer_norm,
     aclnnLayerNorm},
    {"layer norm, narrow statistics",
     "input:dt< weight:ct< bias:ct< out:dt> meanOut:sh> rstdOut:sf>",
     {{0, 3}},
     alias_layer_norm,
     aclnnLayerNorm},
    {"layer norm, inference",
     "input:dt< weight - out:dt>",
     {{0, 3}},
     [](aclTensor *const *t, uint64_t *bytes, aclOpExecutor **executor) {
         return aclnnLayerNormGetWorkspaceSize(t[0], alias_columns().get(), nullptr, nullptr, 1e-5, t[3], nullptr,
                                               nullptr, bytes, executor);
     },
     aclnnLayerNorm},
    {"backward",
     "gradOut:dt< input:dt< mean:sf< rstd:sf< weight:ct< bias:ct! gradInputOut:dt> gradWeightOut:cf> gradBiasOut:cf>",
     {{0, 6}},
     alias_backward<true, true, true>,
     aclnnLayerNormBackward},
    {"backward, narrow sides",
     "gradOut:dt< input:dt< mean:sh< rstd:sf< weight:ch< bias:ct! gradInputOut:dt> gradWeightOut:ch> gradBiasOut:cf>",
     {{0, 6}},
     alias_backward<true, true, true>,
     aclnnLayerNormBackward},
    {"backward, sums alone",
     "gradOut:dt< input:dt< mean:sf< rstd:sf< weight bias gradInputOut:dt! gradWeightOut:cf> gradBiasOut:cf>",
     {},
     alias_backward<false, true, true>,
     aclnnLayerNormBackward},
    {"backward of the data",
     "gradOut:dt< input:dt< mean:sf< rstd:sf< weight:ct< bias gradInputOut:dt> gradWeightOut:cf! gradBiasOut:cf!",
     {{0, 6}},
     alias_backward<true, false, false>,
     aclnnLayerNormBackward},
    {"RMS norm", "x:dt< gamma:ct< yOut:dt> rstdOut:sf>", {{0, 2}}, alias_rms_norm, aclnnRmsNorm},
    {"Gemma's RMS norm", "x:dt< gamma:ct< yOut:dt> rstdOut:sf>", {{0, 2}}, alias_gemma, aclnnGemmaRmsNorm},
    {"RMS norm, backward",
     "dy:dt< x:dt< rstd:rf< gamma:ct< dxOut:dt> dgammaOut:cf>",
     {{0, 4}},
     alias_rms_grad,
     aclnnRmsNormGrad},
    {"add, RMS norm",
     "x1:dt< x2:dt< gamma:ct< yOut:dt> rstdOut:sf> xOut:dt>",
     {{0, 3}, {1, 5}},
     alias_add_rms,
     aclnnAddRmsNorm},
    {"add, layer norm",
     "x1:dt< x2:dt< gamma:ct< beta:ct< bias yOut:dt> meanOut:sf> rstdOut:sf> xOut:dt>",
     {{0, 5}, {1, 8}},
     alias_add_layer<true>,
     aclnnAddLayerNorm},
    {"add, layer norm, ignored sum",
     "x1:dt< x2:dt< gamma:ct< beta:ct< bias yOut:dt> meanOut:sf> rstdOut:sf> xOut:dt!",
     {{0, 5}},
     alias_add_layer<false>,
     aclnnAddLayerNorm},
    {"add, layer norm, bias of columns",
     "x1:dt< x2:dt< gamma:ct< beta:ct< bias:ct< yOut:dt> meanOut:sf> rstdOut:sf> xOut:dt>",
     {{0, 5}, {1, 8}},
     alias_add_layer<true>,
     aclnnAddLayerNorm},
    {"add, layer norm, bias of elements",
     "x1:dt< x2:dt< gamma:ct< beta:ct< bias:dt< yOut:dt> meanOut:sf> rstdOut:sf> xOut:dt>",
     {{0, 5}, {1, 8}, {4, 8}},
     alias_add_layer<true>,
     aclnnAddLayerNorm},
    {"RMS norm to 8 bits",
     "x:dh< gamma:ch< smooth:ch< beta:ch< yOut:dq> scaleOut:rf>",
     {},
     alias_quant,
     aclnnRmsNormDynamicQuant},
    {"RMS norm to 8 bits, plain",
     "x:dh< gamma:ch< smooth beta yOut:dq> scaleOut:rf>",
     {},
     alias_quant,
     aclnnRmsNormDynamicQuant},
    {"add, RMS norm to 8 bits",
     "x1:dh< x2:dh< gamma:ch< smooth1 smooth2 y1Out:dq> y2Out:dq! xOut:dh> scale1Out:rf> scale2Out:rf!",
     {{1, 7}},
     alias_add_quant,
     aclnnAddRmsNormDynamicQuant},
    {"add, RMS norm to 8 bits twice",
     "x1:dh< x2:dh< gamma:ch< smoothScale1Optional:ch< smoothScale2Optional:ch< y1Out:dq> y2Out:dq> xOut:dh> "
     "scale1Out:rf> scale2Out:rf>",
     {{1, 7}},
     alias_add_quant,
     aclnnAddRmsNormDynamicQuant},
};

} // namespace jitnorm::tests
