// SPDX-License-Identifier: Apache-2.0
// row_placement: a problem whose rows are some of another one's, alone or among others.
#pragma once

#include "execution.hpp"

namespace benchdnn_lite {

struct placed_row {
    dim_t original, placed; // numbers of the row in both problems
};

struct row_placement {
    problem prb;
    std::vector<placed_row> rows;
};

row_placement one_row(const problem &p, dim_t row);
// All rows behind some more, which are nobody's copies.
row_placement larger_batch(const problem &p);

// What an execution had in a tensor.
struct kept_tensor {
    int id;
    buffer data;
};

// Hands each input on: rows to where they are placed, anything that all rows share as a whole.
void place_inputs(const std::vector<kept_tensor> &inputs, const problem &original, const row_placement &where,
                  const execution &target);

} // namespace benchdnn_lite
