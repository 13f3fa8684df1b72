// SPDX-License-Identifier: Apache-2.0
// row_checker: judges the outputs of a finished execution row by row, so that only one row of expected values is held
// in memory.
#pragma once

#include <map>
#include <optional>

#include "../problem/execution.hpp"
#include "compare.hpp"
#include "fill.hpp"
#include "oracle.hpp"
#include "summed_rows.hpp"

namespace benchdnn_lite {

// Inputs as they were before the execution, which may have overwritten them.
struct kept_inputs {
    explicit kept_inputs(const execution &e);
    buffer src;
    std::optional<buffer> residual; // if one is added
    std::optional<buffer> old_dst;  // forward with a sum
    std::optional<buffer> diff_dst; // backward
};

class row_checker {
public:
    // `kind` decides how the outputs are judged.
    row_checker(const execution &e, const kept_inputs &inputs, fill_kind kind);
    row_checker(const row_checker &) = delete;
    row_checker &operator=(const row_checker &) = delete;

    void check_rows(dim_t begin, dim_t end);
    void merge(const row_checker &other); // `other` checked the rows after these
    void check_gradients();               // after all rows have been checked
    std::map<int, comparison> &outputs() { return outputs_; }

private:
    const problem &prb() const { return execution_.prb(); }
    void read_inputs(dim_t row);
    void check_forward_row(dim_t row);
    void check_sum(dim_t row);
    void check_computed_statistics(dim_t row);
    void apply_attributes(dim_t row);
    void apply(const post_op &op, size_t index, dim_t row);
    void check_dynamic_scales(dim_t row);
    void check_backward_row(dim_t row);
    void compare_row(int id, dim_t row);
    void compare(int id, dim_t number, const expectation &e, double got);

    const execution &execution_;
    const kept_inputs &inputs_;
    const summed_rows sums_;
    const double unit_;
    std::vector<double> src_, diff_dst_, scale_, shift_, scratch_;
    std::vector<expectation> expected_;
    row_inputs in_;
    gradient_sums gradients_;
    std::map<int, comparison> outputs_;
};

} // namespace benchdnn_lite
