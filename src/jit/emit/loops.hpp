// SPDX-License-Identifier: Apache-2.0
// loops: emits the loop over the rows of a band and the loop over the vectors of a row.
#pragma once

#include <algorithm>
#include <bit>
#include <initializer_list>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "../configurations.hpp"
#include "../kernel_generator.hpp"
#include "tail_mask.hpp"

namespace jitnorm::impl::jit {

// The rows of a tensor. `at` has a register for each row of a step. The memory `first` has the address of the first
// row, and `stride` the number of bytes from row to row.
struct stepped_rows {
    std::vector<reg> at;
    Xbyak::Address first, stride;
    bool exists = true;
};

// Emits the loop over the rows of a band, with one or several rows in a step. It keeps the addresses of the rows in
// each tensor, and has those of their elements in arrays of the compute type.
class row_loop {
public:
    // `index` holds the index of the step's first row; `end` is the address of the index after the last row.
    row_loop(kernel_generator &g, const reg &index, const reg &scratch, const Xbyak::Address &end,
             std::vector<stepped_rows> tensors)
        : g_(g), index_(index), scratch_(scratch), end_(end), tensors_(std::move(tensors)) {
        std::erase_if(tensors_, [](const stepped_rows &rows) { return !rows.exists; });
    }

    // Loads the addresses of the first row.
    void point_to_first() {
        for (const stepped_rows &rows : tensors_) g_.mov(rows.at.front(), rows.first);
    }

    // Emits steps of `rows` rows, each with body(), until fewer rows are left.
    void step(int rows, const std::function<void()> &body) {
        while_left(rows, [&] {
            for (int r = 1; r < rows; ++r) point_after(size_t(r - 1), size_t(r));
            body();
            point_after(size_t(rows - 1), 0);
            g_.add(index_, rows);
        });
    }

    // The same for bodies that advance the index, and the addresses if they use any, themselves.
    void while_left(int rows, const std::function<void()> &body) {
        Xbyak::Label next, check;
        g_.jmp(check, NEAR);
        g_.L(next);
        body();
        g_.L(check);
        if (rows == 1) {
            g_.cmp(index_, end_);
            g_.jb(next, NEAR);
        } else {
            g_.lea(scratch_, g_.ptr[index_ + rows]);
            g_.cmp(scratch_, end_);
            g_.jbe(next, NEAR);
        }
    }

    void move_on() { // to the next row
        point_after(0, 0);
        g_.inc(index_);
    }

    // Loads the addresses of the row with the current index.
    void point_to_row() const {
        for (const stepped_rows &rows : tensors_) point_to_row(rows.at.front(), rows.first, rows.stride);
    }

    void point_to_row(const reg &to, const Xbyak::Address &first, const Xbyak::Address &stride) const {
        g_.mov(to, index_);
        g_.imul(to, stride);
        g_.add(to, first);
    }

    // Broadcasts the elements of the step's rows, each to all lanes of its register.
    void broadcast(size_t array, std::initializer_list<vmm> to) const {
        Xbyak::RegExp element = of_row(array);
        for (const vmm &v : to) {
            g_.ops.broadcast(v, g_.ptr[element]);
            element = element + g_.kind.element();
        }
    }

    // The address of the element of the step's first row in an array of the arguments (JITNORM_ARRAY); those of the
    // step's other rows follow it.
    Xbyak::RegExp of_row(size_t array) const { return g_.element_of(array, index_, g_.kind.element()); }

private:
    void point_after(size_t last, size_t next) {
        for (const stepped_rows &rows : tensors_) {
            if (next != last) g_.mov(rows.at[next], rows.at[last]);
            g_.add(rows.at[next], rows.stride);
        }
    }

    kernel_generator &g_;
    reg index_, scratch_;
    Xbyak::Address end_;
    std::vector<stepped_rows> tensors_;
};

// The place of a vector in the row: its slot, which is its number among the vectors of the unrolled body, counted from
// the loop's position.
struct place {
    size_t slot;
    bool tail; // whether the vector is incomplete, so that loads and stores need the tail mask
};
using places = std::span<const place>;

// A row to be cut at cache lines: its address, which is aligned to elements of `size` bytes; a register for numbers.
struct row_in_lines {
    reg row;
    int size;
    reg rest;
};

using vectors_body = const std::function<void(places)> &; // emits code for some vectors

// Emits the loop over the elements of a row, in vectors of the compute type, and prefetches for them. Only this class
// unrolls, and handles the whole vectors that the unrolled loop leaves over and the incomplete vector at the row's end.
class vector_loop {
    static constexpr int CACHE_LINE = 64; // bytes

public:
    // `position` is the number of elements before the current ones, `left` the number of elements that are still to be
    // walked. A walk changes both registers.
    vector_loop(kernel_generator &g, const reg &position, const reg &left) : g_(g), position_(position), left_(left) {}

