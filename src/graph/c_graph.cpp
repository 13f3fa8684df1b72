// SPDX-License-Identifier: Apache-2.0
// C interface: operations and graphs.
#include <memory>

#include "../base/boundary.hpp"
#include "graph.hpp"
#include "jitnorm/jitnorm_graph.h"
#include "operation/op.hpp"

using namespace jitnorm::impl;
using namespace jitnorm::impl::graph;

// ---- operations

namespace {

status unknown_mode(jitnorm_fpmath_mode_t mode) {
    return invalid(explain("unknown floating-point mode %d", int(mode)));
}

status bad_length(jitnorm_graph_op_attr_t name, size_t count) {
    return invalid(explain("attribute 0x%x takes one value, not %zu", unsigned(name), count));
}

status add(std::vector<logical_tensor> &tensors, const logical_tensor &tensor) {
    if (!has_legal_rank(tensor)) return bad_rank(tensor.ndims);
    tensors.push_back(tensor);
    return {};
}

// Whether an attribute of s64 or f32 has one value or several. oneDNN decides this by the attribute's name.
bool has_one_value(jitnorm_graph_op_attr_t name) {
    return name < jitnorm_graph_op_attr_scales ||
           (jitnorm_graph_op_attr_axis <= name && name < jitnorm_graph_op_attr_axes);
}

template <typename Value>
status set_values(jitnorm_graph_op &op, jitnorm_graph_op_attr_t name, const Value *values, size_t count) {
    if (has_one_value(name) && count != 1) return bad_length(name, count);
    if (has_one_value(name))
        op.attributes[name] = *values;
    else
        op.attributes[name] = std::vector<Value>(values, values + count);
    return {};
}

} // namespace

jitnorm_status_t jitnorm_graph_op_create(jitnorm_graph_op_t *op, size_t id, jitnorm_graph_op_kind_t kind,
                                         const char *verbose_name) {
    JITNORM_REFUSE_NULL(op, verbose_name);
    return create(__func__, op, id, kind, verbose_name);
}

jitnorm_status_t jitnorm_graph_op_destroy(jitnorm_graph_op_t op) { return destroy(op); }

jitnorm_status_t jitnorm_graph_op_add_input(jitnorm_graph_op_t op, const jitnorm_graph_logical_tensor_t *input) {
    JITNORM_REFUSE_NULL(op, input);
    return guarded(__func__, [&] { return add(op->inputs, *input); });
}

jitnorm_status_t jitnorm_graph_op_add_output(jitnorm_graph_op_t op, const jitnorm_graph_logical_tensor_t *output) {
    JITNORM_REFUSE_NULL(op, output);
    return guarded(__func__, [&] { return add(op->outputs, *output); });
}

jitnorm_status_t jitnorm_graph_op_set_attr_f32(jitnorm_graph_op_t op, jitnorm_graph_op_attr_t name, const float *value,
                                               size_t value_len) {
    JITNORM_REFUSE_NULL(op, value);
    return guarded(__func__, [&] { return set_values(*op, name, value, value_len); });
}

jitnorm_status_t jitnorm_graph_op_set_attr_bool(jitnorm_graph_op_t op, jitnorm_graph_op_attr_t name,
                                                const uint8_t *value, size_t value_len) {
    JITNORM_REFUSE_NULL(op, value);
    if (value_len != 1) return report(__func__, bad_length(name, value_len));
    return guarded(__func__, [&] { op->attributes[name] = *value != 0; });
}

jitnorm_status_t jitnorm_graph_op_set_attr_s64(jitnorm_graph_op_t op, jitnorm_graph_op_attr_t name,
                                               const int64_t *value, size_t value_len) {
    JITNORM_REFUSE_NULL(op, value);
    return guarded(__func__, [&] { return set_values(*op, name, value, value_len); });
}

jitnorm_status_t jitnorm_graph_op_set_attr_str(jitnorm_graph_op_t op, jitnorm_graph_op_attr_t name, const char *value,
                                               size_t value_len) {
    JITNORM_REFUSE_NULL(op, value);
    if (value_len == 0) return report(__func__, invalid(explain("attribute 0x%x is an empty string", unsigned(name))));
    return guarded(__func__, [&] { op->attributes[name] = std::string(value, value_len); });
}

JITNORM_GETTER(jitnorm_graph_op_get_id, const_jitnorm_graph_op_t, op, size_t, id, op->id)
JITNORM_GETTER(jitnorm_graph_op_get_kind, const_jitnorm_graph_op_t, op, jitnorm_graph_op_kind_t, kind, op->kind)

// ---- graphs

