// SPDX-License-Identifier: Apache-2.0
// Makes problems from rows of another problem, and copies the rows' inputs.
#include "row_placement.hpp"

namespace benchdnn_lite {

namespace {

// How much larger the first dimension becomes. It is odd, so that rows form other pairs and groups of four.
constexpr dim_t ROWS_BEFORE = 3;

bool is_statistic(int id) { return id == JITNORM_ARG_MEAN || id == JITNORM_ARG_VARIANCE; }

bool has_rows(int id) {
    return id == JITNORM_ARG_SRC || id == JITNORM_ARG_DST || id == JITNORM_ARG_DIFF_DST || id == JITNORM_ARG_DIFF_SRC ||
           id == JITNORM_ARG_SRC_1 || id == JITNORM_ARG_DST_1 || id == JITNORM_ARG_DIFF_DST_1 ||
           id >= JITNORM_ARG_ATTR_MULTIPLE_POST_OP_BASE;
}

} // namespace

row_placement one_row(const problem &p, dim_t row) {
    row_placement where{p, {{row, 0}}};
    for (size_t d = 0; d + 1 < p.ndims(); ++d) where.prb.size.dims[d] = 1;
    return where;
}

row_placement larger_batch(const problem &p) {
    row_placement where{p, {}};
    where.prb.size.dims[0] += ROWS_BEFORE;
    const dim_t shift = where.prb.rows() - p.rows();
    for (dim_t row = 0; row < p.rows(); ++row) where.rows.push_back({row, row + shift});
    return where;
}

void place_inputs(const std::vector<kept_tensor> &inputs, const problem &original, const row_placement &where,
                  const execution &target) {
    std::vector<double> values(size_t(original.row_length()));
    for (const kept_tensor &input : inputs) {
        const buffer &to = target.data(input.id);
        if (is_statistic(input.id)) {
            for (const placed_row &r : where.rows) to.set(r.placed, input.data.at(r.original));
        } else if (has_rows(input.id)) {
            for (const placed_row &r : where.rows) {
                input.data.get_broadcast_row(r.original, original.size.dims, values);
                to.set_broadcast_row(r.placed, where.prb.size.dims, values);
            }
        } else {
            to.copy_from(input.data);
        }
    }
}

} // namespace benchdnn_lite