    // A loop without a position, for walk_straight() over rows of `count` elements: slots count from the row's start.
    vector_loop(kernel_generator &g, const reg &count) : g_(g), left_(count) {}

    // Goes to the start of a row, with `count` elements to walk.
    void begin(const reg &count) {
        g_.xor_(position_->cvt32(), position_->cvt32());
        g_.mov(left_, count);
    }

    // The address of a vector in a row of elements of `size` bytes.
    Xbyak::RegExp at(const Xbyak::RegExp &row, const place &p, int size) const {
        return (position_ ? row + *position_ * size : row) + p.slot * width() * size;
    }

    // The address after the first (left() & mask) elements of an incomplete vector. Changes the register `skipped`.
    Xbyak::RegExp after(const reg &row, const place &p, int size, const reg &skipped, int mask) const {
        g_.mov(skipped, left_);
        g_.and_(skipped, mask);
        if (position_) g_.add(skipped, *position_);
        return row + skipped * size + p.slot * width() * size;
    }

    const reg &left() const { return left_; }

    // Emits body(places) for all vectors of the next `left` elements, first `unroll` vectors at a time and then one by
    // one. Element c of the walk is in slot c / width mod unroll. The number of elements may be any, also zero. Only
    // the last vector can be incomplete.
    void walk(int unroll, vectors_body body) {
        Xbyak::Label done;
        emit_unrolled(unroll, done, body);
        for (int slot = 0; slot < unroll; ++slot) emit_remainder(unroll, slot, done, body);
        g_.L(done);
    }

    // The same, in less code, for bodies for which it does not matter in which slot a vector is, because they have no
    // sums for each slot: vectors after the unrolled loop have slot 0.
    void walk_freely(int unroll, vectors_body body) {
        const place incomplete{0, true};
        Xbyak::Label done;
        if (unroll > 1) emit_unrolled(unroll, done, body);
        emit_whole(body);
        g_.test(left_, left_);
        g_.jz(done, NEAR);
        body(places(&incomplete, 1));
        g_.L(done);
    }

    // The same for a whole row and stores past the caches, which must fill whole cache lines: past_caches(places) is
    // emitted for the whole lines that the `left` elements of `row` take; ordinary(places), one vector at a time, for
    // the elements before and after them, which are walked by the same code, `part`. Prepares `tail` for each part.
    // Changes row.rest, which the bodies must not, and `scratch`. The line that the row shares with the next one is
    // fetched early: non-temporal stores would wait for an ordinary one to it.
    void walk_lines(const row_in_lines &row, tail_mask &tail, const reg &scratch, int unroll, vectors_body past_caches,
                    vectors_body ordinary) {
        const reg &rest = row.rest;
        Xbyak::Label ends_line, part, whole, walked;
        g_.lea(rest, g_.ptr[row.row + left_ * row.size]);
        g_.test(rest.cvt32(), CACHE_LINE - 1);
        g_.jz(ends_line);
        g_.prefetchw(g_.ptr[rest]);
        g_.L(ends_line);
        g_.mov(rest, row.row); // the number of elements before the first line that begins in the row
        g_.neg(rest);
        g_.and_(rest, CACHE_LINE - 1);
        g_.shr(rest, std::countr_zero(unsigned(row.size)));
        g_.cmp(rest, left_);
        g_.cmova(rest, left_);
        g_.sub(left_, rest);
        g_.xchg(left_, rest); // `rest` elements follow the part
        g_.test(left_, left_);
        g_.jz(whole, NEAR);
        g_.L(part);
        g_.push(rest);
        tail.prepare(left_, scratch, rest);
        g_.pop(rest);
        walk_freely(1, ordinary);
        g_.add(*position_, left_);
        g_.L(whole);
        g_.mov(left_, rest);
        g_.and_(rest, CACHE_LINE / row.size - 1);
        g_.sub(left_, rest);
        if (unroll > 1) emit_unrolled(unroll, walked, past_caches);
        emit_whole(past_caches);
        g_.L(walked);
        g_.mov(left_, rest);
        g_.xor_(rest, rest);
        g_.test(left_, left_);
        g_.jnz(part, NEAR);
    }

