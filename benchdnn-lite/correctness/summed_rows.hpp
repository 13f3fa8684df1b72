// SPDX-License-Identifier: Apache-2.0
// summed_rows: what is normalized where a residual is added: (src + residual) + bias, each addition rounded to the type
// that computes, as the library defines it; rounded once more if the problem says so.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "../problem/execution.hpp"

namespace benchdnn_lite {

class summed_rows {
public:
    // `residual` as the execution finds it. Nothing is added where the problem has none.
    summed_rows(const execution &e, std::optional<buffer> residual);

    // src's row becomes the sum as it is computed, and that the row which is normalized.
    void add(dim_t row, std::span<double> src) const;
    void round(std::span<double> sum) const;

private:
    const problem &problem_;
    std::optional<buffer> residual_;
    std::vector<double> bias_; // empty: none
};

} // namespace benchdnn_lite
