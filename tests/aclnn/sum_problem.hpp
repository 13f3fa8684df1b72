// SPDX-License-Identifier: Apache-2.0
// sum_problem: the tensors of aclnnAddRmsNorm and aclnnAddLayerNorm, filled, their calls, and what has to come out.
#pragma once

#include "aclnnop/aclnn_add_layer_norm.h"
#include "aclnnop/aclnn_add_rms_norm.h"
#include "family_rig.hpp"
#include "rig/accuracy.hpp"

namespace jitnorm::tests {

enum class added { nothing, to_columns, to_elements }; // what the bias has values for

struct sum_case {
    dims_t dims = {4, 6};
    size_t normalized = 1;
    aclDataType x1 = ACL_FLOAT, x2 = ACL_FLOAT, affine = ACL_FLOAT, out = ACL_FLOAT;
    layout how = layout::dense;
    added bias = added::nothing;

    dims_t columns() const { return {dims.end() - int64_t(normalized), dims.end()}; }
    dims_t statistics() const {
        dims_t result = dims;
        std::fill(result.end() - int64_t(normalized), result.end(), 1);
        return result;
    }
};

struct sum_problem {
    sum_case c;
    acl_tensor x1, x2, gamma, beta, bias, y, mean, rstd, x;
    double epsilon = 1e-5;
    bool additional = true;
    uint64_t bytes = 0;
    aclOpExecutor *executor = nullptr;

    explicit sum_problem(const sum_case &what = {})
        : c(what), x1(filled(c.dims, c.x1, 0.5, 1, 1, c.how)), x2(filled(c.dims, c.x2, 0.25, 2, 2, c.how)),
          gamma(filled(c.columns(), c.affine, 1, 0.5, 3, c.how)), beta(filled(c.columns(), c.affine, 0, 1, 4, c.how)),
          bias(filled(c.bias == added::to_elements ? c.dims : c.columns(), c.out, 0.5, 1, 5, c.how)), y(c.dims, c.out),
          mean(c.statistics(), ACL_FLOAT), rstd(c.statistics(), ACL_FLOAT), x(c.dims, c.out) {}

    aclnnStatus first_rms(uint64_t *size, aclOpExecutor **made) const {
        return aclnnAddRmsNormGetWorkspaceSize(x1.get(), x2.get(), gamma.get(), epsilon, y.get(), rstd.get(), x.get(),
                                               size, made);
    }
    aclnnStatus first_layer(uint64_t *size, aclOpExecutor **made) const {
        return aclnnAddLayerNormGetWorkspaceSize(x1.get(), x2.get(), gamma.get(), beta.get(),
                                                 c.bias != added::nothing ? bias.get() : nullptr, epsilon, additional,
                                                 y.get(), mean.get(), rstd.get(), x.get(), size, made);
    }

    // The sum has its bits; the rest is judged for the sum before it is rounded.
    void judge(bool is_rms) const {
        oracle_problem<double> q;
        q.rms = is_rms;
        q.src = float_sums(x1.values(), x2.values(), c.bias != added::nothing ? bias.values() : values{});
        q.rows = rstd.count();
        q.columns = gamma.count();
        q.epsilon = double(float(epsilon));
        q.scale = gamma.values();
        if (!is_rms) q.shift = beta.values();
        const oracle_forward_result<double> expected = oracle_forward(q);
        values deviations;
        for (const double v : expected.variance) deviations.push_back(1 / std::sqrt(v + q.epsilon));
        if (additional) {
            EXPECT_EQ(x.values(), as_type(q.src, c.out));
        } else {
            EXPECT_TRUE(x.is_untouched());
        }
        expect_all_close(y.values(), expected.dst, 1e-6 + half_ulp(data_type_of(c.out)), largest(expected.dst) + 1,
                         "y");
        expect_all_close(rstd.values(), deviations, 1e-6, largest(deviations), "rstd");
        if (!is_rms) expect_all_close(mean.values(), expected.mean, 1e-6, largest(expected.mean) + 1, "mean");
    }
    void run_rms() {
        ASSERT_EQ(first_rms(&bytes, &executor), ACLNN_SUCCESS) << aclGetRecentErrMsg();
        ASSERT_EQ(run_exactly(aclnnAddRmsNorm, bytes, executor), ACLNN_SUCCESS);
    }
    void run_layer() {
        ASSERT_EQ(first_layer(&bytes, &executor), ACLNN_SUCCESS) << aclGetRecentErrMsg();
        ASSERT_EQ(run_exactly(aclnnAddLayerNorm, bytes, executor), ACLNN_SUCCESS);
    }
};

} // namespace jitnorm::tests
