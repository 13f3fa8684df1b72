// SPDX-License-Identifier: Apache-2.0
// C interface: the two calls of every operation. The first makes an executor (op_executor.hpp), and the second runs it.
#include <functional>
#include <memory>
#include <utility>
#include <vector>

#include "../dispatch/object_cache.hpp"
#include "op_executor.hpp"

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

// An operation's tensors, in the order of request::parameters.
using parameter_list = std::span<const named_tensor *const>;

// The key for all that decides which request lower() makes of the parameters.
cache_key cache_key_of(const settings &with, parameter_list tensors) {
    cache_key key(layer_norm::maker::two_phase_call);
    key.add(uint64_t(with.op));
    for (const named_tensor *one : tensors) add(key, one->t);
    key.add(with.epsilon);
    key.add(uint64_t(with.impl_mode));
    key.add(uint64_t(with.additional_output));
    key.add(uint64_t(with.dst_type));
    if (with.normalized_shape != nullptr) add_with_length(key, *with.normalized_shape);
    for (size_t i = 0; with.output_mask != nullptr && i < with.output_mask->size(); ++i)
        key.add(uint64_t((*with.output_mask)[i]));
    return key;
}

using lowering = const std::function<acl_status(request &)> &; // lower() of the parameters

// Finds the request that an earlier call with such parameters has made, or makes it. If the system refused pages for
// the code of the best implementation, the request is not cached, so that the next call tries again.
acl_status find_or_make(const settings &with, parameter_list tensors, lowering lower,
                        std::shared_ptr<const request> &ready) {
    const cache_key key = cache_key_of(with, tensors);
    ready = layer_norm::find_cached<request>(key);
    if (ready != nullptr) return {};
    const auto made = std::make_shared<request>();
    JITNORM_TRY(lower(*made));
    JITNORM_TRY(make_ready(*made));
    ready = made->is_as_chosen() ? layer_norm::cache<request>(key, made) : made;
    return {};
}

// ---------------------------------------------------------------- the calls

constexpr acl_status NO_EXECUTOR = {JITNORM_ACLNN_ERR_INNER_NULLPTR, "the executor is null"};
constexpr acl_status ENDED = invalid("the executor has ended");

using tensor_in = const_jitnorm_acl_tensor_t;
using tensor_out = jitnorm_acl_tensor_t;
using dims_in = const_jitnorm_acl_int_array_t;

// Makes the executor and writes its handle and the workspace's size for the caller.
acl_status make_executor(const settings &with, parameter_list tensors, lowering lower, uint64_t *workspace_size,
                         jitnorm_acl_op_executor_t *executor) {
    if (workspace_size == nullptr || executor == nullptr) return null_pointer("workspaceSize or executor is null");
    std::shared_ptr<const request> ready;
    JITNORM_TRY(find_or_make(with, tensors, lower, ready));
    auto made = std::make_shared<op_executor>(std::move(ready), tensors);
    const uint64_t bytes = made->workspace_bytes();
    *executor = give_handle(std::move(made));
    *workspace_size = bytes;
    return {};
}

// `tensors` are in the order of Parameters::list(); those that are missing at the end are null.
template <typename Parameters>
jitnorm_acl_status_t first_call(const char *function, const settings &with, std::initializer_list<tensor_in> tensors,
                                uint64_t *workspace_size, jitnorm_acl_op_executor_t *executor) {
    return answer_from(function, [&]() -> acl_status {
        Parameters given{with};
        const auto all = given.list(given);
        for (size_t i = 0; i < tensors.size(); ++i) all[i]->t = object_of(tensors.begin()[i]);
        JITNORM_TRY(given.check_null());
        return make_executor(
            with, all, [&](request &to) { return lower(given, to); }, workspace_size, executor);
    });
}

// An executor that is not repeatable ends as soon as nothing can refuse its run any more. If two threads run it at the
// same time, only one of them ends it and runs; the other is refused.
jitnorm_acl_status_t second_call(const char *function, operation op, void *workspace, uint64_t bytes,
                                 jitnorm_acl_op_executor_t handle, void *stream) {
    return answer_from(function, [&]() -> acl_status {
        if (handle == nullptr) return null_pointer("the executor is null");
        const std::shared_ptr<op_executor> executor = executor_of(handle);
        if (executor == nullptr) return ENDED;
        if (executor->op() != op) return invalid("the executor belongs to another operation");
        run_arguments arguments;
        JITNORM_TRY(executor->check_run(workspace, bytes, arguments));
        if (!executor->is_repeatable && !end_handle(handle)) return ENDED;
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
        const std::shared_ptr<op_executor> executor = executor_of(handle);
        if (executor == nullptr) return ENDED;
        executor->is_repeatable = true;
        return {};
    });
}

jitnorm_acl_status_t jitnorm_acl_op_executor_destroy(jitnorm_acl_op_executor_t handle) {
    return answer_from(__func__, [&] {
        return handle == nullptr ? NO_EXECUTOR : end_handle(handle) ? acl_status{} : ENDED;
    });
}

jitnorm_acl_status_t jitnorm_acl_op_executor_set_address(jitnorm_acl_op_executor_t handle,
                                                         jitnorm_acl_numbering_t numbering, size_t index,
                                                         jitnorm_acl_tensor_t tensor, void *address) {
    return answer_from(__func__, [&]() -> acl_status {
        if (handle == nullptr || tensor == nullptr)
            return {JITNORM_ACLNN_ERR_INNER_NULLPTR, "the executor or tensor is null"};
        const std::shared_ptr<op_executor> executor = executor_of(handle);
        if (executor == nullptr) return ENDED;
        JITNORM_TRY(executor->set_address(numbering, index, address));
        object_of(tensor)->data = address;
        return {};
    });
}
