// SPDX-License-Identifier: Apache-2.0
// op: the objects behind the C interface's handles of operations and tensors, and the descriptions of tensors.
// An operation has its tensors and attributes as they were given; understand() (norm_op.hpp) checks them.
#pragma once

#include <algorithm>
#include <map>
#include <span>
#include <string>
#include <variant>
#include <vector>

#include "../../base/boundary.hpp"
#include "../../base/bytes.hpp"
#include "../../tensor/memory_desc.hpp"
#include "jitnorm/jitnorm_graph_types.h"

namespace jitnorm::impl::graph {

// ---- Functions on the graph interface's descriptions of tensors (../c_tensor.cpp)

using logical_tensor = jitnorm_graph_logical_tensor_t;

inline status bad_rank(int ndims, int fewest = JITNORM_GRAPH_UNKNOWN_NDIMS) {
    return invalid(explain("ndims is %d; %d to %d are possible", ndims, fewest, MAX_NDIMS));
}

constexpr status misfit(const char *reason) { return {jitnorm_invalid_shape, reason}; }

// Whether the number of dimensions is in range or is unknown. The struct is public, and callers may have written
// anything into it. If this is false, no other function here may be called with it.
inline bool has_legal_rank(const logical_tensor &lt) {
    return JITNORM_GRAPH_UNKNOWN_NDIMS <= lt.ndims && lt.ndims <= MAX_NDIMS;
}

bool is_shape_known(const logical_tensor &lt);
bool are_strides_known(const logical_tensor &lt); // the tensor must be strided
// Whether they have the same type, shape and layout.
bool are_alike(const logical_tensor &a, const logical_tensor &b);
// Whether they have the same id and property, too.
inline bool are_equal(const logical_tensor &a, const logical_tensor &b) {
    return a.id == b.id && a.property == b.property && are_alike(a, b);
}

inline std::span<const dim_t> dims_of(const logical_tensor &lt) {
    return {lt.dims, lt.ndims < 0 ? 0 : size_t(lt.ndims)};
}

// Whether one of the tensors has the id.
inline bool mentions(const std::vector<logical_tensor> &tensors, size_t id) {
    return std::ranges::find(tensors, id, &logical_tensor::id) != tensors.end();
}

void set_shape(logical_tensor &lt, std::span<const dim_t> dims);

// Makes the tensor strided and without gaps: row-major, or with the dimensions in the order of `model`, which is
// strided and has as many dimensions. A dimension of size 0 counts as 1. False if a stride overflows.
bool lay_out_densely(logical_tensor &lt, const logical_tensor *model = nullptr);

// Whether the tensor can be broadcast to `dims`: counted from the last dimension, each of its dimensions is that of
// `dims` or 1. If it has more dimensions than `dims`, the further ones are 1.
bool broadcasts_to(const logical_tensor &lt, std::span<const dim_t> dims);

// The bytes to the end of the last element; (size_t)-1 if they are not known or the description makes no tensor.
size_t size_in_bytes(const logical_tensor &lt);

using attribute = std::variant<float, std::vector<float>, int64_t, std::vector<int64_t>, bool, std::string>;
} // namespace jitnorm::impl::graph

struct jitnorm_graph_op {
    size_t id;
    jitnorm_graph_op_kind_t kind;
    std::string name;
    std::vector<jitnorm::impl::graph::logical_tensor> inputs = {}, outputs = {};
    std::map<jitnorm_graph_op_attr_t, jitnorm::impl::graph::attribute> attributes = {};
};

namespace jitnorm::impl::graph {

// The row of a table for operations of this kind; null if there is none.
template <typename Row, size_t Rows>
const Row *find(const Row (&table)[Rows], jitnorm_graph_op_kind_t kind) {
    const Row *found = std::ranges::find(table, kind, &Row::kind);
    return found == std::end(table) ? nullptr : found;
}

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

// The object behind the C interface's handle of a tensor: a description and the address of the data.
struct jitnorm_graph_tensor {
    jitnorm::impl::graph::logical_tensor description;
    jitnorm_engine_t engine;
    void *handle;
    jitnorm::impl::aligned_bytes owned; // null if the data is the caller's
};
