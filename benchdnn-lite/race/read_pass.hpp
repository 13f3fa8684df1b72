// SPDX-License-Identifier: Apache-2.0
// read_pass: reads the result of a normalization, as the next step of a program would.
#pragma once

#include "../problem/execution.hpp"

namespace benchdnn_lite {

// Returns the sum of all whole words of 8 bytes in the data. `threads` threads read each word once.
uint64_t read_words(const void *data, size_t bytes, int threads);

// Reads every output once and returns the sum of its words.
uint64_t read_outputs(const execution &e, int threads);

} // namespace benchdnn_lite
