// SPDX-License-Identifier: Apache-2.0
// Reads and sets OpenMP's number of threads.
#include "threads.hpp"

#ifdef _OPENMP
#include <omp.h>
#endif

namespace benchdnn_lite {

#ifdef _OPENMP
int thread_count() { return omp_get_max_threads(); }
void other_thread_count::set(int count) { omp_set_num_threads(count); }
#else
int thread_count() { return 1; }
void other_thread_count::set(int /* count */) {}
#endif

} // namespace benchdnn_lite
