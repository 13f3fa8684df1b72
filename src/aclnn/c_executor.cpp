// SPDX-License-Identifier: Apache-2.0
// C interface: executors, and the second call of every operation.
#include "op_executor.hpp"

#include <algorithm>
#include <unordered_map>

#include "../base/bytes.hpp"
#include "../base/process.hpp"
#include "../base/status.hpp"
#include "lower/request.hpp"
#include "objects/data_type.hpp"

namespace jitnorm::impl::aclnn {

namespace {

// Adds one problem's uses of the operation's parameters, under their numbers.
void add_uses(const ready_operation &what, int step, std::vector<layer_norm::tensor_use> &uses) {
    const layer_norm::problem &p = what.call->problem();
    for (size_t i = 0; i < what.asked.parameters.size(); ++i) {
        const parameter &given = what.asked.parameters[i];
        if (!given.has_elements || given.part == NO_SLOT || !p.uses(given.part)) continue;
        uses.push_back({int(i), given.part, p.writes(given.part), p.descriptor(given.part), step});
    }
}

} // namespace

acl_status ready_operation::make(request &&asked, std::shared_ptr<const ready_operation> &result) {
    const auto made = std::make_shared<ready_operation>(ready_operation{std::move(asked)});
    result = made;
    if (!made->asked.has_work) return {};
    if (made->asked.before != nullptr) JITNORM_TRY(make(std::move(*made->asked.before), made->before));
    JITNORM_TRY(translate(
        layer_norm::ready_call::make({"aclnn"}, std::move(made->asked.problem), made->asked.layouts, made->call)));
    std::vector<layer_norm::tensor_use> uses;
    if (made->before != nullptr) add_uses(*made->before, 0, uses);
    add_uses(*made, 1, uses);
    made->aliases = layer_norm::alias_check(uses);
    return {};
}

op_executor::op_executor(std::shared_ptr<const ready_operation> what, tensors given) : what_(std::move(what)) {
    for (size_t i = 0; i < given.size(); ++i)
        if (given[i]) addresses_[i] = given[i]->data;
}

// The workspace has the first problem's results for the second, then a scratchpad that both use, one after the other.
// The address of the caller's workspace may be any: the further bytes are room to align the begin.
uint64_t op_executor::workspace_bytes() const {
    return size_with_alignment(
        handed_on_bytes() + std::max(what_->scratchpad_bytes(), what_->before ? what_->before->scratchpad_bytes() : 0));
}

acl_status op_executor::bind(const ready_operation &what, void *scratchpad, layer_norm::arguments &arguments,
                             first_elements &first) const {
    for (size_t i = 0; i < what.asked.parameters.size(); ++i) {
        const parameter &p = what.asked.parameters[i];
        if (!p.has_elements) continue;
        if (addresses_[i] == nullptr) return null_pointer(explain("the address of %s is null", p.name));
        first[i] = p.first_element(addresses_[i]);
        arguments.set(p.part, first[i]);
    }
    if (what.scratchpad_bytes() != 0) arguments.set(SCRATCHPAD, scratchpad);
    return {};
}

// Neither may two parameters share memory against the rule, nor may one begin in the workspace, which is written.
acl_status op_executor::check_addresses(const first_elements &first, const void *workspace) const {
    const std::vector<parameter> &parameters = what_->asked.parameters;
    if (const auto *pair = what_->aliases.find([&](int i) { return first[size_t(i)]; }))
        return invalid(
            layer_norm::explain_alias(parameters[size_t(pair->output)].name, parameters[size_t(pair->other)].name));
    const uint64_t used = workspace_bytes();
    const auto begin = reinterpret_cast<uintptr_t>(workspace);
    for (size_t i = 0; used != 0 && i < parameters.size(); ++i)
        if (first[i] != nullptr && reinterpret_cast<uintptr_t>(first[i]) - begin < used)
            return invalid(explain("%s begins in the workspace", parameters[i].name));
    return {};
}

acl_status op_executor::check_run(void *workspace, uint64_t bytes, run_arguments &arguments) const {
    if (bytes < workspace_bytes())
        return invalid(explain("the workspace has %llu bytes; the first call asked for %llu",
                               static_cast<unsigned long long>(bytes),
                               static_cast<unsigned long long>(workspace_bytes())));
    if (workspace == nullptr && workspace_bytes() != 0) return null_pointer("the workspace is null");
    char *const begin = align_up(workspace), *scratchpad = begin + handed_on_bytes();
    if (handed_on_bytes() != 0) {
        arguments.before.set(SUM, begin);
        arguments.main.set(SRC, begin);
    }
    first_elements first = {};
    if (what_->before != nullptr) JITNORM_TRY(bind(*what_->before, scratchpad, arguments.before, first));
    JITNORM_TRY(bind(*what_, scratchpad, arguments.main, first));
    return check_addresses(first, workspace);
}

acl_status op_executor::run(const run_arguments &arguments, const jitnorm_stream *stream) const {
    const auto *const pool = stream == nullptr ? nullptr : stream->thread_pool();
    const auto run_one = [&](const ready_operation &what, const layer_norm::arguments &its) {
        const status done = what.call == nullptr ? status{} : what.call->execute(its, pool);
        return translate({done.code, done.failed() ? "the execution failed" : ""});
    };
    if (what_->before != nullptr) JITNORM_TRY(run_one(*what_->before, arguments.before));
    return run_one(*what_, arguments.main);
}

acl_status op_executor::set_address(jitnorm_acl_numbering_t numbering, size_t index, void *address) {
    if (numbering < jitnorm_acl_inputs || numbering > jitnorm_acl_tensors)
        return invalid(explain("unknown numbering %d", int(numbering)));
    const size_t all = what_->asked.parameters.size();
    const size_t first = numbering == jitnorm_acl_outputs ? what_->asked.inputs : 0;
    const size_t last = numbering == jitnorm_acl_inputs ? what_->asked.inputs : all;
    if (index >= last - first)
        return invalid(explain("there is no tensor %zu; the operation has %zu", index, last - first));
    const parameter &changed = what_->asked.parameters[first + index];
    if (changed.is_null) return invalid(explain("%s was null in the first call", changed.name));
    addresses_[first + index] = address;
    return {};
}

namespace {

struct registry {
    std::unordered_map<uintptr_t, std::shared_ptr<op_executor>> executors;
    uintptr_t last = 0;
};

constinit process_wide<registry> shared;

registry &live() { return shared.get(); }

uintptr_t number_of(jitnorm_acl_op_executor_t handle) { return reinterpret_cast<uintptr_t>(handle); }

} // namespace

jitnorm_acl_op_executor_t enter(std::shared_ptr<op_executor> executor) {
    registry &all = live();
    const std::lock_guard lock(process_lock);
    const uintptr_t number = all.last + 1;
    all.executors.emplace(number, std::move(executor));
    all.last = number;
    return reinterpret_cast<jitnorm_acl_op_executor_t>(number);
}

std::shared_ptr<op_executor> find(jitnorm_acl_op_executor_t handle) {
    registry &all = live();
    const std::lock_guard lock(process_lock);
    const auto found = all.executors.find(number_of(handle));
    return found == all.executors.end() ? nullptr : found->second;
}

bool end(jitnorm_acl_op_executor_t handle) {
    registry &all = live();
    std::shared_ptr<op_executor> ended; // destroyed without the lock
    const std::lock_guard lock(process_lock);
    const auto found = all.executors.find(number_of(handle));
    if (found == all.executors.end()) return false;
    ended = std::move(found->second);
    all.executors.erase(found);
    return true;
}

} // namespace jitnorm::impl::aclnn

