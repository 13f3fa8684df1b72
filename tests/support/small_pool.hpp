// SPDX-License-Identifier: Apache-2.0
// small_pool: a thread pool as a framework might have one, behind the callback that the library takes.
#pragma once

#include <atomic>
#include <condition_variable>
#include <deque>
#include <functional>
#include <mutex>
#include <thread>
#include <vector>

#include "jitnorm/jitnorm_types.h"

namespace jitnorm::tests {

// The simplest one: all bodies on the caller.
inline void run_in_place(void *, int count, void (*body)(void *, int), void *argument) {
    for (int i = 0; i < count; ++i) body(argument, i);
}

// Workers take bodies from one queue. A thread that waits for its own bodies meanwhile runs whatever is in the queue,
// bodies of other callers and tasks included.
class small_pool {
public:
    using task = std::function<void()>;

    explicit small_pool(int workers) {
        for (int i = 0; i < workers; ++i)
            workers_.emplace_back([this](const std::stop_token &stop) {
                std::unique_lock lock(mutex_);
                while (changed_.wait(lock, stop, [&] { return !queue_.empty(); })) run_first(lock);
            });
    }

    // Runs as many bodies at once as there are workers, and one more on the caller.
    jitnorm_thread_pool_t as_seen_by_the_library() { return {parallel_for, this, int(workers_.size()) + 1}; }

    // Runs all tasks and the bodies that these add, and returns when the tasks have ended.
    void run(const std::vector<task> &tasks) {
        std::unique_lock lock(mutex_);
        size_t left = tasks.size();
        for (const task &t : tasks)
            queue_.push_back([this, &t, &left] {
                t();
                const std::lock_guard guard(mutex_);
                if (--left == 0) changed_.notify_all();
            });
        changed_.notify_all();
        while (left > 0) {
            if (queue_.empty())
                changed_.wait(lock, [&] { return left == 0 || !queue_.empty(); });
            else
                run_first(lock);
        }
    }

    int calls() const { return calls_; }

private:
    static void parallel_for(void *context, int count, void (*body)(void *, int), void *argument) {
        auto *pool = static_cast<small_pool *>(context);
        ++pool->calls_;
        std::vector<task> tasks;
        for (int i = 0; i < count; ++i) tasks.emplace_back([=] { body(argument, i); });
        pool->run(tasks);
    }

    void run_first(std::unique_lock<std::mutex> &lock) {
        const task first = std::move(queue_.front());
        queue_.pop_front();
        lock.unlock();
        first();
        lock.lock();
    }

    std::mutex mutex_;
    std::condition_variable_any changed_;
    std::deque<task> queue_;
    std::atomic<int> calls_ = 0;
    std::vector<std::jthread> workers_; // last, so that they end before the members that they use
};

} // namespace jitnorm::tests
