// SPDX-License-Identifier: Apache-2.0
// fill: fills the inputs of an execution, and computes the rows that are normalized.
//   random       rows with a mean and a deviation near 1
//   adversarial  values that break careless arithmetic: a mean far above the deviation, constant rows, an outlier at
//                the beginning, tiny, denormal and huge values, ramps
//   ties         forward into a narrow type: results that are exact until they are rounded to the type of dst, and lie
//                half way between two of its values
#pragma once

#include <algorithm>
#include <optional>
#include <span>
#include <vector>

#include "../problem/execution.hpp"
#include "../problem/threads.hpp"

namespace benchdnn_lite {

enum class fill_kind { random, adversarial, ties };

const char *name_of(fill_kind kind);

// Whether `ties` can fill the inputs of a problem.
bool has_ties(const problem &p);

// Fills every input and poisons every pure output.
void fill(const execution &e, fill_kind kind, uint64_t seed);

// Sets all bytes of the arguments, except for scratchpads and scales, to one value, whatever their types. It makes a
// small positive number in every floating-point type.
void fill_with_constant(const execution &e);

// The number of ranges for `rows` rows of `columns` elements: at most one for each row and each thread.
inline dim_t ranges_for(dim_t rows, dim_t columns) {
    constexpr dim_t ELEMENTS = 32768; // in a range; for fewer, a thread costs more than it gains
    return std::clamp<dim_t>(rows * std::max<dim_t>(columns, 1) / ELEMENTS, 1,
                             std::min<dim_t>(thread_count(), std::max<dim_t>(rows, 1)));
}

// The rows that are normalized where a residual is added.
class summed_rows {
public:
    // `residual`: as it is before the execution, which may overwrite it. Without a residual, nothing is added.
    summed_rows(const execution &e, std::optional<buffer> residual);

    // add() turns a row of src into the sum as it is computed, and returns the largest error of an element: sums are
    // exact, products with silu are approximated. round() turns this sum into the row that is normalized.
    double add(dim_t row, std::span<double> src) const;
    void round(std::span<double> sum) const;

private:
    const problem &problem_;
    std::optional<buffer> residual_;
    std::vector<double> bias_; // empty: none
    std::optional<buffer> gate_;
};

} // namespace benchdnn_lite
