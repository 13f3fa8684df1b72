// SPDX-License-Identifier: Apache-2.0
// ready_call: a problem made ready to be executed any number of times. Every front end keeps it behind its handle: the
// executor, the copies of tensors that the caller lays out in another way, the size of the scratchpad, and
// the lines in the verbose log.
//
//     std::shared_ptr<const ready_call> call;
//     JITNORM_TRY(ready_call::make({"graph", "norm,LayerNorm"}, std::move(p), layouts, call));
//     ... call->scratchpad_bytes() ...
//     JITNORM_TRY(call->execute(arguments, pool));
#pragma once

#include <chrono>
#include <memory>
#include <string>

#include "../base/boundary.hpp"
#include "../base/parallel.hpp"
#include "../base/thread_state.hpp"
#include "../base/verbose.hpp"
#include "layout_adapter.hpp"
#include "prepare.hpp"

namespace jitnorm::impl::layer_norm {

using stopwatch = std::chrono::steady_clock;

// How the log names a call: "<front_end>,exec,cpu,<operation>,<implementation>,<problem>,<milliseconds>".
struct call_name {
    const char *front_end;
    std::string operation = "layer_normalization";
};

// Immutable, and several threads may execute it at once.
class ready_call {
public:
    // Makes the executor of a complete problem. If the system refuses pages for the code of the chosen implementation,
    // it is another one's. Throws std::bad_alloc, std::system_error.
    ready_call(call_name name, layer_norm::problem p, const layer_norm::solution &chosen,
               const adapted_layouts &layouts = {})
        : name_(std::move(name)), problem_(std::move(p)), solution_(chosen),
          executor_(make_executor(problem_, solution_)), scratchpad_bytes_(solution_.scratchpad_bytes()),
          is_as_chosen_(solution_.by == chosen.by) {
        if (layouts.empty()) return;
        auto adapter = std::make_shared<const layout_adapter>(problem_, layouts, executor_, scratchpad_bytes_);
        scratchpad_bytes_ = adapter->scratchpad_bytes();
        if (adapter->copies()) executor_ = std::move(adapter);
    }

    // For tensors in the caller's layouts: completes the problem and prepares it. Returns the statuses of prepare().
    static status make(call_name name, layer_norm::problem p, const adapted_layouts &layouts,
                       std::shared_ptr<const ready_call> &result) {
        layer_norm::solution chosen;
        complete(p, layouts);
        JITNORM_TRY(prepare(p, chosen));
        result = std::make_shared<const ready_call>(std::move(name), std::move(p), chosen, layouts);
        return {};
    }

    const layer_norm::problem &problem() const { return problem_; }
    const layer_norm::solution &solution() const { return solution_; } // by the implementation that executes
    bool is_as_chosen() const { return is_as_chosen_; }
    size_t scratchpad_bytes() const { return scratchpad_bytes_; } // an execution needs so many, 64-byte aligned

    // Executes on the threads of the pool (null: on the library's own). The arguments are complete, but for the
    // scratchpad if `thread_bytes` is not 0: then the executing thread's buffer of so many bytes becomes it.
    [[gnu::always_inline]] status execute(arguments &args, const jitnorm_thread_pool_t *pool,
                                          size_t thread_bytes = 0) const {
        if (thread_bytes != 0) return execute_with_scratchpad(args, pool, thread_bytes);
        const pool_scope scope(pool);
        return {verbose_level() >= 1 ? execute_logged(args) : executor_->execute(args)};
    }

    // Writes the line of an event that took the time since `start`: "<front_end>,<event>,...". Does not fail, because
    // the event has happened. `sizes` is the problem with the sizes of an execution; null: it has its own.
    void log(const char *event, stopwatch::time_point start,
             const layer_norm::problem *sizes = nullptr) const noexcept {
        log_line(name_.front_end, [&] {
            const std::string taken = milliseconds_since(start);
            return std::string(event) + ",cpu," + name_.operation + "," + solution_.by->name + "," +
                   describe(sizes != nullptr ? *sizes : problem_) + "," + taken;
        });
    }

private:
    [[gnu::noinline]] status execute_with_scratchpad(arguments &args, const jitnorm_thread_pool_t *pool,
                                                     size_t bytes) const {
        const thread_scratchpad scratchpad(bytes);
        if (scratchpad.data() == nullptr) return OUT_OF_MEMORY;
        args.set(SCRATCHPAD, scratchpad.data());
        return execute(args, pool);
    }

    [[gnu::noinline]] jitnorm_status_t execute_logged(const arguments &args) const {
        const auto start = stopwatch::now();
        const jitnorm_status_t code = executor_->execute(args);
        log("exec", start, args.sizes);
        return code;
    }

    call_name name_;
    layer_norm::problem problem_;
    layer_norm::solution solution_;
    std::shared_ptr<const executor> executor_;
    size_t scratchpad_bytes_;
    bool is_as_chosen_;
};

} // namespace jitnorm::impl::layer_norm
