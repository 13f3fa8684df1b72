// SPDX-License-Identifier: Apache-2.0
#include "graph_run.hpp"

namespace jitnorm::fuzz {

namespace {

using graph_tensor = tests::owned<jitnorm_graph_tensor *, jitnorm_graph_tensor_destroy>;

graph_tensor tensor_at(const logical_tensor &t, void *handle) {
    jitnorm_graph_tensor_t made = nullptr;
    require(jitnorm_graph_tensor_create(&made, &t, tests::cpu(), handle) == jitnorm_success, "a tensor can be made");
    logical_tensor answered = {};
    uint8_t equal = 0;
    require(jitnorm_graph_tensor_get_logical_tensor(made, &answered) == jitnorm_success &&
                jitnorm_graph_logical_tensor_is_equal(&answered, &t, &equal) == jitnorm_success && equal == 1,
            "a tensor says what it is");
    return graph_tensor(made);
}

std::vector<const_jitnorm_graph_tensor_t> borrowed(const std::vector<graph_tensor> &owned) {
    std::vector<const_jitnorm_graph_tensor_t> list;
    for (const graph_tensor &t : owned) list.push_back(t.get());
    return list;
}

} // namespace

graph_tensors::graph_tensors(byte_stream &choices, const graph_choice &what,
                             const_jitnorm_graph_compiled_partition_t compiled) {
    for (const logical_tensor &t : what.inputs) add(choices, what, compiled, t, false);
    for (const logical_tensor &t : what.outputs) add(choices, what, compiled, t, true);
    if (!can_run_) return;
    if (choices.one_in(4)) share_in_place(compiled);
    regions_.share_hostile(choices);
    regions_.allocate(choices);
}

void graph_tensors::add(byte_stream &choices, const graph_choice &what,
                        const_jitnorm_graph_compiled_partition_t compiled, const logical_tensor &told, bool is_output) {
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

void graph_tensors::share_in_place(const_jitnorm_graph_compiled_partition_t compiled) {
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

values_by_id graph_tensors::values(bool outputs) const {
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

void graph_tensors::judge(const graph_choice &what, const std::vector<size_t> &ops) {
    if (!regions_.is_comparable()) return;
    const values_by_id after = values(true);
    regions_.restore();
    judge_partition(what, ops, values(false), after);
}

std::optional<run_result> graph_tensors::run(const_jitnorm_graph_compiled_partition_t compiled, jitnorm_stream_t on) {
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
    require(status == jitnorm_success || status == jitnorm_invalid_arguments || status == jitnorm_out_of_memory,
            "an execution has a documented status", jitnorm_status2str(status));
    const run_result result = regions_.result(status);
    if (status == jitnorm_out_of_memory) return std::nullopt;
    return result;
}

} // namespace jitnorm::fuzz
