// SPDX-License-Identifier: Apache-2.0
// The graph interface: any logical tensors, operations, attributes, graphs. A partition that compiles is executed,
// gives the bits of the reference, and is checked by the formulas.
#include "circumstances.hpp"
#include "graph_target.hpp"
#include "tensor_regions.hpp"

namespace jitnorm::fuzz {

namespace {

using graph = tests::owned<jitnorm_graph_graph *, jitnorm_graph_graph_destroy>;
using partition = tests::owned<jitnorm_graph_partition *, jitnorm_graph_partition_destroy>;
using compiled_partition = tests::owned<jitnorm_graph_compiled_partition *, jitnorm_graph_compiled_partition_destroy>;
using graph_tensor = tests::owned<jitnorm_graph_tensor *, jitnorm_graph_tensor_destroy>;

// ---- the tensors of executions

graph_tensor tensor_at(const logical_tensor &t, void *handle) {
    auto tensor =
        tests::make_owned<graph_tensor>("a tensor can be made", jitnorm_graph_tensor_create, &t, tests::cpu(), handle);
    logical_tensor answered = {};
    uint8_t equal = 0;
    require(jitnorm_graph_tensor_get_logical_tensor(tensor, &answered) == jitnorm_success &&
                jitnorm_graph_logical_tensor_is_equal(&answered, &t, &equal) == jitnorm_success && equal == 1,
            "a tensor says what it is");
    return tensor;
}

std::vector<const_jitnorm_graph_tensor_t> borrowed(const std::vector<graph_tensor> &owned) {
    std::vector<const_jitnorm_graph_tensor_t> list;
    for (const graph_tensor &t : owned) list.push_back(t.get());
    return list;
}

// For a compiled partition and another one of the same operation by the reference.
class graph_tensors {
public:
    graph_tensors(byte_stream &choices, const graph_choice &what, const_jitnorm_graph_compiled_partition_t compiled) {
        for (const logical_tensor &t : what.inputs) add(choices, what, compiled, t, false);
        for (const logical_tensor &t : what.outputs) add(choices, what, compiled, t, true);
        if (!can_run_) return;
        if (choices.one_in(4)) share_in_place(compiled);
        regions_.share_hostile(choices);
        regions_.allocate(choices);
    }

    bool can_run() const { return can_run_; } // no tensor is too large

    std::optional<run_result> run(const_jitnorm_graph_compiled_partition_t compiled, jitnorm_stream_t on) {
        regions_.restore();
        std::vector<graph_tensor> ins, outs;
        for (size_t i = 0; i < tensors_.size(); ++i) {
            const tensor &t = tensors_[i];
            for (int times = t.is_twice ? 2 : 1; times > 0; --times)
                (t.is_output ? outs : ins).push_back(tensor_at(t.described, t.has_handle ? regions_.data(i) : nullptr));
        }
        auto in_list = borrowed(ins), out_list = borrowed(outs);
        const jitnorm_status_t status = jitnorm_graph_compiled_partition_execute(
            compiled, on, in_list.size(), in_list.data(), out_list.size(), out_list.data());
        require_one_of("an execution has a documented status", status, jitnorm_success, jitnorm_invalid_arguments,
                       jitnorm_out_of_memory);
        const run_result result = regions_.result(status);
        if (status == jitnorm_out_of_memory) return std::nullopt;
        return result;
    }

    // Checks the results of the last execution, if it was a success. Restores the outputs.
    void check(const graph_choice &what, const std::vector<size_t> &ops) {
        if (!regions_.is_comparable()) return;
        const values_by_id after = values(true);
        regions_.restore();
        check_partition(what, ops, values(false), after);
    }

    void require_equal(const run_result &a, const run_result &b) const { regions_.require_equal(a, b, "ref:any"); }

private:
    struct tensor {
        logical_tensor described;
        bool is_output, has_handle, is_twice;
    };

    void add(byte_stream &choices, const graph_choice &what, const_jitnorm_graph_compiled_partition_t compiled,
             const logical_tensor &told, bool is_output) {
        logical_tensor t = {};
        const jitnorm_status_t known = jitnorm_graph_compiled_partition_query_logical_tensor(compiled, told.id, &t);
        if (known != jitnorm_success || choices.hostile()) return;
        make_hostile(choices, t);
        can_run_ = can_run_ && is_small(t);
        if (!can_run_) return;
        size_t bytes = 0;
        jitnorm_graph_logical_tensor_get_mem_size(&t, &bytes);
        const size_t number = regions_.add(bytes, t.data_type, !is_output, is_output);
        const size_t variance = what.kind == jitnorm_graph_op_layer_norm_grad ? 2 : 3;
        if (!is_output && what.input_ports > variance && told.id == what.inputs[variance].id)
            regions_.make_positive(number);
        tensors_.push_back({t, is_output, !choices.hostile(), choices.hostile()});
    }

