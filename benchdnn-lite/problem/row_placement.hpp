// SPDX-License-Identifier: Apache-2.0
// row_placement: a problem that has rows of another one, the original, alone or among other rows. It shows whether a
// row's results depend on the rows around it.
#pragma once

#include "execution.hpp"

namespace benchdnn_lite {

struct placed_row {
    dim_t original, placed; // the row's numbers in the original and in the new problem
};

struct row_placement {
    problem prb;
    std::vector<placed_row> rows;
};

// A problem with a single row, number `row` of p.
row_placement one_row(const problem &p, dim_t row);
// A problem with further rows, followed by all rows of p.
row_placement larger_batch(const problem &p);

// The data that an argument had in an execution of the original.
struct kept_tensor {
    int id;
    buffer data;
};

// Copies each input to the execution `target` of the problem `where.prb`: rows to the places that `where` gives, and
// tensors that all rows share as a whole.
void place_inputs(const std::vector<kept_tensor> &inputs, const problem &original, const row_placement &where,
                  const execution &target);

} // namespace benchdnn_lite
