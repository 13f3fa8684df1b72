// SPDX-License-Identifier: Apache-2.0
// Runs the library's work on PyTorch's threads: on as many as torch.get_num_threads() says if there is enough work for
// them, otherwise on the calling thread alone.
#include <ATen/Parallel.h>
#include <ATen/TensorIterator.h>

#include <cstdlib>

#include "prepared.hpp"

namespace jitnorm_torch {

namespace {

void on_threads_of_torch(void *, int count, void (*body)(void *argument, int index), void *argument) {
    at::parallel_for(0, count, 1, [&](int64_t begin, int64_t end) {
        for (int64_t i = begin; i < end; ++i) body(argument, int(i));
    });
}

jitnorm::stream stream_for(int threads) { return {cpu(), jitnorm::thread_pool{on_threads_of_torch, nullptr, threads}}; }

} // namespace

const jitnorm::engine &cpu() {
    static const jitnorm::engine engine(jitnorm::engine::kind::cpu, 0);
    return engine;
}

void be_quiet() {
    if (std::getenv("JITNORM_VERBOSE") == nullptr) jitnorm_set_verbose(0);
}

// Work on no more elements than PyTorch's own elementwise operators give to one thread takes less time than to wake
// another thread. In a parallel region the other threads are busy already.
jitnorm_stream_t stream_of_thread(int64_t elements) {
    thread_local const jitnorm::stream alone = stream_for(1);
    if (elements <= at::internal::GRAIN_SIZE || at::in_parallel_region()) return alone.get();
    thread_local jitnorm::stream shared;
    thread_local int threads_of_shared = 0;
    const int threads = at::get_num_threads();
    if (threads != threads_of_shared) {
        shared = stream_for(threads);
        threads_of_shared = threads;
    }
    return shared.get();
}

} // namespace jitnorm_torch