    values_by_id values(bool outputs) const {
        values_by_id all;
        for (size_t i = 0; i < tensors_.size(); ++i) {
            const logical_tensor &t = tensors_[i].described;
            if (tensors_[i].is_output != outputs) continue;
            sizes dims(t.dims, t.dims + t.ndims), strides(t.layout.strides, t.layout.strides + t.ndims);
            if (dims.empty()) dims = strides = {1}; // a single number
            all[t.id] = {t.data_type, dims, read({t.data_type, dims, dims, strides, {}, 0}, regions_.data(i))};
        }
        return all;
    }

    void share_in_place(const_jitnorm_graph_compiled_partition_t compiled) {
        size_t count = 0;
        const jitnorm_graph_inplace_pair_t *pairs = nullptr;
        require(jitnorm_graph_compiled_partition_get_inplace_ports(compiled, &count, &pairs) == jitnorm_success &&
                    count <= 2,
                "at most two pairs of tensors may share memory");
        const auto position = [&](size_t id, bool is_output) {
            const auto found = std::find_if(tensors_.begin(), tensors_.end(), [&](const tensor &t) {
                return t.described.id == id && t.is_output == is_output;
            });
            return size_t(found - tensors_.begin());
        };
        for (size_t i = 0; i < count; ++i) {
            const size_t in = position(pairs[i].input_id, false), out = position(pairs[i].output_id, true);
            if (in < tensors_.size() && out < tensors_.size()) regions_.share(in, out, 0, true);
        }
    }

