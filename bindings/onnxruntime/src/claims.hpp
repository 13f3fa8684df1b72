// SPDX-License-Identifier: Apache-2.0
// Reads the nodes of a model: which of them are normalizations that are computed here, and what they compute.
#pragma once

#include <array>
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

// Adds to the norm the additions before it that are among `available` and can be computed with it. `are_claimed` says
// that they have been found to be of this kind before, so that the graph around them, which may not be there any more, is
// not looked at.
void take_additions(const runtime &ort, norm &of, const std::set<const OrtNode *> &available, bool are_claimed);

std::vector<const OrtNode *> nodes_of(const runtime &ort, const OrtGraph *graph);
// The names in the order of the node, empty where an optional tensor is absent.
std::vector<std::string> input_names(const runtime &ort, const OrtNode *node);
std::vector<std::string> output_names(const runtime &ort, const OrtNode *node);

} // namespace jitnorm_onnxruntime
