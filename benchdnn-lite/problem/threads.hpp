// SPDX-License-Identifier: Apache-2.0
// threads: reads OpenMP's number of threads, and changes it for a while, also as --ctx-init and --ctx-exe say.
#pragma once

#include <string>
#include <string_view>

namespace benchdnn_lite {

int thread_count(); // how many the next parallel region gets; 1 in a build without OpenMP

// While the object exists, parallel regions that this thread starts have `count` threads; 0: as many as before.
class other_thread_count {
public:
    explicit other_thread_count(int count) {
        if (count > 0) set(count);
    }
    ~other_thread_count() { set(before_); }
    other_thread_count(const other_thread_count &) = delete;
    other_thread_count &operator=(const other_thread_count &) = delete;

private:
    static void set(int count);
    const int before_ = thread_count();
};

// The value of --ctx-init or --ctx-exe: how many threads create a primitive, or execute it.
struct thread_context {
    int threads = 0; // 0 (auto): the program's number of threads
    bool operator==(const thread_context &) const = default;
};

// Reads THREADS[:CORE_TYPE[:THREADS_PER_CORE]]; each field is a number or auto. The last two have no effect, because
// the library runs on OpenMP, which chooses neither cores nor hyper-threads; benchdnn ignores them there too. Throws
// input_error.
thread_context parse_context(std::string_view text);
std::string to_text(const thread_context &context);

} // namespace benchdnn_lite
