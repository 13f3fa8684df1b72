// SPDX-License-Identifier: Apache-2.0
#include "op_executor.hpp"

#include <chrono>
#include <cstdio>
#include <string>

#include "../core/aligned_bytes.hpp"
#include "../core/parallel.hpp"
#include "../core/verbose.hpp"
#include "data_type.hpp"
#include "view.hpp"

namespace jitnorm::impl::aclnn {

namespace {

void *aligned(void *address) {
    const auto value = reinterpret_cast<uintptr_t>(address);
    return static_cast<char *>(address) + (ALIGNMENT - value % ALIGNMENT) % ALIGNMENT;
}

} // namespace

parameter::parameter(const tensor *t, slot what) : part(what), is_null(t == nullptr) {
    if (is_null) return;
    has_elements = count(t->dims) != 0;
    if (has_elements) offset = t->offset * dim_t(size_of(core_type(t->data_type)));
    address = t->data;
}

outcome op_executor::make(request &&what, std::unique_ptr<op_executor> &result) {
    std::unique_ptr<op_executor> made(new op_executor(std::move(what)));
    if (made->request_.has_work)
        if (outcome prepared = made->prepare(); prepared.failed()) return prepared;
    result = std::move(made);
    return {};
}

outcome op_executor::prepare() {
    const layer_norm::problem &p = request_.problem;
    const layer_norm::verdict v = layer_norm::prepare(p, solution_);
    if (v.status != jitnorm_success) return translate(v);
    auto inner = layer_norm::make_executor(p, solution_);
    const size_t inner_bytes = solution_.plan.scratchpad.bytes();
    auto outer = std::make_shared<const layer_norm::layout_adapter>(p, request_.sides, std::move(inner), inner_bytes);
    scratchpad_bytes_ = outer->scratchpad_bytes();
    executor_ = std::move(outer);
    aliases_ = layer_norm::alias_check(layer_norm::uses_of(p));
    return {};
}

// The caller's workspace may be aligned to a byte only: there is room to align within it.
uint64_t op_executor::workspace_bytes() const { return scratchpad_bytes_ == 0 ? 0 : scratchpad_bytes_ + ALIGNMENT - 1; }

outcome op_executor::check_run(void *workspace, uint64_t bytes, layer_norm::arguments &arguments) const {
    if (bytes < workspace_bytes()) return invalid("the workspace is smaller than the first call asked for");
    if (workspace == nullptr && workspace_bytes() != 0) return null_pointer("the workspace is null");
    for (const parameter &p : request_.parameters) {
        if (p.part == layer_norm::NO_SLOT || !p.has_elements) continue;
        if (p.address == nullptr) return null_pointer("the address of a tensor is null");
        arguments.set(p.part, p.first_element());
    }
    if (scratchpad_bytes_ != 0) arguments.set(layer_norm::SCRATCHPAD, aligned(workspace));
    return aliases_.fails(arguments) ? invalid(layer_norm::FORBIDDEN_ALIAS) : outcome{};
}

outcome op_executor::run(const layer_norm::arguments &arguments, const jitnorm_stream *stream) const {
    if (executor_ == nullptr) return {};
    const threads_of scope(stream == nullptr ? nullptr : stream->thread_pool());
    const jitnorm_status_t status = verbose_level() >= 1 ? run_logged(arguments) : executor_->execute(arguments);
    return translate({status, status == jitnorm_success ? "" : "the execution failed"});
}

// "aclnn,exec,cpu,layer_normalization,<implementation>,<problem>,<milliseconds>"
jitnorm_status_t op_executor::run_logged(const layer_norm::arguments &arguments) const {
    const auto start = std::chrono::steady_clock::now();
    const jitnorm_status_t status = executor_->execute(arguments);
    const std::chrono::duration<double, std::milli> taken = std::chrono::steady_clock::now() - start;
    char milliseconds[32];
    std::snprintf(milliseconds, sizeof milliseconds, ",%.6g", taken.count());
    log_line("aclnn,exec", std::string("cpu,layer_normalization,") + solution_.by->name + "," +
                               describe(request_.problem) + milliseconds);
    return status;
}

outcome op_executor::set_address(jitnorm_acl_numbering_t numbering, size_t index, void *address) {
    if (numbering < jitnorm_acl_inputs || numbering > jitnorm_acl_tensors) return invalid("unknown numbering");
    const size_t all = request_.parameters.size();
    const size_t first = numbering == jitnorm_acl_outputs ? request_.inputs : 0;
    const size_t last = numbering == jitnorm_acl_inputs ? request_.inputs : all;
    if (index >= last - first) return invalid("there is no such parameter");
    parameter &p = request_.parameters[first + index];
    if (p.is_null) return invalid("the parameter was null in the first call");
    p.address = address;
    return {};
}

} // namespace jitnorm::impl::aclnn
