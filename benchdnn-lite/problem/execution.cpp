// SPDX-License-Identifier: Apache-2.0
// Makes the tensors of an operation and executes it.
#include "execution.hpp"

#include <algorithm>

namespace benchdnn_lite {

namespace {

bool overwrites_old_dst(const problem &p) {
    return std::any_of(p.attr.post_ops.begin(), p.attr.post_ops.end(),
                       [](const post_op &op) { return std::holds_alternative<sum_post_op>(op); });
}

} // namespace

execution::execution(std::shared_ptr<const operation> what, const execution *tensors_of)
    : operation_(std::move(what)), tensors_of_(tensors_of) {
    add_tensors();
    add_attribute_arguments();
    if (prb().attr.user_scratchpad) add(JITNORM_ARG_SCRATCHPAD, role::scratch);
}

execution::execution(const session &s, const problem &p) : execution(std::make_shared<const operation>(s, p)) {}

execution::execution(const session &s, const problem &p, const execution &other)
    : execution(std::make_shared<const operation>(s, p), &other) {}

bool execution::has(int id) const {
    return std::any_of(arguments_.begin(), arguments_.end(), [&](const argument &a) { return a.id == id; });
}

const char *execution::name_of(int id) const {
    for (const used_tensor &t : prb().tensors())
        if (t.id == id) return t.name;
    if (id == JITNORM_ARG_SCRATCHPAD) return "scratchpad";
    throw std::logic_error("tensor without a name");
}

const buffer &execution::data(int id) const {
    for (const argument &a : arguments_)
        if (a.id == id) return a.data;
    throw std::logic_error("the problem has no such argument");
}

memory execution::memory_for(int id, const buffer &data) const {
    return make(api().memory_create, api().memory_destroy, operation_->desc_of(id), operation_->owner().cpu.get(),
                data.data());
}

void execution::add(int id, role use) {
    const auto desc = operation_->desc_of(id);
    const layout shape = layout_of(api(), desc);
    const size_t size = api().memory_desc_get_size(desc);
    if (tensors_of_ && tensors_of_->has(id)) {
        const buffer &theirs = tensors_of_->data(id);
        if (theirs.shape() == shape && theirs.size() == size) return append(id, use, theirs);
    }
    append(id, use, buffer(shape, size));
}

void execution::append(int id, role use, buffer data) {
    memory handle = memory_for(id, data);
    list_.push_back({id, handle.get()});
    arguments_.push_back({id, use, std::move(data), std::move(handle)});
}

void execution::add_tensors() {
    for (const used_tensor &t : prb().tensors()) {
        const bool is_overwritten = t.id == JITNORM_ARG_DST && overwrites_old_dst(prb());
        if (t.in_memory_of != 0)
            append(t.id, role::both, data(t.in_memory_of));
        else
            add(t.id, !t.is_output ? role::input : is_overwritten ? role::both : role::output);
    }
}

void execution::add_attribute_arguments() {
    const attributes &a = prb().attr;
    const auto add_scale = [&](int arg, const std::optional<float> &value) {
        if (!value) return;
        add(JITNORM_ARG_ATTR_SCALES | arg, role::input);
        data(JITNORM_ARG_ATTR_SCALES | arg).set(0, *value);
    };
    add_scale(JITNORM_ARG_SRC, a.scales.src);
    add_scale(JITNORM_ARG_DST, a.scales.dst);
    for (size_t i = 0; i < a.post_ops.size(); ++i)
        if (std::holds_alternative<binary_post_op>(a.post_ops[i]))
            add(JITNORM_ARG_ATTR_MULTIPLE_POST_OP(int(i)) | JITNORM_ARG_SRC_1, role::input);
}

void execution::run(const argument_list &list) const {
    const auto queue = operation_->owner().queue.get();
    api().primitive_execute(operation_->handle(), queue, int(list.size()), list.data());
    api().stream_wait(queue);
}

} // namespace benchdnn_lite
