// SPDX-License-Identifier: Apache-2.0
// cache_lines: hints about the cache lines that a row's vectors lie in, one for each line.
#pragma once

#include <algorithm>

#include "row_walker.hpp"

namespace jitnorm::impl::jit {

constexpr int CACHE_LINE = 64; // bytes

// How far ahead of ordinary stores their cache lines are asked for: stores across two lines that miss L1 would wait for
// each in turn.
constexpr int CLAIMED_AHEAD = 2 * CACHE_LINE;

// Calls body(vector) for at least one of the vectors, elements of `size` bytes, in each line; none at a row's end.
template <isa I, typename T, typename Body>
void for_each_cache_line(places vectors, int size, Body &&body) {
    if (vectors.front().tail) return;
    const auto vectors_in_line = size_t(std::max(1, CACHE_LINE / (VECTOR_WIDTH<I, T> * size)));
    for (size_t i = 0; i < vectors.size(); i += vectors_in_line) body(vectors[i]);
}

} // namespace jitnorm::impl::jit
