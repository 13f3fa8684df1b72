// SPDX-License-Identifier: Apache-2.0
// graph_check: the tensors of a graph by their ids, filled with values that suit their roles, and a comparison of what
// an executed operation wrote with the oracle.
#pragma once

#include <span>

#include "../correctness/compare.hpp"
#include "../correctness/solve.hpp"
#include "graph_norm.hpp"
#include "jitnorm/jitnorm_graph.hpp"

namespace benchdnn_lite {

// The values of a tensor in row-major order.
std::vector<double> values_of(const buffer &b);

class graph_memory {
public:
    explicit graph_memory(uint64_t seed) : seed_(seed) {}

    // Allocates the tensor, unless one with its id exists. Throws std::bad_alloc.
    void add(const jitnorm::graph::logical_tensor &described);
    const buffer &at(size_t id) const { return buffers_.at(id); }
    jitnorm::graph::tensor tensor(const jitnorm::graph::logical_tensor &described, const jitnorm::engine &on) const;

    // Fills the inputs of the operation that were neither filled nor written before. Mean and variance become those of
    // src.
    void fill_inputs(const graph_norm &n);
    // Fills the outputs of the operation with NaN, so that a value that it does not write is found.
    void poison_outputs(const graph_norm &n);

    // The ids of the tensors whose guards were overwritten.
    std::vector<size_t> broken_guards() const;

private:
    void fill(graph_role role, size_t id);
    void fill_statistics(const graph_norm &n);

    uint64_t seed_;
    std::map<size_t, buffer> buffers_;
    std::set<size_t> filled_;
};

// What the operation reads, for the oracle.
oracle_problem question_of(const graph_norm &n, const graph_memory &memory);

// One comparison for each output that is written.
std::vector<comparison> check_graph_op(const graph_norm &n, const graph_memory &memory);

} // namespace benchdnn_lite