    std::vector<tensor> tensors_;
    tensor_regions regions_; // a tensor for each
    bool can_run_ = true;
};

// ---- operations, graphs and partitions

void compare_descriptions(const std::vector<logical_tensor> &tensors) {
    for (const logical_tensor &t : tensors) {
        size_t bytes = 0;
        uint8_t equal = 0;
        jitnorm_graph_logical_tensor_get_mem_size(&t, &bytes);
        jitnorm_graph_logical_tensor_is_equal(&t, &tensors.front(), &equal);
    }
}

graph make_graph(byte_stream &choices) {
    jitnorm_graph_graph_t made = nullptr;
    const auto kind = jitnorm_engine_kind_t(choices.hostile() ? int(choices.byte()) : jitnorm_cpu);
    const auto mode = jitnorm_fpmath_mode_t(choices.below(choices.hostile() ? 256 : 5));
    const jitnorm_status_t status = jitnorm_graph_graph_create_with_fpmath_mode(&made, kind, mode);
    require(status == jitnorm_success || status == jitnorm_invalid_arguments, "a graph is made or refused");
    return graph(made);
}

size_t op_count(const_jitnorm_graph_partition_t p) { return tests::queried(jitnorm_graph_partition_get_op_num, p); }
bool is_supported(const_jitnorm_graph_partition_t p) {
    return tests::queried(jitnorm_graph_partition_is_supported, p) != 0;
}

// One of the partitions, mostly the largest of those that are supported; all others end here.
partition any_partition(byte_stream &choices, jitnorm_graph_graph_t g) {
    const size_t count = tests::queried(jitnorm_graph_graph_get_partition_num, g);
    const size_t asked = choices.hostile() ? choices.below(4) : count;
    std::vector<jitnorm_graph_partition_t> made(asked, nullptr);
    const jitnorm_status_t status = jitnorm_graph_graph_get_partitions(g, asked, made.data());
    if (status != jitnorm_success) return nullptr;
    std::vector<partition> owned;
    for (const jitnorm_graph_partition_t p : made) owned.emplace_back(p);
    if (owned.empty()) return nullptr;
    if (choices.one_in(4)) return std::move(owned[choices.below(owned.size())]);
    return std::move(*std::max_element(owned.begin(), owned.end(), [](const partition &a, const partition &b) {
        return std::pair(is_supported(a.get()), op_count(a.get())) <
               std::pair(is_supported(b.get()), op_count(b.get()));
    }));
}

// A chain: other operations read the result of the first, or a second normalization does.
partition partition_in_graph(byte_stream &choices, const surroundings &around, graph_choice &what,
                             const_jitnorm_graph_op_t op) {
    const graph g = make_graph(choices);
    if (g == nullptr) return nullptr;
    jitnorm_graph_op_t copied = const_cast<jitnorm_graph_op_t>(op); // C interfaces have no const here
    jitnorm_graph_add_op(g.get(), copied);
    if (choices.hostile()) jitnorm_graph_add_op(g.get(), copied);
    const std::vector<graph_op> linked = choose_chain(choices, around, what);
    for (const graph_op &each : linked) jitnorm_graph_add_op(g.get(), each.get());
    if (around.has_second) {
        graph_choice next = choose_operation(choices, 100);
        if (!next.inputs.empty() && !what.outputs.empty()) next.inputs[0] = choices.pick(what.outputs);
        const graph_op second = make_op(choices, next, 7);
        jitnorm_graph_add_op(g.get(), second.get());
    }
    if (!choices.hostile()) jitnorm_graph_graph_finalize(g.get());
    jitnorm_graph_graph_filter(g.get(), jitnorm_graph_partition_policy_t(choices.hostile() ? 7 : 1));
    return any_partition(choices, g.get());
}

partition make_partition(byte_stream &choices, const surroundings &around, graph_choice &what) {
    const graph_op op = make_op(choices, what, 5);
    if (around.is_in_graph) return partition_in_graph(choices, around, what, op.get());
    jitnorm_graph_partition_t made = nullptr;
    const auto kind = jitnorm_engine_kind_t(choices.hostile() ? int(choices.byte()) : jitnorm_cpu);
    const jitnorm_status_t status = jitnorm_graph_partition_create_with_op(&made, op.get(), kind);
    require_one_of("a partition is made or refused", status, jitnorm_success, jitnorm_invalid_arguments,
                   jitnorm_invalid_graph, jitnorm_invalid_graph_op);
    return partition(made);
}

std::vector<size_t> ops_of(jitnorm_graph_partition_t p) {
    std::vector<size_t> ids(op_count(p));
    require(jitnorm_graph_partition_get_ops(p, ids.size(), ids.data()) == jitnorm_success,
            "a partition tells its operations");
    return ids;
}

void ask(byte_stream &choices, jitnorm_graph_partition_t p) {
    (void)is_supported(p);
    size_t count = tests::queried(jitnorm_graph_partition_get_input_ports_num, p);
    if (choices.hostile()) count = choices.below(4);
    std::vector<logical_tensor> ports(count);
    jitnorm_graph_partition_get_input_ports(p, count, ports.data());
    require(!ops_of(p).empty(), "a partition has operations");
}

using tensor_list = std::vector<const logical_tensor *>;

tensor_list pointers(const std::vector<logical_tensor> &tensors) {
    tensor_list list;
    for (const logical_tensor &t : tensors) list.push_back(&t);
    return list;
}

struct compilation {
    compiled_partition made;
    jitnorm_status_t status;
};

compilation compile(jitnorm_graph_partition_t p, tensor_list inputs, tensor_list outputs) {
    auto compiled = tests::make_owned<compiled_partition>("a partition can be compiled into one",
                                                          jitnorm_graph_compiled_partition_create, p);
    const jitnorm_status_t status = jitnorm_graph_partition_compile(p, compiled, inputs.size(), inputs.data(),
                                                                    outputs.size(), outputs.data(), tests::cpu());
    return {std::move(compiled), status};
}

void compare(byte_stream &choices, const graph_choice &what, jitnorm_graph_partition_t p) {
    tensor_list inputs = pointers(what.inputs), outputs = pointers(what.outputs);
    if (choices.hostile() && !inputs.empty()) inputs.pop_back();
    if (choices.hostile() && !outputs.empty()) outputs[0] = nullptr;
    const compilation fast = compile(p, inputs, outputs);
    const compilation plain = [&] {
        const reference_only capped;
        return compile(p, inputs, outputs);
    }();
    require(fast.status == plain.status, "all implementations take the same problems");
    if (fast.status != jitnorm_success) return;
    const bool is_fused = op_count(p) > 1;
    count(is_fused ? "compiled fusions" : "compiled operations");
    graph_tensors tensors(choices, what, fast.made.get());
    if (!tensors.can_run()) return;
    const bool in_parts = choices.coin();
    const auto got = tensors.run(fast.made.get(), stream(in_parts));
    if (got && got->status == jitnorm_success) tensors.check(what, ops_of(p));
    const auto expected = tensors.run(plain.made.get(), stream(!in_parts));
    if (got && expected) tensors.require_equal(*got, *expected);
    if (got && got->status == jitnorm_success) count(is_fused ? "executed fusions" : "executed operations");
}

} // namespace

int run_one(const uint8_t *data, size_t size) {
    byte_stream choices(data, size);
    const surroundings around = choose_surroundings(choices);
    graph_choice what = choose_operation(choices, 0);
    compare_descriptions(what.inputs);
    compare_descriptions(what.outputs);
    const partition p = make_partition(choices, around, what);
    if (p == nullptr) return 0;
    ask(choices, p.get());
    compare(choices, what, p.get());
    return 0;
}

} // namespace jitnorm::fuzz
