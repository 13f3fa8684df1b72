// SPDX-License-Identifier: Apache-2.0
// row_walker: emits the loop over the elements of a row, in vectors of the compute type T. Only this class knows of
// unrolling, of the whole vectors that the unrolled loop leaves over, and of the incomplete vector at the row's end.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "../vector_traits.hpp"

namespace jitnorm::impl::jit {

// The place of a vector in the row: its slot, which is its number among the vectors of the unrolled body, counted from
// the walker's position.
struct place {
    int slot;
    bool tail; // whether the vector is incomplete, so that loads and stores need the tail mask
};
using places = std::span<const place>;

template <isa I, typename T>
class row_walker {
    static constexpr int WIDTH = VECTOR_WIDTH<I, T>;

public:
    // `position` is the number of elements before the current ones, `left` the number of elements that are still to be
    // walked. A walk changes both registers.
    row_walker(Xbyak::CodeGenerator &g, const Xbyak::Reg64 &position, const Xbyak::Reg64 &left)
        : g_(g), position_(position), left_(left) {}

    // A walker without a position, for walk_straight() over rows of `count` elements: slots count from the row's start.
    row_walker(Xbyak::CodeGenerator &g, const Xbyak::Reg64 &count) : g_(g), left_(count) {}

    // Goes to the start of a row, with `count` elements to walk.
    void begin(const Xbyak::Reg64 &count) {
        rewind();
        g_.mov(left_, count);
    }
    void rewind() { g_.xor_(position_->cvt32(), position_->cvt32()); }

    // The address of a vector in a row of elements of `size` bytes.
    Xbyak::RegExp at(const Xbyak::RegExp &row, const place &p, int size) const {
        return (position_ ? row + *position_ * size : row) + p.slot * WIDTH * size;
    }

    // The address behind the first (left() & mask) elements of an incomplete vector. Changes the register `skipped`.
    Xbyak::RegExp behind(const Xbyak::Reg64 &row, const place &p, int size, const Xbyak::Reg64 &skipped, int mask) {
        g_.mov(skipped, left_);
        g_.and_(skipped, mask);
        if (position_) g_.add(skipped, *position_);
        return row + skipped * size + p.slot * WIDTH * size;
    }

    const Xbyak::Reg64 &left() const { return left_; }

    // Emits body(places) for all vectors of the next `left` elements, first `unroll` vectors at a time and then one by
    // one. Element c of the walk is in slot c / WIDTH mod unroll. The number of elements may be any, also zero. Only
    // the last vector can be incomplete.
    template <typename Body>
    void walk(int unroll, Body &&body) {
        Xbyak::Label done;
        emit_unrolled(unroll, done, body);
        for (int slot = 0; slot < unroll; ++slot) emit_remainder(unroll, slot, done, body);
        g_.L(done);
    }

    // The same for bodies that do not depend on the slot: vectors that the unrolled loop leaves over have slot 0, which
    // needs less code.
    template <typename Body>
    void walk_freely(int unroll, Body &&body) {
        const place whole{0, false}, incomplete{0, true};
        Xbyak::Label next, rest, done;
        if (unroll > 1) emit_unrolled(unroll, done, body);
        g_.L(next);
        g_.cmp(left_, WIDTH);
        g_.jb(rest, Xbyak::CodeGenerator::T_NEAR);
        body(places(&whole, 1));
        g_.add(*position_, WIDTH);
        g_.sub(left_, WIDTH);
        g_.jmp(next, Xbyak::CodeGenerator::T_NEAR);
        g_.L(rest);
        g_.test(left_, left_);
        g_.jz(done, Xbyak::CodeGenerator::T_NEAR);
        body(places(&incomplete, 1));
        g_.L(done);
    }

    // Emits code without a loop for rows of 1 to `most` vectors: for each number of vectors a piece of its own, with
    // and without an incomplete vector at the end, followed by a jump to `done`. Longer rows go on behind all pieces.
    template <typename Body>
    void walk_straight(int most, Xbyak::Label &done, Body &&body) {
        std::vector<place> vectors;
        for (int slot = 0; slot < most; ++slot) {
            vectors.push_back({slot, false});
            for (const bool tail : {true, false}) {
                Xbyak::Label longer;
                g_.cmp(left_, (slot + 1) * WIDTH);
                tail ? g_.jae(longer, Xbyak::CodeGenerator::T_NEAR) : g_.ja(longer, Xbyak::CodeGenerator::T_NEAR);
                vectors.back().tail = tail;
                body(places(vectors));
                g_.jmp(done, Xbyak::CodeGenerator::T_NEAR);
                g_.L(longer);
            }
        }
    }

private:
    // The unrolled loop. Jumps to `done` if no element is left after it.
    template <typename Body>
    void emit_unrolled(int unroll, Xbyak::Label &done, Body &body) {
        std::vector<place> all;
        for (int slot = 0; slot < unroll; ++slot) all.push_back({slot, false});
        Xbyak::Label loop, end;
        g_.sub(left_, unroll * WIDTH);
        g_.jb(end, Xbyak::CodeGenerator::T_NEAR);
        g_.align(32);
        g_.L(loop);
        body(places(all));
        g_.add(*position_, unroll * WIDTH);
        g_.sub(left_, unroll * WIDTH);
        g_.jae(loop, Xbyak::CodeGenerator::T_NEAR);
        g_.L(end);
        g_.add(left_, unroll * WIDTH);
        g_.jz(done, Xbyak::CodeGenerator::T_NEAR);
    }

    // Is for the case that fewer than `unroll` vectors were left and `slot` of them are done: one more vector, which is
    // whole or incomplete, or none.
    template <typename Body>
    void emit_remainder(int unroll, int slot, Xbyak::Label &done, Body &body) {
        const place whole_vector{slot, false}, incomplete{slot, true};
        Xbyak::Label whole;
        const bool last = slot == unroll - 1; // the last of them cannot be whole
        if (!last) {
            g_.cmp(left_, (slot + 1) * WIDTH);
            g_.jae(whole, Xbyak::CodeGenerator::T_NEAR);
        }
        g_.cmp(left_, slot * WIDTH);
        g_.je(done, Xbyak::CodeGenerator::T_NEAR);
        body(places(&incomplete, 1));
        if (!last) {
            g_.jmp(done, Xbyak::CodeGenerator::T_NEAR);
            g_.L(whole);
            body(places(&whole_vector, 1));
        }
    }

    Xbyak::CodeGenerator &g_;
    std::optional<Xbyak::Reg64> position_;
    Xbyak::Reg64 left_;
};

} // namespace jitnorm::impl::jit
