// SPDX-License-Identifier: Apache-2.0
// graph_target: an operation of the graph interface and those around it, as the fuzzer's bytes describe them
// (graph_choice.cpp, graph_chain.cpp), and a check of an execution by the formulas (graph_check.cpp).
#pragma once

#include <map>

#include "check.hpp"
#include "graph/graph_norm.hpp"
#include "hostile_sizes.hpp"
#include "jitnorm/jitnorm_graph.h"
#include "run_one.hpp"
#include "support/jitnorm_handle.hpp"

namespace jitnorm::fuzz {

using logical_tensor = jitnorm_graph_logical_tensor_t;
using graph_op = tests::owned<jitnorm_graph_op *, jitnorm_graph_op_destroy>;

struct graph_choice {
    jitnorm_graph_op_kind_t kind = jitnorm_graph_op_layer_norm;
    std::string name;                                   // of the kind, if it is a normalization
    size_t normalized = 1;                              // dimensions
    sizes dims;                                         // of src
    std::vector<logical_tensor> inputs, outputs;        // as compilation has them
    logical_tensor first_input = {}, first_output = {}; // as the operation has them (make_op())
    std::vector<benchdnn_lite::graph_op> links;         // those around it, whose tensors come after its own
    size_t input_ports = 0, output_ports = 0;           // its own
    size_t op = 0;
    float epsilon = 1e-5F;
    bool has_affine = true;
    int64_t output_mask[3] = {1, 1, 1};
    bool is_ordinary = true; // no attribute is a hostile one, and no tensor was refused
};

// Reads an operation's choices. Ids count from `first_id`.
graph_choice choose_operation(byte_stream &choices, size_t first_id);

// The operation with the tensors, described as well or less well, and attributes.
graph_op make_op(byte_stream &choices, graph_choice &what, size_t id);

// As benchdnn-lite knows tensors of operations.
benchdnn_lite::graph_tensor mention(const logical_tensor &t);

// Now and then sets a field to a value that no function would give it.
void make_hostile(byte_stream &choices, logical_tensor &t);

bool is_small(const logical_tensor &t); // and of a known size

// The surroundings of the operation. Chosen before it, so that short inputs have some, too.
struct surroundings {
    bool is_in_graph = false, has_addition = false;
    bool has_second = false;             // another normalization
    std::vector<const char *> followers; // kinds, at most 6
};
surroundings choose_surroundings(byte_stream &choices);

// The addition before the operation, and what follows it. Adds their tensors to `what`, with ids from 200 on.
std::vector<graph_op> choose_chain(byte_stream &choices, const surroundings &around, graph_choice &what);

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
