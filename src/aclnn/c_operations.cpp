// SPDX-License-Identifier: Apache-2.0
// C interface: the two calls of every operation. The first makes an executor, the operation ready to run and the
// addresses of its tensors, and the second runs it.
#include <algorithm>
#include <array>
#include <atomic>
#include <memory>
#include <unordered_map>
#include <utility>
#include <vector>

#include "../base/boundary.hpp"
#include "../base/bytes.hpp"
#include "../base/process.hpp"
#include "../dispatch/object_cache.hpp"
#include "lower/lower.hpp"

namespace jitnorm::impl::aclnn {

namespace {

using layer_norm::cache_key;

// ---------------------------------------------------------------- requests, ready to run

// Adds one problem's uses of the operation's parameters, under their numbers.
void add_uses(const request &what, int step, std::vector<layer_norm::tensor_use> &uses) {
    const layer_norm::problem &p = what.call->problem();
    for (size_t i = 0; i < what.parameters.size(); ++i) {
        const parameter &given = what.parameters[i];
        if (!given.has_elements || !p.uses(given.place)) continue;
        uses.push_back({int(i), given.place, p.writes(given.place), p.descriptor(given.place), step});
    }
}

// If the core refuses the problem, the status says why.
acl_status make_ready(request &what) {
    if (!what.has_work) {
        what.before = nullptr; // has none, either
        return {};
    }
    if (what.before != nullptr) JITNORM_TRY(make_ready(*what.before));
    JITNORM_TRY(translate(layer_norm::ready_call::make({"aclnn"}, std::move(what.problem), what.layouts, what.call)));
    std::vector<layer_norm::tensor_use> uses;
    if (what.before != nullptr) add_uses(*what.before, 0, uses);
    add_uses(what, 1, uses);
    what.aliases = layer_norm::alias_check(uses);
    return {};
}

void add_with_length(cache_key &to, std::span<const int64_t> numbers) {
    to.add(uint64_t(numbers.size()));
    to.add(numbers);
}

// Adds all of a tensor except its address, which is another one in each call, and the shape of its storage, which is
// not used.
void add(cache_key &to, const tensor *t) {
    to.add(uint64_t(t != nullptr));
    if (t == nullptr) return;
    to.add(uint64_t(uint32_t(t->data_type)) << 32 | uint64_t(uint32_t(t->format)));
    to.add(uint64_t(t->offset));
    add_with_length(to, t->dims);
    to.add(t->strides);
}

// The key for all that decides which request lower() makes of the parameters.
template <typename Parameters>
cache_key cache_key_of(const Parameters &given) {
    cache_key key(layer_norm::maker::two_phase_call);
    key.add(uint64_t(given.op));
    for (const named_tensor *one : given.list(given)) add(key, one->t);
    key.add(given.epsilon);
    key.add(uint64_t(given.impl_mode));
    key.add(uint64_t(given.additional_output));
    key.add(uint64_t(given.dst_type));
    if (given.normalized_shape != nullptr) add_with_length(key, *given.normalized_shape);
    for (size_t i = 0; given.output_mask != nullptr && i < given.output_mask->size(); ++i)
        key.add(uint64_t((*given.output_mask)[i]));
    return key;
}

// Finds the request that an earlier call with such parameters has made, or makes it. If the system refused pages for
// the code of the best implementation, the request is not cached, so that the next call tries again.
template <typename Parameters>
acl_status find_or_make(const Parameters &given, std::shared_ptr<const request> &ready) {
    const cache_key key = cache_key_of(given);
    ready = layer_norm::find_cached<request>(key);
    if (ready != nullptr) return {};
    const auto made = std::make_shared<request>();
    JITNORM_TRY(lower(given, *made));
    JITNORM_TRY(make_ready(*made));
    ready = made->is_as_chosen() ? layer_norm::cache<request>(key, made) : made;
    return {};
}

// ---------------------------------------------------------------- executors

// The arguments of one run: for the operation's problem, and for the problem that is solved before it, if there is one.
struct run_arguments {
    layer_norm::arguments main, before;
};

class op_executor {
public:
    // `given` are the operation's parameters, in the order of request::parameters; a parameter that is absent is null.
    // The executor keeps their addresses, not the tensors.
    op_executor(std::shared_ptr<const request> what, std::span<const named_tensor *const> given)
        : what_(std::move(what)) {
        for (size_t i = 0; i < given.size(); ++i)
            if (given[i]->t != nullptr) addresses_[i] = given[i]->t->data;
    }

