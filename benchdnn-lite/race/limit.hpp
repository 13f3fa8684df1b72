// SPDX-License-Identifier: Apache-2.0
// limit: ways to move the tensors of a problem's rows, without computing anything. The time of the fastest is the limit
// for everybody who has to read and write the same tensors. And a way to read a result, as its next user would.
#pragma once

#include <vector>

#include "../problem/execution.hpp"
#include "../timing/sampler.hpp"

namespace benchdnn_lite {

struct way_to_move {
    std::string name; // "memcpy", "ordinary stores by threads"
    body move;
};

// Each way reads all inputs with rows and writes all outputs with rows, on the tensors of the execution, which must
// outlive it. Inputs keep their values. Whole lines of 64 bytes are moved; fewer bytes may be left out at the end.
// There are memcpy if there are two tensors, and loops with ordinary and with non-temporal stores, in one thread and in
// `threads`. There may be none if the processor has no AVX2.
std::vector<way_to_move> ways_to_move(const execution &e, int threads);

// Returns the sum of all whole words of 8 bytes in the data. `threads` threads read each word once.
uint64_t read_words(const void *data, size_t bytes, int threads);

// Reads every output once and returns the sum of its words.
uint64_t read_outputs(const execution &e, int threads);

} // namespace benchdnn_lite
