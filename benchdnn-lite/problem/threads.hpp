// SPDX-License-Identifier: Apache-2.0
// threads: how many threads OpenMP gives, and another number for a while.
#pragma once

namespace benchdnn_lite {

int thread_count(); // of the next parallel region; 1 in a build without OpenMP

// As long as it lives, parallel regions of this thread have `count` threads.
class other_thread_count {
public:
    explicit other_thread_count(int count) { set(count); }
    ~other_thread_count() { set(before_); }
    other_thread_count(const other_thread_count &) = delete;
    other_thread_count &operator=(const other_thread_count &) = delete;

private:
    static void set(int count);
    const int before_ = thread_count();
};

} // namespace benchdnn_lite
