// SPDX-License-Identifier: Apache-2.0
#include "compiled_partition.hpp"

#include <algorithm>
#include <cstdio>

#include "../base/verbose.hpp"
#include "../tensor/names.hpp"

using namespace jitnorm::impl;
using namespace jitnorm::impl::graph;

namespace jitnorm::impl::graph {

namespace {

bool has_elements(const logical_tensor &lt) { return std::find(lt.dims, lt.dims + lt.ndims, 0) == lt.dims + lt.ndims; }

// Whether two strided tensors have the same type, shape and strides. Their ids and properties may differ.
bool are_alike(const logical_tensor &a, const logical_tensor &b) {
    return a.data_type == b.data_type && a.layout_type == b.layout_type && a.ndims == b.ndims &&
           std::equal(a.dims, a.dims + a.ndims, b.dims) &&
           std::equal(a.layout.strides, a.layout.strides + a.ndims, b.layout.strides);
}

} // namespace

program::program(partition_pointer partition, std::vector<placed_tensor> tensors,
                 std::shared_ptr<const layer_norm::ready_call> call)
    : partition_(std::move(partition)), tensors_(std::move(tensors)), call_(std::move(call)),
      aliases_(call_->problem(), call_->scratchpad_bytes() != 0) {
    find_inplace_pairs();
}

// An input that is read twice cannot share memory with an output, which could overwrite it before the second read.
void program::find_inplace_pairs() {
    const auto is_read_once = [&](size_t id) {
        return std::ranges::count_if(tensors_, [&](auto &t) { return t.is_input && t.tensor.id == id; }) == 1;
    };
    for (const auto &[output, input] : layer_norm::IN_PLACE)
        if (works_in_place(call_->problem(), output, input) && is_read_once(op()[input].id))
            inplace_.push_back({op()[input].id, op()[output].id});
}

// The caller's memory may have any alignment, so its size includes room to align the scratchpad within it.
logical_tensor program::scratchpad() const {
    logical_tensor lt = {};
    lt.id = SIZE_MAX;
    lt.data_type = jitnorm_u8;
    const dim_t size = dim_t(size_with_alignment(call_->scratchpad_bytes()));
    set_shape(lt, {&size, 1});
    lay_out_densely(lt);
    return lt;
}

const logical_tensor *program::find(size_t id) const {
    for (const placed_tensor &t : tensors_)
        if (t.tensor.id == id) return &t.tensor;
    const auto other = std::find_if(others_.begin(), others_.end(), [&](auto &lt) { return lt.id == id; });
    return other == others_.end() ? nullptr : &*other;
}

void program::remember(const logical_tensor &given) {
    const auto mentions = [&](const std::vector<logical_tensor> &ports) {
        return std::any_of(ports.begin(), ports.end(), [&](auto &lt) { return lt.id == given.id; });
    };
    if ((mentions(partition_->inputs) || mentions(partition_->outputs)) && find(given.id) == nullptr)
        others_.push_back(given);
}

namespace {

// Says why the tensor is not the one that was compiled.
status explain_difference(const logical_tensor &given, const logical_tensor &compiled) {
    char name[32];
    std::snprintf(name, sizeof name, "tensor %zu", given.id);
    if (given.data_type != compiled.data_type)
        return invalid(
            explain("%s is %s; it was compiled as %s", name, text_of(given.data_type), text_of(compiled.data_type)));
    const std::span<const dim_t> dims = dims_of(given), expected = dims_of(compiled);
    if (!std::equal(dims.begin(), dims.end(), expected.begin(), expected.end()))
        return invalid(explain_dims(name, dims, "the compiled tensor", expected));
    if (given.layout_type != compiled.layout_type)
        return invalid(explain("%s has the layout type %d; it was compiled as strided", name, int(given.layout_type)));
    return invalid(explain("%s has the strides %s; it was compiled with %s", name,
                           dims_text({given.layout.strides, dims.size()}).text,
                           dims_text({compiled.layout.strides, dims.size()}).text));
}

// Finds the tensor with the id of `expected` among those given, and gives the address of its data.
status find_memory(const logical_tensor &expected, tensor_handles given, void *&memory) {
    const auto found = std::find_if(given.begin(), given.end(), [&](const_jitnorm_graph_tensor_t t) {
        return t != nullptr && t->description.id == expected.id;
    });
    if (found == given.end()) return invalid(explain("tensor %zu of the compiled partition is missing", expected.id));
    if (!are_alike((*found)->description, expected)) return explain_difference((*found)->description, expected);
    if ((*found)->handle == nullptr && has_elements(expected))
        return invalid(explain("tensor %zu has no memory", expected.id));
    memory = (*found)->handle;
    return {};
}

} // namespace

status program::collect(tensor_handles inputs, tensor_handles outputs, layer_norm::arguments &args) const {
    for (const placed_tensor &t : tensors_) {
        void *memory = nullptr;
        JITNORM_TRY(find_memory(t.tensor, t.is_input ? inputs : outputs, memory));
        args.set(t.place, memory);
    }
    return {};
}

// Takes the caller's scratchpad, if there is one and the execution needs one.
status program::take_scratchpad(const jitnorm_graph_tensor *given, layer_norm::arguments &args) const {
    if (given == nullptr || given->handle == nullptr || call_->scratchpad_bytes() == 0) return {};
    const size_t needed = size_in_bytes(scratchpad()), size = size_in_bytes(given->description);
    if (size == size_t(-1)) return invalid("the size of the scratchpad is not known");
    if (size < needed) return invalid(explain("the scratchpad has %zu bytes; %zu are needed", size, needed));
    args.set(SCRATCHPAD, given->handle);
    return {};
}

status program::execute(const jitnorm_stream &stream, tensor_handles inputs, tensor_handles outputs,
                        const jitnorm_graph_tensor *scratchpad) const {
    layer_norm::arguments args;
    JITNORM_TRY(collect(inputs, outputs, args));
    JITNORM_TRY(take_scratchpad(scratchpad, args));
    if (const auto *pair = aliases_.find([&](int s) { return args[slot(s)]; }))
        return invalid(layer_norm::explain_alias(layer_norm::tensor_name(slot(pair->output)),
                                                 layer_norm::tensor_name(slot(pair->other))));
    void *const given = args[SCRATCHPAD];
    if (given == nullptr && call_->scratchpad_bytes() != 0)
        return call_->execute_with_scratchpad(call_->scratchpad_bytes(), args, stream.thread_pool());
    if (given != nullptr) args.set(SCRATCHPAD, align_up(given));
    return call_->execute(args, stream.thread_pool());
}

} // namespace jitnorm::impl::graph

// The log calls the operation "<names of the operations>,<kind, as LayerNorm+GELU>".
status jitnorm_graph_compiled_partition::compile(tensor_list inputs, tensor_list outputs) {
    const auto start = layer_norm::stopwatch::now();
    if (!partition->norm) return invalid("the partition is not supported");
    lowered what;
    JITNORM_TRY(lower(*partition->norm, inputs, outputs, what));
    std::shared_ptr<const layer_norm::ready_call> call;
    JITNORM_TRY(layer_norm::ready_call::make({"graph", partition->name() + "," + partition->norm->name},
                                             std::move(what.problem), what.layouts, call));
    auto made = std::make_unique<graph::program>(partition, std::move(what.tensors), call);
    for (const tensor_list &list : {inputs, outputs})
        for (const logical_tensor *given : list) made->remember(*given);
    program = std::move(made);
    if (verbose_level() >= 2) call->log("compile", start);
    return {};
}
