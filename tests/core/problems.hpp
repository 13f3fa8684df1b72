// SPDX-License-Identifier: Apache-2.0
// Problems to start from in tests: valid, dense, row major.
#pragma once

#include <vector>

#include "core/problem.hpp"

namespace jitnorm::tests {

using impl::dim_t;
using impl::layer_norm::problem;

inline impl::memory_desc dense(const std::vector<dim_t> &dims, jitnorm_data_type_t type = jitnorm_f32) {
    return impl::make_dense(dims, type);
}

inline problem make_problem(jitnorm_prop_kind_t kind, const std::vector<dim_t> &dims) {
    problem p;
    p.prop_kind = kind;
    p.epsilon = 1e-5f;
    p.src = dense(dims);
    if (p.is_forward())
        p.dst = p.src;
    else
        p.diff_dst = p.diff_src = p.src;
    p.statistics = dense({dims.begin(), dims.end() - 1});
    return p;
}

inline problem forward_problem() { return make_problem(jitnorm_forward_training, {4, 6, 8}); }
inline problem backward_problem() { return make_problem(jitnorm_backward, {4, 6, 8}); }

} // namespace jitnorm::tests
