// SPDX-License-Identifier: Apache-2.0
// Runs a graph, from its operations to their results.
#include "graph_run.hpp"

#include <algorithm>

#include "../error.hpp"
#include "../problem/memory_size.hpp"
#include "../stopwatch.hpp"
#include "graph_check.hpp"

namespace benchdnn_lite {

namespace {

using jitnorm::graph::logical_tensor;

logical_tensor described(const graph_tensor &t) {
    const auto type = logical_tensor::data_type(t.type);
    const auto layout = logical_tensor::layout_type(t.layout_type);
    const auto property = logical_tensor::property_type(t.property);
    if (!t.has_shape) return {t.id, type, JITNORM_GRAPH_UNKNOWN_NDIMS, layout, property};
    if (layout == logical_tensor::layout_type::strided) return {t.id, type, t.dims, t.strides, property};
    return {t.id, type, t.dims, layout, property};
}

std::vector<logical_tensor> described(const std::vector<graph_tensor> &tensors) {
    std::vector<logical_tensor> result;
    for (const graph_tensor &t : tensors) result.push_back(described(t));
    return result;
}

struct attribute_setter {
    jitnorm::graph::op &op;
    jitnorm::graph::op::attr name;

    template <typename Value>
    void operator()(const Value &value) const {
        op.set_attr<Value>(name, value);
    }
};

// An operation of an unknown kind becomes a wildcard without attributes.
jitnorm::graph::op make_op(const graph_op &from) {
    const jitnorm_graph_op_kind_t kind = graph_kind(from.kind);
    jitnorm::graph::op op(from.id, jitnorm::graph::op::kind(kind), described(from.inputs), described(from.outputs),
                          from.name);
    if (kind == jitnorm_graph_op_wildcard) return op;
    for (const auto &[name, value] : from.attributes)
        std::visit(attribute_setter{op, jitnorm::graph::op::attr(graph_attribute_name(name))}, value);
    return op;
}

struct step {
    jitnorm::graph::partition partition;
    jitnorm::graph::compiled_partition compiled;
    std::vector<const graph_op *> ops;
    graph_norm norm;
    std::vector<logical_tensor> inputs, outputs; // as compiled
    std::vector<jitnorm::graph::tensor> ins{}, outs{};

    // The kinds or the names of the operations, joined like "LayerNorm+GELU".
    std::string joined(std::string graph_op::*text) const {
        std::string result;
        for (const graph_op *op : ops) result += concat(result.empty() ? "" : "+", op->*text);
        return result;
    }
};

// The bytes that a tensor takes: its own, a place for each column, which its buffer has even without rows, and for a
// check copies of the elements as doubles.
double bytes_held(const logical_tensor &t, bool checked) {
    const std::vector<dim_t> dims = t.get_dims();
    const double elements = product<double>(dims), columns = dims.empty() ? 1 : double(dims.back());
    const double doubles = checked ? 3 * elements : 0;
    return double(t.get_mem_size()) + (columns + doubles) * double(sizeof(double));
}

class runner {
public:
    runner(const graph_job &job, graph_result &result)
        : job_(job), graph_(job.graph), options_(job.options), result_(result), memory_(job.options.seed) {}

    void run() {
        partition();
        for (step &s : steps_) compile(s);
        result_.what.status = state::initialized;
        if (options_.mode.init) return;
        allocate();
        result_.what.status = state::executed;
        for (const step &s : steps_) {
            memory_.fill_inputs(s.norm);
            memory_.poison_outputs(s.norm);
            execute(s);
            if (options_.mode.check) check(s);
        }
        if (!options_.mode.time || result_.what.status == state::failed) return;
        for (const step &s : steps_) time(s);
    }

private:
    void partition() {
        jitnorm::graph::graph graph(jitnorm::engine::kind::cpu, jitnorm::fpmath_mode(graph_.fpmath_mode));
        for (const graph_op &op : graph_.ops) graph.add_op(make_op(op));
        graph.finalize();
        size_t computed = 0;
        for (const jitnorm::graph::partition &p : graph.get_partitions()) {
            const std::vector<const graph_op *> ops = ops_of(p);
            if (!p.is_supported())
                throw unsupported("operation ", ops[0]->name, " of the kind ", ops[0]->kind, " is not supported");
            std::set<size_t> outputs;
            for (const logical_tensor &t : p.get_output_ports()) outputs.insert(t.get_id());
            steps_.push_back({p, {}, ops, understand(ops, outputs), {}, {}});
            computed += ops.size();
        }
        if (computed != graph_.ops.size()) throw input_error("the partitions are not the operations of the graph");
        if (job_.expected_partitions > 0 && steps_.size() != size_t(job_.expected_partitions))
            throw input_error("partitions: ", std::to_string(steps_.size()), ", not ",
                              std::to_string(job_.expected_partitions));
    }

