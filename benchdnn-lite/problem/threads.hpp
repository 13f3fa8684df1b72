// SPDX-License-Identifier: Apache-2.0
// threads: reads OpenMP's number of threads, and changes it for a while.
#pragma once

namespace benchdnn_lite {

int thread_count(); // how many the next parallel region gets; 1 in a build without OpenMP

// While the object exists, parallel regions that this thread starts have `count` threads.
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
