// SPDX-License-Identifier: Apache-2.0
// graph_case: a serialized graph, in oneDNN's JSON form, as values.
#pragma once

#include <map>
#include <set>
#include <string>
#include <variant>
#include <vector>

#include "../error.hpp"
#include "../problem/data_type.hpp"
#include "jitnorm/jitnorm_graph_types.h"

namespace benchdnn_lite {

// A tensor as one operation mentions it.
struct graph_tensor {
    size_t id = 0;
    data_type type = jitnorm_data_type_undef;
    bool has_shape = true; // false: shape and strides are to be inferred
    std::vector<dim_t> dims;
    std::vector<dim_t> strides; // only of a strided tensor
    jitnorm_graph_layout_type_t layout_type = jitnorm_graph_layout_type_strided;
    jitnorm_graph_tensor_property_t property = jitnorm_graph_tensor_property_undef;
};

using graph_attribute = std::variant<bool, int64_t, float, std::vector<int64_t>, std::vector<float>, std::string>;

struct graph_op {
    size_t id = 0;
    std::string name, kind; // kind: "LayerNorm"
    std::map<std::string, graph_attribute> attributes;
    std::vector<graph_tensor> inputs, outputs;

    // Sets `value` to that of the attribute; leaves it as it is if the operation has no such attribute. Throws
    // input_error if the attribute has another type.
    template <typename Value>
    void read(const char *attribute, Value &value) const {
        const auto found = attributes.find(attribute);
        if (found == attributes.end()) return;
        const Value *given = std::get_if<Value>(&found->second);
        if (given == nullptr) throw input_error("attribute '", attribute, "' is of another type");
        value = *given;
    }
};

struct graph_case {
    jitnorm_fpmath_mode_t fpmath_mode = jitnorm_fpmath_mode_strict;
    std::vector<graph_op> ops;

    std::set<size_t> written() const;    // ids of the tensors that operations write
    std::set<size_t> boundaries() const; // ids of tensors that no operation writes, or that none reads
};

// Throws input_error, which names the mistake in the text.
graph_case parse_graph(const std::string &json_text);

// The library's number of an attribute, and a value of it that a text describes. The attributes are those of the
// operations here. Both functions throw input_error.
jitnorm_graph_op_attr_t graph_attribute_name(const std::string &name);
graph_attribute parse_graph_attribute(const std::string &name, const std::string &text);

} // namespace benchdnn_lite
