// SPDX-License-Identifier: Apache-2.0
// C interface: partitions, and compiled partitions, which have programs that execute them.
#include <algorithm>
#include <cstdio>
#include <map>

#include "../base/verbose.hpp"
#include "../dispatch/ready_call.hpp"
#include "../norm/aliases.hpp"
#include "../tensor/names.hpp"
#include "graph.hpp"
#include "jitnorm/jitnorm_graph.h"

namespace jitnorm::impl::graph {

namespace {

using tensor_handles = std::span<const const_jitnorm_graph_tensor_t>;

// Says why the tensor is not the one that was compiled.
status explain_difference(const logical_tensor &given, const logical_tensor &compiled) {
    char name[32];
    std::snprintf(name, sizeof name, "tensor %zu", given.id);
    if (given.data_type != compiled.data_type)
        return invalid(
            explain("%s is %s; it was compiled as %s", name, text_of(given.data_type), text_of(compiled.data_type)));
    const std::span<const dim_t> dims = dims_of(given), expected = dims_of(compiled);
    if (!std::ranges::equal(dims, expected)) return invalid(explain_dims(name, dims, "the compiled tensor", expected));
    if (given.layout_type != compiled.layout_type)
        return invalid(explain("%s has the layout type %d; it was compiled as strided", name, int(given.layout_type)));
    return invalid(explain("%s has the strides %s; it was compiled with %s", name,
                           dims_text({given.layout.strides, dims.size()}).text,
                           dims_text({compiled.layout.strides, dims.size()}).text));
}

// Finds the tensor with the id of `expected` among those given, and gives the address of its data.
status find_memory(const logical_tensor &expected, tensor_handles given, void *&memory) {
    const auto is_it = [&](const_jitnorm_graph_tensor_t t) { return t != nullptr && t->description.id == expected.id; };
    const auto found = std::ranges::find_if(given, is_it);
    if (found == given.end()) return invalid(explain("tensor %zu of the compiled partition is missing", expected.id));
    if (std::ranges::count_if(given, is_it) > 1) return invalid(explain("tensor %zu is given twice", expected.id));
    if (!are_alike((*found)->description, expected)) return explain_difference((*found)->description, expected);
    if ((*found)->handle == nullptr && product_of(dims_of(expected)) != 0)
        return invalid(explain("tensor %zu has no memory", expected.id));
    memory = (*found)->handle;
    return {};
}

} // namespace

// A partition that is compiled for tensors of given shapes and layouts. Immutable.
class program {
public:
    // `given` are the descriptions that it was compiled with. find() knows also those of tensors that the partition
    // mentions but does not use.
    program(const partition_content &partition, std::vector<placed_tensor> tensors,
            std::shared_ptr<const layer_norm::ready_call> call, std::initializer_list<tensor_list> given)
        : tensors_(std::move(tensors)), call_(std::move(call)),
          aliases_(call_->problem(), call_->scratchpad_bytes() != 0) {
        for (const placed_tensor &t : tensors_) known_.try_emplace(t.tensor.id, t.tensor);
        for (const tensor_list &list : given)
            for (const logical_tensor *lt : list)
                if (mentions(partition.inputs, lt->id) || mentions(partition.outputs, lt->id))
                    known_.try_emplace(lt->id, *lt);
        const norm_op &op = *partition.norm;
        // An output could overwrite an input that is read twice before the second read.
        const auto is_read_once = [&](size_t id) {
            return std::ranges::count_if(tensors_, [&](auto &t) { return t.is_input && t.tensor.id == id; }) == 1;
        };
        for (const auto &[output, input] : layer_norm::IN_PLACE)
            if (works_in_place(call_->problem(), output, input) && is_read_once(op[input].id))
                inplace_.push_back({op[input].id, op[output].id});
    }

    // The description of a tensor; null if the partition does not mention it or compilation was not given it.
    const logical_tensor *find(size_t id) const {
        const auto found = known_.find(id);
        return found == known_.end() ? nullptr : &found->second;
    }
    std::span<const jitnorm_graph_inplace_pair_t> inplace_pairs() const { return inplace_; }

    // The scratchpad that a caller may give. It has no elements if none is needed. The caller's memory may have any
    // alignment, so its size includes room to align the scratchpad within it.
    logical_tensor scratchpad() const {
        logical_tensor lt = {};
        lt.id = SIZE_MAX;
        lt.data_type = jitnorm_u8;
        const dim_t size = dim_t(size_with_alignment(call_->scratchpad_bytes()));
        set_shape(lt, {&size, 1});
        lay_out_densely(lt);
        return lt;
    }

