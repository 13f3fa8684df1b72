// SPDX-License-Identifier: Apache-2.0
// Reads the nodes of a model: which of them are normalizations that are computed here, and their problems.
#pragma once

#include <array>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "operators.hpp"
#include "runtime.hpp"

namespace jitnorm_onnxruntime {

using dims = std::vector<int64_t>; // -1: known at run time only

struct tensor {
    std::string name; // empty: there is no such tensor
    ONNXTensorElementDataType type = ONNX_TENSOR_ELEMENT_DATA_TYPE_UNDEFINED;
    dims shape; // empty: the rank is known at run time only

    bool exists() const { return !name.empty(); }
};

struct norm {
    const operator_row *what = nullptr;
    std::array<tensor, ROLES> tensors;
    dims normalized; // the last dimensions of X, all known: those that are normalized together
    float epsilon = 0;
    std::vector<const OrtNode *> nodes; // the normalization, the addition before it, that of a bias before this

    tensor &operator[](role r) { return tensors[r]; }
    const tensor &operator[](role r) const { return tensors[r]; }
    std::string label() const; // the operator, and the additions that are computed with it
};

// Why a node is left to other execution providers.
struct refusal : std::runtime_error {
    using std::runtime_error::runtime_error;
};

// Null if the node is no normalization.
const operator_row *find_operator(const runtime &ort, const OrtNode *node);

// Reads a node of an operator of the table. Throws a refusal if jitnorm would not compute what the operator means.
norm read_norm(const runtime &ort, const OrtNode *node, const operator_row &what);

// Who computes and reads the values of a graph, by name. ONNX Runtime 1.23 ends the process if it is asked for nodes
// that a part of a graph does not have.
struct graph_view {
    std::map<std::string, const OrtNode *> producers;
    std::map<std::string, int> readers;

    graph_view(const runtime &ort, const std::vector<const OrtNode *> &nodes);
};

// Adds to the norm the additions before it that are among `available` and can be computed with it.
void take_additions(const runtime &ort, norm &of, const graph_view &graph, const std::set<const OrtNode *> &available);

// The same in the graph of a norm that was claimed, where all additions are to be taken.
void take_claimed_additions(const runtime &ort, norm &of, const std::vector<const OrtNode *> &nodes);

// Whether the nodes are those of a graph within a node that reads values of the graph around it.
bool reads_outer_values(const runtime &ort, const std::vector<const OrtNode *> &nodes);

std::vector<const OrtNode *> nodes_of(const runtime &ort, const OrtGraph *graph);
// The names in the order of the node, empty where an optional tensor is absent.
std::vector<std::string> input_names(const runtime &ort, const OrtNode *node);
std::vector<std::string> output_names(const runtime &ort, const OrtNode *node);

} // namespace jitnorm_onnxruntime
