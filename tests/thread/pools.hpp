// SPDX-License-Identifier: Apache-2.0
// pools: thread pools of callers, of all sorts.
#pragma once

#include <thread>
#include <vector>

#include "support/small_pool.hpp"

namespace jitnorm::tests {

// Records its calls and runs bodies from the last to the first, on the caller.
struct backward_pool {
    std::vector<int> counts;
    jitnorm_thread_pool_t pool = {parallel_for, this, 4};

    static void parallel_for(void *context, int count, void (*body)(void *, int), void *argument) {
        static_cast<backward_pool *>(context)->counts.push_back(count);
        for (int i = count; i-- > 0;) body(argument, i);
    }
};

// A thread for each body.
inline void thread_for_each(void *, int count, void (*body)(void *, int), void *argument) {
    std::vector<std::jthread> threads;
    for (int i = 0; i < count; ++i) threads.emplace_back(body, argument, i);
}

inline constexpr jitnorm_thread_pool_t THREAD_FOR_EACH = {thread_for_each, nullptr, 3};
inline constexpr jitnorm_thread_pool_t ALONE = {nullptr, nullptr, 1};

} // namespace jitnorm::tests