    void compile(step &s) {
        s.compiled = s.partition.compile(known(s, &graph_op::inputs), known(s, &graph_op::outputs), engine_);
        take(s, s.norm.inputs_ids(), s.inputs);
        take(s, s.norm.outputs_ids(), s.outputs);
    }

    void allocate() {
        double bytes = 0;
        for (const auto &[id, t] : compiled_) bytes += bytes_held(t, options_.mode.check);
        if (bytes > available_bytes()) throw std::bad_alloc();
        for (const auto &[id, t] : compiled_) memory_.add(t);
        for (step &s : steps_) {
            for (const logical_tensor &t : s.inputs) s.ins.push_back(memory_.tensor(t, engine_));
            for (const logical_tensor &t : s.outputs) s.outs.push_back(memory_.tensor(t, engine_));
        }
    }

    // All inputs, or all outputs, of the operations that are known by now. Tensors between operations of the partition
    // are among them; the library ignores these.
    std::vector<logical_tensor> known(const step &s, std::vector<graph_tensor> graph_op::*side) const {
        std::vector<logical_tensor> result;
        for (const graph_op *op : s.ops)
            for (const graph_tensor &t : op->*side) {
                const auto found = compiled_.find(t.id);
                result.push_back(found == compiled_.end() ? described(t) : found->second);
            }
        return result;
    }

    void take(step &s, const std::set<size_t> &used, std::vector<logical_tensor> &list) {
        for (const size_t id : used) list.push_back(compiled_[id] = s.compiled.query_logical_tensor(id));
    }

    void execute(const step &s) { s.compiled.execute(stream_, s.ins, s.outs); }

    void check(const step &s) {
        outcome &o = result_.what;
        for (const comparison &c : check_graph_op(s.norm, memory_)) o.add(c, concat(s.joined(&graph_op::name), ": "));
        for (const size_t id : memory_.broken_guards()) {
            ++o.errors;
            o.details.push_back(concat("memory beside tensor ", std::to_string(id), " was written"));
        }
        o.status = o.errors > 0 ? state::failed : state::passed;
    }

    // Times single executions.
    void time(const step &s) {
        graph_times t{s.joined(&graph_op::name), s.joined(&graph_op::kind), {}, 0};
        for (const std::vector<logical_tensor> &list : {s.inputs, s.outputs})
            for (const logical_tensor &lt : list)
                t.bytes += double(memory_.at(lt.get_id()).elements()) * double(size_of(data_type(lt.get_data_type())));
        sampler executions([&] { execute(s); }, sampler::block::one_call);
        for (const stopwatch start; options_.goes_on_timing(executions.count(), start.ms());) executions.sample();
        t.us = executions.us();
        result_.times.push_back(std::move(t));
    }

    std::vector<const graph_op *> ops_of(const jitnorm::graph::partition &p) const {
        std::vector<const graph_op *> ops;
        for (const size_t id : p.get_ops())
            ops.push_back(
                &*std::find_if(graph_.ops.begin(), graph_.ops.end(), [&](const graph_op &op) { return op.id == id; }));
        return ops;
    }

    const graph_job &job_;
    const graph_case &graph_;
    const run_options &options_;
    graph_result &result_;
    const jitnorm::engine engine_{jitnorm::engine::kind::cpu, 0};
    jitnorm::stream stream_{engine_};
    std::vector<step> steps_;
    std::map<size_t, logical_tensor> compiled_; // the tensors by id, as partitions were compiled for them
    graph_memory memory_;
};

} // namespace

graph_result run_graph(const graph_job &job) {
    graph_result result;
    const stopwatch start;
    try {
        runner(job, result).run();
    } catch (const jitnorm::error &error) {
        result.what = outcome_without_elements(state_of(error.status),
                                               concat(jitnorm_status2str(error.status), ": ", error.what()));
    } catch (const unsupported &reason) {
        result.what = outcome_without_elements(state::unimplemented, reason.what());
    } catch (const std::bad_alloc &) {
        result.what = outcome_without_elements(state::skipped, "Not enough RAM");
    } catch (const std::exception &error) {
        result.what = outcome_without_elements(state::failed, error.what());
    }
    result.milliseconds = start.ms();
    return result;
}

} // namespace benchdnn_lite
