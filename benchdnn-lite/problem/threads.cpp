// SPDX-License-Identifier: Apache-2.0
// Reads and sets OpenMP's number of threads, and the values of --ctx-init and --ctx-exe.
#include "threads.hpp"

#include "../error.hpp"

#ifdef _OPENMP
#include <omp.h>
#endif

namespace benchdnn_lite {

namespace {

constexpr int MOST_THREADS = 1024, MOST_CORE_TYPES = 64, MOST_THREADS_PER_CORE = 16;

int number_or_auto(std::string_view text, int lowest, int highest) {
    return text == "auto" ? 0 : int(parse_integer(text, lowest, highest));
}

} // namespace

#ifdef _OPENMP
int thread_count() { return omp_get_max_threads(); }
void other_thread_count::set(int count) { omp_set_num_threads(count); }
#else
int thread_count() { return 1; }
void other_thread_count::set(int /* count */) {}
#endif

int parse_context(std::string_view text) {
    const std::vector<std::string> fields = split(text, ':');
    if (fields.size() > 3) throw input_error("'", text, "' is not of the form THREADS[:CORE_TYPE[:THREADS_PER_CORE]]");
    const int threads = number_or_auto(fields[0], 1, MOST_THREADS);
    if (fields.size() > 1) number_or_auto(fields[1], 0, MOST_CORE_TYPES);
    if (fields.size() > 2) number_or_auto(fields[2], 1, MOST_THREADS_PER_CORE);
    return threads;
}

std::string context_text(int threads) { return threads == 0 ? "auto" : std::to_string(threads); }

} // namespace benchdnn_lite
