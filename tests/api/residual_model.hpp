// SPDX-License-Identifier: Apache-2.0
// residual_model: descriptors of a small normalization with a residual.
#pragma once

#include "rig/execution.hpp"

namespace jitnorm::tests {

inline constexpr auto NO_BIAS = jitnorm_data_type_undef;
inline const dims SIZES = {2, 3, 24};

inline owned_attr with_residual(const_jitnorm_memory_desc_t residual, const_jitnorm_memory_desc_t sum,
                                jitnorm_data_type_t bias = NO_BIAS, unsigned flags = 0) {
    owned_attr attr = make_attr();
    EXPECT_OK(jitnorm_primitive_attr_set_residual(attr, residual, sum, bias, flags));
    return attr;
}

struct residual_model : testing::Test {
    owned_md data = make_md(SIZES, jitnorm_f32), half = make_md(SIZES, jitnorm_bf16);

    owned_pd forward(const_jitnorm_primitive_attr_t attr, unsigned flags = jitnorm_use_scale) const {
        return forward_request{jitnorm_forward_training, data, data}.make(flags, attr);
    }
    owned_pd backward(const_jitnorm_primitive_attr_t attr) const {
        return backward_request{jitnorm_backward, data, data, data}.make(0, attr);
    }
};

} // namespace jitnorm::tests