using namespace jitnorm::impl::aclnn;

namespace {

constexpr acl_status NO_EXECUTOR = {JITNORM_ACLNN_ERR_INNER_NULLPTR, "the executor is null"};
constexpr acl_status ENDED = invalid("the executor has ended");

// An executor that is not repeatable ends as soon as nothing can refuse its run any more. If two threads run it at the
// same time, only one of them ends it and runs; the other is refused.
acl_status try_to_run(operation op, void *workspace, uint64_t bytes, jitnorm_acl_op_executor_t handle, void *stream) {
    if (handle == nullptr) return null_pointer("the executor is null");
    const std::shared_ptr<op_executor> executor = find(handle);
    if (executor == nullptr) return ENDED;
    if (executor->op() != op) return invalid("the executor belongs to another operation");
    run_arguments arguments;
    JITNORM_TRY(executor->check_run(workspace, bytes, arguments));
    if (!executor->is_repeatable && !end(handle)) return ENDED;
    return executor->run(arguments, static_cast<const jitnorm_stream *>(stream));
}

jitnorm_acl_status_t run(const char *function, operation op, void *workspace, uint64_t bytes,
                         jitnorm_acl_op_executor_t executor, void *stream) {
    return answer_from(function, [&] { return try_to_run(op, workspace, bytes, executor, stream); });
}

} // namespace

#define SECOND_CALL(name)                                                                                              \
    jitnorm_acl_status_t jitnorm_aclnn_##name(void *workspace, uint64_t workspace_size,                                \
                                              jitnorm_acl_op_executor_t executor, void *stream) {                      \
        return run(__func__, operation::name, workspace, workspace_size, executor, stream);                            \
    }
SECOND_CALL(layer_norm)
SECOND_CALL(layer_norm_with_impl_mode)
SECOND_CALL(fast_layer_norm)
SECOND_CALL(layer_norm_backward)
SECOND_CALL(rms_norm)
SECOND_CALL(rms_norm_grad)
SECOND_CALL(ada_layer_norm)
SECOND_CALL(ada_layer_norm_v2)
SECOND_CALL(gemma_rms_norm)
SECOND_CALL(add_rms_norm)
SECOND_CALL(add_layer_norm)
SECOND_CALL(rms_norm_dynamic_quant)
SECOND_CALL(add_rms_norm_dynamic_quant)
#undef SECOND_CALL

jitnorm_acl_status_t jitnorm_acl_op_executor_set_repeatable(jitnorm_acl_op_executor_t handle) {
    return answer_from(__func__, [&]() -> acl_status {
        if (handle == nullptr) return NO_EXECUTOR;
        const std::shared_ptr<op_executor> executor = find(handle);
        if (executor == nullptr) return ENDED;
        executor->is_repeatable = true;
        return {};
    });
}

jitnorm_acl_status_t jitnorm_acl_op_executor_destroy(jitnorm_acl_op_executor_t handle) {
    return answer_from(__func__, [&]() -> acl_status {
        if (handle == nullptr) return NO_EXECUTOR;
        return end(handle) ? acl_status{} : ENDED;
    });
}

jitnorm_acl_status_t jitnorm_acl_op_executor_set_address(jitnorm_acl_op_executor_t handle,
                                                         jitnorm_acl_numbering_t numbering, size_t index,
                                                         jitnorm_acl_tensor_t tensor, void *address) {
    return answer_from(__func__, [&]() -> acl_status {
        if (handle == nullptr || tensor == nullptr)
            return {JITNORM_ACLNN_ERR_INNER_NULLPTR, "the executor or tensor is null"};
        const std::shared_ptr<op_executor> executor = find(handle);
        if (executor == nullptr) return ENDED;
        const acl_status result = executor->set_address(numbering, index, address);
        if (!result.failed()) object_of(tensor)->data = address;
        return result;
    });
}
