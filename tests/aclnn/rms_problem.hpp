// SPDX-License-Identifier: Apache-2.0
// rms_problem: the tensors of RMS normalization, filled, and the two calls of each direction.
#pragma once

#include "acl_tensor.hpp"
#include "aclnnop/aclnn_rms_norm.h"
#include "aclnnop/aclnn_rms_norm_grad.h"
#include "chain.hpp"

namespace jitnorm::tests {

struct rms_case {
    dims_t dims = {4, 6};
    size_t normalized = 1;
    aclDataType data = ACL_FLOAT, gamma = ACL_FLOAT;
    layout x = layout::dense, y = layout::dense, g = layout::dense, side = layout::dense; // side: rstd and dgamma
    double epsilon = 1e-5;

    dims_t gamma_shape() const { return {dims.end() - int64_t(normalized), dims.end()}; }
    dims_t rows() const { // [1] where all is normalized
        return normalized == dims.size() ? dims_t{1} : dims_t{dims.begin(), dims.end() - int64_t(normalized)};
    }
    dims_t rstd_shape() const {
        dims_t result = dims;
        std::fill(result.end() - int64_t(normalized), result.end(), 1);
        return result;
    }
    std::string name() const {
        std::string result = "normalized " + std::to_string(normalized) + " types " + std::to_string(data) + " " +
                             std::to_string(gamma) + " layouts " + std::to_string(int(x)) + std::to_string(int(y)) +
                             std::to_string(int(g)) + std::to_string(int(side)) + " dims";
        for (const int64_t d : dims) result += " " + std::to_string(d);
        return result;
    }
};

struct rms_problem {
    rms_case c;
    acl_tensor x, gamma, y, rstd;            // forward
    acl_tensor dy, rstd_of_rows, dx, dgamma; // backward: rstd without the ones
    uint64_t bytes = 12345;
    aclOpExecutor *executor = nullptr;

    explicit rms_problem(const rms_case &what = {})
        : c(what), x(c.dims, c.data, c.x), gamma(c.gamma_shape(), c.gamma, c.g), y(c.dims, c.data, c.y),
          rstd(c.rstd_shape(), ACL_FLOAT, c.side), dy(c.dims, c.data, c.y), rstd_of_rows(c.rows(), ACL_FLOAT, c.side),
          dx(c.dims, c.data, c.x), dgamma(c.gamma_shape(), ACL_FLOAT, c.side) {
        x.fill_normal(0.5, 1, 1);
        gamma.fill_normal(1, 0.5, 2);
        dy.fill_normal(0, 1, 3);
        rstd_of_rows.fill_normal(1, 0.1, 4);
    }

    void run_forward() {
        expect_runs(aclnnRmsNormGetWorkspaceSize, aclnnRmsNorm, x.get(), gamma.get(), c.epsilon, y.get(), rstd.get());
    }
    void run_backward() {
        expect_runs(aclnnRmsNormGradGetWorkspaceSize, aclnnRmsNormGrad, dy.get(), x.get(), rstd_of_rows.get(),
                    gamma.get(), dx.get(), dgamma.get());
    }
};

} // namespace jitnorm::tests
