// SPDX-License-Identifier: Apache-2.0
// C interface: operations.
#include "../base/boundary.hpp"
#include "jitnorm/jitnorm_graph.h"
#include "operation/op.hpp"

using namespace jitnorm::impl;
using namespace jitnorm::impl::graph;

namespace {

status bad_length(jitnorm_graph_op_attr_t name, size_t count) {
    return invalid(explain("attribute 0x%x has one value, not %zu", unsigned(name), count));
}

status add(std::vector<logical_tensor> &tensors, const logical_tensor &tensor) {
    if (!has_legal_rank(tensor)) return bad_rank(tensor.ndims);
    tensors.push_back(tensor);
    return {};
}

status set(jitnorm_graph_op &op, jitnorm_graph_op_attr_t name, attribute value) {
    op.attributes[name] = std::move(value);
    return {};
}

// Whether an attribute of s64 or f32 has one value or several. oneDNN decides this by the attribute's name.
bool has_one_value(jitnorm_graph_op_attr_t name) {
    return name < jitnorm_graph_op_attr_scales ||
           (jitnorm_graph_op_attr_axis <= name && name < jitnorm_graph_op_attr_axes);
}

template <typename Value>
status set_values(jitnorm_graph_op &op, jitnorm_graph_op_attr_t name, const Value *values, size_t count) {
    if (!has_one_value(name)) return set(op, name, std::vector<Value>(values, values + count));
    return count == 1 ? set(op, name, *values) : bad_length(name, count);
}

} // namespace

jitnorm_status_t jitnorm_graph_op_create(jitnorm_graph_op_t *op, size_t id, jitnorm_graph_op_kind_t kind,
                                         const char *verbose_name) {
    if (any_null(op, verbose_name)) return report(__func__, JITNORM_NULL_AMONG(op, verbose_name));
    return guarded(__func__, [&]() -> status {
        *op = new jitnorm_graph_op{id, kind, verbose_name, {}, {}, {}};
        return {};
    });
}

jitnorm_status_t jitnorm_graph_op_destroy(jitnorm_graph_op_t op) { return destroy(op); }

jitnorm_status_t jitnorm_graph_op_add_input(jitnorm_graph_op_t op, const jitnorm_graph_logical_tensor_t *input) {
    if (any_null(op, input)) return report(__func__, JITNORM_NULL_AMONG(op, input));
    return guarded(__func__, [&] { return add(op->inputs, *input); });
}

jitnorm_status_t jitnorm_graph_op_add_output(jitnorm_graph_op_t op, const jitnorm_graph_logical_tensor_t *output) {
    if (any_null(op, output)) return report(__func__, JITNORM_NULL_AMONG(op, output));
    return guarded(__func__, [&] { return add(op->outputs, *output); });
}

jitnorm_status_t jitnorm_graph_op_set_attr_f32(jitnorm_graph_op_t op, jitnorm_graph_op_attr_t name, const float *value,
                                               size_t value_len) {
    if (any_null(op, value)) return report(__func__, JITNORM_NULL_AMONG(op, value));
    return guarded(__func__, [&] { return set_values(*op, name, value, value_len); });
}

jitnorm_status_t jitnorm_graph_op_set_attr_bool(jitnorm_graph_op_t op, jitnorm_graph_op_attr_t name,
                                                const uint8_t *value, size_t value_len) {
    if (any_null(op, value)) return report(__func__, JITNORM_NULL_AMONG(op, value));
    if (value_len != 1) return report(__func__, bad_length(name, value_len));
    return guarded(__func__, [&] { return set(*op, name, *value != 0); });
}

jitnorm_status_t jitnorm_graph_op_set_attr_s64(jitnorm_graph_op_t op, jitnorm_graph_op_attr_t name,
                                               const int64_t *value, size_t value_len) {
    if (any_null(op, value)) return report(__func__, JITNORM_NULL_AMONG(op, value));
    return guarded(__func__, [&] { return set_values(*op, name, value, value_len); });
}

jitnorm_status_t jitnorm_graph_op_set_attr_str(jitnorm_graph_op_t op, jitnorm_graph_op_attr_t name, const char *value,
                                               size_t value_len) {
    if (any_null(op, value)) return report(__func__, JITNORM_NULL_AMONG(op, value));
    if (value_len == 0) return report(__func__, invalid(explain("attribute 0x%x is an empty string", unsigned(name))));
    return guarded(__func__, [&] { return set(*op, name, std::string(value, value_len)); });
}

jitnorm_status_t jitnorm_graph_op_get_id(const_jitnorm_graph_op_t op, size_t *id) {
    if (any_null(op, id)) return report(__func__, JITNORM_NULL_AMONG(op, id));
    *id = op->id;
    return jitnorm_success;
}

jitnorm_status_t jitnorm_graph_op_get_kind(const_jitnorm_graph_op_t op, jitnorm_graph_op_kind_t *kind) {
    if (any_null(op, kind)) return report(__func__, JITNORM_NULL_AMONG(op, kind));
    *kind = op->kind;
    return jitnorm_success;
}
