// SPDX-License-Identifier: Apache-2.0
#include "claims.hpp"

#include <algorithm>
#include <cmath>
#include <string_view>

namespace jitnorm_onnxruntime {

namespace {

constexpr size_t MAX_ROW_DIMENSIONS = 4; // of a primitive, before the one that is normalized

using values = std::vector<const OrtValueInfo *>;

values inputs_of(const runtime &ort, const OrtNode *node) {
    values all(ort.get<&OrtApi::Node_GetNumInputs>(node));
    ort.call<&OrtApi::Node_GetInputs>(node, all.data(), all.size());
    return all;
}

values outputs_of(const runtime &ort, const OrtNode *node) {
    values all(ort.get<&OrtApi::Node_GetNumOutputs>(node));
    ort.call<&OrtApi::Node_GetOutputs>(node, all.data(), all.size());
    return all;
}

std::string name_of(const runtime &ort, const OrtValueInfo *value) {
    return value == nullptr ? "" : ort.get<&OrtApi::GetValueInfoName>(value);
}

std::vector<std::string> names_of(const runtime &ort, const values &all) {
    std::vector<std::string> names;
    for (const OrtValueInfo *value : all) names.push_back(name_of(ort, value));
    return names;
}

tensor read_tensor(const runtime &ort, const OrtValueInfo *value) {
    tensor read;
    read.name = name_of(ort, value);
    const OrtTypeInfo *type = read.exists() ? ort.get<&OrtApi::GetValueInfoTypeInfo>(value) : nullptr;
    const OrtTensorTypeAndShapeInfo *info =
        type == nullptr ? nullptr : ort.get<&OrtApi::CastTypeInfoToTensorInfo>(type);
    if (info == nullptr) return read;
    read.type = ort.get<&OrtApi::GetTensorElementType>(info);
    read.shape.resize(ort.get<&OrtApi::GetDimensionsCount>(info));
    ort.call<&OrtApi::GetDimensions>(info, read.shape.data(), read.shape.size());
    return read;
}

template <typename T>
T read_attribute(const runtime &ort, const OrtNode *node, const char *name, OrtOpAttrType type, T otherwise) {
    const OrtOpAttr *found = nullptr;
    if (OrtStatus *status = ort->Node_GetAttributeByName(node, name, &found)) ort->ReleaseStatus(status);
    if (found == nullptr) return otherwise;
    T value;
    size_t bytes;
    ort.call<&OrtApi::ReadOpAttr>(found, type, &value, sizeof value, &bytes);
    return value;
}

void require(bool right, const std::string &otherwise) {
    if (!right) throw refusal(otherwise);
}

bool is_data_type(ONNXTensorElementDataType type) {
    return type == ONNX_TENSOR_ELEMENT_DATA_TYPE_FLOAT || type == ONNX_TENSOR_ELEMENT_DATA_TYPE_FLOAT16 ||
           type == ONNX_TENSOR_ELEMENT_DATA_TYPE_BFLOAT16;
}

void check_types(const norm &n) {
    require(n[X].exists() && n[Y].exists() && n[SCALE].exists(), "input, scale or output is missing");
    for (int r = 0; r < ROLES; ++r) {
        const bool statistics = r == MEAN || r == RSTD;
        const auto type = n.tensors[r].type;
        require(!n.tensors[r].exists() ||
                    (statistics ? type == ONNX_TENSOR_ELEMENT_DATA_TYPE_FLOAT : is_data_type(type)),
                "'" + n.tensors[r].name + "' is not " + (statistics ? "float32" : "float32, float16 or bfloat16"));
    }
    require(!n[SKIP].exists() || n[SKIP].type == n[X].type, "input and skip differ in type");
    require(!n[SHIFT].exists() || n[SHIFT].type == n[SCALE].type, "scale and bias differ in type");
    require(!n[MEAN].exists() || !n.what->rms, "the operator has no mean");
}

// Whether a scale or bias of this shape has one element for each normalized element, whatever sizes the run brings: it
// is not repeated along a dimension.
bool covers(const dims &scale, const dims &normalized) {
    if (scale.empty()) return false;
    for (size_t i = 1; i <= std::max(scale.size(), normalized.size()); ++i) {
        const int64_t has = i <= scale.size() ? scale[scale.size() - i] : 1;
        const int64_t needs = i <= normalized.size() ? normalized[normalized.size() - i] : 1;
        if (needs < 0 ? has <= 1 : has != needs) return false;
    }
    return true;
}

// The dimensions from `axis` on. Sizes that X leaves open are those of the scale.
dims find_normalized(const norm &n, int64_t axis) {
    const auto rank = int64_t(n[X].shape.size());
    require(rank > 0 || axis < 0, "the rank of the input is not known");
    const int64_t count = axis < 0 ? -axis : rank - axis;
    require(count > 0 && (rank == 0 || count <= rank), "axis is out of range");
    require(rank > 0 || count == 1, "the rank of the input is not known");
    dims last(size_t(count), -1);
    if (rank > 0) std::copy(n[X].shape.end() - count, n[X].shape.end(), last.begin());
    require(covers(n[SCALE].shape, last), "the scale is not known to have one element for each normalized one");
    const dims &scale = n[SCALE].shape;
    for (size_t i = 1; i <= last.size(); ++i)
        if (last[last.size() - i] < 0) last[last.size() - i] = scale[scale.size() - i];
    return last;
}

bool is_in_onnx_domain(std::string_view domain) { return domain.empty() || domain == "ai.onnx"; }

bool is_addition(const runtime &ort, const OrtNode *node) {
    return std::string_view(ort.get<&OrtApi::Node_GetOperatorType>(node)) == "Add" &&
           is_in_onnx_domain(ort.get<&OrtApi::Node_GetDomain>(node)) &&
           ort.get<&OrtApi::Node_GetSinceVersion>(node) >= 7; // from then on shapes are broadcast as in NumPy
}

bool ends_with(const dims &shape, const dims &last) {
    return shape.size() >= last.size() && shape.size() <= last.size() + MAX_ROW_DIMENSIONS &&
           std::equal(last.begin(), last.end(), shape.end() - std::ptrdiff_t(last.size()));
}

// Where additions are looked for.
struct search {
    const runtime &ort;
    const graph_view &graph;
    const std::set<const OrtNode *> &available;
    bool claimed; // all of them were found to be right before

