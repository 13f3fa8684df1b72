// SPDX-License-Identifier: Apache-2.0
// C interface: executors, and the second call of every operation.
#include "op_executor.hpp"

using namespace jitnorm::impl::aclnn;

namespace {

constexpr acl_status NO_EXECUTOR = {JITNORM_ACLNN_ERR_INNER_NULLPTR, "a null executor"};
constexpr acl_status ENDED = invalid("the executor has ended");

// An executor that is not repeatable ends as soon as nothing can refuse its run any more. If two threads run it at the
// same time, only one of them ends it and runs; the other is refused.
acl_status try_to_run(operation op, void *workspace, uint64_t bytes, jitnorm_acl_op_executor_t handle, void *stream) {
    if (handle == nullptr) return null_pointer("a null executor");
    const std::shared_ptr<op_executor> executor = find(handle);
    if (executor == nullptr) return ENDED;
    if (executor->op() != op) return invalid("the executor is another operation's");
    run_arguments arguments;
    JITNORM_TRY(executor->check_run(workspace, bytes, arguments));
    if (!executor->is_repeatable && !end(handle)) return ENDED;
    return executor->run(arguments, static_cast<const jitnorm_stream *>(stream));
}

jitnorm_acl_status_t run(const char *function, operation op, void *workspace, uint64_t bytes,
                         jitnorm_acl_op_executor_t executor, void *stream) {
    return guarded(function, [&] { return try_to_run(op, workspace, bytes, executor, stream); });
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
    return guarded(__func__, [&]() -> acl_status {
        if (handle == nullptr) return NO_EXECUTOR;
        const std::shared_ptr<op_executor> executor = find(handle);
        if (executor == nullptr) return ENDED;
        executor->is_repeatable = true;
        return {};
    });
}

jitnorm_acl_status_t jitnorm_acl_op_executor_destroy(jitnorm_acl_op_executor_t handle) {
    return guarded(__func__, [&]() -> acl_status {
        if (handle == nullptr) return NO_EXECUTOR;
        return end(handle) ? acl_status{} : ENDED;
    });
}

jitnorm_acl_status_t jitnorm_acl_op_executor_set_address(jitnorm_acl_op_executor_t handle,
                                                         jitnorm_acl_numbering_t numbering, size_t index,
                                                         jitnorm_acl_tensor_t tensor, void *address) {
    return guarded(__func__, [&]() -> acl_status {
        if (handle == nullptr || tensor == nullptr)
            return {JITNORM_ACLNN_ERR_INNER_NULLPTR, "a null executor or tensor"};
        const std::shared_ptr<op_executor> executor = find(handle);
        if (executor == nullptr) return ENDED;
        const acl_status result = executor->set_address(numbering, index, address);
        if (!result.failed()) behind(tensor)->data = address;
        return result;
    });
}
