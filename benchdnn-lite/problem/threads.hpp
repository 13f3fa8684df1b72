// SPDX-License-Identifier: Apache-2.0
// threads: reads OpenMP's number of threads, and changes it for a while, also as --ctx-init and --ctx-exe say; shares
// work among threads.
#pragma once

#include <algorithm>
#include <cstdint>
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

// Shares `count` steps among `parts` threads, as evenly as can be: calls visit(part, begin, end) for each part, which
// must not throw.
template <typename Visit>
void share_among_threads(int64_t count, int64_t parts, const Visit &visit) {
    if (parts == 1) return visit(int64_t(0), int64_t(0), count);
    const auto edge = [&](int64_t part) { return count / parts * part + std::min(part, count % parts); };
#ifdef _OPENMP
#pragma omp parallel for num_threads(int(parts)) schedule(static, 1)
#endif
    for (int64_t part = 0; part < parts; ++part) visit(part, edge(part), edge(part + 1));
}

// The value of --ctx-init or --ctx-exe: how many threads create a primitive, or execute it; 0 (auto): the program's
// number of threads. Reads THREADS[:CORE_TYPE[:THREADS_PER_CORE]]; each field is a number or auto. The last two have no
// effect, because the library runs on OpenMP, which chooses neither cores nor hyper-threads; benchdnn ignores them
// there too. Throws input_error.
int parse_context(std::string_view text);
std::string context_text(int threads);

} // namespace benchdnn_lite
