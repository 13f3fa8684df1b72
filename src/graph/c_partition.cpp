// SPDX-License-Identifier: Apache-2.0
// C interface: partitions and compiled partitions.
#include <algorithm>

#include "compiled_partition.hpp"
#include "graph.hpp"
#include "jitnorm/jitnorm_debug.h"
#include "jitnorm/jitnorm_graph.h"

using namespace jitnorm::impl;
using namespace jitnorm::impl::graph;

namespace {

status other_number(size_t num, size_t expected) {
    return invalid(explain("num is %zu; %zu is expected", num, expected));
}

status create_with_op(jitnorm_graph_partition_t *partition, const jitnorm_graph_op &op, jitnorm_engine_kind_t kind) {
    jitnorm_graph_graph graph(kind, jitnorm_fpmath_mode_strict);
    JITNORM_TRY(graph.add(op));
    JITNORM_TRY(graph.finalize());
    graph.filter(jitnorm_graph_partition_policy_debug);
    *partition = new jitnorm_graph_partition{graph.partitions.front()};
    return {};
}

jitnorm_status_t write(const char *function, const std::vector<logical_tensor> &ports, size_t num,
                       logical_tensor *result) {
    if (num != ports.size()) return report(function, other_number(num, ports.size()));
    std::copy(ports.begin(), ports.end(), result);
    return jitnorm_success;
}

} // namespace

jitnorm_status_t jitnorm_graph_partition_create_with_op(jitnorm_graph_partition_t *partition,
                                                        const_jitnorm_graph_op_t op, jitnorm_engine_kind_t ekind) {
    JITNORM_REFUSE_NULL(partition, op);
    if (ekind != jitnorm_cpu)
        return report(__func__, invalid(explain("there is no engine of kind %s; cpu is expected",
                                                jitnorm_engine_kind2str(ekind))));
    return guarded(__func__, [&] { return create_with_op(partition, *op, ekind); });
}

jitnorm_status_t jitnorm_graph_partition_destroy(jitnorm_graph_partition_t partition) { return destroy(partition); }

jitnorm_status_t jitnorm_graph_partition_get_op_num(const_jitnorm_graph_partition_t partition, size_t *num) {
    return JITNORM_GET(partition, num, partition->content->ops.size());
}

jitnorm_status_t jitnorm_graph_partition_get_ops(jitnorm_graph_partition_t partition, size_t num, size_t *ids) {
    JITNORM_REFUSE_NULL(partition, ids);
    const std::vector<jitnorm_graph_op> &ops = partition->content->ops;
    if (num != ops.size()) return report(__func__, other_number(num, ops.size()));
    std::transform(ops.begin(), ops.end(), ids, [](const jitnorm_graph_op &op) { return op.id; });
    return jitnorm_success;
}

jitnorm_status_t jitnorm_graph_partition_get_id(const_jitnorm_graph_partition_t partition, size_t *id) {
    return JITNORM_GET(partition, id, partition->content->id);
}

jitnorm_status_t jitnorm_graph_partition_get_engine_kind(const_jitnorm_graph_partition_t partition,
                                                         jitnorm_engine_kind_t *kind) {
    return JITNORM_GET(partition, kind, partition->content->engine_kind);
}

jitnorm_status_t jitnorm_graph_partition_is_supported(const_jitnorm_graph_partition_t partition,
                                                      uint8_t *is_supported) {
    return JITNORM_GET(partition, is_supported, partition->content->norm.has_value() ? 1 : 0);
}

jitnorm_status_t jitnorm_graph_partition_get_input_ports_num(const_jitnorm_graph_partition_t partition, size_t *num) {
    return JITNORM_GET(partition, num, partition->content->inputs.size());
}

jitnorm_status_t jitnorm_graph_partition_get_input_ports(const_jitnorm_graph_partition_t partition, size_t num,
                                                         jitnorm_graph_logical_tensor_t *inputs) {
    JITNORM_REFUSE_NULL(partition, inputs);
    return write(__func__, partition->content->inputs, num, inputs);
}

jitnorm_status_t jitnorm_graph_partition_get_output_ports_num(const_jitnorm_graph_partition_t partition, size_t *num) {
    return JITNORM_GET(partition, num, partition->content->outputs.size());
}

jitnorm_status_t jitnorm_graph_partition_get_output_ports(const_jitnorm_graph_partition_t partition, size_t num,
                                                          jitnorm_graph_logical_tensor_t *outputs) {
    JITNORM_REFUSE_NULL(partition, outputs);
    return write(__func__, partition->content->outputs, num, outputs);
}

