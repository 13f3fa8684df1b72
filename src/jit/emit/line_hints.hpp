// SPDX-License-Identifier: Apache-2.0
// line_hints: emits prefetches for the cache lines of a row's vectors, one for each line, but none for the incomplete
// vector at a row's end.
#pragma once

#include <algorithm>

#include "narrowing.hpp"
#include "row_walker.hpp"

namespace jitnorm::impl::jit {

constexpr int CACHE_LINE = 64; // bytes

template <isa I, typename T>
class line_hints {
public:
    // How far ahead of ordinary stores their cache lines are prefetched, in bytes. Without this, stores that cross two
    // lines and miss L1 would wait for one line after the other.
    static constexpr int AHEAD_OF_STORES = 2 * CACHE_LINE;

    line_hints(Xbyak::CodeGenerator &g, const row_walker<I, T> &walker) : g_(g), walker_(walker) {}

    // Prefetches for later loads of elements of `type` at `row`.
    void prefetch(const Xbyak::RegExp &row, places vectors, jitnorm_data_type_t type) {
        for_each_line(row, vectors, type, [&](const Xbyak::RegExp &line) { g_.prefetcht0(g_.ptr[line]); });
    }

    // Prefetches for later stores, `ahead` bytes behind these vectors.
    void claim(const Xbyak::RegExp &row, places vectors, jitnorm_data_type_t type, int ahead = AHEAD_OF_STORES) {
        for_each_line(row, vectors, type, [&](const Xbyak::RegExp &line) { g_.prefetchw(g_.ptr[line + ahead]); });
    }

private:
    template <typename Hint>
    void for_each_line(const Xbyak::RegExp &row, places vectors, jitnorm_data_type_t type, Hint &&hint) {
        if (vectors.front().tail) return;
        const int size = element_bytes(type);
        const auto vectors_in_line = size_t(std::max(1, CACHE_LINE / (VECTOR_WIDTH<I, T> * size)));
        for (size_t i = 0; i < vectors.size(); i += vectors_in_line) hint(walker_.at(row, vectors[i], size));
    }

    Xbyak::CodeGenerator &g_;
    row_walker<I, T> walker_;
};

} // namespace jitnorm::impl::jit