    // Emits code without a loop for rows of 1 to `most` vectors: for each number of vectors a piece of its own, with
    // and without an incomplete vector at the end, followed by a jump to `done`. Longer rows go on after all pieces.
    void walk_straight(int most, Xbyak::Label &done, vectors_body body) {
        std::vector<place> vectors;
        for (int slot = 0; slot < most; ++slot) {
            vectors.push_back({size_t(slot), false});
            for (const bool tail : {true, false}) {
                Xbyak::Label longer;
                g_.cmp(left_, (slot + 1) * width());
                tail ? g_.jae(longer, NEAR) : g_.ja(longer, NEAR);
                vectors.back().tail = tail;
                body(places(vectors));
                g_.jmp(done, NEAR);
                g_.L(longer);
            }
        }
    }

    // How many bytes ahead of ordinary stores their cache lines are prefetched. Without this, stores that cross two
    // lines and miss L1 would wait for one line after the other.
    static constexpr int AHEAD_OF_STORES = 128;

    // Prefetch the cache lines of a row's vectors, one instruction for each line, but none for the incomplete vector:
    // for later loads of elements of `type`, and for stores `ahead` bytes after these vectors.
    void prefetch(const Xbyak::RegExp &row, places vectors, jitnorm_data_type_t type,
                  prefetch_to cache = prefetch_to::l1) const {
        if (cache == prefetch_to::nowhere) return;
        for_each_line(row, vectors, type, [&](const Xbyak::RegExp &line) {
            cache == prefetch_to::l1 ? g_.prefetcht0(g_.ptr[line]) : g_.prefetcht1(g_.ptr[line]);
        });
    }

    void prefetch_for_write(const Xbyak::RegExp &row, places vectors, jitnorm_data_type_t type,
                            int ahead = AHEAD_OF_STORES) const {
        for_each_line(row, vectors, type, [&](const Xbyak::RegExp &line) { g_.prefetchw(g_.ptr[line + ahead]); });
    }

private:
    // The unrolled loop. Jumps to `done` if no element is left after it.
    void emit_unrolled(int unroll, Xbyak::Label &done, vectors_body body) {
        std::vector<place> all;
        for (int slot = 0; slot < unroll; ++slot) all.push_back({size_t(slot), false});
        Xbyak::Label loop, end;
        g_.sub(left_, unroll * width());
        g_.jb(end, NEAR);
        g_.align(32);
        g_.L(loop);
        body(places(all));
        g_.add(*position_, unroll * width());
        g_.sub(left_, unroll * width());
        g_.jae(loop, NEAR);
        g_.L(end);
        g_.add(left_, unroll * width());
        g_.jz(done, NEAR);
    }

    // Whole vectors, one by one, until fewer elements are left.
    void emit_whole(vectors_body body) {
        const place whole{0, false};
        Xbyak::Label next, rest;
        g_.L(next);
        g_.cmp(left_, width());
        g_.jb(rest, NEAR);
        body(places(&whole, 1));
        g_.add(*position_, width());
        g_.sub(left_, width());
        g_.jmp(next, NEAR);
        g_.L(rest);
    }

    // After `slot` of fewer than `unroll` vectors that were left: does one more vector, whole or incomplete, or none.
    void emit_remainder(int unroll, int slot, Xbyak::Label &done, vectors_body body) {
        const place whole_vector{size_t(slot), false}, incomplete{size_t(slot), true};
        Xbyak::Label whole;
        const bool last = slot == unroll - 1; // the last of them cannot be whole
        if (!last) {
            g_.cmp(left_, (slot + 1) * width());
            g_.jae(whole, NEAR);
        }
        g_.cmp(left_, slot * width());
        g_.je(done, NEAR);
        body(places(&incomplete, 1));
        if (!last) {
            g_.jmp(done, NEAR);
            g_.L(whole);
            body(places(&whole_vector, 1));
        }
    }

    void for_each_line(const Xbyak::RegExp &row, places vectors, jitnorm_data_type_t type,
                       const std::function<void(const Xbyak::RegExp &)> &hint) const {
        if (vectors.front().tail) return;
        const int size = element_bytes(type);
        const auto vectors_in_line = size_t(std::max(1, CACHE_LINE / (width() * size)));
        for (size_t i = 0; i < vectors.size(); i += vectors_in_line) hint(at(row, vectors[i], size));
    }

    int width() const { return g_.kind.width(); }

    kernel_generator &g_;
    std::optional<reg> position_;
    reg left_;
};

} // namespace jitnorm::impl::jit
