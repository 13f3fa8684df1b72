// SPDX-License-Identifier: Apache-2.0
// line_hints: hints about the cache lines that a row's vectors lie in, one for each line; none at a row's end.
#pragma once

#include <algorithm>

#include "narrowing.hpp"
#include "row_walker.hpp"

namespace jitnorm::impl::jit {

constexpr int CACHE_LINE = 64; // bytes

template <isa I, typename T>
class line_hints {
public:
    // How far ahead of ordinary stores their cache lines are asked for: stores across two lines that miss L1 would wait
    // for each in turn.
    static constexpr int AHEAD_OF_STORES = 2 * CACHE_LINE;

    line_hints(Xbyak::CodeGenerator &g, const row_walker<I, T> &walker) : g_(g), walker_(walker) {}

    // For loads to come, of elements of `type` at `row`.
    void prefetch(const Xbyak::RegExp &row, places vectors, jitnorm_data_type_t type) {
        for_each_line(row, vectors, type, [&](const Xbyak::RegExp &line) { g_.prefetcht0(g_.ptr[line]); });
    }

    // For stores to come, so many bytes behind these vectors.
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