    const OrtNode *producer_of(const OrtValueInfo *value) const {
        const auto found = graph.producers.find(name_of(ort, value));
        return found == graph.producers.end() ? nullptr : found->second;
    }

    // A weight that another node computes might depend on the addition. A node of both would be its own input.
    bool has_given_weights(const norm &n, const values &inputs) const {
        for (size_t i = 0; i < inputs.size(); ++i)
            if (n.what->inputs[i] != X && n.what->inputs[i] != SKIP && producer_of(inputs[i]) != nullptr) return false;
        return true;
    }

    bool is_read_once(const OrtValueInfo *value) const {
        return graph.readers.at(name_of(ort, value)) == 1 && !ort.get<&OrtApi::ValueInfo_IsGraphOutput>(value);
    }
};

// An addition of two tensors that repeat no column.
struct addition {
    const OrtNode *node = nullptr; // null: there is none
    values operands;
    tensor first, second;
};

addition find_addition(const search &in, const norm &n, const OrtValueInfo *value) {
    addition found;
    const OrtNode *node = in.producer_of(value);
    if (node == nullptr || !in.available.contains(node) || !is_addition(in.ort, node)) return found;
    found.operands = inputs_of(in.ort, node);
    if (found.operands.size() != 2) return found;
    found.first = read_tensor(in.ort, found.operands[0]);
    found.second = read_tensor(in.ort, found.operands[1]);
    const bool fits = found.first.type == n[X].type && found.second.type == n[X].type &&
                      ends_with(found.first.shape, n.normalized) && ends_with(found.second.shape, n.normalized);
    if (fits) found.node = node;
    return found;
}

// The addition of a bias to one of the two addends.
void take_bias(const search &in, norm &of, const values &addends) {
    for (size_t i = 0; i < addends.size(); ++i) {
        addition sum = find_addition(in, of, addends[i]);
        if (sum.node == nullptr || (!in.claimed && !in.is_read_once(addends[i]))) continue;
        if (sum.first.shape == of.normalized) std::swap(sum.first, sum.second);
        if (sum.second.shape != of.normalized) continue;
        of.nodes.push_back(sum.node);
        of[i == 0 ? X : SKIP] = sum.first;
        of[BIAS] = sum.second;
        return;
    }
}

void take_all(const search &in, norm &of) {
    const values inputs = inputs_of(in.ort, of.nodes[0]);
    if (!in.claimed && !in.has_given_weights(of, inputs)) return;
    values addends = {inputs[0]};
    if (of[SKIP].exists()) {
        addends.push_back(inputs[1]);
    } else {
        const addition sum = find_addition(in, of, inputs[0]);
        if (sum.node == nullptr) return;
        of.nodes.push_back(sum.node);
        of[SUM] = of[X];
        of[X] = sum.first;
        of[SKIP] = sum.second;
        addends = sum.operands;
    }
    if (!of[BIAS].exists() && of.normalized.size() == 1) take_bias(in, of, addends);
}

} // namespace

std::string norm::label() const {
    return std::string(what->name) + (nodes.size() == 1 ? "" : nodes.size() == 2 ? " with Add" : " with two Add");
}

bool reads_outer_values(const runtime &ort, const std::vector<const OrtNode *> &nodes) {
    for (const OrtNode *node : nodes)
        for (const OrtValueInfo *value : inputs_of(ort, node))
            if (value != nullptr && ort.get<&OrtApi::ValueInfo_IsFromOuterScope>(value)) return true;
    return false;
}

std::vector<const OrtNode *> nodes_of(const runtime &ort, const OrtGraph *graph) {
    std::vector<const OrtNode *> nodes(ort.get<&OrtApi::Graph_GetNumNodes>(graph));
    ort.call<&OrtApi::Graph_GetNodes>(graph, nodes.data(), nodes.size());
    return nodes;
}

std::vector<std::string> input_names(const runtime &ort, const OrtNode *node) {
    return names_of(ort, inputs_of(ort, node));
}

std::vector<std::string> output_names(const runtime &ort, const OrtNode *node) {
    return names_of(ort, outputs_of(ort, node));
}

const operator_row *find_operator(const runtime &ort, const OrtNode *node) {
    const std::string_view name = ort.get<&OrtApi::Node_GetOperatorType>(node);
    const std::string_view domain = ort.get<&OrtApi::Node_GetDomain>(node);
    for (const operator_row &row : OPERATORS)
        if (name == row.name && (row.domain == domain || (*row.domain == 0 && is_in_onnx_domain(domain)))) return &row;
    return nullptr;
}

norm read_norm(const runtime &ort, const OrtNode *node, const operator_row &what) {
    require(ort.get<&OrtApi::Node_GetSinceVersion>(node) <= what.last_version, "the operator's version is unknown");
    norm n;
    n.what = &what;
    n.nodes = {node};
    const values inputs = inputs_of(ort, node), outputs = outputs_of(ort, node);
    const auto read_all = [&](const values &from, const auto &roles) {
        for (size_t i = 0; i < from.size(); ++i) {
            const role r = i < roles.size() ? roles[i] : ROLES;
            require(r != ROLES || from[i] == nullptr, "it has a tensor that the operator does not have");
            if (r != ROLES) n[r] = read_tensor(ort, from[i]);
        }
    };
    read_all(inputs, what.inputs);
    read_all(outputs, what.outputs);
    check_types(n);
    require(read_attribute<int64_t>(ort, node, "stash_type", ORT_OP_ATTR_INT, 1) == 1, "stash_type is not 1");
    n.epsilon = read_attribute<float>(ort, node, "epsilon", ORT_OP_ATTR_FLOAT, what.epsilon);
    require(std::isfinite(n.epsilon) && n.epsilon >= 0, "epsilon is negative or not finite");
    n.normalized = find_normalized(n, read_attribute<int64_t>(ort, node, "axis", ORT_OP_ATTR_INT, -1));
    for (const role r : {SHIFT, BIAS})
        require(!n[r].exists() || covers(n[r].shape, n.normalized),
                "'" + n[r].name + "' is not known to have one element for each normalized one");
    return n;
}

graph_view::graph_view(const runtime &ort, const std::vector<const OrtNode *> &nodes) {
    for (const OrtNode *node : nodes) {
        for (const std::string &name : output_names(ort, node)) producers[name] = node;
        values inner(ort.get<&OrtApi::Node_GetNumImplicitInputs>(node)); // of graphs within the node
        ort.call<&OrtApi::Node_GetImplicitInputs>(node, inner.data(), inner.size());
        for (const values &inputs : {inputs_of(ort, node), inner})
            for (const std::string &name : names_of(ort, inputs)) ++readers[name];
    }
    producers.erase(""); // of outputs that are absent
}

void take_additions(const runtime &ort, norm &of, const graph_view &graph, const std::set<const OrtNode *> &available) {
    take_all({ort, graph, available, false}, of);
}

void take_claimed_additions(const runtime &ort, norm &of, const std::vector<const OrtNode *> &nodes) {
    take_all({ort, graph_view(ort, nodes), {nodes.begin(), nodes.end()}, true}, of);
}

} // namespace jitnorm_onnxruntime
