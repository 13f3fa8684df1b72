// SPDX-License-Identifier: Apache-2.0
#include "op_executor.hpp"

#include <algorithm>
#include <mutex>
#include <unordered_map>
#include <utility>
#include <vector>

#include "../base/boundary.hpp"
#include "../base/bytes.hpp"
#include "../base/process.hpp"

namespace jitnorm::impl::aclnn {

op_executor::op_executor(std::shared_ptr<const request> what, std::span<const named_tensor *const> given)
    : what_(std::move(what)) {
    for (size_t i = 0; i < given.size(); ++i)
        if (given[i]->t != nullptr) addresses_[i] = given[i]->t->data;
}

uint64_t op_executor::workspace_bytes() const {
    const size_t before = what_->before != nullptr ? what_->before->scratchpad_bytes() : 0;
    return size_with_alignment(handed_on_bytes() + std::max(what_->scratchpad_bytes(), before));
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

acl_status op_executor::run(run_arguments &arguments, const jitnorm_stream *stream) const {
    const auto *const pool = stream == nullptr ? nullptr : stream->thread_pool();
    const auto run_one = [&](const request &what, layer_norm::arguments &its) {
        const status done = what.call == nullptr ? status{} : what.call->execute(its, pool);
        return translate({done.code, done.failed() ? "the execution failed" : ""});
    };
    if (what_->before != nullptr) JITNORM_TRY(run_one(*what_->before, arguments.before));
    return run_one(*what_, arguments.main);
}

acl_status op_executor::set_address(jitnorm_acl_numbering_t numbering, size_t index, void *address) {
    if (numbering < jitnorm_acl_inputs || numbering > jitnorm_acl_tensors)
        return invalid(explain("unknown numbering %d", int(numbering)));
    const size_t all = what_->parameters.size();
    const size_t first = numbering == jitnorm_acl_outputs ? what_->inputs : 0;
    const size_t last = numbering == jitnorm_acl_inputs ? what_->inputs : all;
    if (index >= last - first)
        return invalid(explain("there is no tensor %zu; the operation has %zu", index, last - first));
    const parameter &changed = what_->parameters[first + index];
    if (changed.is_null) return invalid(explain("%s was null in the first call", changed.name));
    addresses_[first + index] = address;
    return {};
}

size_t op_executor::handed_on_bytes() const { return size_t(in_whole_lines(dim_t(what_->bytes_from_before))); }

acl_status op_executor::bind(const request &what, void *scratchpad, layer_norm::arguments &arguments,
                             first_elements &first) const {
    for (size_t i = 0; i < what.parameters.size(); ++i) {
        const parameter &p = what.parameters[i];
        if (!p.has_elements) continue;
        if (addresses_[i] == nullptr) return null_pointer(explain("the address of %s is null", p.name));
        first[i] = static_cast<char *>(addresses_[i]) + p.offset;
        arguments.set(p.place, first[i]);
    }
    if (what.scratchpad_bytes() != 0) arguments.set(SCRATCHPAD, scratchpad);
    return {};
}

acl_status op_executor::check_addresses(const first_elements &first, const void *workspace) const {
    const std::vector<parameter> &parameters = what_->parameters;
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

// ---- handles

namespace {

// The executors that have handles. A handle is not an address but a number that is never used again, so that a handle
// whose executor has ended is not mistaken for another executor's.
struct registry {
    std::unordered_map<uintptr_t, std::shared_ptr<op_executor>> executors;
    uintptr_t last = 0;
};

constinit process_wide<registry> shared;

} // namespace

jitnorm_acl_op_executor_t give_handle(std::shared_ptr<op_executor> executor) {
    registry &all = shared.get();
    const std::lock_guard lock(process_lock);
    const uintptr_t number = ++all.last;
    all.executors.emplace(number, std::move(executor));
    return reinterpret_cast<jitnorm_acl_op_executor_t>(number);
}

std::shared_ptr<op_executor> executor_of(jitnorm_acl_op_executor_t handle) {
    registry &all = shared.get();
    const std::lock_guard lock(process_lock);
    const auto found = all.executors.find(reinterpret_cast<uintptr_t>(handle));
    return found == all.executors.end() ? nullptr : found->second;
}

bool end_handle(jitnorm_acl_op_executor_t handle) {
    registry &all = shared.get();
    decltype(all.executors)::node_type ended; // destroyed without the lock
    const std::lock_guard lock(process_lock);
    ended = all.executors.extract(reinterpret_cast<uintptr_t>(handle));
    return !ended.empty();
}

} // namespace jitnorm::impl::aclnn
