// SPDX-License-Identifier: Apache-2.0
// quant_problem: a small problem of aclnnRmsNormDynamicQuant, and of aclnnAddRmsNormDynamicQuant.
#pragma once

#include "aclnnop/aclnn_add_rms_norm_dynamic_quant.h"
#include "aclnnop/aclnn_rms_norm_dynamic_quant.h"
#include "family_rig.hpp"

namespace jitnorm::tests {

constexpr int64_t INT8_TYPE = 2;

inline dims_t rows_of(const dims_t &dims) { return {dims.begin(), dims.end() - 1}; }

struct quant_problem {
    dims_t dims;
    acl_tensor x, x2, gamma, smooth, smooth2, beta, y, y2, sum, scale, scale2;
    double epsilon = 1e-6;
    uint64_t bytes = 0;
    aclOpExecutor *executor = nullptr;

    explicit quant_problem(const dims_t &shape = {4, 6}, aclDataType type = ACL_BF16, layout how = layout::dense,
                           aclDataType to = ACL_INT8)
        : dims(shape), x(filled(dims, type, 0.25, 1, 1, how)), x2(filled(dims, type, 0, 2, 2, how)),
          gamma(filled({dims.back()}, type, 1, 0.5, 3, how)), smooth(filled({dims.back()}, type, 1, 0.25, 4, how)),
          smooth2(filled({dims.back()}, type, 2, 0.5, 5, how)), beta(filled({dims.back()}, type, 0, 1, 6, how)),
          y(dims, to, how), y2(dims, to, how), sum(dims, type, how), scale(rows_of(dims), ACL_FLOAT),
          scale2(rows_of(dims), ACL_FLOAT) {}

    aclnnStatus first(bool has_smooth, bool has_beta, uint64_t *size, aclOpExecutor **made) const {
        return aclnnRmsNormDynamicQuantGetWorkspaceSize(x.get(), gamma.get(), has_smooth ? smooth.get() : nullptr,
                                                        has_beta ? beta.get() : nullptr, epsilon, INT8_TYPE, y.get(),
                                                        scale.get(), size, made);
    }
    aclnnStatus first_sum(int smooths, uint64_t *size, aclOpExecutor **made) const {
        return aclnnAddRmsNormDynamicQuantGetWorkspaceSize(
            x.get(), x2.get(), gamma.get(), smooths > 0 ? smooth.get() : nullptr, smooths > 1 ? smooth2.get() : nullptr,
            epsilon, y.get(), y2.get(), sum.get(), scale.get(), scale2.get(), size, made);
    }
    void run(bool has_smooth, bool has_beta) {
        ASSERT_EQ(first(has_smooth, has_beta, &bytes, &executor), ACLNN_SUCCESS) << aclGetRecentErrMsg();
        ASSERT_EQ(run_exactly(aclnnRmsNormDynamicQuant, bytes, executor), ACLNN_SUCCESS);
    }
    void run_sum(int smooths) {
        ASSERT_EQ(first_sum(smooths, &bytes, &executor), ACLNN_SUCCESS) << aclGetRecentErrMsg();
        ASSERT_EQ(run_exactly(aclnnAddRmsNormDynamicQuant, bytes, executor), ACLNN_SUCCESS);
    }
};

} // namespace jitnorm::tests
