// SPDX-License-Identifier: Apache-2.0
#include "rms_problem.hpp"

#include "../objects/data_type.hpp"

namespace jitnorm::impl::aclnn {

acl_status part(const named_tensor &x, const tensor &gamma, row_shape &parted) {
    if (count(gamma.dims) == 0) return invalid("gamma has no elements");
    return row_shape::part(x, "gamma", gamma.dims, parted);
}

layer_norm::problem begin_rms_problem(const tensor &x, const tensor &gamma, const row_shape &parted) {
    layer_norm::problem p;
    p.flags = unsigned(jitnorm_use_scale) | unsigned(jitnorm_rms_norm);
    p.normalized_axes = parted.normalized_axes();
    p.form = layer_norm::statistics_form::inverse_deviation;
    p[SRC] = parted.data(x);
    p.scale_shift_type = core_type(gamma.data_type);
    return p;
}

} // namespace jitnorm::impl::aclnn
