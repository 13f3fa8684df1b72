// SPDX-License-Identifier: Apache-2.0
// short_rows: rows of a few vectors, which a kernel takes with nothing but straight code in its loop over rows: code of
// its own for each number of vectors, with and without an incomplete one at the end.
#pragma once

#include "row_walker.hpp"

namespace jitnorm::impl::jit {

// Emits body(places) for rows of `count` elements and a jump to `done` behind each, for up to `most` vectors; longer
// rows go on behind it all.
template <isa I, typename T, typename Body>
void emit_by_length(Xbyak::CodeGenerator &g, const Xbyak::Reg64 &count, int most, Xbyak::Label &done, Body &&body) {
    std::vector<place> vectors;
    for (int slot = 0; slot < most; ++slot) {
        vectors.push_back({slot, false});
        for (const bool tail : {true, false}) {
            Xbyak::Label longer;
            g.cmp(count, (slot + 1) * VECTOR_WIDTH<I, T>);
            tail ? g.jae(longer, Xbyak::CodeGenerator::T_NEAR) : g.ja(longer, Xbyak::CodeGenerator::T_NEAR);
            vectors.back().tail = tail;
            body(places(vectors));
            g.jmp(done, Xbyak::CodeGenerator::T_NEAR);
            g.L(longer);
        }
    }
}

} // namespace jitnorm::impl::jit
