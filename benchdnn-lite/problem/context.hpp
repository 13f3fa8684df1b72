// SPDX-License-Identifier: Apache-2.0
// context: --ctx-init and --ctx-exe, the threads that a primitive is created with and those that execute it.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "threads.hpp"

namespace benchdnn_lite {

struct thread_context {
    int threads = 0; // 0: as many as there are anyway
    bool operator==(const thread_context &) const = default;
};

// THREADS[:CORE_TYPE[:THREADS_PER_CORE]], each a number or auto. OpenMP, on which this library runs, chooses neither
// cores nor hyper-threads, so that the last two are read and have no effect, as in benchdnn. Throws input_error.
thread_context parse_context(std::string_view text);
std::string to_text(const thread_context &context);

// As long as it lives, parallel regions of this thread have the context's threads.
class in_context {
public:
    explicit in_context(const thread_context &context) {
        if (context.threads > 0) other_.emplace(context.threads);
    }

private:
    std::optional<other_thread_count> other_;
};

} // namespace benchdnn_lite
