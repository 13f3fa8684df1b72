// SPDX-License-Identifier: Apache-2.0
#include "op_executor.hpp"

#include <algorithm>
#include <chrono>
#include <string>

#include "../system/aligned_bytes.hpp"
#include "../system/parallel.hpp"
#include "../system/verbose.hpp"
#include "lower/view.hpp"
#include "objects/data_type.hpp"

namespace jitnorm::impl::aclnn {

outcome ready_operation::make(request &&asked, std::shared_ptr<const ready_operation> &result) {
    const auto made = std::make_shared<ready_operation>(ready_operation{std::move(asked)});
    result = made;
    if (!made->asked.has_work) return {};
    if (made->asked.before != nullptr)
        if (outcome first = make(std::move(*made->asked.before), made->before); first.failed()) return first;
    const layer_norm::problem &p = made->asked.problem;
    if (auto v = layer_norm::prepare(p, made->solution); v.status != jitnorm_success) return translate(v);
    const layer_norm::implementation *chosen = made->solution.by;
    auto inner = layer_norm::make_executor(p, made->solution);
    made->is_as_chosen = made->solution.by == chosen && (made->before == nullptr || made->before->is_as_chosen);
    auto outer = std::make_shared<const layer_norm::layout_adapter>(p, made->asked.sides, inner,
                                                                    made->solution.plan.scratchpad.bytes());
    made->scratchpad_bytes = outer->scratchpad_bytes();
    if (outer->copies())
        made->executor = std::move(outer);
    else
        made->executor = std::move(inner);
    made->aliases = layer_norm::alias_check(layer_norm::uses_of(p));
    return {};
}

op_executor::op_executor(std::shared_ptr<const ready_operation> what, tensors given) : what_(std::move(what)) {
    for (size_t i = 0; i < given.size(); ++i)
        if (given[i] != nullptr) addresses_[i] = given[i]->data;
}

// The workspace has what the first problem leaves for the second, then a scratchpad that both use, one after the other.
// The address of the caller's workspace may be any: the further bytes are room to align the begin.
uint64_t op_executor::workspace_bytes() const {
    const size_t wanted =
        handed_on_bytes() + std::max(what_->scratchpad_bytes, what_->before ? what_->before->scratchpad_bytes : 0);
    return wanted == 0 ? 0 : wanted + ALIGNMENT - 1;
}

outcome op_executor::bind(const ready_operation &what, void *scratchpad, layer_norm::arguments &arguments) const {
    void *const *address = addresses_.data();
    for (const parameter &p : what.asked.parameters) {
        void *const data = *address++;
        if (p.part == NO_SLOT || !p.has_elements) continue;
        if (data == nullptr) return null_pointer("the address of a tensor is null");
        arguments.set(p.part, p.first_element(data));
    }
    if (what.scratchpad_bytes != 0) arguments.set(SCRATCHPAD, scratchpad);
    return what.aliases.fails(arguments) ? invalid(layer_norm::FORBIDDEN_ALIAS) : outcome{};
}

outcome op_executor::check_run(void *workspace, uint64_t bytes, run_arguments &arguments) const {
    if (bytes < workspace_bytes()) return invalid("the workspace is smaller than the first call asked for");
    if (workspace == nullptr && workspace_bytes() != 0) return null_pointer("the workspace is null");
    char *const begin = align_up(workspace), *scratchpad = begin + handed_on_bytes();
    if (handed_on_bytes() != 0) {
        arguments.before.set(SUM, begin);
        arguments.main.set(SRC, begin);
    }
    if (what_->before != nullptr)
        if (outcome bound = bind(*what_->before, scratchpad, arguments.before); bound.failed()) return bound;
    return bind(*what_, scratchpad, arguments.main);
}

namespace {

// "aclnn,exec,cpu,layer_normalization,<implementation>,<problem>,<milliseconds>"
jitnorm_status_t run_logged(const ready_operation &what, const layer_norm::arguments &arguments) {
    const auto start = std::chrono::steady_clock::now();
    const jitnorm_status_t status = what.executor->execute(arguments);
    const std::string taken = milliseconds_since(start);
    log_line("aclnn,exec", std::string("cpu,layer_normalization,") + what.solution.by->name + "," +
                               describe(what.asked.problem) + "," + taken);
    return status;
}

outcome run_one(const ready_operation &what, const layer_norm::arguments &arguments) {
    if (what.executor == nullptr) return {};
    const jitnorm_status_t status =
        verbose_level() >= 1 ? run_logged(what, arguments) : what.executor->execute(arguments);
    return translate({status, status == jitnorm_success ? "" : "the execution failed"});
}

} // namespace

outcome op_executor::run(const run_arguments &arguments, const jitnorm_stream *stream) const {
    const threads_of scope(stream == nullptr ? nullptr : stream->thread_pool());
    if (what_->before != nullptr)
        if (outcome ran = run_one(*what_->before, arguments.before); ran.failed()) return ran;
    return run_one(*what_, arguments.main);
}

outcome op_executor::set_address(jitnorm_acl_numbering_t numbering, size_t index, void *address) {
    if (numbering < jitnorm_acl_inputs || numbering > jitnorm_acl_tensors) return invalid("unknown numbering");
    const size_t all = what_->asked.parameters.size();
    const size_t first = numbering == jitnorm_acl_outputs ? what_->asked.inputs : 0;
    const size_t last = numbering == jitnorm_acl_inputs ? what_->asked.inputs : all;
    if (index >= last - first) return invalid("there is no such parameter");
    if (what_->asked.parameters[first + index].is_null) return invalid("the parameter was null in the first call");
    addresses_[first + index] = address;
    return {};
}

} // namespace jitnorm::impl::aclnn