jitnorm_status_t jitnorm_graph_graph_create_with_fpmath_mode(jitnorm_graph_graph_t *graph,
                                                             jitnorm_engine_kind_t engine_kind,
                                                             jitnorm_fpmath_mode_t mode) {
    JITNORM_REFUSE_NULL(graph);
    if (engine_kind != jitnorm_cpu) return report(__func__, no_engine(engine_kind));
    if (!is_known(mode)) return report(__func__, unknown_mode(mode));
    return create(__func__, graph, engine_kind, mode);
}

jitnorm_status_t jitnorm_graph_graph_create(jitnorm_graph_graph_t *graph, jitnorm_engine_kind_t engine_kind) {
    return jitnorm_graph_graph_create_with_fpmath_mode(graph, engine_kind, jitnorm_fpmath_mode_strict);
}

jitnorm_status_t jitnorm_graph_graph_destroy(jitnorm_graph_graph_t graph) { return destroy(graph); }

jitnorm_status_t jitnorm_graph_graph_set_fpmath_mode(jitnorm_graph_graph_t graph, jitnorm_fpmath_mode_t mode,
                                                     int apply_to_int) {
    JITNORM_REFUSE_NULL(graph);
    if (graph->is_finalized) return report(__func__, FINALIZED);
    if (!is_known(mode)) return report(__func__, unknown_mode(mode));
    graph->fpmath_mode = mode;
    graph->fpmath_applies_to_int = apply_to_int != 0;
    return jitnorm_success;
}

jitnorm_status_t jitnorm_graph_graph_get_fpmath_mode(jitnorm_graph_graph_t graph, jitnorm_fpmath_mode_t *mode,
                                                     int *apply_to_int) {
    JITNORM_REFUSE_NULL(graph);
    if (graph->is_finalized) return report(__func__, FINALIZED);
    if (mode != nullptr) *mode = graph->fpmath_mode;
    if (apply_to_int != nullptr) *apply_to_int = graph->fpmath_applies_to_int;
    return jitnorm_success;
}

jitnorm_status_t jitnorm_graph_add_op(jitnorm_graph_graph_t graph, jitnorm_graph_op_t op) {
    JITNORM_REFUSE_NULL(graph, op);
    return guarded(__func__, [&] { return graph->add(*op); });
}

jitnorm_status_t jitnorm_graph_graph_finalize(jitnorm_graph_graph_t graph) {
    JITNORM_REFUSE_NULL(graph);
    return guarded(__func__, [&] { return graph->finalize(); });
}

JITNORM_GETTER(jitnorm_graph_graph_is_finalized, jitnorm_graph_graph_t, graph, uint8_t, finalized,
               graph->is_finalized ? 1 : 0)

jitnorm_status_t jitnorm_graph_graph_filter(jitnorm_graph_graph_t graph, jitnorm_graph_partition_policy_t policy) {
    if (any_null(graph)) return report(__func__, {jitnorm_invalid_graph, "graph is null"});
    if (!graph->is_finalized) return report(__func__, {jitnorm_invalid_graph, "the graph is not finalized"});
    if (policy != jitnorm_graph_partition_policy_fusion && policy != jitnorm_graph_partition_policy_debug)
        return report(__func__, invalid(explain("unknown policy %d", int(policy))));
    return guarded(__func__, [&] { graph->filter(policy); });
}

jitnorm_status_t jitnorm_graph_graph_get_partition_num(const_jitnorm_graph_graph_t graph, size_t *num) {
    if (any_null(graph)) return report(__func__, {jitnorm_invalid_graph, "graph is null"});
    JITNORM_REFUSE_NULL(num);
    *num = graph->partitions.size();
    return jitnorm_success;
}

jitnorm_status_t jitnorm_graph_graph_get_partitions(jitnorm_graph_graph_t graph, size_t num,
                                                    jitnorm_graph_partition_t *partitions) {
    if (any_null(graph, partitions))
        return report(__func__, {jitnorm_invalid_graph, null_among("graph, partitions", {graph, partitions}).reason});
    if (num == 0) return report(__func__, {jitnorm_invalid_graph, "num is 0"});
    if (num != graph->partitions.size())
        return report(__func__,
                      invalid(explain("num is %zu; there are %zu partitions", num, graph->partitions.size())));
    return guarded(__func__, [&] {
        std::vector<std::unique_ptr<jitnorm_graph_partition>> made; // if one cannot be made, none is handed out
        for (const partition_pointer &content : graph->partitions)
            made.push_back(std::make_unique<jitnorm_graph_partition>(jitnorm_graph_partition{content}));
        for (size_t i = 0; i < made.size(); ++i) partitions[i] = made[i].release();
    });
}
