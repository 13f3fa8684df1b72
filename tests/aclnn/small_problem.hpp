// SPDX-License-Identifier: Apache-2.0
// small_problem: tensors and arguments of both operations that are right, for tests that make one of them wrong or use
// the calls in unusual ways.
#pragma once

#include "acl_tensor.hpp"
#include "aclnnop/aclnn_layer_norm.h"
#include "aclnnop/aclnn_layer_norm_backward.h"

namespace jitnorm::tests {

struct small_problem {
    acl_tensor x{{4, 6}, ACL_FLOAT}, w{{6}, ACL_FLOAT}, b{{6}, ACL_FLOAT}, y{{4, 6}, ACL_FLOAT};
    acl_tensor mu{{4, 1}, ACL_FLOAT}, rs{{4, 1}, ACL_FLOAT};
    acl_tensor dy{{4, 6}, ACL_FLOAT}, dx{{4, 6}, ACL_FLOAT}, dw{{6}, ACL_FLOAT}, db{{6}, ACL_FLOAT};
    acl_owned<aclIntArray> shape = int_array({6});
    acl_owned<aclBoolArray> mask = mask_of(true, true, true);
    uint64_t bytes = 12345;
    aclOpExecutor *executor = nullptr;

    small_problem() {
        x.fill_normal(0, 1, 1);
        w.fill_normal(1, 1, 2);
        b.fill_normal(0, 1, 3);
        mu.fill_normal(0, 0.1, 4);
        rs.fill_normal(1, 0.1, 5);
        dy.fill_normal(0, 1, 6);
    }
};

// The arguments of the first calls, each of which a test may exchange.
struct forward_arguments {
    explicit forward_arguments(small_problem &s)
        : input(s.x.get()), weight(s.w.get()), bias(s.b.get()), shape(s.shape.get()), out(s.y.get()), mean(s.mu.get()),
          rstd(s.rs.get()), bytes(&s.bytes), executor(&s.executor) {}

    const aclTensor *input, *weight, *bias;
    const aclIntArray *shape;
    double eps = 1e-5;
    aclTensor *out, *mean, *rstd;
    uint64_t *bytes;
    aclOpExecutor **executor;

    aclnnStatus first_call() const {
        return aclnnLayerNormGetWorkspaceSize(input, shape, weight, bias, eps, out, mean, rstd, bytes, executor);
    }
};

struct backward_arguments {
    explicit backward_arguments(small_problem &s)
        : grad_out(s.dy.get()), input(s.x.get()), mean(s.mu.get()), rstd(s.rs.get()), weight(s.w.get()),
          bias(s.b.get()), shape(s.shape.get()), mask(s.mask.get()), grad_input(s.dx.get()), grad_weight(s.dw.get()),
          grad_bias(s.db.get()), bytes(&s.bytes), executor(&s.executor) {}

    const aclTensor *grad_out, *input, *mean, *rstd, *weight, *bias;
    const aclIntArray *shape;
    const aclBoolArray *mask;
    aclTensor *grad_input, *grad_weight, *grad_bias;
    uint64_t *bytes;
    aclOpExecutor **executor;

    aclnnStatus first_call() const {
        return aclnnLayerNormBackwardGetWorkspaceSize(grad_out, input, shape, mean, rstd, weight, bias, mask,
                                                      grad_input, grad_weight, grad_bias, bytes, executor);
    }
};

} // namespace jitnorm::tests
