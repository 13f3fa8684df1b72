// SPDX-License-Identifier: Apache-2.0
#include "ready_call.hpp"

#include "../base/boundary.hpp"
#include "../base/thread_state.hpp"

namespace jitnorm::impl::layer_norm {

ready_call::ready_call(call_name name, layer_norm::problem p, const layer_norm::solution &chosen,
                       const adapted_layouts &layouts)
    : name_(std::move(name)), problem_(std::move(p)), solution_(chosen), executor_(make_executor(problem_, solution_)),
      scratchpad_bytes_(solution_.scratchpad_bytes()), is_as_chosen_(solution_.by == chosen.by) {
    if (layouts.empty()) return;
    auto adapter = std::make_shared<const layout_adapter>(problem_, layouts, executor_, scratchpad_bytes_);
    scratchpad_bytes_ = adapter->scratchpad_bytes();
    if (adapter->copies()) executor_ = std::move(adapter);
}

status ready_call::make(call_name name, layer_norm::problem p, const adapted_layouts &layouts,
                        std::shared_ptr<const ready_call> &result) {
    layer_norm::solution chosen;
    complete(p, layouts);
    JITNORM_TRY(prepare(p, chosen));
    result = std::make_shared<const ready_call>(std::move(name), std::move(p), chosen, layouts);
    return {};
}

status ready_call::execute_with_scratchpad(arguments &args, const jitnorm_thread_pool_t *pool, size_t bytes) const {
    const thread_scratchpad scratchpad(bytes);
    if (scratchpad.data() == nullptr) return OUT_OF_MEMORY;
    args.set(SCRATCHPAD, scratchpad.data());
    return execute(args, pool);
}

jitnorm_status_t ready_call::execute_logged(const arguments &args) const {
    const auto start = stopwatch::now();
    const jitnorm_status_t code = executor_->execute(args);
    log("exec", args.sizes != nullptr ? *args.sizes : problem_, start);
    return code;
}

void ready_call::log(const char *event, const layer_norm::problem &with_sizes,
                     stopwatch::time_point start) const noexcept {
    log_line(name_.front_end, [&] {
        const std::string taken = milliseconds_since(start);
        return std::string(event) + ",cpu," + name_.operation + "," + solution_.by->name + "," + describe(with_sizes) +
               "," + taken;
    });
}

} // namespace jitnorm::impl::layer_norm
