// SPDX-License-Identifier: Apache-2.0
// summed_rows: the rows that are normalized in problems that add a residual: (src + residual) + bias. Each addition is
// rounded to the type that computes, as the library defines it, and the sum once more if the problem says so.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "../problem/execution.hpp"

namespace benchdnn_lite {

class summed_rows {
public:
    // `residual`: as it is before the execution, which may overwrite it. Without a residual, nothing is added.
    summed_rows(const execution &e, std::optional<buffer> residual);

    // add() turns a row of src into the sum as it is computed. round() turns this sum into the row that is normalized.
    void add(dim_t row, std::span<double> src) const;
    void round(std::span<double> sum) const;

private:
    const problem &problem_;
    std::optional<buffer> residual_;
    std::vector<double> bias_; // empty: none
};

} // namespace benchdnn_lite