    // Finds the tensors that it needs by their ids, in any order. `scratchpad` may be null.
    status execute(const jitnorm_stream &stream, tensor_handles inputs, tensor_handles outputs,
                   const jitnorm_graph_tensor *scratchpad) const {
        layer_norm::arguments args;
        for (const placed_tensor &t : tensors_) {
            void *memory = nullptr;
            JITNORM_TRY(find_memory(t.tensor, t.is_input ? inputs : outputs, memory));
            args.set(t.place, memory);
        }
        const bool is_given = call_->scratchpad_bytes() != 0 && scratchpad != nullptr && scratchpad->handle != nullptr;
        if (is_given) {
            const size_t needed = size_with_alignment(call_->scratchpad_bytes());
            const size_t size = size_in_bytes(scratchpad->description);
            if (size == size_t(-1)) return invalid("the size of the scratchpad is not known");
            if (size < needed) return invalid(explain("the scratchpad has %zu bytes; %zu are needed", size, needed));
            args.set(SCRATCHPAD, scratchpad->handle);
        }
        if (const auto *pair = aliases_.find([&](int s) { return args[slot(s)]; }))
            return invalid(layer_norm::explain_alias(layer_norm::tensor_name(slot(pair->output)),
                                                     layer_norm::tensor_name(slot(pair->other))));
        if (is_given) args.set(SCRATCHPAD, align_up(scratchpad->handle));
        return call_->execute(args, stream.thread_pool(), is_given ? 0 : call_->scratchpad_bytes());
    }

private:
    std::vector<placed_tensor> tensors_;
    std::map<size_t, logical_tensor> known_; // by their ids
    std::shared_ptr<const layer_norm::ready_call> call_;
    layer_norm::alias_check aliases_;
    std::vector<jitnorm_graph_inplace_pair_t> inplace_;
};

} // namespace jitnorm::impl::graph

using namespace jitnorm::impl;
using namespace jitnorm::impl::graph;

struct jitnorm_graph_compiled_partition {
    partition_pointer partition;
    std::unique_ptr<const graph::program> program; // null until compiled

    // The log calls the operation "<names of the operations, with + between them>,<kind, as LayerNorm+GELU>".
    status compile(tensor_list inputs, tensor_list outputs) {
        const auto start = layer_norm::stopwatch::now();
        if (!partition->norm) return invalid("the partition is not supported");
        lowered what;
        JITNORM_TRY(lower(*partition->norm, inputs, outputs, what));
        std::string names;
        for (const jitnorm_graph_op &op : partition->ops) names += (names.empty() ? "" : "+") + op.name;
        std::shared_ptr<const layer_norm::ready_call> call;
        JITNORM_TRY(layer_norm::ready_call::make({"graph", names + "," + partition->norm->name},
                                                 std::move(what.problem), what.layouts, call));
        program = std::make_unique<const graph::program>(*partition, std::move(what.tensors), call,
                                                         std::initializer_list<tensor_list>{inputs, outputs});
        if (verbose_level() >= 2) call->log("compile", start);
        return {};
    }
};

// ---- partitions

namespace {

constexpr status NOT_COMPILED = invalid("compiled_partition is not compiled yet");

status other_number(size_t num, size_t expected) {
    return invalid(explain("num is %zu; %zu is expected", num, expected));
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
    if (ekind != jitnorm_cpu) return report(__func__, no_engine(ekind));
    return guarded(__func__, [&]() -> status {
        jitnorm_graph_graph graph(ekind, jitnorm_fpmath_mode_strict);
        JITNORM_TRY(graph.add(*op));
        JITNORM_TRY(graph.finalize());
        graph.filter(jitnorm_graph_partition_policy_debug);
        *partition = new jitnorm_graph_partition{graph.partitions.front()};
        return {};
    });
}

jitnorm_status_t jitnorm_graph_partition_destroy(jitnorm_graph_partition_t partition) { return destroy(partition); }

JITNORM_GETTER(jitnorm_graph_partition_get_op_num, const_jitnorm_graph_partition_t, partition, size_t, num,
               partition->content->ops.size())

jitnorm_status_t jitnorm_graph_partition_get_ops(jitnorm_graph_partition_t partition, size_t num, size_t *ids) {
    JITNORM_REFUSE_NULL(partition, ids);
    const std::vector<jitnorm_graph_op> &ops = partition->content->ops;
    if (num != ops.size()) return report(__func__, other_number(num, ops.size()));
    std::transform(ops.begin(), ops.end(), ids, [](const jitnorm_graph_op &op) { return op.id; });
    return jitnorm_success;
}

JITNORM_GETTER(jitnorm_graph_partition_get_id, const_jitnorm_graph_partition_t, partition, size_t, id,
               partition->content->id)
JITNORM_GETTER(jitnorm_graph_partition_get_engine_kind, const_jitnorm_graph_partition_t, partition,
               jitnorm_engine_kind_t, kind, partition->content->engine_kind)
JITNORM_GETTER(jitnorm_graph_partition_is_supported, const_jitnorm_graph_partition_t, partition, uint8_t, is_supported,
               partition->content->norm.has_value() ? 1 : 0)
JITNORM_GETTER(jitnorm_graph_partition_get_input_ports_num, const_jitnorm_graph_partition_t, partition, size_t, num,
               partition->content->inputs.size())

jitnorm_status_t jitnorm_graph_partition_get_input_ports(const_jitnorm_graph_partition_t partition, size_t num,
                                                         jitnorm_graph_logical_tensor_t *inputs) {
    JITNORM_REFUSE_NULL(partition, inputs);
    return write(__func__, partition->content->inputs, num, inputs);
}

JITNORM_GETTER(jitnorm_graph_partition_get_output_ports_num, const_jitnorm_graph_partition_t, partition, size_t, num,
               partition->content->outputs.size())

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