jitnorm_status_t jitnorm_graph_partition_compile(jitnorm_graph_partition_t partition,
                                                 jitnorm_graph_compiled_partition_t compiled_partition, size_t in_num,
                                                 const jitnorm_graph_logical_tensor_t **inputs, size_t out_num,
                                                 const jitnorm_graph_logical_tensor_t **outputs,
                                                 jitnorm_engine_t engine) {
    const void *in = array_of(in_num, inputs), *out = array_of(out_num, outputs);
    if (any_null(partition, compiled_partition, in, out, engine))
        return report_null(__func__, "partition, compiled_partition, inputs, outputs, engine",
                           {partition, compiled_partition, in, out, engine});
    if (partition->content != compiled_partition->partition)
        return report(__func__, invalid(explain("the compiled partition was created from partition %zu, not from %zu",
                                                compiled_partition->partition->id, partition->content->id)));
    return guarded(__func__, [&] { return compiled_partition->compile({inputs, in_num}, {outputs, out_num}); });
}

// ---- compiled partitions

namespace {

constexpr status NOT_COMPILED = invalid("compiled_partition is not compiled yet");

} // namespace

jitnorm_status_t jitnorm_graph_compiled_partition_create(jitnorm_graph_compiled_partition_t *compiled_partition,
                                                         jitnorm_graph_partition_t partition) {
    JITNORM_REFUSE_NULL(compiled_partition, partition);
    return create(__func__, compiled_partition, partition->content, nullptr);
}

jitnorm_status_t jitnorm_graph_compiled_partition_destroy(jitnorm_graph_compiled_partition_t compiled_partition) {
    return destroy(compiled_partition);
}

jitnorm_status_t jitnorm_graph_compiled_partition_execute_v2(
    const_jitnorm_graph_compiled_partition_t compiled_partition, jitnorm_stream_t stream, size_t num_inputs,
    const_jitnorm_graph_tensor_t *inputs, size_t num_outputs, const_jitnorm_graph_tensor_t *outputs,
    const_jitnorm_graph_tensor_t scratchpad) {
    const void *in = array_of(num_inputs, inputs), *out = array_of(num_outputs, outputs);
    if (any_null(compiled_partition, stream, in, out))
        return report_null(__func__, "compiled_partition, stream, inputs, outputs",
                           {compiled_partition, stream, in, out});
    if (compiled_partition->program == nullptr) return report(__func__, NOT_COMPILED);
    return guarded(__func__, [&] {
        return compiled_partition->program->execute(*stream, {inputs, num_inputs}, {outputs, num_outputs}, scratchpad);
    });
}

jitnorm_status_t jitnorm_graph_compiled_partition_execute(const_jitnorm_graph_compiled_partition_t compiled_partition,
                                                          jitnorm_stream_t stream, size_t num_inputs,
                                                          const_jitnorm_graph_tensor_t *inputs, size_t num_outputs,
                                                          const_jitnorm_graph_tensor_t *outputs) {
    return jitnorm_graph_compiled_partition_execute_v2(compiled_partition, stream, num_inputs, inputs, num_outputs,
                                                       outputs, nullptr);
}

jitnorm_status_t jitnorm_graph_compiled_partition_get_scratchpad_logical_tensor(
    const_jitnorm_graph_compiled_partition_t compiled_partition, jitnorm_graph_logical_tensor_t *lt) {
    JITNORM_REFUSE_NULL(compiled_partition, lt);
    if (compiled_partition->program == nullptr) return report(__func__, NOT_COMPILED);
    *lt = compiled_partition->program->scratchpad();
    return jitnorm_success;
}

jitnorm_status_t
jitnorm_graph_compiled_partition_query_logical_tensor(const_jitnorm_graph_compiled_partition_t compiled_partition,
                                                      size_t tid, jitnorm_graph_logical_tensor_t *lt) {
    JITNORM_REFUSE_NULL(compiled_partition, lt);
    if (compiled_partition->program == nullptr) return report(__func__, NOT_COMPILED);
    const logical_tensor *found = compiled_partition->program->find(tid);
    if (found == nullptr) return report(__func__, invalid(explain("the compiled partition has no tensor %zu", tid)));
    *lt = *found;
    return jitnorm_success;
}

jitnorm_status_t
jitnorm_graph_compiled_partition_get_inplace_ports(const_jitnorm_graph_compiled_partition_t compiled_partition,
                                                   size_t *num_inplace_pairs,
                                                   const jitnorm_graph_inplace_pair_t **inplace_pairs) {
    JITNORM_REFUSE_NULL(compiled_partition, num_inplace_pairs, inplace_pairs);
    if (compiled_partition->program == nullptr) return report(__func__, NOT_COMPILED);
    const auto pairs = compiled_partition->program->inplace_pairs();
    *num_inplace_pairs = pairs.size();
    *inplace_pairs = pairs.data();
    return jitnorm_success;
}