    operation op() const { return what_->op; }

    // The workspace has the first problem's results for the second, then a scratchpad that both use, one after the
    // other. The address of the caller's workspace may be any: the further bytes are room to align the begin.
    uint64_t workspace_bytes() const {
        const size_t before = what_->before != nullptr ? what_->before->scratchpad_bytes() : 0;
        return size_with_alignment(handed_on_bytes() + std::max(what_->scratchpad_bytes(), before));
    }

    // Checks all that could refuse a run with this workspace, and sets the run's arguments.
    acl_status check_run(void *workspace, uint64_t bytes, run_arguments &arguments) const {
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

    acl_status run(run_arguments &arguments, const jitnorm_stream *stream) const {
        const auto *const pool = stream == nullptr ? nullptr : stream->thread_pool();
        const auto run_one = [&](const request &what, layer_norm::arguments &its) {
            const status done = what.call == nullptr ? status{} : what.call->execute(its, pool);
            return translate({done.code, done.failed() ? "the execution failed" : ""});
        };
        if (what_->before != nullptr) JITNORM_TRY(run_one(*what_->before, arguments.before));
        return run_one(*what_, arguments.main);
    }

    // Changes the address of one parameter. `numbering` says what `index` counts: inputs, outputs or all tensors.
    acl_status set_address(jitnorm_acl_numbering_t numbering, size_t index, void *address) {
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

    std::atomic<bool> is_repeatable = false; // if not, the executor ends with its first run

private:
    using first_elements = std::array<void *, MOST_PARAMETERS>; // of the parameters that are used

    // The bytes of the workspace for request::bytes_from_before, in whole cache lines.
    size_t handed_on_bytes() const { return size_t(in_whole_lines(dim_t(what_->bytes_from_before))); }

    acl_status bind(const request &what, void *scratchpad, layer_norm::arguments &arguments,
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

    // Neither may two parameters share memory against the rule, nor may one begin in the workspace, which is written.
    acl_status check_addresses(const first_elements &first, const void *workspace) const {
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

    std::shared_ptr<const request> what_;
    std::array<void *, MOST_PARAMETERS> addresses_ = {};
};

// The executors that have handles. A handle is not an address but a number that is never used again, so that a handle
// whose executor has ended is not mistaken for another executor's.
struct registry {
    std::unordered_map<uintptr_t, std::shared_ptr<op_executor>> executors;
    uintptr_t last = 0;
};

constinit process_wide<registry> shared;

jitnorm_acl_op_executor_t enter(std::shared_ptr<op_executor> executor) {
    registry &all = shared.get();
    const std::lock_guard lock(process_lock);
    const uintptr_t number = ++all.last;
    all.executors.emplace(number, std::move(executor));
    return reinterpret_cast<jitnorm_acl_op_executor_t>(number);
}

// Null if the executor has ended or never existed.
std::shared_ptr<op_executor> find(jitnorm_acl_op_executor_t handle) {
    registry &all = shared.get();
    const std::lock_guard lock(process_lock);
    const auto found = all.executors.find(reinterpret_cast<uintptr_t>(handle));
    return found == all.executors.end() ? nullptr : found->second;
}

// Ends the handle. False if it had ended before. A caller that has found the executor may still use it.
bool end(jitnorm_acl_op_executor_t handle) {
    registry &all = shared.get();
    decltype(all.executors)::node_type ended; // destroyed without the lock
    const std::lock_guard lock(process_lock);
    ended = all.executors.extract(reinterpret_cast<uintptr_t>(handle));
    return !ended.empty();
}

// ---------------------------------------------------------------- the calls

constexpr acl_status NO_EXECUTOR = {JITNORM_ACLNN_ERR_INNER_NULLPTR, "the executor is null"};
constexpr acl_status ENDED = invalid("the executor has ended");

using tensor_in = const_jitnorm_acl_tensor_t;
using tensor_out = jitnorm_acl_tensor_t;
using dims_in = const_jitnorm_acl_int_array_t;

// Makes the executor and writes its handle and the workspace's size for the caller. `tensors` are in the order of
// Parameters::list(); those that are missing at the end are null.
template <typename Parameters>
jitnorm_acl_status_t first_call(const char *function, const settings &with, std::initializer_list<tensor_in> tensors,
                                uint64_t *workspace_size, jitnorm_acl_op_executor_t *executor) {
    return answer_from(function, [&]() -> acl_status {
        Parameters given{with};
        const auto all = given.list(given);
        for (size_t i = 0; i < tensors.size(); ++i) all[i]->t = object_of(tensors.begin()[i]);
        JITNORM_TRY(given.check_null());
        if (workspace_size == nullptr || executor == nullptr) return null_pointer("workspaceSize or executor is null");
        std::shared_ptr<const request> ready;
        JITNORM_TRY(find_or_make(given, ready));
        auto made = std::make_shared<op_executor>(std::move(ready), all);
        const uint64_t bytes = made->workspace_bytes();
        *executor = enter(std::move(made));
        *workspace_size = bytes;
        return {};
    });
}

// An executor that is not repeatable ends as soon as nothing can refuse its run any more. If two threads run it at the
// same time, only one of them ends it and runs; the other is refused.
jitnorm_acl_status_t second_call(const char *function, operation op, void *workspace, uint64_t bytes,
                                 jitnorm_acl_op_executor_t handle, void *stream) {
    return answer_from(function, [&]() -> acl_status {
        if (handle == nullptr) return null_pointer("the executor is null");
        const std::shared_ptr<op_executor> executor = find(handle);
        if (executor == nullptr) return ENDED;
        if (executor->op() != op) return invalid("the executor belongs to another operation");
        run_arguments arguments;
        JITNORM_TRY(executor->check_run(workspace, bytes, arguments));
        if (!executor->is_repeatable && !end(handle)) return ENDED;
        return executor->run(arguments, static_cast<const jitnorm_stream *>(stream));
    });
}

} // namespace

} // namespace jitnorm::impl::aclnn

using namespace jitnorm::impl::aclnn;

// Defines an operation's second call and begins the definition of its first one, which has these parameters, then two
// pointers for the results.
#define OPERATION(name, ...)                                                                                           \
    jitnorm_acl_status_t jitnorm_aclnn_##name(void *workspace, uint64_t workspace_size,                                \
                                              jitnorm_acl_op_executor_t executor, void *stream) {                      \
        return second_call(__func__, operation::name, workspace, workspace_size, executor, stream);                    \
    }                                                                                                                  \
    jitnorm_acl_status_t jitnorm_aclnn_##name##_get_workspace_size(__VA_ARGS__, uint64_t *workspace_size,              \
                                                                   jitnorm_acl_op_executor_t *executor)

// ---- layer normalization, forward and backward

#define LAYER_NORM(name)                                                                                               \
    OPERATION(name, tensor_in input, dims_in normalized_shape, tensor_in weight, tensor_in bias, double eps,           \
              tensor_out out, tensor_out mean, tensor_out rstd) {                                                      \
        return first_call<forward_parameters>(                                                                         \
            __func__, {.op = operation::name, .epsilon = eps, .normalized_shape = object_of(normalized_shape)},        \
            {input, weight, bias, out, mean, rstd}, workspace_size, executor);                                         \
    }
LAYER_NORM(layer_norm)
LAYER_NORM(fast_layer_norm)
#undef LAYER_NORM

OPERATION(layer_norm_with_impl_mode, tensor_in input, dims_in normalized_shape, tensor_in weight, tensor_in bias,
          double eps, tensor_out out, tensor_out mean, tensor_out rstd, int32_t impl_mode) {
    const settings with{.op = operation::layer_norm_with_impl_mode,
                        .epsilon = eps,
                        .normalized_shape = object_of(normalized_shape),
                        .impl_mode = impl_mode};
    return first_call<forward_parameters>(__func__, with, {input, weight, bias, out, mean, rstd}, workspace_size,
                                          executor);
}

OPERATION(layer_norm_backward, tensor_in grad_out, tensor_in input, dims_in normalized_shape, tensor_in mean,
          tensor_in rstd, tensor_in weight, tensor_in bias, const_jitnorm_acl_bool_array_t output_mask,
          tensor_out grad_input, tensor_out grad_weight, tensor_out grad_bias) {
    const settings with{operation::layer_norm_backward, 0, object_of(normalized_shape), object_of(output_mask)};
    return first_call<backward_parameters>(
        __func__, with, {grad_out, input, mean, rstd, weight, bias, grad_input, grad_weight, grad_bias}, workspace_size,
        executor);
}

OPERATION(ada_layer_norm, tensor_in x, tensor_in scale, tensor_in shift, tensor_in weight, tensor_in bias,
          double epsilon, tensor_out out) {
    return first_call<ada_layer_norm_parameters>(__func__, {operation::ada_layer_norm, epsilon},
                                                 {x, scale, shift, weight, bias, out}, workspace_size, executor);
}

OPERATION(ada_layer_norm_v2, tensor_in x, tensor_in scale, tensor_in shift, tensor_in weight, tensor_in bias,
          double epsilon, tensor_out out, tensor_out mean, tensor_out rstd) {
    return first_call<ada_layer_norm_parameters>(__func__, {operation::ada_layer_norm_v2, epsilon},
                                                 {x, scale, shift, weight, bias, out, mean, rstd}, workspace_size,
                                                 executor);
}

// ---- RMS normalization, forward and backward

#define RMS_NORM(name)                                                                                                 \
    OPERATION(name, tensor_in x, tensor_in gamma, double epsilon, tensor_in y, tensor_in rstd) {                       \
        return first_call<rms_norm_parameters>(__func__, {operation::name, epsilon}, {x, gamma, y, rstd},              \
                                               workspace_size, executor);                                              \
    }
RMS_NORM(rms_norm)
RMS_NORM(gemma_rms_norm)
#undef RMS_NORM

OPERATION(rms_norm_grad, tensor_in dy, tensor_in x, tensor_in rstd, tensor_in gamma, tensor_in dx, tensor_in dgamma) {
    return first_call<rms_norm_grad_parameters>(__func__, {operation::rms_norm_grad}, {dy, x, rstd, gamma, dx, dgamma},
                                                workspace_size, executor);
}

// ---- normalizations of sums

OPERATION(add_rms_norm, tensor_in x1, tensor_in x2, tensor_in gamma, double epsilon, tensor_out y, tensor_out rstd,
          tensor_out x) {
    return first_call<add_rms_norm_parameters>(__func__, {operation::add_rms_norm, epsilon},
                                               {x1, x2, gamma, y, rstd, x}, workspace_size, executor);
}

OPERATION(add_layer_norm, tensor_in x1, tensor_in x2, tensor_in gamma, tensor_in beta, tensor_in bias, double epsilon,
          bool additional_output, tensor_in y, tensor_in mean, tensor_in rstd, tensor_in x) {
    const settings with{.op = operation::add_layer_norm, .epsilon = epsilon, .additional_output = additional_output};
    return first_call<add_layer_norm_parameters>(__func__, with, {x1, x2, gamma, beta, bias, y, mean, rstd, x},
                                                 workspace_size, executor);
}

// ---- RMS normalization to 8 bits

OPERATION(rms_norm_dynamic_quant, tensor_in x, tensor_in gamma, tensor_in smooth, tensor_in beta, double epsilon,
          int64_t dst_type, tensor_in y, tensor_in scale) {
    const settings with{.op = operation::rms_norm_dynamic_quant, .epsilon = epsilon, .dst_type = dst_type};
    return first_call<rms_norm_dynamic_quant_parameters>(__func__, with, {x, gamma, smooth, beta, y, scale},
                                                         workspace_size, executor);
}

OPERATION(add_rms_norm_dynamic_quant, tensor_in x1, tensor_in x2, tensor_in gamma, tensor_in smooth1, tensor_in smooth2,
          double epsilon, tensor_out y1, tensor_out y2, tensor_out x, tensor_out scale1, tensor_out scale2) {
    return first_call<add_rms_norm_dynamic_quant_parameters>(
        __func__, {operation::add_rms_norm_dynamic_quant, epsilon},
        {x1, x2, gamma, smooth1, smooth2, y1, y2, x, scale1, scale2}, workspace_size, executor);
}

#undef OPERATION

// ---- executors

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
    return answer_from(__func__, [&] { return handle == nullptr ? NO_EXECUTOR : end(handle) ? acl_status{} : ENDED; });
}

jitnorm_acl_status_t jitnorm_acl_op_executor_set_address(jitnorm_acl_op_executor_t handle,
                                                         jitnorm_acl_numbering_t numbering, size_t index,
                                                         jitnorm_acl_tensor_t tensor, void *address) {
    return answer_from(__func__, [&]() -> acl_status {
        if (handle == nullptr || tensor == nullptr)
            return {JITNORM_ACLNN_ERR_INNER_NULLPTR, "the executor or tensor is null"};
        const std::shared_ptr<op_executor> executor = find(handle);
        if (executor == nullptr) return ENDED;
        JITNORM_TRY(executor->set_address(numbering, index, address));
        object_of(tensor)->data = address;
        return {};
    });
}
