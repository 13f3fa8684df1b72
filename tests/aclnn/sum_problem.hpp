// SPDX-License-Identifier: Apache-2.0
// sum_problem: the tensors of aclnnAddRmsNorm and aclnnAddLayerNorm, filled, their calls, and what has to come out.
#pragma once

#include "aclnnop/aclnn_add_layer_norm.h"
#include "aclnnop/aclnn_add_rms_norm.h"
#include "family_rig.hpp"
#include "reference_rows.hpp"

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

    // The sum has its bits; the rest has those of a normalization of the sum before it is rounded.
    void judge(bool is_rms) const {
        acl_tensor sum({int64_t(x1.count())}, ACL_FLOAT);
        sum.fill(float_sums(x1.values(), x2.values(), c.bias != added::nothing ? bias.values() : values{}));
        const unsigned flags = is_rms ? unsigned(jitnorm_rms_norm) : unsigned(jitnorm_use_shift);
        const setup s = {.flags = flags | jitnorm_use_scale,
                         .dims = {dim_t(rstd.count()), dim_t(gamma.count())},
                         .dst_type = data_type_of(c.out),
                         .affine_type = data_type_of(c.affine),
                         .form = statistics_form::inverse_deviation};
        expect_reference(s, epsilon, {{SRC, &sum}, {SCALE, &gamma}, {SHIFT, &beta}},
                         {{DST, &y}, {MEAN, &mean}, {VARIANCE, &rstd}});
        if (additional)
            EXPECT_EQ(x.values(), as_type(sum.values(), c.out));
        else
            EXPECT_TRUE(x.is_untouched());
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
