// SPDX-License-Identifier: Apache-2.0
// graph_check: checks an execution of a compiled partition by the formulas.
#pragma once

#include <map>

#include "check.hpp"
#include "graph_choice.hpp"

namespace jitnorm::fuzz {

struct graph_values {
    jitnorm_data_type_t type = jitnorm_f32;
    sizes dims;
    numbers values;
};
using values_by_id = std::map<size_t, graph_values>;

// `before`, `after`: the tensors of the partition of the operations `ops`.
void check_partition(const graph_choice &what, const std::vector<size_t> &ops, const values_by_id &before,
                     const values_by_id &after);

} // namespace jitnorm::fuzz
