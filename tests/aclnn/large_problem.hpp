// SPDX-License-Identifier: Apache-2.0
// large_problem: a backward that wants a workspace in every implementation, by its rows and by its layouts.
#pragma once

#include "acl_tensor.hpp"
#include "aclnnop/aclnn_layer_norm_backward.h"

namespace jitnorm::tests {

struct large_problem {
    acl_tensor x{{64, 1000}, ACL_BF16}, mu{{64, 1}, ACL_FLOAT}, rs{{64, 1}, ACL_FLOAT};
    acl_tensor dx{{64, 1000}, ACL_BF16, layout::reversed}, dw{{1000}, ACL_FLOAT, layout::gaps}, db{{1000}, ACL_FLOAT};
    uint64_t bytes = 0;
    aclOpExecutor *executor = nullptr;

    large_problem() {
        x.fill_normal(0, 1, 1);
        mu.fill_normal(0, 0.1, 2);
        rs.fill_normal(1, 0.1, 3);
    }
    aclnnStatus first_call() {
        return aclnnLayerNormBackwardGetWorkspaceSize(x.get(), x.get(), int_array({1000}).get(), mu.get(), rs.get(),
                                                      nullptr, nullptr, mask_of(true, true, true).get(), dx.get(),
                                                      dw.get(), db.get(), &bytes, &executor);
    }
};

} // namespace jitnorm::tests
