// SPDX-License-Identifier: Apache-2.0
// op: the object behind the C interface's handle of an operation: its tensors and attributes as they were given.
// understand() (norm_op.hpp) checks them.
#pragma once

#include <map>
#include <string>
#include <variant>
#include <vector>

#include "logical_tensor.hpp"

namespace jitnorm::impl::graph {
using attribute = std::variant<float, std::vector<float>, int64_t, std::vector<int64_t>, bool, std::string>;
} // namespace jitnorm::impl::graph

struct jitnorm_graph_op {
    size_t id;
    jitnorm_graph_op_kind_t kind;
    std::string name;
    std::vector<jitnorm::impl::graph::logical_tensor> inputs, outputs;
    std::map<jitnorm_graph_op_attr_t, jitnorm::impl::graph::attribute> attributes;
};

namespace jitnorm::impl::graph {

// Reads an attribute. If it is not set, `value` stays as it is. False if the attribute has another type than `value`.
template <typename Value>
bool read(const jitnorm_graph_op &op, jitnorm_graph_op_attr_t name, Value &value) {
    const auto found = op.attributes.find(name);
    if (found == op.attributes.end()) return true;
    const Value *given = std::get_if<Value>(&found->second);
    if (given != nullptr) value = *given;
    return given != nullptr;
}

} // namespace jitnorm::impl::graph
