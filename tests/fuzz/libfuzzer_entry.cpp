// SPDX-License-Identifier: Apache-2.0
// A target as libFuzzer calls it.
#include "run_one.hpp"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) { return jitnorm::fuzz::run_one(data, size); }
