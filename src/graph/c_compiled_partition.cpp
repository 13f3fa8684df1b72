// SPDX-License-Identifier: Apache-2.0
// C interface: compiled partitions.
#include "compiled_partition.hpp"
#include "jitnorm/jitnorm_graph.h"

using namespace jitnorm::impl;
using namespace jitnorm::impl::graph;

namespace {

constexpr status NOT_COMPILED = invalid("compiled_partition is not compiled yet");

} // namespace

jitnorm_status_t jitnorm_graph_compiled_partition_create(jitnorm_graph_compiled_partition_t *compiled_partition,
                                                         jitnorm_graph_partition_t partition) {
    if (any_null(compiled_partition, partition))
        return report(__func__, JITNORM_NULL_AMONG(compiled_partition, partition));
    return guarded(__func__, [&]() -> status {
        *compiled_partition = new jitnorm_graph_compiled_partition{partition->content, nullptr};
        return {};
    });
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
        return report(__func__,
                      null_among("compiled_partition, stream, inputs, outputs", {compiled_partition, stream, in, out}));
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
    if (any_null(compiled_partition, lt)) return report(__func__, JITNORM_NULL_AMONG(compiled_partition, lt));
    if (compiled_partition->program == nullptr) return report(__func__, NOT_COMPILED);
    *lt = compiled_partition->program->scratchpad();
    return jitnorm_success;
}

jitnorm_status_t
jitnorm_graph_compiled_partition_query_logical_tensor(const_jitnorm_graph_compiled_partition_t compiled_partition,
                                                      size_t tid, jitnorm_graph_logical_tensor_t *lt) {
    if (any_null(compiled_partition, lt)) return report(__func__, JITNORM_NULL_AMONG(compiled_partition, lt));
    if (compiled_partition->program == nullptr) return report(__func__, NOT_COMPILED);
    const logical_tensor *found = compiled_partition->program->find(tid);
    if (found == nullptr)
        return report(__func__, invalid(explain("tensor %zu is none of the compiled partition's", tid)));
    *lt = *found;
    return jitnorm_success;
}

jitnorm_status_t
jitnorm_graph_compiled_partition_get_inplace_ports(const_jitnorm_graph_compiled_partition_t compiled_partition,
                                                   size_t *num_inplace_pairs,
                                                   const jitnorm_graph_inplace_pair_t **inplace_pairs) {
    if (any_null(compiled_partition, num_inplace_pairs, inplace_pairs))
        return report(__func__, JITNORM_NULL_AMONG(compiled_partition, num_inplace_pairs, inplace_pairs));
    if (compiled_partition->program == nullptr) return report(__func__, NOT_COMPILED);
    const auto pairs = compiled_partition->program->inplace_pairs();
    *num_inplace_pairs = pairs.size();
    *inplace_pairs = pairs.data();
    return jitnorm_success;
}
