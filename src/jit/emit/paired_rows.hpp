// SPDX-License-Identifier: Apache-2.0
// paired_rows: emits the loop of a kernel that writes rows beside others that it reduces (pass_order::one_loop).
#pragma once

#include "loops.hpp"

namespace jitnorm::impl::jit {

// Emits the loop of a kernel that works on two batches of equally long rows at once, row beside row: PIECE elements of
// a row of the first batch, the same columns of a row of the second, and so on. While one of them waits for memory, the
// processor works on the other. If one batch has more rows, the rest of them are done without a partner.
class paired_rows {
public:
    // Beyond the caches f32 takes up to 4 % less with 128 elements, and backward 3 to 7 % more with 512, where either
    // row waits for the other's memory. bf16, which computes more for each byte, takes 2 to 8 % more with 128.
    static constexpr int PIECE = 256;

    // `index` holds the index of both rows, the quadword `begin` the first element of the piece.
    paired_rows(kernel_generator &g, const reg &index, const reg &count, const Xbyak::Address &begin)
        : g_(g), index_(index), count_(count), begin_(begin) {}

    struct batch {
        Xbyak::Address number;      // of its rows
        std::function<void()> body; // emits the code for a piece
    };

    // At least one batch has rows.
    void walk(const batch &first, const batch &second) const {
        Xbyak::Label row, piece;
        g_.xor_(index_.cvt32(), index_.cvt32());
        g_.L(row);
        g_.mov(begin_, 0);
        g_.L(piece);
        for (const batch *rows : {&first, &second}) {
            Xbyak::Label none;
            g_.cmp(index_, rows->number);
            g_.jae(none, NEAR);
            rows->body();
            g_.L(none);
        }
        g_.add(begin_, PIECE);
        g_.cmp(begin_, count_);
        g_.jb(piece, NEAR);
        g_.inc(index_);
        for (const batch *rows : {&first, &second}) {
            g_.cmp(index_, rows->number);
            g_.jb(row, NEAR);
        }
    }

    // For the bodies: goes to the piece; emits what is done before the first piece of a row.
    void go_to_piece(vector_loop &loop) const { loop.begin(count_, begin_, PIECE); }
    void go_to_lines(vector_loop &loop, const row_in_lines &row) const {
        loop.begin_in_lines(count_, begin_, PIECE, row);
    }

    void at_first(const std::function<void()> &body) const {
        Xbyak::Label later;
        g_.cmp(begin_, 0);
        g_.jne(later, NEAR);
        body();
        g_.L(later);
    }

    // Sets `to` to the first element after the piece, or a later one that the row does not have.
    void end_of_piece(const reg &to) const {
        g_.mov(to, begin_);
        g_.add(to, PIECE);
    }

private:
    kernel_generator &g_;
    reg index_, count_;
    Xbyak::Address begin_;
};

} // namespace jitnorm::impl::jit
