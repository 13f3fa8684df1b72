// SPDX-License-Identifier: Apache-2.0
// read_pass: what comes after a normalization in a program: somebody reads its result.
#pragma once

#include "../problem/execution.hpp"

namespace benchdnn_lite {

// The sum of all whole words of 8 bytes, each read once, by as many threads.
uint64_t read_words(const void *data, size_t bytes, int threads);

// Reads every output.
uint64_t read_outputs(const execution &e, int threads);

} // namespace benchdnn_lite
