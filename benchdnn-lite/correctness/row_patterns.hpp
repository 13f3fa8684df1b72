// SPDX-License-Identifier: Apache-2.0
// row_patterns: fills rows of src, each with one pattern.
#pragma once

#include <span>

#include "../problem/data_type.hpp"
#include "random.hpp"

namespace benchdnn_lite {

struct row_writer {
    data_type type;
    double huge;    // the largest magnitude that the problem's statistics can hold
    double epsilon; // of the problem

    void random(random_numbers &numbers, std::span<double> row) const;
    // Fills the row with the pattern that `number` chooses.
    void adversarial(dim_t number, random_numbers &numbers, std::span<double> row) const;
};

} // namespace benchdnn_lite
