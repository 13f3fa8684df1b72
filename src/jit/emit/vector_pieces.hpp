// SPDX-License-Identifier: Apache-2.0
// vector_pieces: loads and stores the narrow elements of an incomplete vector with AVX2, which cannot mask them in
// memory. The elements are cut into pieces of 4, 2 and 1, according to the bits of their number.
#pragma once

#include "row_walker.hpp"

namespace jitnorm::impl::jit {

template <isa I, typename T>
class vector_pieces {
    static constexpr int WIDTH = VECTOR_WIDTH<I, T>;
    using reg = Xbyak::Reg64;
    using address = Xbyak::RegExp;

public:
    vector_pieces(Xbyak::CodeGenerator &g, const row_walker<I, T> &walker, const reg &scratch)
        : g_(g), walker_(walker), scratch_(scratch) {}

    // Loads the elements to the bottom of v, with zeros above them. It loads the last piece first, so that every piece
    // enters at the bottom.
    void collect(const Xbyak::Xmm &v, const reg &row, const place &p, int size) {
        g_.vpxor(v, v, v);
        for (int elements = 1; elements < WIDTH; elements *= 2) {
            Xbyak::Label absent;
            g_.test(walker_.left(), elements);
            g_.jz(absent);
            const int before = (WIDTH - 1) & ~(2 * elements - 1); // the larger pieces come first in memory
            if (elements > 1) g_.vpslldq(v, v, uint8_t(elements * size));
            insert_lowest(v, walker_.behind(row, p, size, scratch_, before), elements * size);
            g_.L(absent);
        }
    }

    // Stores the elements at the bottom of v. Changes v.
    void scatter(const address &at, const Xbyak::Xmm &v, int size) {
        g_.lea(scratch_, g_.ptr[at]);
        for (int elements = WIDTH / 2; elements > 0; elements /= 2) {
            Xbyak::Label absent;
            const int bytes = elements * size;
            g_.test(walker_.left(), elements);
            g_.jz(absent);
            store_lowest(v, bytes);
            g_.add(scratch_, bytes);
            g_.vpsrldq(v, v, uint8_t(bytes));
            g_.L(absent);
        }
    }

private:
    void insert_lowest(const Xbyak::Xmm &v, const address &at, int bytes) {
        switch (bytes) {
        case 8:
            return g_.vpinsrq(v, v, g_.ptr[at], 0);
        case 4:
            return g_.vpinsrd(v, v, g_.ptr[at], 0);
        case 2:
            return g_.vpinsrw(v, v, g_.ptr[at], 0);
        default:
            return g_.vpinsrb(v, v, g_.ptr[at], 0);
        }
    }

    void store_lowest(const Xbyak::Xmm &v, int bytes) {
        switch (bytes) {
        case 8:
            return g_.vmovq(g_.ptr[scratch_], v);
        case 4:
            return g_.vmovd(g_.ptr[scratch_], v);
        case 2:
            return g_.vpextrw(g_.word[scratch_], v, 0);
        default:
            return g_.vpextrb(g_.byte[scratch_], v, 0);
        }
    }

    Xbyak::CodeGenerator &g_;
    row_walker<I, T> walker_;
    reg scratch_;
};

} // namespace jitnorm::impl::jit
